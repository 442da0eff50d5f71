//! Swaps a table while batches are joined: one thread builds new versions and puts
//! them in use, another pushes batches, and each batch meets one version, whole.
//!
//! `cargo run --release -p streamjoin-kernels --example swap_table`

use std::sync::Arc;
use std::thread;

use streamjoin_kernels::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use streamjoin_kernels::arrow::datatypes::Float64Type;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::{IndexKind, JoinType, Result};

const CURRENCIES: i64 = 1000;
const LAST_VERSION: u64 = 20;

/// Exchange rates as they were in version `version`.
fn rates(version: u64) -> Result<RecordBatch> {
    let rates = (0..CURRENCIES).map(|_| version as f64);
    Ok(RecordBatch::try_from_iter([
        ("currency", Arc::new(Int64Array::from_iter_values(0..CURRENCIES)) as ArrayRef),
        ("rate", Arc::new(Float64Array::from_iter_values(rates))),
    ])?)
}

fn payments() -> Result<RecordBatch> {
    let currencies = (0..20_000).map(|i| i * 17 % CURRENCIES);
    let column = Arc::new(Int64Array::from_iter_values(currencies)) as ArrayRef;
    Ok(RecordBatch::try_from_iter([("currency", column)])?)
}

fn main() -> Result<()> {
    let payments = payments()?;
    let spec = stream_static::Spec::on(
        payments.schema(),
        rates(0)?.schema(),
        JoinType::Inner,
        [("currency", "currency")],
    )?;
    let options = stream_static::Options::default().with_index(IndexKind::Direct);
    let join = Arc::new(stream_static::Join::new(spec, options)?);
    join.swap(join.build(&[rates(1)?], 1)?)?;

    let reloading = {
        let join = Arc::clone(&join);
        thread::spawn(move || -> Result<()> {
            for version in 2..=LAST_VERSION {
                let next = join.build(&[rates(version)?], version)?;
                // Cheap: an `Arc` changes hands. Cursors that still read the old
                // version keep it alive.
                let before = join.swap(next)?.expect("there was one");
                assert_eq!(before.version(), version - 1);
            }
            Ok(())
        })
    };
    let (mut batches, mut met) = (0, 0.0);
    while met < LAST_VERSION as f64 {
        let mut rows = 0;
        let mut of_batch: Option<f64> = None;
        for joined in join.push(&payments)? {
            let joined = joined?;
            rows += joined.num_rows();
            for &rate in joined["rate"].as_primitive::<Float64Type>().values() {
                assert_eq!(*of_batch.get_or_insert(rate), rate, "rates of two versions");
            }
        }
        assert_eq!(rows, 20_000);
        met = of_batch.expect("every payment has a rate");
        batches += 1;
    }
    reloading.join().expect("reloading does not panic")?;
    println!("{batches} batches, the last with version {met}");
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
