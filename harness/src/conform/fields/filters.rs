//! Filters, compared by what they answer on rows.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, Scalar, UInt32Array,
    new_null_array,
};
use arrow::compute::kernels::cmp;
use arrow::compute::{and_kleene, concat, take};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Schema};
use streamjoin_kernels::spark::{self, CastMode};
use streamjoin_kernels::{JoinError, Side, form};

use crate::conform::case::{CaseSide, Filter, Operand};
use crate::conform::value;
use crate::plan::{Needed, Relation};

/// Rows of each side that filters are tried on.
const TRIED: usize = 48;

/// Rows of a case as the query sees them: with windows in the place of event
/// times, for one.
///
/// # Errors
/// As the relation's expressions.
pub(super) fn seen(relation: &Relation, rows: &RecordBatch) -> Result<RecordBatch, String> {
    let all: std::collections::BTreeSet<usize> = (0..relation.columns.len()).collect();
    let prepare = relation.prepare(&Needed::from(all), []);
    let read = rows.project(prepare.read.as_slice()).map_err(|error| error.to_string())?;
    // Of two streams columns are read by value, however they are encoded.
    let (fields, columns): (Vec<_>, Vec<_>) = read
        .schema_ref()
        .fields()
        .iter()
        .zip(read.columns().iter().zip(prepare.read.as_slice()))
        .map(|(field, (column, &at))| {
            let data_type = &relation.source.columns[at].data_type;
            let field = field.as_ref().clone().with_data_type(data_type.clone());
            form::convert(column, data_type).map(|column| (field, column))
        })
        .collect::<Result<Vec<_>, JoinError>>()
        .map_err(|error| error.to_string())?
        .into_iter()
        .unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    let read = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options);
    prepare.apply(read.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
}

/// Checks that the filters that were bound answer as the case's fields on pairs
/// of the given rows (the first ones of the left and of the right, and a row of
/// nulls).
///
/// # Errors
/// The first pair on which they differ.
pub(super) fn check(
    fields: &[Filter],
    bound: &[super::Filter<'_>],
    (left, right): (&RecordBatch, &RecordBatch),
    mode: CastMode,
) -> Result<(), String> {
    let (left, right) = pairs(left, right)?;
    let rows = left.num_rows();
    let mut parsed = BooleanArray::from(vec![true; rows]);
    for (filter, columns) in bound {
        let inputs = columns.iter().map(|(side, column)| match side {
            Side::Left => left.column(*column).clone(),
            Side::Right => right.column(*column).clone(),
        });
        let inputs: Vec<ArrayRef> = inputs.collect();
        let answer = filter.evaluate(&inputs, rows).map_err(|error| error.to_string())?;
        parsed = and_kleene(&parsed, boolean(&answer)?).map_err(|error| error.to_string())?;
    }
    let mut wanted = BooleanArray::from(vec![true; rows]);
    for filter in fields {
        let answer = evaluate(filter, &left, &right, mode)?;
        wanted = and_kleene(&wanted, &answer).map_err(|error| error.to_string())?;
    }
    let is_true = |answer: &BooleanArray, row| answer.is_valid(row) && answer.value(row);
    match (0..rows).find(|row| is_true(&parsed, *row) != is_true(&wanted, *row)) {
        None => Ok(()),
        Some(row) => Err(format!(
            "the parser reads other filters than the case has: on pair {row} the parsed condition is {} but the case's filters are {}",
            is_true(&parsed, row),
            is_true(&wanted, row)
        )),
    }
}

/// Arrow orders -0.0 before 0.0; SQL takes them for equal.
fn one_zero(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Float32 => {
            let array = array.as_primitive::<Float32Type>();
            Arc::new(array.unary::<_, Float32Type>(|v| if v.is_nan() { f32::NAN } else { v + 0.0 }))
        }
        DataType::Float64 => {
            let array = array.as_primitive::<Float64Type>();
            Arc::new(array.unary::<_, Float64Type>(|v| if v.is_nan() { f64::NAN } else { v + 0.0 }))
        }
        _ => array.clone(),
    }
}

