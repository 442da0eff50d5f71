//! The same values in other Arrow encodings.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// Rows of a piece of a table.
const PIECE_ROWS: usize = 3;

/// Whose columns are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Strings become dictionaries, binaries large ones.
    Stream,
    /// Strings and binaries become views.
    Table,
}

fn encoded_type(data_type: &DataType, owner: Owner) -> DataType {
    match (owner, data_type) {
        (Owner::Stream, DataType::Utf8) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        (Owner::Stream, DataType::Binary) => DataType::LargeBinary,
        (Owner::Table, DataType::Utf8) => DataType::Utf8View,
        (Owner::Table, DataType::Binary) => DataType::BinaryView,
        (_, other) => other.clone(),
    }
}

/// `schema` with its columns encoded.
pub(super) fn schema(schema: &SchemaRef, owner: Owner) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        Field::new(field.name(), encoded_type(field.data_type(), owner), field.is_nullable())
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// `schema` with its columns as they are recorded.
pub(super) fn decoded(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, value) => value.as_ref().clone(),
            DataType::Utf8View => DataType::Utf8,
            DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
            other => other.clone(),
        };
        Field::new(field.name(), data_type, field.is_nullable())
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// `batch` with its columns encoded, as a slice of a longer batch.
pub(super) fn batch(batch: &RecordBatch, owner: Owner) -> Result<RecordBatch, String> {
    let schema = schema(batch.schema_ref(), owner);
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| cast(column, field.data_type()))
        .collect::<Result<Vec<_>, _>>();
    let encoded = columns.and_then(|columns| {
        let encoded = RecordBatch::try_new(schema.clone(), columns)?;
        // A row before and one behind that no one may see.
        let edge = encoded.slice(0, encoded.num_rows().min(1));
        concat_batches(&schema, [&edge, &encoded, &edge])
    });
    let encoded = encoded.map_err(|error| error.to_string())?;
    Ok(encoded.slice(batch.num_rows().min(1), batch.num_rows()))
}

/// `table` in pieces of a few rows, with empty ones between them.
pub(super) fn pieces(table: &RecordBatch) -> Vec<RecordBatch> {
    (0..table.num_rows())
        .step_by(PIECE_ROWS)
        .flat_map(|start| {
            let rows = PIECE_ROWS.min(table.num_rows() - start);
            [table.slice(start, rows), table.slice(start, 0)]
        })
        .collect()
}
