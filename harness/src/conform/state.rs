//! Watermarks and the state of a join of two streams after a batch.

use streamjoin_kernels::JoinType;

use super::case::{ExpectedBatch, StreamStreamQuery};
use super::run::Executed;
use crate::text::instant::timestamp;

/// The numbers that differ.
///
/// # Errors
/// A batch that was reported or recorded without its state.
pub(super) fn differences(
    query: &StreamStreamQuery,
    found: &Executed,
    wanted: &ExpectedBatch,
) -> Result<Vec<String>, String> {
    let wanted = wanted.state.as_ref().ok_or("    the recorded batch has no state")?;
    let progress = &found.progress;
    let state = progress.state_operators.first().ok_or("    no state was reported")?;
    let millis = |text: &Option<String>| {
        let time = text.as_deref().map(timestamp).transpose()?;
        Ok::<_, String>(time.map(|micros| micros.div_euclid(1000)))
    };
    let times = progress.event_time.clone().unwrap_or_default();
    let (watermark, late_watermark) = (millis(&times.watermark)?, millis(&times.late_watermark)?);
    // Spark counts what a semi join stores its own way.
    let semi = query.join_type.parse::<JoinType>().is_ok_and(|t| t == JoinType::LeftSemi);
    let recorded = |rows: Option<u64>| rows.filter(|_| !semi);
    let (updated, removed) =
        (recorded(wanted.state_rows_updated), recorded(wanted.state_rows_removed));
    let number = |rows: u64| Some(rows as i64);
    let [left, right] = [state.custom_metrics.rows_left, state.custom_metrics.rows_right];
    let compared = [
        ("watermark", watermark, wanted.watermark_ms),
        // Recorded as 0 where there is no watermark at all.
        ("late watermark", late_watermark, wanted.watermark_ms.and(wanted.late_watermark_ms)),
        ("state rows", number(state.num_rows_total), number(wanted.state_rows_total)),
        ("state rows on the left", number(left), number(wanted.state_rows_left)),
        ("state rows on the right", number(right), number(wanted.state_rows_right)),
        (
            "rows dropped as late",
            number(state.num_rows_dropped_by_watermark),
            number(wanted.rows_dropped_late),
        ),
        ("rows stored", updated.and(number(state.num_rows_updated)), updated.and_then(number)),
        ("rows removed", removed.and(number(state.num_rows_removed)), removed.and_then(number)),
    ];
    let different = compared.into_iter().filter(|(_, found, wanted)| found != wanted);
    let shown = different.map(|(what, found, wanted)| {
        let show = |n: Option<i64>| n.map_or("none".to_owned(), |n| n.to_string());
        format!("      {what}: {}, but should be {}\n", show(found), show(wanted))
    });
    Ok(shown.collect())
}
