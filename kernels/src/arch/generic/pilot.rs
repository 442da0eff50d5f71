/// What `pilot` does at every level: the slots of hashes.
macro_rules! pilot_kernels {
    ($features:tt) => {
        /// A [`Geometry`] in vectors.
        #[derive(Clone, Copy)]
        struct Lanes {
            buckets: Words,
            part_slots: Words,
            part_shift: Count,
            skipped_bits: Count,
        }

        impl Lanes {
            #[target_feature(enable = $features)]
            fn new(geometry: &Geometry) -> Self {
                Self {
                    buckets: splat(i64::from(geometry.buckets)),
                    part_slots: splat(i64::from(geometry.part_slots)),
                    part_shift: count(63 - geometry.part_bits as i32),
                    skipped_bits: count(geometry.skipped_bits as i32),
                }
            }

            /// The slots of a vector of hashes, one in each 64 bits.
            ///
            /// # Safety
            /// There is a pilot for each bucket and three bytes after the last one.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn slots(self, pilots: &[u8], hash: Words) -> Words {
                let bucket = mul_halves(shift_right::<32>(hash), self.buckets);
                // SAFETY: a bucket is below `buckets`, and four bytes from its pilot
                // on are there (the caller's promise).
                let pilot = unsafe { four_bytes_at(pilots, shift_right::<32>(bucket)) };
                let pilot = and(pilot, splat(0xff));
                // Multiplications take the lower halves, so that nothing need be
                // masked.
                let step = mul_halves(pilot, splat(i64::from(PILOT_STEP)));
                let changed = xor(shift_right_by(hash, self.skipped_bits), step);
                let mixed = mul_halves(changed, splat(i64::from(SLOT_MIX)));
                let inner = shift_right::<32>(mul_halves(mixed, self.part_slots));
                let part = shift_right_by(shift_right::<1>(hash), self.part_shift);
                add(inner, mul_halves(part, self.part_slots))
            }
        }

        /// # Safety
        /// There is a pilot for each bucket and three bytes after the last one.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn pilot_slots(
            geometry: &Geometry,
            pilots: &[u8],
            hashes: &[u64],
            slots: &mut [u32],
        ) {
            let whole = hashes.len().min(slots.len()) / LANES * LANES;
            let lanes = Lanes::new(geometry);
            for start in (0..whole).step_by(LANES) {
                // SAFETY: a vector from `start` on is within `whole`, no more than
                // either length; load and store need no alignment; pilots are the
                // caller's promise.
                unsafe {
                    let hash = load(hashes.as_ptr().add(start).cast());
                    let slot = low_halves(lanes.slots(pilots, hash));
                    store_halves(slots.as_mut_ptr().add(start).cast(), slot);
                }
            }
            let (hashes, slots) = (&hashes[whole..], &mut slots[whole..]);
            // SAFETY: the caller's promise.
            unsafe { portable::pilot::pilot_slots(geometry, pilots, hashes, slots) };
        }
    };
}
pub(crate) use pilot_kernels;
