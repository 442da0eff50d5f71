//! What the system says that tables and cursors take, in a process of their own.
#![cfg(target_os = "linux")]

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{IndexKind, JoinType};

const MEGABYTE: usize = 1 << 20;

/// Anonymous memory that this process holds.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

fn keyed(name: &str, keys: impl Iterator<Item = i64>) -> RecordBatch {
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(keys));
    RecordBatch::try_from_iter([(name, keys)]).unwrap()
}

/// One test, since both parts look at the whole process.
#[test]
fn tables_weigh_what_they_say_and_hot_keys_take_no_memory() {
    let options = |layout, index: IndexKind| {
        stream_static::Options::default().with_layout(layout).with_index(index)
    };
    let strategies =
        || IndexKind::ALL.into_iter().flat_map(|index| Layout::ALL.map(|layout| (layout, index)));
    let joined = |stream: &RecordBatch, table: &RecordBatch, options| {
        let keys = [(0, 0)];
        let spec = stream_static::Spec::on(stream.schema(), table.schema(), JoinType::Inner, keys)
            .unwrap();
        stream_static::Join::new(spec, options).unwrap()
    };

    // 1e10 pairs, of which 1e7 are looked at.
    let (stream, table) =
        (keyed("k", [7; 100_000].into_iter()), keyed("d", [7; 100_000].into_iter()));
    for (layout, index) in strategies() {
        let join = joined(&stream, &table, options(layout, index));
        join.swap(join.build(std::slice::from_ref(&table), 0).unwrap()).unwrap();
        let before = resident();
        let mut cursor = join.push(&stream).unwrap();
        let mut rows = 0;
        while rows < 10_000_000 {
            rows += cursor.next_batch().unwrap().unwrap().num_rows();
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < 48 * MEGABYTE, "{layout}/{index}: {grown} bytes");
    }

    // Rows in no order, so that all are laid out again.
    let rows = 1i64 << 20;
    let table = keyed("d", (0..rows).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64) >> 1));
    for (layout, index) in strategies() {
        let join = joined(&table, &table, options(layout, index));
        // What the allocator keeps of an earlier build is not that of this one.
        drop(join.build(std::slice::from_ref(&table), 0).unwrap());
        let before = resident();
        let snapshot = join.build(std::slice::from_ref(&table), 0).unwrap();
        let grown = resident().saturating_sub(before);
        // What building gave back may still be with the allocator.
        let bytes = snapshot.peak_build_bytes();
        assert!(bytes >= snapshot.bytes());
        assert!(
            grown < bytes + bytes / 5 + 4 * MEGABYTE,
            "{layout}/{index}: {grown} bytes resident, {bytes} accounted at the peak"
        );
    }
}
