//! Plain Rust twins of every kernel.

pub(super) mod bloom;
pub(super) mod hash;
pub(super) mod pilot;
pub(super) mod select;
pub(super) mod walk;
