//! Enriches a stream of orders with what a table knows of each customer.
//!
//! `cargo run --release -p streamjoin-kernels --example enrich`

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray,
};
use streamjoin_kernels::arrow::util::display::array_value_to_string;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::table::auto::AutoIndex;
use streamjoin_kernels::{
    ColumnRef::{Stream, Table},
    JoinType, Result,
};

const CUSTOMERS: i64 = 100_000;

fn customers() -> Result<RecordBatch> {
    let tiers = ["gold", "silver", "bronze"];
    Ok(RecordBatch::try_from_iter([
        (
            "id",
            Arc::new(Int64Array::from_iter_values((0..CUSTOMERS).map(|i| i * 7919))) as ArrayRef,
        ),
        (
            "tier",
            Arc::new(StringArray::from_iter_values((0..CUSTOMERS).map(|i| tiers[i as usize % 3]))),
        ),
    ])?)
}

/// Every tenth order is of a customer whom the table does not know.
fn orders(batch: i64) -> Result<RecordBatch> {
    let ids = (batch * 50_000..(batch + 1) * 50_000)
        .map(|i| if i % 10 == 0 { -i } else { i * 31 % CUSTOMERS * 7919 });
    let amounts = (0..50_000).map(|i| f64::from(i % 100));
    Ok(RecordBatch::try_from_iter([
        ("customer", Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef),
        ("amount", Arc::new(Float64Array::from_iter_values(amounts))),
    ])?)
}

fn print_rows(rows: &RecordBatch) -> Result<()> {
    for row in 0..rows.num_rows() {
        let values = rows.columns().iter().map(|column| array_value_to_string(column, row));
        println!("  {}", values.collect::<Result<Vec<_>, _>>()?.join(" | "));
    }
    Ok(())
}

fn main() -> Result<()> {
    let (table, first) = (customers()?, orders(1)?);
    let spec = stream_static::Spec::on(
        first.schema(),
        table.schema(),
        JoinType::LeftOuter,
        [("customer", "id")],
    )?
    .select([
        ("customer", Stream("customer")),
        ("spent", Stream("amount")),
        ("tier", Table("tier")),
    ])?;
    // What is known of the stream helps to choose the index.
    let auto = AutoIndex::default().with_probe_rows(20e6).with_hit_rate(0.9);
    let options = stream_static::Options::default().with_index(auto);
    let join = stream_static::Join::new(spec, options)?;
    let snapshot = join.build(&[table], 1)?;
    println!(
        "{} customers in a table of {} KB, index `{}`, built in {:?}",
        snapshot.rows(),
        snapshot.bytes() / 1000,
        snapshot.index_name(),
        snapshot.build_time()
    );
    join.swap(snapshot)?;

    let mut total = stream_static::Stats::default();
    for batch in 1..=10 {
        let mut output = join.push(&orders(batch)?)?;
        while let Some(rows) = output.next_batch()? {
            if batch == 1 && output.stats().rows_out == rows.num_rows() as u64 {
                print_rows(&rows.slice(0, 3))?;
            }
        }
        total.add(&output.stats());
    }
    println!(
        "{} orders, {} with a customer, {} without; keys {:?}, probe {:?}, materialise {:?}",
        total.rows_in,
        total.rows_matched,
        total.rows_unmatched,
        total.keys,
        total.probe,
        total.materialise
    );
    assert_eq!((total.rows_out, total.rows_matched), (500_000, 450_000));
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
