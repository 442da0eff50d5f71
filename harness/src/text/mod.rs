//! Values as text, and text as values: one idea per file, for every floor above.

pub(crate) mod bytes;
pub(crate) mod commas;
pub mod duration;
pub mod instant;
pub(crate) mod nearest;
pub(crate) mod number;
pub(crate) mod percent;
pub(crate) mod shell;
pub(crate) mod toml_string;
