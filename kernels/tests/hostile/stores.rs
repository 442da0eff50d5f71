//! `StateStore::find` with cursors of any content.

use std::sync::Arc;

use proptest::prelude::*;
use streamjoin_kernels::arrow::array::{ArrayRef, TimestampMicrosecondArray};
use streamjoin_kernels::key::KeyShape;
use streamjoin_kernels::state::{NewRows, StateProbe, StateStore, StorePlan};
use streamjoin_kernels::table::Probe;
use streamjoin_kernels::time::EventTimes;
use streamjoin_kernels::{Isa, KeyHasher, Pairs, Result, StoreKind};

use crate::cursors::cursors;
use crate::inputs::{Outcome, hashes};

/// A store of rows with these keys, in the order of their times; the first `evicted`
/// are gone.
fn store(kind: StoreKind, isa: Isa, keys: &[u64], evicted: usize) -> Result<Box<dyn StateStore>> {
    let plan = StorePlan::new(KeyShape::Word, KeyHasher::with_seed(isa, 7)).with_evicts(true);
    let mut store = kind.build(&plan)?;
    let hashes = hashes(keys);
    let times = TimestampMicrosecondArray::from_iter_values(0..keys.len() as i64);
    let times = EventTimes::new(&(Arc::new(times) as ArrayRef))?;
    let rows: Vec<u32> = (0..keys.len() as u32).collect();
    let matched = vec![false; keys.len()];
    store.insert(NewRows::new(Probe::new(keys, &hashes, None), &times, &[], &matched, &rows))?;
    store.evict(evicted as i64 - 1, None)?;
    store.reclaim()?;
    Ok(store)
}

proptest! {
    #[test]
    fn any_cursor_ends_or_is_refused(
        stored in prop::collection::vec(0..30u64, 1..200),
        evicted in 0..100usize,
        probe in prop::collection::vec(0..40u64, 0..300),
        cursor in cursors(),
        limit in prop_oneof![0..20usize, Just(usize::MAX)],
    ) {
        let hashes = hashes(&probe);
        let probe = StateProbe::new(Probe::new(&probe, &hashes, None));
        for (kind, isa) in StoreKind::ALL.into_iter().flat_map(|kind| {
            Isa::available().into_iter().map(move |isa| (kind, isa))
        }) {
            let store = store(kind, isa, &stored, evicted).unwrap();
            let outcome = Outcome::of(|| {
                let (mut cursor, mut pairs) = (cursor.clone(), Pairs::new());
                for _ in 0..=2 * (probe.len() + cursor.rows.len() + 1) * (stored.len() + 1) {
                    if cursor.is_done(probe.len()) {
                        return Ok(0);
                    }
                    store.find(probe, &mut cursor, &mut pairs, limit)?;
                    pairs.clear();
                }
                panic!("endless");
            });
            let refused = outcome.is_failure("the cursor");
            prop_assert!(refused || outcome == Outcome::Rows(0), "{kind} {isa}: {outcome:?}");
        }
    }
}
