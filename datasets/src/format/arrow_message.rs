//! What the Arrow file and stream formats share: messages.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::ipc::{self, MessageHeader};

use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;

/// Bytes before a message's flatbuffer: a length, after a marker since Arrow 0.15.
pub(crate) fn prefix_len(bytes: &[u8]) -> usize {
    if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 }
}

/// The flatbuffer of an encapsulated message, verified.
pub(crate) fn parse(bytes: &[u8]) -> Result<ipc::Message<'_>, String> {
    let body = bytes.get(prefix_len(bytes)..).ok_or("a message is cut off")?;
    ipc::root_as_message(body).map_err(|e| format!("a message is damaged: {e}"))
}

/// The schema, unless it was written by a machine of the other byte order.
pub(crate) fn schema(fb: ipc::Schema<'_>) -> Result<SchemaRef, String> {
    if !fb.endianness().equals_to_target_endianness() {
        return Err("written with the other byte order".to_owned());
    }
    let schema: Schema = ipc::convert::fb_to_schema(fb);
    Ok(Arc::new(schema))
}

/// Rows of a record batch message.
pub(crate) fn rows(message: &ipc::Message<'_>) -> Option<u64> {
    message.header_as_record_batch().and_then(|batch| u64::try_from(batch.length()).ok())
}

/// The arrays of a record batch or a dictionary.
pub(crate) fn record_batch<'a>(message: &ipc::Message<'a>) -> Option<ipc::RecordBatch<'a>> {
    match message.header_type() {
        MessageHeader::DictionaryBatch => {
            message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
        }
        _ => message.header_as_record_batch(),
    }
}

/// The buffers of a record batch or a dictionary.
pub(crate) fn all_buffers(message: &ipc::Message<'_>) -> Vec<ipc::Buffer> {
    let buffers = record_batch(message).and_then(|batch| batch.buffers());
    buffers.into_iter().flatten().copied().collect()
}

/// The bytes of a body that a buffer claims.
pub(crate) fn range_of(buffer: &ipc::Buffer) -> Option<Range<usize>> {
    let start = usize::try_from(buffer.offset()).ok()?;
    let len = usize::try_from(buffer.length()).ok()?;
    Some(start..start.checked_add(len)?)
}

/// Refuses compressed buffers that claim more memory than there is: an
/// allocation that fails inside the decoder would end the process.
pub(crate) fn check_compressed(
    message: &ipc::Message<'_>,
    buffers: &[ipc::Buffer],
    body: &[u8],
) -> Result<(), String> {
    if record_batch(message).is_none_or(|batch| batch.compression().is_none()) {
        return Ok(());
    }
    for buffer in buffers {
        let bytes = range_of(buffer).and_then(|range| body.get(range));
        let bytes = bytes.ok_or("a buffer lies outside its message")?;
        if bytes.is_empty() {
            continue;
        }
        let Some(prefix) = bytes.first_chunk::<8>() else {
            return Err("a compressed buffer is cut off".to_owned());
        };
        let claimed = i64::from_le_bytes(*prefix);
        if claimed > 0 && Vec::<u8>::new().try_reserve_exact(claimed as usize).is_err() {
            return Err(format!("a compressed buffer claims {claimed} bytes"));
        }
    }
    Ok(())
}

/// Maps a message of the checks above to an error with its place.
pub(crate) fn placed(
    path: &Path,
    format: FileFormat,
    place: Place,
) -> impl Fn(String) -> DatasetError {
    move |message| DatasetError::corrupt(path, format, place, message)
}
