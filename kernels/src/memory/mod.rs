//! Buffers for tables: 64-byte aligned, zeroed, on huge pages where the system
//! grants them.
//!
//! A table is touched at random, so the reach of the TLB decides its speed:
//! measured on the kernels of this crate, 2 MB pages make builds 2 to 5 times
//! and probes 1.1 to 1.25 times faster. With transparent huge pages set to
//! `madvise` (the usual default) an ordinary allocation gets 4 KB pages, hence
//! maps of our own that ask for huge ones. Everything works without them.
//!
//! A caller who accounts for memory is asked first: [`MemoryReservation`](crate::MemoryReservation).
//!
//! ```
//! use streamjoin_kernels::memory::Buffer;
//!
//! let mut buffer = Buffer::<u64>::zeroed(1 << 20); // 8 MB: huge pages are asked for
//! buffer[7] = 1;
//! assert_eq!(buffer.iter().sum::<u64>(), 1);
//! assert!(buffer.bytes() >= 8 << 20);
//! ```

pub(crate) mod reservation;

mod huge_pages;

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

pub(crate) use huge_pages::HugePages;
pub(crate) use reservation::Reserved;

// Rows are counted in 32 bits, and so are the bytes of a row of columns: the product
// of a number of rows and the bytes of each fits only a 64-bit size.
const _: () = assert!(usize::BITS == 64, "streamjoin needs a 64-bit target");

/// From this size on a buffer gets a map of its own: two huge pages. Other sizes
/// were not measured.
#[cfg(not(miri))]
const MAP_FROM_BYTES: usize = 4 << 20;

/// Types of which every bit pattern, zeros included, is a value and that have
/// no padding; sealed.
pub trait Plain: Copy + Send + Sync + 'static + sealed::Sealed {}

pub(crate) mod sealed {
    /// # Safety
    /// Every bit pattern is a value, no padding, alignment at most 64.
    pub unsafe trait Sealed {}
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        // SAFETY: an integer or float: every bit pattern is a value, no padding.
        unsafe impl sealed::Sealed for $t {}
        impl Plain for $t {}
    )*};
}
plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

// SAFETY: an array of such a type has neither padding nor forbidden patterns.
unsafe impl<T: Plain, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The same values as another type of the same size and alignment: `i64` as `u64`.
pub(crate) fn same_layout<A: Plain, B: Plain>(values: &[A]) -> &[B] {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    // SAFETY: as many values of the same size at an address that is aligned for both,
    // borrowed as long; a `Plain` type has no padding, and every bit pattern of
    // another is a value.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

enum Storage {
    Heap(Vec<CacheLine>),
    #[cfg(not(miri))]
    Map(memmap2::MmapRaw),
}

/// A fixed-length buffer, zeroed at first and aligned to 64 bytes.
pub struct Buffer<T: Plain> {
    storage: Storage,
    len: usize,
    huge_page_advised: bool,
    marker: PhantomData<T>,
}

impl<T: Plain> Buffer<T> {
    /// `len` zeros. Large buffers are anonymous maps that ask for huge pages;
    /// where mapping fails the heap serves.
    ///
    /// # Panics
    /// If `len` elements exceed the address space, as `Vec` does.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let bytes = len.checked_mul(size_of::<T>()).expect("buffer size exceeds the address space");
        #[cfg(not(miri))]
        if bytes >= MAP_FROM_BYTES
            && let Ok(map) = memmap2::MmapMut::map_anon(bytes)
        {
            #[cfg(target_os = "linux")]
            let huge_page_advised = map.advise(memmap2::Advice::HugePage).is_ok();
            #[cfg(not(target_os = "linux"))]
            let huge_page_advised = false;
            return Self {
                storage: Storage::Map(map.into()),
                len,
                huge_page_advised,
                marker: PhantomData,
            };
        }
        let lines = vec![CacheLine([0; 64]); bytes.div_ceil(64)];
        Self { storage: Storage::Heap(lines), len, huge_page_advised: false, marker: PhantomData }
    }

    /// A copy of `values`.
    #[must_use]
    pub fn copied_from(values: &[T]) -> Self {
        let mut buffer = Self::zeroed(values.len());
        buffer.copy_from_slice(values);
        buffer
    }

    /// Makes it `len` long, if it is shorter; what is new is zeros. A map of its own grows
    /// without being copied or cleared again, where the system can do that.
    ///
    /// # Panics
    /// If `len` elements exceed the address space, as `Vec` does.
    pub fn grow(&mut self, len: usize) {
        if len <= self.len {
            return;
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Storage::Map(map) = &mut self.storage
            && let Some(bytes) = len.checked_mul(size_of::<T>())
            // SAFETY: nobody else has a reference into the map, since `self` is borrowed
            // exclusively; it is anonymous, so that there are no file's ends to respect.
            && unsafe { map.remap(bytes, memmap2::RemapOptions::new().may_move(true)) }.is_ok()
        {
            self.len = len;
            return;
        }
        let mut grown = Self::zeroed(len);
        grown[..self.len].copy_from_slice(self);
        *self = grown;
    }

    /// Bytes held, slack at the end included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.storage {
            Storage::Heap(lines) => lines.capacity() * 64,
            #[cfg(not(miri))]
            Storage::Map(map) => map.len(),
        }
    }

    /// Whether the system accepted the wish for huge pages; whether it granted
    /// them shows in `AnonHugePages` of `/proc/self/smaps`.
    #[must_use]
    pub fn huge_page_advised(&self) -> bool {
        self.huge_page_advised
    }

    fn as_ptr(&self) -> *const T {
        match &self.storage {
            Storage::Heap(lines) => lines.as_ptr().cast(),
            #[cfg(not(miri))]
            Storage::Map(map) => map.as_ptr().cast(),
        }
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: both storages hold at least `len * size_of::<T>()` initialised
        // bytes (`zeroed` sized them so) that live as long as `self`; cache lines
        // are 64-byte aligned, maps are page aligned, and no `Plain` type needs
        // more; every bit pattern of a `Plain` type is a value.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let pointer: *mut T = match &mut self.storage {
            Storage::Heap(lines) => lines.as_mut_ptr().cast(),
            #[cfg(not(miri))]
            Storage::Map(map) => map.as_mut_ptr().cast(),
        };
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(pointer, self.len) }
    }
}

