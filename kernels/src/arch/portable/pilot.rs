use crate::arch::Geometry;

/// # Safety
/// There is a pilot for each bucket.
pub(in crate::arch) unsafe fn pilot_slots(
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
        *slot = geometry.part_start(hash) + geometry.slot_in_part(hash, pilot);
    }
}
