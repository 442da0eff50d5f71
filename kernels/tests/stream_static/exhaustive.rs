//! Every pair of tables of at most four rows over the keys null, 0 and 1.

use std::sync::Arc;

use streamjoin_kernels::IndexKind;
use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use streamjoin_kernels::stream_static::{self, Layout, OutputOrder};

use crate::random::JOINS;
use crate::reference::{Case, Conditions, Row, nested_loop, table};

fn tables(max_rows: u32) -> Vec<Vec<Row>> {
    let mut all = Vec::new();
    for rows in 0..=max_rows {
        for code in 0..3u32.pow(rows) {
            all.push(
                (0..rows)
                    .map(|row| {
                        let key = code / 3u32.pow(row) % 3;
                        Row { keys: vec![key.checked_sub(1).map(|k| k as u8)], value: None }
                    })
                    .collect(),
            );
        }
    }
    all
}

#[test]
fn small_tables_for_every_join_type() {
    let tables = tables(4);
    let mut turn = 0usize;
    let strategies: Vec<(IndexKind, Layout, usize)> = IndexKind::ALL
        .into_iter()
        .flat_map(|index| Layout::ALL.map(|layout| (index, layout)))
        .flat_map(|(index, layout)| [1, 2, 8192].map(|rows| (index, layout, rows)))
        .collect();
    let batch = |rows: &[Row]| {
        let keys: Int64Array = rows.iter().map(|row| row.keys[0].map(i64::from)).collect();
        table(vec![Arc::new(keys) as ArrayRef], rows)
    };
    let batches: Vec<RecordBatch> = tables.iter().map(|rows| batch(rows)).collect();
    for (join_type, stream_side) in JOINS {
        for null_safe in [false, true] {
            for (dimension, batch) in tables.iter().zip(&batches) {
                turn += 1;
                let (index, layout, rows) = strategies[turn % strategies.len()];
                let case = Case {
                    join_type,
                    stream_side,
                    null_safe: &[null_safe],
                    conditions: Conditions::default(),
                    stream: batches[0].clone(),
                    dimension: batch.clone(),
                    options: stream_static::Options::default()
                        .with_index(index)
                        .with_layout(layout)
                        .with_probe_rows(rows)
                        .with_output_order(OutputOrder::ALL[turn / strategies.len() % 2])
                        .with_max_output_rows(rows)
                        .with_partition_bits(1),
                    cuts: &[rows],
                };
                let join = case.loaded();
                for (stream, batch) in tables.iter().zip(&batches) {
                    let mut out = Vec::new();
                    case.push(&join, batch, &mut out);
                    out.sort_unstable();
                    let none = Conditions::default();
                    let expected = nested_loop(join_type, &[null_safe], none, stream, dimension);
                    assert_eq!(out, expected, "{case:?} {stream:?} {dimension:?}");
                }
            }
        }
    }
}
