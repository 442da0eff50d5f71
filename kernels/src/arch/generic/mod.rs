//! What kernels of all instruction sets have in common. Functions here are
//! inlined into the thin ones of a level, so that they are compiled for it.

pub(super) mod walk;
