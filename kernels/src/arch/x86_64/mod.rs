//! x86-64 kernels, one folder per instruction-set level.
//!
//! What the levels share is in `arch/generic`; here is what differs: `words` names
//! the operations of a width, loops differ where gathers, masks and pipelines do.
//! `select` has twins: a table of permutations at one level, a compressing move at
//! the other.

pub(super) mod avx2;
pub(super) mod avx512;
