//! The two inputs of a join.

use std::fmt;
use std::ops::{Index, IndexMut};

/// One of the two inputs of a join, in the order in which the query names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The input before `JOIN`.
    Left,
    /// The input after `JOIN`.
    Right,
}

impl Side {
    /// Both, the left one first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The other side.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// One thing for each side of a join.
///
/// ```
/// use streamjoin_kernels::{Side, Sides};
///
/// let rows = Sides { left: 2, right: 3 };
/// let doubled = rows.map(|rows| 2 * rows);
/// assert_eq!((doubled.left, doubled[Side::Right]), (4, 6));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sides<T> {
    /// That of the left side.
    pub left: T,
    /// That of the right side.
    pub right: T,
}

impl<T> Sides<T> {
    /// What `of` makes of each side, the left one first.
    pub fn new(mut of: impl FnMut(Side) -> T) -> Self {
        let left = of(Side::Left);
        Self { left, right: of(Side::Right) }
    }

    /// What `to` makes of both, the left one first.
    pub fn map<U>(self, mut to: impl FnMut(T) -> U) -> Sides<U> {
        let left = to(self.left);
        Sides { left, right: to(self.right) }
    }

    /// As [`new`](Self::new), for what can fail.
    ///
    /// # Errors
    /// The first of `of`.
    pub fn try_new<E>(mut of: impl FnMut(Side) -> Result<T, E>) -> Result<Self, E> {
        let left = of(Side::Left)?;
        Ok(Self { left, right: of(Side::Right)? })
    }

    /// References to both.
    pub fn as_ref(&self) -> Sides<&T> {
        Sides { left: &self.left, right: &self.right }
    }

    /// Mutable references to both.
    pub fn as_mut(&mut self) -> Sides<&mut T> {
        Sides { left: &mut self.left, right: &mut self.right }
    }

    /// Both together with those of `other`.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides { left: (self.left, other.left), right: (self.right, other.right) }
    }

    /// Both with their side, the left one first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        self.as_ref().into_iter()
    }
}

impl<T> IntoIterator for Sides<T> {
    type Item = (Side, T);
    type IntoIter = std::array::IntoIter<Self::Item, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [(Side::Left, self.left), (Side::Right, self.right)].into_iter()
    }
}

impl<T> Index<Side> for Sides<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }
}

impl<T> IndexMut<Side> for Sides<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }
}
