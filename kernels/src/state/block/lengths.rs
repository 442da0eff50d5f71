//! Lengths of byte strings.

/// Lengths of byte strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) total: usize,
    pub(crate) longest: usize,
}

impl FromIterator<usize> for Lengths {
    fn from_iter<I: IntoIterator<Item = usize>>(lengths: I) -> Self {
        lengths.into_iter().fold(Self::default(), |all, length| Self {
            total: all.total + length,
            longest: all.longest.max(length),
        })
    }
}
