//! Bytes in hexadecimal.

/// Two lower-case digits per byte.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of pairs of digits of either case; `None` for any other text.
#[must_use]
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_are_written() {
        assert_eq!(to_hex(&[0, 10, 255]), "000aff");
        assert_eq!(from_hex("000aFF"), Some(vec![0, 10, 255]));
        assert_eq!(from_hex("0"), None);
        assert_eq!(from_hex("+1"), None);
    }
}
