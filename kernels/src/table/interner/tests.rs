//! The interner against a map, and what it refuses.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::key::{BytesOf, KeyView};

/// Ids as a map gives them, without a row for those that are masked.
struct Naive<K> {
    ids: HashMap<K, u32>,
    keys: Vec<K>,
}

impl<K: Clone + Eq + std::hash::Hash> Naive<K> {
    fn new() -> Self {
        Self { ids: HashMap::new(), keys: Vec::new() }
    }

    fn intern(&mut self, rows: &[K], mask: Option<&[bool]>) -> Vec<u32> {
        let id = |(row, key): (usize, &K)| {
            if mask.is_some_and(|mask| !mask[row]) {
                return NO_ROW;
            }
            *self.ids.entry(key.clone()).or_insert_with(|| {
                self.keys.push(key.clone());
                self.keys.len() as u32 - 1
            })
        };
        rows.iter().enumerate().map(id).collect()
    }
}

/// Interns batches of keys and compares each with the map.
fn check<K>(interner: &mut KeyInterner, batches: &[(Vec<K>, Option<Vec<bool>>)])
where
    K: OwnedKey + Clone + Eq + std::hash::Hash + std::fmt::Debug,
{
    let (mut naive, mut ids, mut expected) = (Naive::new(), Vec::new(), Vec::new());
    for (rows, mask) in batches {
        expected.extend(naive.intern(rows, mask.as_deref()));
        match mask {
            Some(mask) => interner.intern((rows, mask), &mut ids).unwrap(),
            None => interner.intern(rows, &mut ids).unwrap(),
        }
        assert_eq!(ids, expected);
        assert_eq!(interner.len(), naive.keys.len());
    }
    assert_eq!(interner.values::<K>().unwrap(), naive.keys);
}

type Batches = Vec<(Vec<u16>, Option<Vec<bool>>)>;

fn batches() -> impl Strategy<Value = Batches> {
    let batch = (1u16..2000, 0usize..700, any::<bool>()).prop_flat_map(|(keys, rows, masked)| {
        let rows = proptest::collection::vec((0..keys, prop::bool::weighted(0.7)), rows);
        rows.prop_map(move |rows| {
            let (rows, mask): (Vec<u16>, Vec<bool>) = rows.into_iter().unzip();
            (rows, masked.then_some(mask))
        })
    });
    proptest::collection::vec(batch, 1..6)
}

fn map<K>(batches: &Batches, key: impl Fn(u16) -> K) -> Vec<(Vec<K>, Option<Vec<bool>>)> {
    let map = |(rows, mask): &(Vec<u16>, Option<Vec<bool>>)| {
        (rows.iter().map(|&row| key(row)).collect(), mask.clone())
    };
    batches.iter().map(map).collect()
}

proptest! {
    #[test]
    fn ids_are_those_of_a_map(
        batches in batches(),
        isa in prop::sample::select(Isa::available()),
        constant in prop::bool::weighted(0.1),
        room in prop_oneof![Just(0usize), 0usize..3000],
    ) {
        let hasher = if constant { KeyHasher::constant() } else { KeyHasher::with_seed(isa, 9) };
        let new = || KeyInterner::new().with_hasher(hasher.clone()).unwrap().with_room(room);
        check(&mut new(), &batches);
        check(&mut new(), &map(&batches, |key| i64::from(key) - 1000));
        check(&mut new(), &map(&batches, |key| u64::from(key) << 40));
        check(&mut new(), &map(&batches, |key| i128::from(key) << 70 | 1));
        check(&mut new(), &map(&batches, |key| (key as u8, u32::from(key))));
        check(&mut new(), &map(&batches, |key| (u64::from(key), -i64::from(key))));
        check(&mut new(), &map(&batches, |key| "k".repeat(usize::from(key) % 40) + &key.to_string()));
    }
}

