//! What settings are that are left out.

/// A whole number.
pub(super) fn number<const N: u16, T: From<u16>>() -> T {
    N.into()
}

/// Where generated time starts.
pub(super) fn default_start() -> String {
    "2024-01-01T00:00:00Z".to_owned()
}
