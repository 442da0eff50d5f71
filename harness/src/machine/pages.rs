//! Arrays on huge and on 4 KB pages.

use std::fs;
use std::ops::Range;

use memmap2::MmapMut;
use streamjoin_kernels::memory::Buffer;

use super::report::PageKind;
use super::touch;

/// An array of random lines.
#[derive(Debug)]
pub(super) enum Region {
    Huge(Buffer<u8>),
    Small(MmapMut),
    /// Where mapping failed: the heap.
    Heap(Vec<u8>),
}

impl Region {
    /// An array of `len` bytes, a power of two, with its pages in place.
    pub(super) fn filled(kind: PageKind, len: usize) -> Self {
        let mut region = match kind {
            PageKind::Huge => Self::Huge(Buffer::zeroed(len)),
            PageKind::Small => match MmapMut::map_anon(len) {
                Ok(map) => {
                    // Refused only where there are no huge pages anyway.
                    #[cfg(target_os = "linux")]
                    let _ = map.advise(memmap2::Advice::NoHugePage);
                    Self::Small(map)
                }
                Err(_) => Self::Heap(vec![0; len]),
            },
        };
        touch::link(region.bytes_mut());
        region
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Huge(buffer) => buffer,
            Self::Small(map) => map,
            Self::Heap(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Huge(buffer) => buffer,
            Self::Small(map) => map,
            Self::Heap(bytes) => bytes,
        }
    }
}

/// Bytes of `memory` that are on huge pages now; none where the system does not
/// report them. It reports per mapping, and joins adjacent mappings: those of a
/// neighbour may be counted, up to the length of `memory`.
pub(super) fn granted_huge_bytes(memory: &[u8]) -> Option<u64> {
    let smaps = fs::read_to_string("/proc/self/smaps").ok()?;
    let range = memory.as_ptr_range();
    Some(huge_bytes_in(&smaps, range.start as u64..range.end as u64))
}

/// Memory that is available without swapping.
pub(crate) fn available_bytes() -> Option<u64> {
    kilobytes_in("/proc/meminfo", "MemAvailable")
}

fn kilobytes_in(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The `AnonHugePages` of the mappings that overlap a range of addresses, no
/// more than fit into it.
fn huge_bytes_in(smaps: &str, range: Range<u64>) -> u64 {
    let address = |text: &str| u64::from_str_radix(text, 16).ok();
    let (mut inside, mut bytes) = (0, 0);
    for line in smaps.lines() {
        let first = line.split_whitespace().next().unwrap_or_default();
        if let Some((from, to)) = first.split_once('-')
            && let (Some(from), Some(to)) = (address(from), address(to))
        {
            inside = to.min(range.end).saturating_sub(from.max(range.start));
        } else if inside > 0 && first == "AnonHugePages:" {
            let kilobytes = line.split_whitespace().nth(1).and_then(|text| text.parse().ok());
            bytes += (kilobytes.unwrap_or(0u64) * 1024).min(inside);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_pages_are_counted_where_they_are() {
        let smaps = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nSize: 4096 kB\n\
                     AnonHugePages:      2048 kB\n7f0000600000-7f0000800000 r--p 0 00:00 7 /x-y\n\
                     AnonHugePages:      1024 kB\nVmFlags: rd\n";
        let at = 0x7f00_0000_0000;
        assert_eq!(huge_bytes_in(smaps, at..at + (4 << 20)), 2 << 20);
        assert_eq!(huge_bytes_in(smaps, at..at + (8 << 20)), 3 << 20);
        assert_eq!(huge_bytes_in(smaps, at + (3 << 20)..at + (4 << 20)), 1 << 20);
        assert_eq!(huge_bytes_in(smaps, at + (4 << 20)..at + (6 << 20)), 0);
        assert_eq!(huge_bytes_in("", 0..u64::MAX), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn no_more_is_granted_than_there_is() {
        for kind in [PageKind::Huge, PageKind::Small] {
            let region = Region::filled(kind, 8 << 20);
            let granted = granted_huge_bytes(region.bytes()).expect("Linux tells");
            assert!(granted <= 8 << 20, "{granted}");
        }
    }
}
