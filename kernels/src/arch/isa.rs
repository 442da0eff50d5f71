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
    /// x86-64 with AVX2 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, DQ, BW, VL and CD.
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

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_available(self) -> bool {
        // Miri runs no intrinsics of these levels.
        match self {
            Self::Portable => true,
            Self::Avx2 => {
                !cfg!(miri) && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")
            }
            Self::Avx512 => {
                !cfg!(miri)
                    && Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_available(self) -> bool {
        self == Self::Portable
    }
}

named!(Isa, "instruction set");

#[cfg(test)]
mod tests {
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
}
