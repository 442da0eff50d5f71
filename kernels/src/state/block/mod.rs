//! Blocks of rows in the order in which they came: memory, entries, payload,
//! and the walk along the chains of keys. All `unsafe` of the state is here.

mod arena;
mod bits;
mod directory;
mod due;
mod entry;
mod expire;
mod gather;
mod lengths;
mod numbers;
mod payload;
mod rows;
mod walk;

pub(super) use arena::Arena;
pub(super) use directory::Directory;
pub(super) use entry::{BytesEntry, EntryKey, WideEntry, WordEntry};
pub(super) use gather::Located;
pub(super) use lengths::Lengths;
pub(super) use numbers::RowNumber;
pub(super) use payload::{Incoming, PayloadPlan};
pub(super) use rows::{Block, BlockBytes, BlockShape};
pub(super) use walk::{Walk, Windows};
