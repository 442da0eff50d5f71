//! Values that have a text of their own, with their places.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// Reads an optional string through [`FromStr`], keeping its place.
pub(super) fn from_text<'de, D, T>(deserializer: D) -> Result<Option<Spanned<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: fmt::Display,
{
    let text = Spanned::<String>::deserialize(deserializer)?;
    let value = text.get_ref().parse().map_err(D::Error::custom)?;
    Ok(Some(Spanned::new(text.span(), value)))
}
