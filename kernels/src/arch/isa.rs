//! Instruction-set levels as values.

use crate::error::{JoinError, Result};
use crate::named::named;

/// An instruction-set level. Held by each table, detected by default; a level
/// that the machine lacks is an error, never a silent fallback.
///
/// ```
/// use streamjoin_kernels::Isa;
///
/// assert!(Isa::available().contains(&Isa::Portable));
/// let isa: Isa = "portable".parse().unwrap();
/// assert_eq!(isa.require().unwrap(), Isa::Portable);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust, on every architecture.
    Portable,
    /// x86-64 with AVX2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL, and POPCNT.
    Avx512,
}

impl Isa {
    /// Every level that this crate knows.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The best level of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }

    /// The levels of this machine, the weakest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// This level, if the machine has it.
    ///
    /// # Errors
    /// [`JoinError::IsaUnavailable`] with the levels that the machine has.
    pub fn require(self) -> Result<Self> {
        if self.is_available() {
            return Ok(self);
        }
        let available: Vec<_> = Self::available().into_iter().map(Self::name).collect();
        Err(JoinError::IsaUnavailable(self.name().to_owned(), available.join(", ")))
    }

    /// The name, such as `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

named!(Isa, "instruction set");

macro_rules! features {
    ($($isa:ident: $($feature:tt),+;)+) => {
        impl Isa {
            /// What the kernels of a level are compiled for, all of which the
            /// machine must have; a test reads it off their `target_feature`.
            #[cfg(test)]
            fn features(self) -> &'static [&'static str] {
                match self {
                    Self::Portable => &[],
                    $(Self::$isa => &[$($feature),+],)+
                }
            }

            #[cfg(target_arch = "x86_64")]
            pub(crate) fn is_available(self) -> bool {
                match self {
                    Self::Portable => true,
                    // Miri runs no intrinsics of these levels.
                    $(Self::$isa => !cfg!(miri) $(&& is_x86_feature_detected!($feature))+,)+
                }
            }
        }
    };
}

features! {
    Avx2: "avx2", "popcnt";
    Avx512: "avx512bw", "avx512dq", "avx512f", "avx512vl", "popcnt";
}

#[cfg(not(target_arch = "x86_64"))]
impl Isa {
    pub(crate) fn is_available(self) -> bool {
        self == Self::Portable
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_read_back_and_the_portable_level_is_everywhere() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse::<Isa>().unwrap(), isa);
        }
        assert!("sse9".parse::<Isa>().unwrap_err().to_string().contains("portable"));
        assert_eq!(Isa::available()[0], Isa::Portable);
        assert!(Isa::detect().require().is_ok());
    }

    #[test]
    fn what_is_looked_for_is_what_kernels_are_compiled_for() {
        let arch = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/arch/x86_64");
        for isa in Isa::ALL.into_iter().filter(|&isa| isa != Isa::Portable) {
            let mut enabled = BTreeSet::new();
            for file in std::fs::read_dir(arch.join(isa.name())).unwrap() {
                let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
                // In the attribute, or handed to a macro that has it.
                let marks = ["target_feature(enable = \"", "_kernels!(\""];
                for mark in marks {
                    for after in text.split(mark).skip(1) {
                        let (features, _) = after.split_once('"').unwrap();
                        enabled.extend(features.split(',').map(str::to_owned));
                    }
                }
            }
            assert_eq!(enabled.into_iter().collect::<Vec<_>>(), isa.features(), "{isa}");
        }
    }
}
