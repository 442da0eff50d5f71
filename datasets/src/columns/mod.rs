//! Columns as formats need them: other types with the same values.

mod convert;
mod retype;
mod specimen;
mod time_text;
mod unify;

pub use convert::has_union;
pub(crate) use convert::{convert, convert_columns, has_dictionary_of_unions, without_slices};
pub(crate) use retype::{decoded, is_plain, retype, retype_schema, wide_index, with_width};
pub(crate) use specimen::specimen;
pub(crate) use time_text::value_text;
pub use time_text::{TimeStyle, time_text};
pub(crate) use unify::{DictionaryUnifier, single_dictionaries, unified};
