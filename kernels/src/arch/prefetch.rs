//! Prefetch as a safe call.

/// Prefetches the cache line at an address. A hint only: any address is harmless.
#[inline(always)]
pub fn prefetch_address<T>(pointer: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: prefetch instructions never fault, whatever the address; the
    // pointer is not dereferenced.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(pointer.cast());
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = pointer;
}

/// Prefetches the cache line of `slice[index]` to be loaded. A hint only: an
/// index outside the slice is harmless.
#[inline(always)]
pub fn prefetch_read<T>(slice: &[T], index: usize) {
    prefetch_address(slice.as_ptr().wrapping_add(index));
}