#[test]
fn a_table_grows_at_every_size() {
    for distinct in (0..200u64).chain([1000, 4096, 50_000, 1_000_000]) {
        let mut interner = KeyInterner::new();
        let rows: Vec<u64> = (0..distinct).chain(0..distinct).collect();
        let (mut ids, expected) = (Vec::new(), rows.iter().map(|&key| key as u32));
        // A row a batch, then all rows as one.
        for key in &rows[..rows.len().min(400)] {
            interner.intern(std::slice::from_ref(key), &mut ids).unwrap();
        }
        assert!(ids.iter().copied().eq(expected.clone().take(400)));
        ids.clear();
        interner.intern(&rows, &mut ids).unwrap();
        assert!(ids.into_iter().eq(expected));
        assert_eq!(interner.len() as u64, distinct);
        assert!(interner.bytes() <= 1024 + 160 * distinct as usize, "{}", interner.bytes());
    }
}

#[test]
fn upper_halves_of_hashes_that_are_equal_do_not_join_keys() {
    // Byte strings of equal hashes: told apart by their bytes alone.
    let keys: Vec<String> = (0..300).map(|i| format!("a long and common beginning {i}")).collect();
    let mut interner = KeyInterner::new().with_hasher(KeyHasher::constant()).unwrap();
    let mut ids = Vec::new();
    interner.intern(&keys, &mut ids).unwrap();
    interner.intern(&keys, &mut ids).unwrap();
    assert!(ids.iter().copied().eq((0..300).chain(0..300)));
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut interner = KeyInterner::new();
    let mut ids = vec![77];
    // The first batch does not decide what the keys are if it is refused.
    assert!(interner.intern((&["a"], &[true, false]), &mut ids).is_err());
    interner.intern([5_u64, 6], &mut ids).unwrap();
    let refused = interner.intern(["a"], &mut ids).unwrap_err().to_string();
    assert!(refused.contains("u64") && refused.contains("&str"), "{refused}");
    let refused = interner.intern([5_i64], &mut ids).unwrap_err().to_string();
    assert!(refused.contains("u64") && refused.contains("i64"), "{refused}");
    assert!(interner.intern((&[9_u64], &[true; 2]), &mut ids).is_err());
    interner.intern([7_u32, 6], &mut ids).unwrap();
    assert_eq!(ids, [77, 0, 1, 2, 1]);
    assert_eq!(interner.values::<u32>().unwrap(), [5, 6, 7]);
    interner.intern([u64::MAX], &mut ids).unwrap();
    assert!(interner.values::<u32>().unwrap_err().to_string().contains("u32"));
    assert!(interner.values::<i64>().is_err());
    assert!(interner.values::<String>().is_err());
    assert!(matches!(interner.keys(), Some(Keys::Words(words)) if words.len() == 4));
    assert!(interner.with_hasher(KeyHasher::constant()).is_err());
}

#[test]
fn more_keys_than_ids_are_refused_whole() {
    for limit in [0, 1, 7, 8, 9, 300, 1000] {
        let mut interner = KeyInterner { limit, ..KeyInterner::new() };
        let mut ids = Vec::new();
        let keys: Vec<u64> = (0..1200).map(|i| i * 7).collect();
        interner.intern(&keys[..limit as usize], &mut ids).unwrap();
        let refused = interner.intern(&keys, &mut ids).unwrap_err();
        assert!(matches!(refused, JoinError::TooManyKeys { limit: l } if l == u64::from(limit)));
        assert_eq!((interner.len(), ids.len()), (limit as usize, limit as usize));
        interner.intern(&keys[..limit as usize], &mut ids).unwrap();
        assert!(ids.iter().copied().eq((0..limit).chain(0..limit)));
        // Two thirds of the room, and a batch that is taken back in the midst of it.
        let mut interner = KeyInterner { limit, ..KeyInterner::new() };
        let two_thirds = limit as usize * 2 / 3;
        let texts: Vec<String> =
            keys.iter().map(|key| format!("{key} and more than 16 bytes")).collect();
        ids.clear();
        interner.intern(&texts[..two_thirds], &mut ids).unwrap();
        assert!(interner.intern(&texts[600..], &mut ids).is_err());
        assert!(interner.intern(&texts, &mut ids).is_err());
        interner.intern(&texts[..two_thirds], &mut ids).unwrap();
        assert_eq!(ids[..two_thirds], ids[ids.len() - two_thirds..]);
    }
}

/// This many bytes may be taken.
#[derive(Debug)]
struct Account {
    left: Mutex<usize>,
    asked: AtomicUsize,
    panics_at: usize,
}