impl<T: Plain> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("len", &self.len)
            .field("bytes", &self.bytes())
            .field("huge_page_advised", &self.huge_page_advised)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_zeroed_aligned_and_writable_at_every_size() {
        for len in [0, 1, 7, 64, 4096, (1 << 20) + 3] {
            let mut buffer = Buffer::<u64>::zeroed(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.bytes() >= len * 8);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            assert!(buffer.iter().all(|&value| value == 0));
            for (i, value) in buffer.iter_mut().enumerate() {
                *value = i as u64;
            }
            assert!(buffer.iter().enumerate().all(|(i, &value)| value == i as u64));
        }
    }

    #[test]
    fn a_buffer_that_grows_keeps_its_values_and_gets_zeros() {
        let mut buffer = Buffer::<u64>::zeroed(3);
        let mut len = 3;
        for longer in [2, 8, 9, 100_000, 600_000, 600_001, 1 << 20, (4 << 20) + 5] {
            for (i, value) in buffer.iter_mut().enumerate() {
                *value = !(i as u64);
            }
            buffer.grow(longer);
            let before = len;
            len = len.max(longer);
            assert_eq!((buffer.len(), buffer.as_ptr() as usize % 64), (len, 0));
            assert!(buffer.bytes() >= 8 * len);
            assert!(buffer[..before].iter().enumerate().all(|(i, &value)| value == !(i as u64)));
            assert!(buffer[before..].iter().all(|&value| value == 0));
        }
    }

    #[test]
    fn a_layout_that_is_shared_is_read_as_either_type() {
        let values = [-1_i64, 0, i64::MIN, 7];
        assert_eq!(same_layout::<_, u64>(&values[1..]), [0, 1 << 63, 7]);
        assert_eq!(same_layout::<i128, u128>(&[-1]), [u128::MAX]);
        assert!(same_layout::<u64, i64>(&[]).is_empty());
    }

    #[test]
    fn a_copy_holds_what_was_copied() {
        let values: Vec<i128> = (0..1000).map(|v| v * -3).collect();
        assert_eq!(&*Buffer::copied_from(&values), &values[..]);
    }
}
