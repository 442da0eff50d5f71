use crate::arch::generic::hash::hash_kernels;

hash_kernels!("avx512f,avx512dq");
