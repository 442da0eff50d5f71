//! Counts of work.

use std::sync::Arc;

use streamjoin_kernels::arrow;
use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::datatypes::Int64Type;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{
    ColumnRef, Filter, IndexKind, Isa, JoinType, KeyHasher, Predicate, Result,
};

/// `left < right`.
#[derive(Debug)]
struct Less;

impl Predicate for Less {
    fn evaluate(&self, columns: &[ArrayRef], _: usize) -> Result<BooleanArray> {
        let column = |i: usize| columns[i].as_primitive::<Int64Type>();
        Ok(arrow::compute::kernels::cmp::lt(column(0), column(1))?)
    }
}

fn table(columns: [(&str, Vec<i64>); 3]) -> RecordBatch {
    let columns = columns.map(|(name, values)| (name, Arc::new(Int64Array::from(values)) as _));
    RecordBatch::try_from_iter(columns).unwrap()
}

fn stats(
    output: &[ColumnRef],
    residual: bool,
    options: stream_static::Options,
) -> stream_static::Stats {
    let stream = table([
        ("k", (0..1000).map(|i| i % 200).collect()),
        ("v", (0..1000).collect()),
        ("unused", vec![0; 1000]),
    ]);
    // Two rows for each of 100 keys.
    let dimension = table([
        ("k", (0..200).map(|i| i % 100).collect()),
        ("w", (0..200).map(|i| i * 5).collect()),
        ("unused", vec![0; 200]),
    ]);
    let keys = [(0, 0)];
    let mut spec =
        stream_static::Spec::on(stream.schema(), dimension.schema(), JoinType::LeftOuter, keys)
            .unwrap();
    spec.output.retain(|column| output.contains(&column.source));
    if residual {
        spec.residual = Some(Filter {
            columns: vec![ColumnRef::Stream(1), ColumnRef::Table(1)],
            predicate: Arc::new(Less),
        });
    }
    let join = stream_static::Join::new(spec, options).unwrap();
    join.swap(join.build(&[dimension], 0).unwrap()).unwrap();
    let mut cursor = join.push(&stream).unwrap();
    while cursor.next_batch().unwrap().is_some() {}
    cursor.stats()
}

#[test]
fn values_are_counted_where_columns_are_wanted() {
    use ColumnRef::{Stream, Table};
    let with =
        |output: &[ColumnRef], residual| stats(output, residual, stream_static::Options::default());
    // 500 rows match two rows each, 500 match none.
    let one = with(&[Table(1)], false);
    assert_eq!((one.rows_out, one.values_gathered, one.residual_pairs), (1500, 1500, 0));
    let two = with(&[Stream(1), Table(1)], false);
    assert!((1500..=3000).contains(&two.values_gathered), "{}", two.values_gathered);
    assert_eq!(
        with(&[Stream(1), Table(1), Table(2)], false).values_gathered,
        two.values_gathered + 1500
    );
    // Both columns of the condition, for each pair.
    let residual = with(&[Table(1)], true);
    assert_eq!(residual.residual_pairs, 1000);
    assert_eq!(residual.values_gathered, residual.rows_out + 2 * 1000);
    assert_eq!(residual.keys_compared, one.keys_compared);
}

#[test]
fn work_does_not_depend_on_instruction_set_or_threads() {
    for index in IndexKind::ALL {
        let work = |options: stream_static::Options| {
            let options = options.with_index(index);
            let stats = stats(&[ColumnRef::Table(1)], true, options);
            assert!(stats.keys_compared >= 500, "{index}: {}", stats.keys_compared);
            (stats.keys_compared, stats.residual_pairs, stats.values_gathered)
        };
        let expected = work(stream_static::Options::default());
        for isa in Isa::available() {
            let hasher = KeyHasher::with_seed(isa, 0x5eed);
            assert_eq!(
                work(stream_static::Options::default().with_hasher(hasher)),
                expected,
                "{index}"
            );
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let options = stream_static::Options::default().with_pool(Arc::new(pool));
        assert_eq!(work(options), expected, "{index}");
    }
}

#[test]
fn layouts_are_for_the_caches_that_are_named() {
    use streamjoin_kernels::arch::CacheSizes;
    let partitions = |l2: usize| {
        let caches = CacheSizes::TYPICAL.with_l2(l2);
        let layout = Layout::Partitioned;
        let options = stream_static::Options::default().with_caches(caches).with_layout(layout);
        let stats = stats(&[ColumnRef::Table(1)], false, options);
        assert_eq!(stats.rows_out, 1500);
        stats.keys_compared
    };
    assert_eq!(partitions(1 << 20), partitions(2 << 20), "few rows need few partitions");
    let small = CacheSizes::TYPICAL.with_l2(128);
    assert_eq!(stream_static::Options::default().caches, CacheSizes::detect());
    let snapshot = |caches| {
        let keys = table([("k", (0..5000).collect()), ("w", vec![1; 5000]), ("x", vec![1; 5000])]);
        let spec = stream_static::Spec::on(keys.schema(), keys.schema(), JoinType::Inner, [(0, 0)])
            .unwrap();
        let options =
            stream_static::Options::default().with_caches(caches).with_layout(Layout::Partitioned);
        stream_static::Join::new(spec, options).unwrap().build(&[keys], 0).unwrap().partitions()
    };
    assert!(snapshot(small) > snapshot(CacheSizes::TYPICAL));
}
