//! Whether a parsed condition means what the case's fields say.
//!
//! Keys are compared by name. Filters may be spelt in many ways, so they are
//! compared by what they answer on the case's own rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, Scalar, UInt32Array, new_null_array,
};
use arrow::compute::kernels::cmp;
use arrow::compute::{and_kleene, concat, take};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Schema};
use streamjoin_kernels::spark::{self, CastMode};
use streamjoin_kernels::{NullEquality, Side};

use super::case::{CaseSide, Filter, Join, Operand};
use super::value;
use streamjoin_sql::{BoundExpr, JoinCondition, Scope};

/// Rows of each side that filters are tried on.
const TRIED: usize = 48;

/// Checks the keys that were parsed for `join`.
///
/// # Errors
/// The difference.
pub(super) fn check_keys(
    join: &Join,
    condition: &JoinCondition,
    left: &Scope,
    right: &Scope,
) -> Result<(), String> {
    type Named = BTreeSet<(String, String, bool)>;
    let wanted: Named = match &join.using {
        Some(names) => names.iter().map(|name| (name.clone(), name.clone(), false)).collect(),
        None => join
            .keys
            .iter()
            .map(|key| (key.left.clone(), key.right.clone(), key.null_safe))
            .collect(),
    };
    let name = |expr: &BoundExpr, scope: &Scope| match expr.as_column() {
        Some(column) => scope.columns[column].name.clone(),
        None => expr.to_string(),
    };
    let parsed: Named = condition
        .keys
        .iter()
        .map(|key| {
            let null_safe = key.null_equality == NullEquality::NullSafe;
            (name(&key.left, left), name(&key.right, right), null_safe)
        })
        .collect();
    // Names are found without regard to case.
    let folded = |keys: &Named| -> Named {
        keys.iter().map(|(l, r, safe)| (l.to_lowercase(), r.to_lowercase(), *safe)).collect()
    };
    if folded(&parsed) == folded(&wanted) {
        return Ok(());
    }
    Err(format!(
        "the parser reads other keys than the case has: parsed {parsed:?}, wanted {wanted:?} (left, right, null-safe)"
    ))
}

/// Checks that the parsed filters answer as the case's fields on pairs of the
/// given rows (their first ones, and a row of nulls).
///
/// # Errors
/// The first pair on which they differ.
pub(super) fn check_filters(
    join: &Join,
    condition: &JoinCondition,
    left: &RecordBatch,
    right: &RecordBatch,
    mode: CastMode,
) -> Result<(), String> {
    let (left, right) = pairs(left, right)?;
    let rows = left.num_rows();
    let both: Vec<ArrayRef> = left.columns().iter().chain(right.columns()).cloned().collect();
    let parts = [
        (&condition.left_filter, left.columns()),
        (&condition.right_filter, right.columns()),
        (&condition.residual, &both[..]),
    ];
    let mut parsed = BooleanArray::from(vec![true; rows]);
    for (expr, columns) in parts {
        if let Some(expr) = expr {
            let inputs: Vec<ArrayRef> =
                expr.columns().iter().map(|column| columns[*column].clone()).collect();
            let answer = expr.evaluate(&inputs, rows).map_err(|error| error.to_string())?;
            parsed = and_kleene(&parsed, boolean(&answer)?).map_err(|error| error.to_string())?;
        }
    }
    let mut wanted = BooleanArray::from(vec![true; rows]);
    for filter in &join.filters {
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
