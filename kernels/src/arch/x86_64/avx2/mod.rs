//! AVX2 kernels. Each function is safe to call only where the CPU has
//! AVX2.

pub(in crate::arch) mod bloom;
pub(in crate::arch) mod hash;
pub(in crate::arch) mod pilot;
pub(in crate::arch) mod select;
mod words;

// Walks have no twin of this width.
pub(in crate::arch) use crate::arch::portable::walk;
