//! Arrays on huge and on 4 KB pages.

use std::fs;

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

/// Bytes that this process holds on huge pages now.
pub(super) fn granted_huge_bytes() -> Option<u64> {
    kilobytes_in("/proc/self/smaps_rollup", "AnonHugePages")
}

/// Memory that can be had without swapping.
pub(crate) fn available_bytes() -> Option<u64> {
    kilobytes_in("/proc/meminfo", "MemAvailable")
}

fn kilobytes_in(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}
