//! AVX-512 kernels. Each function is safe to call only where the CPU has
//! the features that it names: AVX-512 F, DQ, BW, VL at most.

pub(in crate::arch) mod bloom;
pub(in crate::arch) mod hash;
pub(in crate::arch) mod pilot;
pub(in crate::arch) mod select;
pub(in crate::arch) mod walk;
mod words;
