//! The search for pilots.

use crate::arch::{Geometry, Hashed, Isa, PILOT_PADDING, Strided, pilot_matches, pilot_slots};
use crate::memory::Buffer;
use crate::pairs::NO_ROW;

/// Keys per bucket, on average. More cost time to place, fewer cost pilots. Other
/// values were not measured.
const BUCKET_KEYS: f64 = 3.0;
/// Keys per slot. More cost time to place, fewer cost slots. Other values were not
/// measured.
const LOAD: f64 = 0.8;
/// Keys of a part at most, about: what is touched while one is placed stays in the
/// second-level cache. Not measured.
const PART_KEYS: usize = 1 << 14;
/// No bucket of different hashes is ever as large as this: with three keys on
/// average, not one in 10^25.
const LARGEST_BUCKET: usize = 40;
/// Searches with other bits of the hash before giving up. Two keys of a bucket
/// that agree in the 32 bits of an attempt, about one pair in 10^9 keys, are told
/// apart by those of the next.
const ATTEMPTS: u32 = 5;
/// Bits of the hash that each attempt leaves out more than the one before.
const SKIP: u32 = 5;

/// Why keys have no perfect hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unplaceable {
    /// These two rows have the same hash: they can never be told apart.
    #[error("a perfect hash needs keys that differ: rows {0} and {1} have the same key or hash")]
    SameHash(u32, u32),
    /// Every attempt failed.
    #[error("no perfect hash was found in the time allowed")]
    Unlucky,
    /// More slots than positions can name.
    #[error("a perfect hash has room for 3 * 10^9 keys")]
    TooMany,
    /// The search was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Pilots, and how slots come from them.
#[derive(Debug)]
pub(crate) struct Pilots {
    geometry: Geometry,
    /// One a bucket, and padding that the kernels may read.
    pilots: Buffer<u8>,
}

impl Pilots {
    pub(super) fn positions(&self) -> usize {
        (self.geometry.part_slots as usize) << self.geometry.part_bits
    }

    pub(super) fn bytes(&self) -> usize {
        self.pilots.bytes()
    }

    /// The slot of each hash.
    pub(super) fn slots(&self, isa: Isa, hashes: &[u64], slots: &mut [u32]) {
        // SAFETY: `place` made as many pilots as buckets, and the padding.
        unsafe { pilot_slots(isa, &self.geometry, &self.pilots, hashes, slots) }
    }

    /// The slot of each key if its word is there, else [`NO_ROW`].
    ///
    /// # Safety
    /// The table has a word for each of [`positions`](Self::positions).
    pub(super) unsafe fn matches(
        &self,
        isa: Isa,
        table: Strided<'_>,
        keys: Hashed<'_>,
        matches: &mut [u32],
    ) {
        // SAFETY: `place` made as many pilots as buckets, and the padding; slots
        // are below the number of positions.
        unsafe { pilot_matches(isa, &self.geometry, &self.pilots, table, keys, matches) }
    }
}

/// A row on its way to its slot.
type Entry = [u64; 2];

