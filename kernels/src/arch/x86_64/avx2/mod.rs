//! AVX2 kernels. Each function is safe to call only where the CPU has
//! the features that it names; `Isa::is_available` looks for all of them.

pub(crate) mod bloom;
pub(crate) mod hash;
pub(crate) mod pilot;
pub(crate) mod select;
mod words;

// Walks have no twin of this width.
pub(in crate::arch) use crate::arch::portable::walk;
