//! The join types; `spark/spelling.rs` reads their names.

use std::fmt;

use crate::side::Side;

/// The kind of join. Left and right are the query's sides, whichever of them
/// is the stream and whichever is indexed.
///
/// ```
/// use streamjoin_kernels::JoinType;
///
/// assert_eq!("left outer".parse::<JoinType>().unwrap(), JoinType::LeftOuter);
/// assert_eq!("LeftSemi".parse::<JoinType>().unwrap().name(), "left-semi");
/// ```
// Closed: a join of another kind, such as an as-of join, is an operator of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinType {
    /// Matching pairs only.
    Inner,
    /// Every pair of rows for which the condition, if any, holds.
    Cross,
    /// Matching pairs, and each unmatched left row with nulls on the right.
    LeftOuter,
    /// Matching pairs, and each unmatched right row with nulls on the left.
    RightOuter,
    /// Matching pairs, and the unmatched rows of both sides.
    FullOuter,
    /// Each left row that has at least one match, once; left columns only.
    LeftSemi,
    /// Each left row that has no match, once; left columns only.
    LeftAnti,
}

impl JoinType {
    /// Every join type, in the order of the documentation's tables.
    pub const ALL: [Self; 7] = [
        Self::Inner,
        Self::Cross,
        Self::LeftOuter,
        Self::RightOuter,
        Self::FullOuter,
        Self::LeftSemi,
        Self::LeftAnti,
    ];

    /// The name as this project writes it, such as `left-outer`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Cross => "cross",
            Self::LeftOuter => "left-outer",
            Self::RightOuter => "right-outer",
            Self::FullOuter => "full-outer",
            Self::LeftSemi => "left-semi",
            Self::LeftAnti => "left-anti",
        }
    }

    /// Whether each row of `side` is output even when nothing matches it.
    #[must_use]
    pub fn preserves(self, side: Side) -> bool {
        match side {
            Side::Left => matches!(self, Self::LeftOuter | Self::FullOuter | Self::LeftAnti),
            Side::Right => matches!(self, Self::RightOuter | Self::FullOuter),
        }
    }

    /// Whether the columns of `side` can be null in the output where they are
    /// not null in the input.
    #[must_use]
    pub fn extends_with_nulls(self, side: Side) -> bool {
        match side {
            Side::Left => matches!(self, Self::RightOuter | Self::FullOuter),
            Side::Right => matches!(self, Self::LeftOuter | Self::FullOuter),
        }
    }

    /// Whether the output holds left columns only (semi and anti joins).
    #[must_use]
    pub fn is_existence(self) -> bool {
        matches!(self, Self::LeftSemi | Self::LeftAnti)
    }
}

impl fmt::Display for JoinType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
