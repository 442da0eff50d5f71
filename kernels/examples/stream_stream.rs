//! Joins two streams, impressions and clicks at most a minute after them, and
//! forgets what can match no more: the state stays as small as the interval and
//! the watermark allow, however long the streams run.
//!
//! `cargo run --release -p streamjoin-kernels --example stream_stream`

use std::sync::Arc;
use std::time::Duration;

use streamjoin_kernels::arrow::array::{
    ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray,
};
use streamjoin_kernels::stream_stream::{self, End};
use streamjoin_kernels::time::IntervalCondition;
use streamjoin_kernels::{JoinType, Result, Side};

const SECOND: i64 = 1_000_000;
/// When the streams begin: in 2026, in seconds since 1970.
const START: i64 = 1_767_225_600;

fn events(ids_and_seconds: impl Iterator<Item = (i64, i64)> + Clone) -> Result<RecordBatch> {
    let ids = ids_and_seconds.clone().map(|(id, _)| id);
    let times = ids_and_seconds.map(|(_, second)| (START + second) * SECOND);
    Ok(RecordBatch::try_from_iter([
        ("ad", Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef),
        ("at", Arc::new(TimestampMicrosecondArray::from_iter_values(times))),
    ])?)
}

/// Reads a batch's output to its end; returns how many rows matched, and how
/// many came out because they will match no more.
fn drain(batch: Option<stream_stream::Batch<'_>>) -> Result<(u64, u64)> {
    let Some(mut output) = batch else { return Ok((0, 0)) };
    while output.next_batch()?.is_some() {}
    let report = output.report();
    Ok((report.rows_out - report.rows_unmatched, report.rows_unmatched))
}

fn main() -> Result<()> {
    let schema = events(std::iter::empty())?.schema();
    // Events come at most ten seconds out of order.
    let input = stream_stream::Input::new(schema)
        .with_event_time("at")?
        .with_watermark_delay(Duration::from_secs(10));
    let spec = stream_stream::Spec::on(
        input.clone(),
        input,
        JoinType::LeftOuter,
        [("ad", "ad")],
        IntervalCondition::between(Duration::ZERO, Duration::from_secs(60)),
    )?;
    let mut join = stream_stream::Join::new(spec, stream_stream::Options::default())?;
    println!("impressions leave the state {}", join.expiry(Side::Left));

    let (mut clicked, mut ignored) = (0, 0);
    for minute in 0..10 {
        // A hundred impressions a second; every fifth is clicked 20 s later.
        let seconds = minute * 60..(minute + 1) * 60;
        let shown = seconds.flat_map(|at| (0..100).map(move |i| (at * 100 + i, at)));
        let clicks = shown.clone().filter(|(id, _)| id % 5 == 0).map(|(id, at)| (id, at + 20));
        let (now, gone) = drain(join.push(&[events(shown)?], &[events(clicks)?])?)?;
        // The watermark has moved: what it rules out leaves the state, and comes
        // out if it was not clicked.
        let (_, gone_after) = drain(join.advance()?)?;
        (clicked, ignored) = (clicked + now, ignored + gone + gone_after);
        let state = join.state(Side::Left);
        println!(
            "minute {minute}: {now} clicked, {} given up, {} impressions wait in {} KB",
            gone + gone_after,
            state.rows,
            state.bytes() / 1000
        );
        assert!(state.rows <= 2 * 60 * 100 + 1000, "the state is bounded");
    }
    let (_, rest) = drain(join.finish(End::Flush)?)?;
    println!("{clicked} clicked, {ignored} ignored, {rest} at the end of the streams");
    assert_eq!((clicked, ignored + rest), (12_000, 48_000));
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
