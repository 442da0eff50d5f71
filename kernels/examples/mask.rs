//! A semi-join as a mask: which events of a batch come from known devices, for a
//! program that has filters and selection vectors of its own.
//!
//! `cargo run --release -p streamjoin-kernels --example mask`

use std::sync::Arc;

use streamjoin_kernels::arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use streamjoin_kernels::arrow::compute::filter_record_batch;
use streamjoin_kernels::stream_static::{Join, Options, Spec};
use streamjoin_kernels::{JoinType, Result};

fn column(name: &str, values: impl Iterator<Item = String>) -> Result<RecordBatch> {
    let values = Arc::new(StringArray::from_iter_values(values)) as ArrayRef;
    Ok(RecordBatch::try_from_iter([(name, values)])?)
}

fn main() -> Result<()> {
    let known = column("id", (0..500).map(|id| format!("device {id}")))?;
    let events = column("device", (0..10_000).map(|event| format!("device {}", event % 1000)))?;

    let keys = [("device", "id")];
    let spec = Spec::on(events.schema(), known.schema(), JoinType::LeftSemi, keys)?;
    let join = Join::new(spec, Options::default())?;
    join.swap(join.build(&[known], 1)?)?;

    let mask = join.mask(&events)?;
    println!("{} of {} events come from known devices", mask.count_set_bits(), mask.len());
    assert_eq!(mask.count_set_bits(), 5000);
    let kept = filter_record_batch(&events, &BooleanArray::from(mask))?;
    assert_eq!(kept.num_rows(), 5000);
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
