//! AVX-512 kernels. Each function is safe to call only where the CPU has
//! AVX-512 F and DQ.

pub(in crate::arch) mod bloom;
pub(in crate::arch) mod hash;
pub(in crate::arch) mod pilot;
pub(in crate::arch) mod select;
