//! How far collections grow beyond what they hold, at most, when more is put in.

/// Bytes that a vector, a deque or a heap of `len` elements with room for
/// `capacity` comes to take in addition, if `more` are pushed.
pub(super) fn of_vec<T>(len: usize, capacity: usize, more: usize) -> usize {
    // What the standard library begins with.
    let least = if size_of::<T>() == 1 { 8 } else { 4 };
    if len + more <= capacity {
        return 0;
    }
    // It doubles as long as it is too small.
    ((2 * (len + more)).max(least) - capacity) * size_of::<T>()
}

/// Bytes that a hash table of elements of `element` bytes comes to take in
/// addition to `allocated`, if `more` are inserted.
pub(super) fn of_table(
    len: usize,
    capacity: usize,
    more: usize,
    element: usize,
    allocated: usize,
) -> usize {
    /// Control bytes after the last, and alignment.
    const TAIL: usize = 64;
    if len + more <= capacity {
        return 0;
    }
    let buckets = ((len + more) * 8 / 7 + 1).next_power_of_two().max(4);
    // Removed elements may make it double early.
    (buckets * (element + 1) + TAIL).max(2 * allocated) - allocated
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use hashbrown::HashTable;

    use super::*;

    #[test]
    fn collections_grow_no_further() {
        for len in [0usize, 1, 3, 4, 7, 28, 29, 100, 1000] {
            for more in [1usize, 2, 5, 64, 1000] {
                let mut vec: Vec<u32> = Vec::from_iter(0..len as u32);
                let mut deque: VecDeque<(i64, u32)> = vec.iter().map(|&i| (0, i)).collect();
                let mut bytes: Vec<u8> = vec![0; len];
                let mut table = HashTable::new();
                let hash = |&i: &u32| u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                for &i in &vec {
                    table.insert_unique(hash(&i), i, hash);
                }
                let most = [
                    4 * vec.capacity() + of_vec::<u32>(vec.len(), vec.capacity(), more),
                    16 * deque.capacity()
                        + of_vec::<(i64, u32)>(deque.len(), deque.capacity(), more),
                    bytes.capacity() + of_vec::<u8>(bytes.len(), bytes.capacity(), more),
                    table.allocation_size()
                        + of_table(len, table.capacity(), more, 4, table.allocation_size()),
                ];
                for i in 0..more as u32 {
                    vec.push(i);
                    deque.push_back((0, i));
                    bytes.extend_from_slice(&[0]);
                    let i = len as u32 + i;
                    table.insert_unique(hash(&i), i, hash);
                }
                let found = [
                    4 * vec.capacity(),
                    16 * deque.capacity(),
                    bytes.capacity(),
                    table.allocation_size(),
                ];
                for (found, most) in found.into_iter().zip(most) {
                    assert!(
                        found <= most && most <= 4 * found + 64,
                        "{len} {more}: {found} {most}"
                    );
                }
            }
        }
    }
}
