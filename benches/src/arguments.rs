//! Numbers on the command lines of the examples.

/// A number above 0, such as `0.5` or `1e6`.
///
/// # Errors
/// The text is not one.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n: &f64| *n > 0.0).ok_or_else(|| "a number above 0".into())
}

/// A whole number above 0, such as `8192` or `1e6`.
///
/// # Errors
/// The text is not one.
pub fn count(text: &str) -> Result<usize, String> {
    match number(text) {
        Ok(number) if number.fract() == 0.0 => Ok(number as usize),
        _ => Err(format!("{text} is not a number of rows")),
    }
}