/// Finds pilots for rows with these hashes; also returns the row of each slot,
/// [`NO_ROW`] where there is none. Asks now and then whether it was `cancelled`.
pub(super) fn place(
    hashes: &[u64],
    cancelled: impl Fn() -> bool,
) -> Result<(Pilots, Vec<u32>), Unplaceable> {
    let part_bits = (hashes.len() / PART_KEYS).next_power_of_two().trailing_zeros();
    let (entries, starts) = by_part(hashes, part_bits);
    let largest = starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let part_buckets = ((hashes.len() as f64 / BUCKET_KEYS) as usize >> part_bits) + 1;
    // A hole beside the last key lets tables of few keys succeed too.
    let part_slots = if largest == 0 { 0 } else { (largest as f64 / LOAD) as usize + 2 };
    let slots = part_slots << part_bits;
    if slots >= u32::MAX as usize {
        return Err(Unplaceable::TooMany);
    }
    let buckets = part_buckets << part_bits;
    let mut search = Search {
        geometry: Geometry {
            part_bits,
            buckets: buckets as u32,
            part_slots: part_slots as u32,
            skipped_bits: 0,
        },
        part_buckets,
        taken: vec![0; part_slots],
        sizes: vec![0; part_buckets],
        targets: vec![0; part_buckets],
        by_size: Vec::with_capacity(part_buckets),
        sorted: vec![[0; 2]; largest],
    };
    for attempt in 0..ATTEMPTS {
        search.geometry.skipped_bits = attempt * SKIP;
        let mut pilots = Buffer::<u8>::zeroed(buckets + PILOT_PADDING);
        let mut order = vec![NO_ROW; slots];
        let placed = (0..1usize << part_bits).try_for_each(|part| {
            if cancelled() {
                return Err(Unplaceable::Cancelled);
            }
            let pilots = &mut pilots[part * part_buckets..][..part_buckets];
            let order = &mut order[part * part_slots..][..part_slots];
            search.part(part, &entries[starts[part]..starts[part + 1]], pilots, order)
        });
        match placed {
            Ok(()) => return Ok((Pilots { geometry: search.geometry, pilots }, order)),
            Err(Unplaceable::Unlucky) => {}
            Err(other) => return Err(other),
        }
    }
    Err(Unplaceable::Unlucky)
}

/// Hashes and rows, grouped by the upper bits of the hash, and where each group
/// starts.
fn by_part(hashes: &[u64], part_bits: u32) -> (Buffer<Entry>, Vec<usize>) {
    let parts = 1usize << part_bits;
    let part = |hash: u64| (hash >> 1 >> (63 - part_bits)) as usize;
    let mut starts = vec![0usize; parts + 1];
    for &hash in hashes {
        starts[part(hash) + 1] += 1;
    }
    for i in 0..parts {
        starts[i + 1] += starts[i];
    }
    let mut ends = starts.clone();
    let mut entries = Buffer::<Entry>::zeroed(hashes.len());
    for (row, &hash) in hashes.iter().enumerate() {
        let end = &mut ends[part(hash)];
        entries[*end] = [hash, row as u64];
        *end += 1;
    }
    (entries, starts)
}

/// The search, part by part; what it works with is used again.
struct Search {
    geometry: Geometry,
    part_buckets: usize,
    /// Per slot of the part, 1 if it has a key.
    taken: Vec<u8>,
    /// Per bucket of the part, its number of keys.
    sizes: Vec<u32>,
    /// Per bucket of the part, where in `sorted` its next key goes.
    targets: Vec<u32>,
    /// The buckets of the part, the largest first: they are the hardest to
    /// place, and while there is room it is easy.
    by_size: Vec<u32>,
    /// The keys of the part in that order.
    sorted: Vec<Entry>,
}

impl Search {
    fn part(
        &mut self,
        part: usize,
        entries: &[Entry],
        pilots: &mut [u8],
        order: &mut [u32],
    ) -> Result<(), Unplaceable> {
        self.sort(part, entries)?;
        self.taken.fill(0);
        let mut from = 0;
        for i in 0..self.by_size.len() {
            let bucket = self.by_size[i] as usize;
            let size = self.sizes[bucket] as usize;
            if size == 0 {
                break;
            }
            let keys = from..from + size;
            from += size;
            pilots[bucket] = self.pilot(keys, order)?;
        }
        Ok(())
    }

    /// Sorts the entries by bucket, the buckets by size.
    fn sort(&mut self, part: usize, entries: &[Entry]) -> Result<(), Unplaceable> {
        let first_bucket = part * self.part_buckets;
        let geometry = self.geometry;
        let bucket = |entry: &Entry| geometry.bucket(entry[0]) as usize - first_bucket;
        self.sizes.fill(0);
        for entry in entries {
            self.sizes[bucket(entry)] += 1;
        }
        let mut of_size = [0u32; LARGEST_BUCKET + 1];
        for (i, &size) in self.sizes.iter().enumerate() {
            let Some(count) = of_size.get_mut(size as usize) else {
                return Err(same_hash(entries.iter().filter(|entry| bucket(entry) == i)));
            };
            *count += 1;
        }
        // Where the buckets of each size begin, in buckets and in keys.
        let (mut places, mut keys) = ([0u32; LARGEST_BUCKET + 1], [0u32; LARGEST_BUCKET + 1]);
        let (mut place, mut key) = (0, 0);
        for size in (0..=LARGEST_BUCKET).rev() {
            (places[size], keys[size]) = (place, key);
            place += of_size[size];
            key += of_size[size] * size as u32;
        }
        self.by_size.resize(self.sizes.len(), 0);
        for (i, &size) in self.sizes.iter().enumerate() {
            let size = size as usize;
            self.by_size[places[size] as usize] = i as u32;
            self.targets[i] = keys[size];
            places[size] += 1;
            keys[size] += size as u32;
        }
        for entry in entries {
            let target = &mut self.targets[bucket(entry)];
            self.sorted[*target as usize] = *entry;
            *target += 1;
        }
        Ok(())
    }

