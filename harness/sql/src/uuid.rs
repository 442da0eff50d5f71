//! UUIDs: 16 bytes in a column that is marked as such.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};
use arrow::datatypes::{DataType, Field};
use streamjoin_kernels::spark::{CastMode, cast};
use streamjoin_kernels::{JoinError, Result};

use crate::types::value_type;

/// The key in a field's metadata that names its extension type.
const EXTENSION: &str = "ARROW:extension:name";

/// The extension type of UUIDs.
const UUID: &str = "arrow.uuid";

/// UUIDs without their mark.
pub(crate) const UUID_STORAGE: DataType = DataType::FixedSizeBinary(16);

/// Whether a field is marked as UUIDs.
pub(crate) fn is_uuid(field: &Field) -> bool {
    let named = field.metadata().get(EXTENSION).is_some_and(|name| name == UUID);
    named && *value_type(field.data_type()) == UUID_STORAGE
}

/// The field, marked as UUIDs: so Arrow files and Parquet files keep the mark.
pub fn marked_as_uuid(field: Field) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.insert(EXTENSION.to_owned(), UUID.to_owned());
    field.with_metadata(metadata)
}

/// UUIDs as text: lower case, with hyphens.
pub(crate) fn uuid_text(uuids: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let uuids = cast(uuids, &UUID_STORAGE, CastMode::Try)?;
    let Some(bytes) = uuids.as_fixed_size_binary_opt() else {
        let message = format!("a UUID in a value of type {}", uuids.data_type());
        return Err(JoinError::InvalidPlan(message));
    };
    let mut texts = StringBuilder::with_capacity(bytes.len(), bytes.len() * 36);
    for row in 0..bytes.len() {
        texts.append_option(bytes.is_valid(row).then(|| text(bytes.value(row))));
    }
    cast(&(Arc::new(texts.finish()) as ArrayRef), to, CastMode::Try)
}

fn text(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
