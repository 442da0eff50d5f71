//! x86-64 kernels, one file an instruction-set level.

pub(super) mod avx2;
pub(super) mod avx512;
