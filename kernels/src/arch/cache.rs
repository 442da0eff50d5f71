//! Cache sizes, which decide whether a table is worth prefetching.

use std::sync::OnceLock;

/// Data-cache sizes in bytes, as one core sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheSizes {
    /// First level.
    pub l1: usize,
    /// Second level.
    pub l2: usize,
    /// Last level, shared or not; equals `l2` where there is no third.
    pub l3: usize,
}

impl CacheSizes {
    /// What most machines of the last decade have at least; used where the
    /// processor does not tell.
    pub const TYPICAL: Self = Self { l1: 32 << 10, l2: 1 << 20, l3: 16 << 20 };

    /// With a first level of as many bytes.
    #[must_use]
    pub fn with_l1(self, l1: usize) -> Self {
        Self { l1, ..self }
    }

    /// With a second level of as many bytes.
    #[must_use]
    pub fn with_l2(self, l2: usize) -> Self {
        Self { l2, ..self }
    }

    /// With a last level of as many bytes.
    #[must_use]
    pub fn with_l3(self, l3: usize) -> Self {
        Self { l3, ..self }
    }

    /// Asks the processor (CPUID leaf 4 on Intel, 0x8000_001D on AMD), once:
    /// on a virtual machine each question is a trap of tens of microseconds.
    #[must_use]
    pub fn detect() -> Self {
        static SIZES: OnceLock<CacheSizes> = OnceLock::new();
        *SIZES.get_or_init(|| {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            if let Some(sizes) = cpuid() {
                return sizes;
            }
            Self::TYPICAL
        })
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn cpuid() -> Option<CacheSizes> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    let vendor = __cpuid(0);
    let leaf = match &[vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat()[..] {
        b"GenuineIntel" if vendor.eax >= 4 => 4,
        b"AuthenticAMD" if __cpuid(0x8000_0000).eax >= 0x8000_001d => 0x8000_001d,
        _ => return None,
    };
    let mut levels = [0usize; 4];
    for index in 0..16 {
        let entry = __cpuid_count(leaf, index);
        let (kind, level) = (entry.eax & 0x1f, (entry.eax >> 5 & 0x7) as usize);
        if kind == 0 {
            break;
        }
        // 1 = data, 3 = unified; instruction caches are of no interest here.
        if (kind == 1 || kind == 3) && level < levels.len() {
            let field =
                |value: u32, low: u32, bits: u32| (value >> low & ((1 << bits) - 1)) as usize + 1;
            levels[level] = field(entry.ebx, 22, 10)
                * field(entry.ebx, 12, 10)
                * field(entry.ebx, 0, 12)
                * (entry.ecx as usize + 1);
        }
    }
    let [_, l1, l2, l3] = levels;
    (l1 > 0 && l2 > 0).then_some(CacheSizes { l1, l2, l3: l3.max(l2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detected_sizes_are_plausible() {
        let CacheSizes { l1, l2, l3 } = CacheSizes::detect();
        assert!((4 << 10..=1 << 20).contains(&l1), "{l1}");
        assert!(l1 < l2 && l2 <= l3 && l3 < 64 << 30, "{l1} {l2} {l3}");
    }
}