fn boolean(array: &ArrayRef) -> Result<&BooleanArray, String> {
    array
        .as_any()
        .downcast_ref()
        .ok_or_else(|| format!("a filter gives {} instead of boolean", array.data_type()))
}

/// Every pair of the first rows of both sides, each with a row of nulls.
fn pairs(left: &RecordBatch, right: &RecordBatch) -> Result<(RecordBatch, RecordBatch), String> {
    let side = |batch: &RecordBatch, side: Side, other: usize| -> Result<RecordBatch, String> {
        let own = batch.num_rows().min(TRIED);
        let positions: UInt32Array = match side {
            Side::Left => {
                (0..=own).flat_map(|i| std::iter::repeat_n(i as u32, other + 1)).collect()
            }
            Side::Right => (0..=other).flat_map(|_| 0..=own as u32).collect(),
        };
        let columns = batch
            .columns()
            .iter()
            .map(|column| {
                let null = new_null_array(column.data_type(), 1);
                let first = column.slice(0, own);
                let rows = concat(&[first.as_ref(), null.as_ref()])?;
                take(&rows, &positions, None)
            })
            .collect::<Result<Vec<_>, _>>();
        let fields: Vec<_> = batch
            .schema()
            .fields()
            .iter()
            .map(|field| field.as_ref().clone().with_nullable(true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        columns
            .and_then(|columns| RecordBatch::try_new(schema, columns))
            .map_err(|error| error.to_string())
    };
    let (lefts, rights) = (left.num_rows().min(TRIED), right.num_rows().min(TRIED));
    Ok((side(left, Side::Left, rights)?, side(right, Side::Right, lefts)?))
}

fn evaluate(
    filter: &Filter,
    left: &RecordBatch,
    right: &RecordBatch,
    mode: CastMode,
) -> Result<BooleanArray, String> {
    let operand = |operand: &Operand| -> Result<ArrayRef, String> {
        match operand {
            Operand::Column { side, col } => {
                // Some cases name the wrong side of a column that only one has.
                let (first, second) = match side {
                    CaseSide::Left => (left, right),
                    CaseSide::Right => (right, left),
                };
                let column = first.column_by_name(col).or_else(|| second.column_by_name(col));
                column.cloned().ok_or_else(|| format!("filter on unknown column {col}"))
            }
            Operand::Literal { lit } => {
                let type_name = match lit {
                    serde_json::Value::String(_) => "string",
                    serde_json::Value::Bool(_) => "boolean",
                    serde_json::Value::Number(n) if n.is_f64() => "double",
                    serde_json::Value::Number(n)
                        if n.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) =>
                    {
                        "int"
                    }
                    _ => "bigint",
                };
                value::column(&value::data_type(type_name)?, std::iter::once(lit))
            }
        }
    };
    let (a, b) = (operand(&filter.a)?, operand(&filter.b)?);
    let common = spark::comparison_type(a.data_type(), b.data_type()).map_err(|e| e.to_string())?;
    let a = spark::cast(&a, &common, mode).map_err(|error| error.to_string())?;
    let b = spark::cast(&b, &common, mode).map_err(|error| error.to_string())?;
    let (a, b) = (one_zero(&a), one_zero(&b));
    let compare = match filter.op.as_str() {
        "=" | "==" => cmp::eq,
        "<>" | "!=" => cmp::neq,
        "<" => cmp::lt,
        "<=" => cmp::lt_eq,
        ">" => cmp::gt,
        ">=" => cmp::gt_eq,
        other => return Err(format!("unknown operator {other} in a filter")),
    };
    let literal = |operand: &Operand| matches!(operand, Operand::Literal { .. });
    let answer = match (literal(&filter.a), literal(&filter.b)) {
        (false, false) => compare(&a, &b),
        (true, false) => compare(&Scalar::new(a), &b),
        (false, true) => compare(&a, &Scalar::new(b)),
        (true, true) => {
            let once = compare(&a, &b).map_err(|error| error.to_string())?;
            let all = std::iter::repeat_n(once.iter().next().flatten(), left.num_rows());
            return Ok(all.collect());
        }
    };
    answer.map_err(|error| error.to_string())
}
