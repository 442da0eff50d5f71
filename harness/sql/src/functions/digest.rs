//! Digests of bytes, as text.

use arrow::array::ArrayRef;
use arrow::datatypes::Int32Type;
use md5::Md5;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use streamjoin_kernels::Result;

use super::encoding::hex_text;
use super::{Arguments, strings};

fn digest<D: Digest>(bytes: &[u8]) -> String {
    hex_text(&D::digest(bytes), false)
}

pub(super) fn md5(a: &Arguments<'_>) -> Result<ArrayRef> {
    let bytes = a.bytes(0);
    strings(a, |row| Some(digest::<Md5>(bytes(row)?).into()))
}

/// Null for a length that SHA-2 does not have; 0 means 256.
pub(super) fn sha2(a: &Arguments<'_>) -> Result<ArrayRef> {
    let (bytes, bits) = (a.bytes(0), a.primitive::<Int32Type>(1));
    strings(a, |row| {
        let (bytes, bits) = (bytes(row)?, bits(row)?);
        let text = match bits {
            224 => digest::<Sha224>(bytes),
            0 | 256 => digest::<Sha256>(bytes),
            384 => digest::<Sha384>(bytes),
            512 => digest::<Sha512>(bytes),
            _ => return None,
        };
        Some(text.into())
    })
}
