//! What happens to values that a cast cannot convert.

/// What a cast does with a value that its target type cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CastMode {
    /// Spark's ANSI mode, its default: malformed text and overflow are errors.
    #[default]
    Ansi,
    /// `TRY_CAST`: reads text as ANSI mode does, but gives null for what fails.
    Try,
    /// ANSI mode off: null for malformed text, and text such as `1.5` is cut
    /// to an integer. Overflow gives null too, where Spark wraps around.
    NullOnError,
}