    /// The first pilot under which the keys of a bucket find free slots, which
    /// they then take.
    fn pilot(
        &mut self,
        keys: std::ops::Range<usize>,
        order: &mut [u32],
    ) -> Result<u8, Unplaceable> {
        let keys = &self.sorted[keys];
        if keys.iter().enumerate().any(|(i, a)| keys[..i].iter().any(|b| a[0] == b[0])) {
            return Err(same_hash(keys.iter()));
        }
        let geometry = self.geometry;
        let found = match keys.len() {
            1 => first_free::<1>(geometry, &self.taken, keys),
            2 => first_free::<2>(geometry, &self.taken, keys),
            3 => first_free::<3>(geometry, &self.taken, keys),
            4 => first_free::<4>(geometry, &self.taken, keys),
            5 => first_free::<5>(geometry, &self.taken, keys),
            6 => first_free::<6>(geometry, &self.taken, keys),
            7 => first_free::<7>(geometry, &self.taken, keys),
            _ => first_free_of_many(geometry, &self.taken, keys),
        };
        let pilot = found.ok_or(Unplaceable::Unlucky)?;
        for key in keys {
            let slot = geometry.slot_in_part(key[0], pilot) as usize;
            self.taken[slot] = 1;
            order[slot] = key[1] as u32;
        }
        Ok(pilot)
    }
}

/// The first pilot under which `N` keys have free slots of their own.
///
/// All slots of a pilot are looked at before the branch, which so goes the same
/// way until the search ends: a misprediction costs more than a few slots.
#[inline(always)]
fn first_free<const N: usize>(geometry: Geometry, taken: &[u8], keys: &[Entry]) -> Option<u8> {
    let keys: [u64; N] = std::array::from_fn(|i| keys[i][0]);
    (0..=u8::MAX).find(|&pilot| {
        let slots = keys.map(|key| geometry.slot_in_part(key, pilot) as usize);
        slots.iter().fold(0, |any, &slot| any | taken[slot]) == 0 && all_differ(&slots)
    })
}

/// As [`first_free`], for the few buckets that are larger.
fn first_free_of_many(geometry: Geometry, taken: &[u8], keys: &[Entry]) -> Option<u8> {
    let mut slots = [0; LARGEST_BUCKET];
    let slots = &mut slots[..keys.len()];
    (0..=u8::MAX).find(|&pilot| {
        for (slot, key) in slots.iter_mut().zip(keys) {
            *slot = geometry.slot_in_part(key[0], pilot) as usize;
        }
        slots.iter().all(|&slot| taken[slot] == 0) && all_differ(slots)
    })
}

fn all_differ(slots: &[usize]) -> bool {
    slots.iter().enumerate().all(|(i, slot)| !slots[..i].contains(slot))
}

/// Two of `entries` that have the same hash; at least 41 are given or two have.
fn same_hash<'a>(entries: impl Iterator<Item = &'a Entry>) -> Unplaceable {
    let mut sorted: Vec<&Entry> = entries.collect();
    sorted.sort_unstable();
    let pair = sorted.windows(2).find(|pair| pair[0][0] == pair[1][0]);
    pair.map_or(Unplaceable::Unlucky, |pair| {
        Unplaceable::SameHash(pair[0][1] as u32, pair[1][1] as u32)
    })
}
