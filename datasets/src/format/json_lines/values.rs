//! Dictionaries by their values: arrow reads and writes them no other way.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};

/// A schema whose dictionary columns are columns of their values.
pub(super) fn without_dictionaries(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Dictionary(_, values) => {
            Arc::new(field.as_ref().clone().with_data_type(values.as_ref().clone()))
        }
        _ => field.clone(),
    });
    Schema::new(fields.collect::<Vec<_>>())
}
