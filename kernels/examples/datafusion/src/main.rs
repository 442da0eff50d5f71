//! DataFusion reads and aggregates, a join enriches in between: record batches of a query
//! go into the join, and its output goes back as a table that SQL can ask.
//!
//! `cargo run --release --manifest-path kernels/examples/datafusion/Cargo.toml`

mod enriched;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::catalog::MemTable;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use enriched::{Enriched, external};
use streamjoin_kernels::JoinType;
use streamjoin_kernels::stream_static::{Join, Options, Spec};

fn orders(customers: Vec<i64>) -> Result<RecordBatch> {
    let amounts = customers.iter().map(|customer| customer * 10);
    Ok(RecordBatch::try_from_iter([
        ("amount", Arc::new(Int64Array::from_iter_values(amounts)) as ArrayRef),
        ("customer", Arc::new(Int64Array::from(customers))),
    ])?)
}

fn customers(tiers: [&str; 3]) -> Result<RecordBatch> {
    Ok(RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef),
        ("tier", Arc::new(StringArray::from(tiers.to_vec()))),
    ])?)
}

/// Builds a version of the table and puts it in use.
fn set_table(join: &Join, rows: RecordBatch, version: u64) -> Result<()> {
    let snapshot = join.build(&[rows], version).map_err(external)?;
    join.swap(snapshot).map_err(external)?;
    Ok(())
}

/// Orders and their amount per tier, as text.
async fn totals(session: &SessionContext) -> Result<Vec<String>> {
    let query = "SELECT tier, count(*), sum(amount) FROM enriched GROUP BY tier ORDER BY tier";
    let mut lines = Vec::new();
    for rows in session.sql(query).await?.collect().await? {
        let tiers = rows.column(0).as_string::<i32>();
        let counts = rows.column(1).as_primitive::<Int64Type>();
        let sums = rows.column(2).as_primitive::<Int64Type>();
        for ((tier, count), sum) in tiers.iter().zip(counts.values()).zip(sums.values()) {
            lines.push(format!("{}: {count} orders, {sum}", tier.unwrap_or("unknown")));
        }
    }
    Ok(lines)
}

#[tokio::main]
async fn main() -> Result<()> {
    let session = SessionContext::new();
    let parts = vec![vec![orders(vec![1, 2, 3, 0])?], vec![orders(vec![1, 4])?, orders(vec![3])?]];
    let table = MemTable::try_new(parts[0][0].schema(), parts)?;
    session.register_table("orders", Arc::new(table))?;

    let query = session.sql("SELECT customer, amount FROM orders WHERE customer > 0").await?;
    let stream = Arc::clone(query.schema().inner());
    let known = customers(["gold", "silver", "gold"])?;
    let keys = [("customer", "id")];
    let spec = Spec::on(stream, known.schema(), JoinType::LeftOuter, keys).map_err(external)?;
    let join = Arc::new(Join::new(spec, Options::default()).map_err(external)?);
    set_table(&join, known, 1)?;

    let enriched = Enriched { query: query.into_unoptimized_plan(), join: Arc::clone(&join) };
    session.register_table("enriched", Arc::new(enriched))?;
    let answer = totals(&session).await?;
    println!("version 1: {answer:#?}");
    assert_eq!(answer, ["gold: 4 orders, 80", "silver: 1 orders, 20", "unknown: 1 orders, 40"]);

    // The next query sees the next version.
    set_table(&join, customers(["silver", "silver", "gold"])?, 2)?;
    let answer = totals(&session).await?;
    println!("version 2: {answer:#?}");
    assert_eq!(answer, ["gold: 2 orders, 60", "silver: 3 orders, 40", "unknown: 1 orders, 40"]);
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
