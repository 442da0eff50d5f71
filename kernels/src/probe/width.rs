//! Values of 1, 2, 4, 8 or 16 bytes, whatever they stand for.

/// Values of one width, being collected.
pub(crate) enum Gathered {
    W1(Vec<u8>),
    W2(Vec<u16>),
    W4(Vec<u32>),
    W8(Vec<u64>),
    W16(Vec<i128>),
}

impl Gathered {
    /// Room for `rows` values of `width` bytes.
    pub(crate) fn with_capacity(width: usize, rows: usize) -> Self {
        match width {
            1 => Self::W1(Vec::with_capacity(rows)),
            2 => Self::W2(Vec::with_capacity(rows)),
            4 => Self::W4(Vec::with_capacity(rows)),
            8 => Self::W8(Vec::with_capacity(rows)),
            _ => Self::W16(Vec::with_capacity(rows)),
        }
    }
}

/// Calls `$body` with `$values` bound to the vector of whichever width.
macro_rules! each_width {
    ($gathered:expr, $values:ident => $body:expr) => {
        match $gathered {
            crate::probe::Gathered::W1($values) => $body,
            crate::probe::Gathered::W2($values) => $body,
            crate::probe::Gathered::W4($values) => $body,
            crate::probe::Gathered::W8($values) => $body,
            crate::probe::Gathered::W16($values) => $body,
        }
    };
}

/// Calls `$function::<T>($arguments)` for the number type `T` of this many bytes.
macro_rules! by_width {
    ($width:expr, $($function:ident).+($($argument:expr),*)) => {
        match $width {
            1 => $($function).+::<u8>($($argument),*),
            2 => $($function).+::<u16>($($argument),*),
            4 => $($function).+::<u32>($($argument),*),
            8 => $($function).+::<u64>($($argument),*),
            _ => $($function).+::<i128>($($argument),*),
        }
    };
}

pub(crate) use {by_width, each_width};
