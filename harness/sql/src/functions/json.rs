//! Parts of JSON text, as text.

use arrow::array::ArrayRef;
use streamjoin_kernels::Result;

use super::{Arguments, strings};
use crate::json::{Path, top_level_field};

/// What a path finds; null where the text is not a path.
pub(super) fn get_json_object(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, path) = (a.text(0), a.text(1));
    if a.values[1].is_scalar() {
        let path = path(0).and_then(Path::parse);
        return strings(a, |row| Some(path.as_ref()?.find(text(row)?)?.into()));
    }
    strings(a, |row| {
        let text = text(row)?;
        Some(Path::parse(path(row)?)?.find(text)?.into())
    })
}

/// The value of one name.
pub(super) fn json_tuple(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (text, name) = (a.text(0), a.text(1));
    strings(a, |row| Some(top_level_field(text(row)?, name(row)?)?.into()))
}
