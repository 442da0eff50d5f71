//! What the Arrow file and stream formats share: messages.

use std::path::Path;
use std::sync::Arc;

use arrow::buffer::Buffer;
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

/// Refuses compressed buffers that claim more memory than there is: an
/// allocation that fails inside the decoder would end the process.
pub(crate) fn check_compressed(message: &ipc::Message<'_>, body: &Buffer) -> Result<(), String> {
    let batch = match message.header_type() {
        MessageHeader::DictionaryBatch => {
            message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
        }
        _ => message.header_as_record_batch(),
    };
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
        return Ok(());
    };
    for buffer in batch.buffers().into_iter().flatten() {
        let (Ok(start), Ok(len)) =
            (usize::try_from(buffer.offset()), usize::try_from(buffer.length()))
        else {
            return Err("a buffer has a negative place".to_owned());
        };
        if len == 0 {
            continue;
        }
        let bytes = start
            .checked_add(len)
            .and_then(|end| body.get(start..end))
            .ok_or("a buffer lies outside its message")?;
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
