use crate::arch::pilot::{Geometry, Hashed, IN_FLIGHT, Strided};
use crate::arch::prefetch_read;
use crate::pairs::NO_ROW;

/// # Safety
/// There is a pilot for each bucket.
pub(crate) unsafe fn pilot_slots(
    geometry: &Geometry,
    pilots: &[u8],
    hashes: &[u64],
    slots: &mut [u32],
) {
    for (slot, &hash) in slots.iter_mut().zip(hashes) {
        let bucket = geometry.bucket(hash) as usize;
        debug_assert!(bucket < pilots.len());
        // SAFETY: a bucket is below `buckets`, and there are as many pilots.
        let pilot = unsafe { *pilots.get_unchecked(bucket) };
        *slot = geometry.slot(hash, pilot);
    }
}

/// # Safety
/// There is a pilot for each bucket, and a word for each slot.
pub(crate) unsafe fn pilot_matches(
    geometry: &Geometry,
    pilots: &[u8],
    table: Strided<'_>,
    keys: Hashed<'_>,
    matches: &mut [u32],
) {
    let mut slots = [0; IN_FLIGHT];
    let rows = keys.words.chunks(IN_FLIGHT).zip(keys.hashes.chunks(IN_FLIGHT));
    for ((words, hashes), matches) in rows.zip(matches.chunks_mut(IN_FLIGHT)) {
        let slots = &mut slots[..words.len()];
        // SAFETY: the caller's promise.
        unsafe { pilot_slots(geometry, pilots, hashes, slots) };
        if table.prefetch {
            for &slot in &slots[..] {
                prefetch_read(table.words, slot as usize * table.stride);
            }
        }
        for ((found, &slot), &word) in matches.iter_mut().zip(&slots[..]).zip(words) {
            // SAFETY: there is a word for each slot (the caller's promise).
            let stored = unsafe { *table.words.get_unchecked(slot as usize * table.stride) };
            *found = if stored == word { slot } else { NO_ROW };
        }
    }
}
