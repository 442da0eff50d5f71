//! How wide rows are, as far as types say.

use arrow::datatypes::{DataType, Schema};

/// Bytes per row.
pub(in crate::plan) fn row_bytes(schema: &Schema) -> u64 {
    schema.fields().iter().map(|field| column_bytes(field.data_type())).sum()
}

fn column_bytes(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Boolean | DataType::Null => 1,
        DataType::Dictionary(key, _) => column_bytes(key),
        // Text of unknown length: offsets and a short word.
        other => other.primitive_width().map_or(16, |width| width as u64),
    }
}