impl MemoryReservation for Account {
    fn try_grow(
        &self,
        bytes: usize,
    ) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(asked != self.panics_at, "as it was told to");
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(bytes).ok_or("no more")?;
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        *self.left.lock().unwrap() += bytes;
    }
}

fn account(bytes: usize, panics_at: usize) -> Arc<Account> {
    Arc::new(Account { left: Mutex::new(bytes), asked: AtomicUsize::new(0), panics_at })
}

#[test]
fn memory_is_asked_for_and_a_refusal_changes_nothing() {
    const BYTES: usize = 1 << 20;
    let account = account(BYTES, usize::MAX);
    let mut interner = KeyInterner::new().with_memory(Arc::clone(&account) as _).unwrap();
    let mut ids = Vec::new();
    let texts: Vec<String> = (0..100_000).map(|i| format!("the key of number {i}")).collect();
    interner.intern(&texts[..1000], &mut ids).unwrap();
    let (held, left) = (interner.bytes(), *account.left.lock().unwrap());
    assert_eq!(held + left, BYTES);
    let refused = interner.intern(&texts, &mut ids).unwrap_err();
    assert!(matches!(refused, JoinError::MemoryRefused { .. }), "{refused}");
    assert_eq!((interner.len(), ids.len()), (1000, 1000));
    assert_eq!(interner.bytes() + *account.left.lock().unwrap(), BYTES);
    interner.intern(&texts[..1500], &mut ids).unwrap();
    assert!(ids.iter().copied().eq((0..1000).chain(0..1500)));
    assert_eq!(interner.values::<String>().unwrap(), texts[..1500]);
    drop(interner);
    assert_eq!(*account.left.lock().unwrap(), BYTES);
}

/// Bytes that panic when they are looked at for the `n`th time.
struct Panics<'a>(&'a str, &'a AtomicUsize);

impl AsRef<[u8]> for Panics<'_> {
    fn as_ref(&self) -> &[u8] {
        let left = self.1.fetch_sub(1, Ordering::Relaxed);
        assert!(left != 0, "as it was told to");
        self.0.as_bytes()
    }
}

#[test]
fn a_panic_of_the_callers_leaves_no_trace() {
    let texts: Vec<String> = (0..20_000).map(|i| i.to_string()).collect();
    // Within the memory that the caller accounts for, as the table grows.
    for panics_at in 0..12 {
        let account = account(usize::MAX, panics_at);
        let mut interner = KeyInterner::new().with_memory(account as _).unwrap();
        let mut ids = Vec::new();
        let panicked = catch_unwind(AssertUnwindSafe(|| interner.intern(&texts, &mut ids)));
        assert!(panicked.is_err() && ids.is_empty() && interner.is_empty());
        interner.intern(&texts[..50], &mut ids).unwrap();
        assert!(ids.iter().copied().eq(0..50));
    }
    // Within the keys: in the first block, in the second one, in the last one.
    for panics_after in [0, 1, 1024, 8192, 19_999] {
        let mut interner = KeyInterner::new();
        let mut ids = Vec::new();
        interner.intern(["seven", "7"], &mut ids).unwrap();
        let left = AtomicUsize::new(panics_after);
        let keys: Vec<Panics> = texts.iter().map(|text| Panics(text, &left)).collect();
        let panicked = catch_unwind(AssertUnwindSafe(|| interner.intern(BytesOf(&keys), &mut ids)));
        assert!(panicked.is_err() && interner.len() == 2 && ids == [0, 1]);
        interner.intern(["7", "8"], &mut ids).unwrap();
        assert_eq!(ids, [0, 1, 1, 2]);
    }
}

#[test]
fn no_rows_and_no_keys_are_fine() {
    let mut interner = KeyInterner::default();
    let mut ids = Vec::new();
    let none: [u64; 0] = [];
    interner.intern(none, &mut ids).unwrap();
    // The kind is still open.
    interner.intern((&["a", "b"], &[false; 2]), &mut ids).unwrap();
    assert_eq!(ids, [NO_ROW; 2]);
    assert!(interner.is_empty() && interner.keys().is_none());
    interner.intern([3_i128], &mut ids).unwrap();
    assert_eq!(ids, [NO_ROW, NO_ROW, 0]);
    assert!(matches!(interner.keys().as_ref().map(KeyView::from), Some(KeyView::Wide(&[3]))));
}
