//! Values that have names.

/// Writes and reads the values of an enum by the `name` of each of `ALL`; `$what`
/// is what the error calls them.
macro_rules! named {
    ($type:ident, $what:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = crate::error::JoinError;

            fn from_str(text: &str) -> crate::error::Result<Self> {
                Self::ALL.into_iter().find(|value| value.name() == text).ok_or_else(|| {
                    crate::error::JoinError::UnknownName {
                        what: $what,
                        name: text.to_owned(),
                        known: Self::ALL.map(Self::name).join(", "),
                    }
                })
            }
        }
    };
}
pub(crate) use named;
