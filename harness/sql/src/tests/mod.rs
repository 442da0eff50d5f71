//! Tests of the SQL floor, by topic; helpers here.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::util::display::array_value_to_string;
use streamjoin_kernels::JoinError;
use streamjoin_kernels::spark::{CastMode, cast};

use super::*;

mod arithmetic;
mod condition;
mod errors;
mod event_time;
mod forms;
mod functions;
mod fuzz;
mod logic;
mod nested;
mod recorded;
mod spark_functions;

/// A batch of named columns to evaluate over.
struct Table {
    scope: Scope,
    columns: Vec<ArrayRef>,
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    Table {
        scope: Scope::of_schema("t", &Schema::new(fields)),
        columns: columns.into_iter().map(|(_, array)| array).collect(),
    }
}

impl Table {
    fn rows(&self) -> usize {
        self.columns.first().map_or(1, Array::len)
    }

    fn bind(&self, text: &str) -> BoundExpr {
        expression(text, &self.scope, CastMode::Ansi).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn evaluate(&self, expr: &BoundExpr) -> Result<ArrayRef, JoinError> {
        let columns: Vec<ArrayRef> =
            expr.columns().iter().map(|c| self.columns[*c].clone()).collect();
        let array = expr.evaluate(&columns, self.rows())?;
        assert_eq!(array.len(), self.rows());
        assert_eq!(array.data_type(), expr.data_type());
        assert!(expr.nullable() || array.logical_null_count() == 0, "{expr}");
        Ok(array)
    }

    /// The values, as Spark writes them, nulls as `null`.
    fn values(&self, text: &str) -> Vec<String> {
        let array = self.evaluate(&self.bind(text)).unwrap_or_else(|e| panic!("{text}: {e}"));
        shown(&array)
    }

    fn fails(&self, text: &str) -> String {
        let bound = match expression(text, &self.scope, CastMode::Ansi) {
            Ok(bound) => bound,
            Err(e) => return e.to_string(),
        };
        self.evaluate(&bound).expect_err(text).to_string()
    }

    fn lenient(&self, text: &str) -> Vec<String> {
        let bound = expression(text, &self.scope, CastMode::NullOnError)
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        shown(&self.evaluate(&bound).unwrap_or_else(|e| panic!("{text}: {e}")))
    }
}

fn shown(array: &ArrayRef) -> Vec<String> {
    let text = cast(array, &DataType::Utf8, CastMode::Ansi);
    (0..array.len())
        .map(|row| match &text {
            Ok(text) if text.is_null(row) => "null".to_owned(),
            Ok(text) => text.as_string::<i32>().value(row).to_owned(),
            // Zones of times within structs need a feature of arrow.
            Err(_) => array_value_to_string(array, row).unwrap_or_else(|e| e.to_string()),
        })
        .collect()
}

/// The scope with another qualifier after those of each column.
fn also_known_as(mut scope: Scope, qualifier: &str) -> Scope {
    for column in &mut scope.columns {
        column.qualifiers.push(qualifier.to_owned());
    }
    scope
}

/// A literal expression's value and type.
fn constant(text: &str) -> (String, DataType) {
    let table = table(vec![]);
    let bound = table.bind(text);
    let value = shown(&table.evaluate(&bound).unwrap_or_else(|e| panic!("{text}: {e}")));
    (value[0].clone(), bound.data_type().clone())
}

fn value(text: &str) -> String {
    constant(text).0
}

fn ints(values: Vec<Option<i32>>) -> ArrayRef {
    Arc::new(Int32Array::from(values))
}

fn strings(values: Vec<Option<&str>>) -> ArrayRef {
    Arc::new(StringArray::from(values))
}

fn booleans(values: Vec<Option<bool>>) -> ArrayRef {
    Arc::new(BooleanArray::from(values))
}

fn us() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}
