//! Which contenders are held in memory at a time.

use super::super::contender::Contender;
use super::super::room::{contender_bytes, free_bytes, rows_bytes};
use super::super::workload::Workload;
use crate::text::bytes;

/// Places of contenders that take turns with each other, those of one number of
/// threads together.
///
/// # Errors
/// The reason why not even one fits into memory with the baseline.
pub(super) fn groups(
    workload: &Workload,
    contenders: &[Contender],
) -> Result<Vec<Vec<usize>>, String> {
    let room = room(workload, free_bytes())?;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, contender) in contenders.iter().enumerate() {
        let fitting = groups
            .iter_mut()
            .find(|group| group.len() < room && contenders[group[0]].threads == contender.threads);
        match fitting {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    Ok(groups)
}

/// Contenders that fit into memory with the rows and the baseline, at least one.
fn room(workload: &Workload, free: Option<u64>) -> Result<usize, String> {
    let Some(free) = free else { return Ok(usize::MAX) };
    let (rows, each) = (rows_bytes(workload), contender_bytes(workload));
    let room = free.saturating_sub(rows) / each.max(1);
    if room < 2 {
        return Err(format!(
            "needs about {} of memory, {} can be had",
            bytes::binary(rows + 2 * each),
            bytes::binary(free)
        ));
    }
    Ok(usize::try_from(room - 1).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_says_how_much_it_needs() {
        let workload = Workload::default();
        assert_eq!(room(&workload, None), Ok(usize::MAX));
        let both = rows_bytes(&workload) + 2 * contender_bytes(&workload);
        assert_eq!(room(&workload, Some(both)), Ok(1));
        assert_eq!(room(&workload, Some(both + 3 * contender_bytes(&workload))), Ok(4));
        let why = room(&workload, Some(both - 1)).unwrap_err();
        assert!(why.contains("needs about") && why.contains("MB"), "{why}");
    }
}
