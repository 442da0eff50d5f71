//! How much is measured.

use std::time::Duration;

use criterion::BenchmarkGroup;
use criterion::measurement::WallTime;

/// Whether `STREAMJOIN_BENCH_GRID=full` asks for everything.
#[must_use]
pub fn full_grid() -> bool {
    std::env::var("STREAMJOIN_BENCH_GRID").is_ok_and(|grid| grid == "full")
}

/// Rows of tables; 10 M in the full grid only.
#[must_use]
pub fn table_rows() -> Vec<usize> {
    let mut rows = vec![1_000, 100_000, 1_000_000];
    rows.extend(full_grid().then_some(10_000_000));
    rows
}

/// Keeps a group short: under a second per line.
pub fn short(group: &mut BenchmarkGroup<'_, WallTime>) {
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
}
