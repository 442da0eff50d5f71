//! Text as a TOML string.

use toml_writer::{ToTomlValue, TomlStringBuilder};

/// A TOML string on one line.
pub(crate) fn quoted(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}
