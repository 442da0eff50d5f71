//! x86-64 kernels, one folder per instruction-set level.
//!
//! `hash`, `pilot`, `bloom` and `select` are twins, not one generic kernel over a
//! vector trait: what they share is about 120 lines, and a trait of the 17
//! operations that it takes, implemented twice, is longer. Gathers, masks and
//! narrowing differ in form, shifts take constants of different types, and the
//! wider level has pipelines of its own. The walk, whose loop is the same at every
//! level, is generic: see `arch/generic`.

pub(super) mod avx2;
pub(super) mod avx512;
