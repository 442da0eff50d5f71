//! Which row of a failed batch is to blame.

use std::ops::Range;

use crate::error::{Failure, FailureKind, Result};

/// The first of `rows` that fails when it is tried alone, with its failure;
/// `None` where no row does: then the failure is not a row's.
///
/// `attempt` answers whether a range of rows fails; it is asked about twice as
/// many rows as there are.
pub(crate) fn first_failing_row(
    rows: usize,
    mut attempt: impl FnMut(Range<usize>) -> Result<()>,
) -> Option<(usize, Failure)> {
    let mut range = 0..rows;
    while range.len() > 1 {
        let middle = range.start + range.len() / 2;
        range = match attempt(range.start..middle) {
            Err(failure) if failure.kind == FailureKind::Interrupted => return None,
            Err(_) => range.start..middle,
            Ok(()) => middle..range.end,
        };
    }
    let row = range.start;
    match attempt(range) {
        Err(failure) if failure.kind != FailureKind::Interrupted => {
            Some((row, without_batch_row(failure)))
        }
        _ => None,
    }
}

/// A row that was tried alone is the first of its batch, which tells nothing.
fn without_batch_row(mut failure: Failure) -> Failure {
    failure.message = failure.message.replace(" (row 0 of the batch)", "");
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_row_is_found() {
        for rows in 1..20 {
            for bad in 0..rows {
                for also in bad..rows {
                    let found = first_failing_row(rows, |range| {
                        if range.contains(&bad) || range.contains(&also) {
                            let row = if range.contains(&bad) { bad } else { also };
                            let at = row - range.start;
                            Err(Failure::run(format!("{row} is odd (row {at} of the batch)")))
                        } else {
                            Ok(())
                        }
                    });
                    let (row, failure) = found.unwrap();
                    assert_eq!((row, failure.message), (bad, format!("{bad} is odd")));
                }
            }
        }
    }

    #[test]
    fn a_failure_of_no_row_has_no_culprit() {
        assert!(first_failing_row(9, |_| Ok(())).is_none());
        assert!(first_failing_row(0, |_| Ok(())).is_none());
        let together = |range: Range<usize>| {
            if range.len() > 1 { Err(Failure::run("too many")) } else { Ok(()) }
        };
        assert!(first_failing_row(9, together).is_none());
    }
}
