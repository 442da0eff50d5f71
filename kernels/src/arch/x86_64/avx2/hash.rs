use crate::arch::generic::hash::hash_kernels;

hash_kernels!("avx2");
