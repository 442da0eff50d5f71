//! Prefetch as a safe call.

/// Asks for the cache line of `slice[index]` to be loaded. A hint only: an
/// index outside the slice is harmless.
#[inline(always)]
pub fn prefetch_read<T>(slice: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: prefetch instructions never fault, whatever the address; the
    // pointer is made with wrapping arithmetic and never dereferenced.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = (slice, index);
}
