//! Rows as multisets.

use std::collections::HashMap;
use std::fmt::Write;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, SchemaRef};
use arrow::row::{RowConverter, SortField};
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// Differing rows that a diff shows.
const SHOWN: usize = 5;

/// How often each row occurs.
pub(super) struct Multiset {
    converter: RowConverter,
    schema: SchemaRef,
    /// Encoded row -> occurrences here less occurrences there.
    counts: HashMap<Box<[u8]>, i64>,
}

impl Multiset {
    pub(super) fn new(schema: &SchemaRef) -> Result<Self, String> {
        let fields = schema.fields().iter().map(|f| SortField::new(f.data_type().clone()));
        let converter = RowConverter::new(fields.collect()).map_err(|error| error.to_string())?;
        Ok(Self { converter, schema: schema.clone(), counts: HashMap::new() })
    }

    /// Adds each row of `batch` `times` times; negative takes away. Columns are
    /// compared by value, whatever their encoding.
    pub(super) fn add(&mut self, batch: &RecordBatch, times: i64) -> Result<(), String> {
        if self.schema.fields().is_empty() {
            *self.counts.entry(Box::default()).or_default() += times * batch.num_rows() as i64;
            return Ok(());
        }
        let columns = batch
            .columns()
            .iter()
            .zip(self.schema.fields())
            .map(|(column, field)| canonical(column, field.data_type()))
            .collect::<Result<Vec<_>, String>>()?;
        let rows = self.converter.convert_columns(&columns).map_err(|error| error.to_string())?;
        for row in &rows {
            match self.counts.get_mut(row.as_ref()) {
                Some(count) => *count += times,
                None => {
                    self.counts.insert(row.as_ref().into(), times);
                }
            }
        }
        Ok(())
    }

    /// Nothing where all counts are zero; else the rows that are missing (held
    /// less often than wanted) and those that are too many. `self` holds what
    /// was given less what was wanted.
    pub(super) fn difference(&self) -> Result<Option<String>, String> {
        let mut different: Vec<_> = self.counts.iter().filter(|(_, count)| **count != 0).collect();
        if different.is_empty() {
            return Ok(None);
        }
        different.sort();
        let (missing, excess): (Vec<_>, Vec<_>) =
            different.into_iter().partition(|(_, count)| **count < 0);
        let mut text = String::new();
        for (what, rows) in [("missing", missing), ("unexpected", excess)] {
            for (row, count) in rows.iter().take(SHOWN) {
                let count = count.unsigned_abs();
                let row = self.print(row)?;
                let _ = writeln!(text, "      {what:<10} {count} x {row}");
            }
            if rows.len() > SHOWN {
                let _ = writeln!(text, "      {what:<10} and {} other rows", rows.len() - SHOWN);
            }
        }
        Ok(Some(text))
    }

    fn print(&self, row: &[u8]) -> Result<String, String> {
        if self.schema.fields().is_empty() {
            return Ok("[]".to_owned());
        }
        let parser = self.converter.parser();
        let columns =
            self.converter.convert_rows([parser.parse(row)]).map_err(|error| error.to_string())?;
        let cells = columns.iter().map(print_cell).collect::<Result<Vec<_>, _>>();
        Ok(format!("[{}]", cells?.join(", ")))
    }
}

fn print_cell(column: &ArrayRef) -> Result<String, String> {
    const OPTIONS: FormatOptions<'static> = FormatOptions::new().with_null("null");
    if let (DataType::Utf8, true) = (column.data_type(), column.is_valid(0)) {
        return Ok(format!("{:?}", column.as_string::<i32>().value(0)));
    }
    let formatter =
        ArrayFormatter::try_new(column.as_ref(), &OPTIONS).map_err(|error| error.to_string())?;
    Ok(formatter.value(0).to_string())
}

/// The column as `data_type`, with one NaN; -0.0 stays apart from 0.0.
fn canonical(column: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, String> {
    let column = if column.data_type() == data_type {
        column.clone()
    } else {
        cast(column, data_type).map_err(|error| error.to_string())?
    };
    Ok(match data_type {
        DataType::Float32 => std::sync::Arc::new(
            column
                .as_primitive::<Float32Type>()
                .unary::<_, Float32Type>(|v| if v.is_nan() { f32::NAN } else { v }),
        ),
        DataType::Float64 => std::sync::Arc::new(
            column
                .as_primitive::<Float64Type>()
                .unary::<_, Float64Type>(|v| if v.is_nan() { f64::NAN } else { v }),
        ),
        _ => column,
    })
}
