//! What kernels of several instruction sets have in common. The walk is generic
//! over its passes. The others are written once over vectors of words (`words` of
//! a level: the same names at every width) and compiled for each level by a thin
//! file there: macros, because `target_feature` cannot depend on a type, nor the
//! constants of shifts, whose types differ.

#[cfg(target_arch = "x86_64")]
pub(super) mod bloom;
#[cfg(target_arch = "x86_64")]
pub(super) mod hash;
#[cfg(target_arch = "x86_64")]
pub(super) mod pilot;
pub(super) mod walk;
