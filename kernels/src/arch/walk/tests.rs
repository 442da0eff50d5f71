use super::*;
use crate::arch::mix;

const SHIFT: u32 = 3;
const ROWS: u32 = 8 * 7 - 3;
/// The block whose entries do not say all.
const CLOSE: u32 = 2;

/// Stored rows in chains of two keys or more, and keys to look up.
struct Store {
    entries: Vec<u64>,
    heads: Vec<BlockHead>,
    newest: [u32; 3],
    words: Vec<u64>,
    with_words: bool,
}

fn key(row: u32) -> u64 {
    mix(u64::from(row)) % 7
}

fn time(row: u32) -> i64 {
    i64::from(row) * 10 - (mix(u64::from(row)) % 30) as i64
}

fn store() -> Store {
    let none = u32::MAX;
    let (mut newest, mut entries) = ([none; 3], vec![0; 8 * 8 * 2]);
    let (mut heads, mut greatest) = (Vec::new(), i64::MIN);
    for block in 0..8 {
        let (floor, base) = (greatest, time(block << SHIFT) - 100);
        let mut so_far = i64::MIN;
        for row in (block << SHIFT..(block + 1) << SHIFT).filter(|&row| row < ROWS) {
            let bucket = &mut newest[key(row) as usize % 3];
            let link = LinkTime::new(*bucket, (time(row) - base) as u32, time(row) < so_far);
            assert_eq!((link.link(), link.after_base()), (*bucket, time(row) - base));
            so_far = so_far.max(time(row));
            entries[row as usize * 2] = key(row);
            entries[row as usize * 2 + 1] = link.0;
            *bucket = row;
        }
        greatest = greatest.max(so_far);
        heads.push(BlockHead { entries: std::ptr::null(), base, greatest, floor });
    }
    for (block, head) in heads.iter_mut().enumerate().filter(|&(i, _)| i != CLOSE as usize) {
        head.entries = entries[block << SHIFT << 1..].as_ptr();
        head.entries.expose_provenance();
    }
    let words = (0..300).map(|i| mix(i) % 8).collect();
    Store { entries, heads, newest, words, with_words: true }
}

fn window(row: u32) -> (i64, i64) {
    let from = (mix(u64::from(row) + 1) % 600) as i64 - 50;
    (from, from + (mix(u64::from(row) + 2) % 250) as i64 - 20)
}

impl Chains for Store {
    const ENTRY_WORDS: usize = 2;

    fn words(&self) -> Option<&[u64]> {
        self.with_words.then_some(&self.words[..])
    }

    unsafe fn has_key(&self, entry: &[u64], candidate: u32, row: u32) -> bool {
        assert_eq!(entry, &self.entries[candidate as usize * 2..][..2]);
        entry[0] == self.words[row as usize]
    }

    fn look_closer(&self, candidate: u32, row: u32) -> (LinkTime, i64, bool) {
        assert_eq!(candidate >> SHIFT, CLOSE);
        let entry = &self.entries[candidate as usize * 2..][..2];
        (LinkTime(entry[1]), time(candidate), entry[0] == self.words[row as usize])
    }

    fn skip(&self, row: u32, next: u32, to: i64) -> u32 {
        assert!(window(row).1 == to);
        next
    }

    fn drop_dead(&self, pairs: &mut Pairs, from: usize) {
        assert!(from <= pairs.len());
    }
}

#[test]
fn every_isa_walks_alike() {
    let mut store = store();
    let blocks = Blocks {
        heads: &store.heads.clone(),
        shift: SHIFT,
        mask: (1 << 10) - 1,
        tag: 1 << 12,
        next: ROWS,
        span: ROWS,
        none: (1 << 10) - 1,
    };
    for (len, limit) in [(0, 9), (1, 9), (7, 2), (8, 1000), (100, 30), (256, usize::MAX)] {
        let mut expected: Vec<(u32, u32)> = (0..len)
            .flat_map(|row| (0..ROWS).map(move |stored| (row, stored)))
            .filter(|&(row, stored)| {
                let (from, to) = window(row);
                key(stored) == store.words[row as usize] && (from..=to).contains(&time(stored))
            })
            .map(|(row, stored)| (row, stored | blocks.tag))
            .collect();
        expected.sort_unstable();
        let mut walked = Vec::new();
        for isa in Isa::available() {
            for with_words in [false, true] {
                store.with_words = with_words;
                let (mut active, mut pairs) = (Active::new(), Pairs::default());
                active.len = len as usize;
                for row in 0..len {
                    let i = row as usize;
                    active.rows[i] = row;
                    active.candidates[i] = store.newest[store.words[i] as usize % 3];
                    (active.from[i], active.to[i]) = window(row);
                }
                let (mut found, mut read) = (Vec::new(), 0);
                while active.len > 0 || read == 0 {
                    pairs.clear();
                    // SAFETY: rows are below the number of words; entries are
                    // those of eight rows of two words each.
                    let rows =
                        unsafe { walk_chains(isa, &store, blocks, &mut active, &mut pairs, limit) };
                    assert!(pairs.len() <= limit.max(active.len.max(len as usize)));
                    found.extend(pairs.iter());
                    read += rows;
                    if len == 0 {
                        break;
                    }
                }
                found.sort_unstable();
                assert_eq!(found, expected, "{isa} {len} {limit} {with_words}");
                walked.push(read);
            }
        }
        assert!(walked.iter().all(|&read| read == walked[0]), "{walked:?} rows were read");
    }
}
