//! An allocator for other crates' collections: large blocks are maps that request
//! huge pages, like those of [`Buffer`](super::Buffer) are.

use std::alloc::Layout;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use allocator_api2::alloc::{AllocError, Allocator, System};
#[cfg(not(miri))]
use memmap2::MmapRaw;

/// The maps are the allocator's own, so it moves with its collection. No reference
/// to what is in them is made: the collection has its own.
#[derive(Default)]
pub(crate) struct HugePages {
    #[cfg(not(miri))]
    maps: Mutex<Vec<MmapRaw>>,
    #[cfg(miri)]
    maps: Mutex<Vec<()>>,
}

/// Maps begin at a page, of 4 KB at least.
#[cfg(not(miri))]
const PAGE: usize = 4096;

// SAFETY: a block is either a map that is kept until the block is given back,
// and stays where it is when the allocator moves, or one of the system
// allocator's. A block that begins where a map of ours does is that map, since
// maps that live do not overlap other memory.
unsafe impl Allocator for HugePages {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        #[cfg(not(miri))]
        if layout.size() >= super::MAP_FROM_BYTES
            && layout.align() <= PAGE
            && let Ok(map) = memmap2::MmapMut::map_anon(layout.size()).map(MmapRaw::from)
            && let Some(start) = NonNull::new(map.as_mut_ptr())
        {
            // Only advice: everything works without it.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            let block = NonNull::slice_from_raw_parts(start, layout.size());
            self.maps.lock().unwrap_or_else(PoisonError::into_inner).push(map);
            return Ok(block);
        }
        System.allocate(layout)
    }

    unsafe fn deallocate(&self, pointer: NonNull<u8>, layout: Layout) {
        #[cfg(not(miri))]
        {
            let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = maps.iter().position(|map| map.as_ptr() == pointer.as_ptr()) {
                debug_assert_eq!(maps[at].len(), layout.size());
                maps.swap_remove(at);
                return;
            }
        }
        // SAFETY: not one of the maps, so `allocate` had it from the system
        // allocator, with this layout, as the caller promises.
        unsafe { System.deallocate(pointer, layout) }
    }
}

impl fmt::Debug for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("HugePages").field("maps", &maps.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use allocator_api2::vec::Vec;

    use super::*;

    #[test]
    fn blocks_of_every_size_are_kept_and_given_back() {
        let mut vectors: std::vec::Vec<_> = (0..4)
            .map(|i| {
                let mut vector = Vec::new_in(HugePages::default());
                vector.resize(1000 << (3 * i), i as u64);
                vector
            })
            .collect();
        // Grows across the limit, and moves with its allocator.
        vectors[0].extend((0..1 << 20).map(|i| i as u64));
        let first = std::mem::replace(&mut vectors[0], Vec::new_in(HugePages::default()));
        assert!(first[..1000].iter().all(|&value| value == 0));
        assert!(first[1000..].iter().enumerate().all(|(i, &value)| value == i as u64));
        assert!(vectors[3].iter().all(|&value| value == 3));
        drop(vectors);
        assert_eq!(first.len(), 1000 + (1 << 20));
    }
}
