//! Swaps a table between batches: a new version is built while the old one is
//! in use, by another thread, and each batch says which version it has met.
//!
//! `cargo run --release -p streamjoin-kernels --example swap_table`

use std::sync::Arc;
use std::thread;

use streamjoin_kernels::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use streamjoin_kernels::arrow::datatypes::Float64Type;
use streamjoin_kernels::stream_static::{self, KeyPair};
use streamjoin_kernels::{IndexKind, JoinType, Result, TableSnapshot};

const CURRENCIES: i64 = 1000;

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
        vec![KeyPair::equal(0, 0)],
    );
    let options = stream_static::Options {
        index: IndexKind::Direct.into(),
        ..stream_static::Options::default()
    };
    let join = stream_static::Join::new(spec, options)?;
    join.swap(join.build(&[rates(1)?], 1)?)?;

    for batch in 1..=4u64 {
        let (next, sum) = thread::scope(|scope| -> Result<_> {
            // A second thread indexes the next version; batches need not wait.
            let next = scope.spawn(|| -> Result<Arc<TableSnapshot>> {
                join.build(&[rates(batch + 1)?], batch + 1)
            });
            let (mut output, mut sum) = (join.push(&payments)?, 0.0);
            while let Some(rows) = output.next_batch()? {
                sum += rows.column(2).as_primitive::<Float64Type>().values().iter().sum::<f64>();
            }
            let next = next.join().expect("building does not panic")?;
            Ok((next, sum))
        })?;
        // Cheap: an `Arc` changes hands. Cursors that still read the old version
        // keep it alive.
        let before = join.swap(next)?.expect("there was one");
        println!("batch {batch} met version {}, sum of rates {sum}", before.version());
        assert_eq!((before.version(), sum), (batch, 20_000.0 * batch as f64));
    }
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
