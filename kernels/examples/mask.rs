//! Semi and anti joins as masks: which payments of a batch are above a limit of their
//! card and which are not, for a program that has filters and selection vectors of its own.
//!
//! `cargo run --release -p streamjoin-kernels --example mask`

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch,
};
use streamjoin_kernels::arrow::buffer::BooleanBuffer;
use streamjoin_kernels::arrow::compute::filter_record_batch;
use streamjoin_kernels::arrow::compute::kernels::cmp::gt;
use streamjoin_kernels::stream_static::{Join, Options, Spec};
use streamjoin_kernels::{ColumnRef, JoinType, Predicate, Result};

/// The condition beyond equal cards: the first column is greater than the second.
#[derive(Debug)]
struct Greater;

impl Predicate for Greater {
    fn evaluate(&self, columns: &[ArrayRef], _rows: usize) -> Result<BooleanArray> {
        Ok(gt(&columns[0], &columns[1])?)
    }
}

fn batch(number: &str, rows: impl Iterator<Item = (i64, f64)>) -> Result<RecordBatch> {
    let (cards, numbers) = rows.unzip::<_, _, Vec<_>, Vec<_>>();
    Ok(RecordBatch::try_from_iter([
        ("card", Arc::new(Int64Array::from(cards)) as ArrayRef),
        (number, Arc::new(Float64Array::from(numbers))),
    ])?)
}

/// One bit per payment.
fn mask(
    join_type: JoinType,
    payments: &RecordBatch,
    limits: &RecordBatch,
) -> Result<BooleanBuffer> {
    let columns = [ColumnRef::Stream("amount"), ColumnRef::Table("limit")];
    let spec = Spec::on(payments.schema(), limits.schema(), join_type, [("card", "card")])?
        .with_residual(columns, Arc::new(Greater))?;
    let join = Join::new(spec, Options::default())?;
    join.swap(join.build(std::slice::from_ref(limits), 1)?)?;
    join.mask(payments)
}

fn main() -> Result<()> {
    // Of a thousand cards the first half has a limit.
    let limits = batch("limit", (0..500).map(|card| (card, 50.0)))?;
    let payments = batch("amount", (0..10_000).map(|i| (i % 1000, (i / 1000 * 10) as f64)))?;

    let above = mask(JoinType::LeftSemi, &payments, &limits)?;
    let others = mask(JoinType::LeftAnti, &payments, &limits)?;
    println!("{} of {} payments are above a limit", above.count_set_bits(), above.len());
    assert_eq!(others, !&above);

    let kept = filter_record_batch(&payments, &BooleanArray::from(above))?;
    assert_eq!(kept.num_rows(), 500 * 4); // 60, 70, 80 and 90
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
