//! `AsRef<[u8]>`, of which keys of bytes are made.

use std::sync::atomic::{AtomicUsize, Ordering};

use streamjoin_kernels::Pairs;
use streamjoin_kernels::key::BytesOf;
use streamjoin_kernels::table::KeyTable;

use crate::inputs::{ON_PURPOSE, Outcome};

/// Bytes that are others each time they are asked for.
#[derive(Debug, Default)]
struct Shifting {
    calls: AtomicUsize,
    /// The call that panics.
    panics_at: usize,
}

impl AsRef<[u8]> for Shifting {
    fn as_ref(&self) -> &[u8] {
        const BYTES: [u8; 100] = [7; 100];
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        assert!(call != self.panics_at, "{ON_PURPOSE}");
        &BYTES[call * 37 % 50..][..call * 13 % 50]
    }
}

#[test]
fn keys_may_be_others_each_time_they_are_read() {
    for panics_at in (0..6).chain([usize::MAX]) {
        let keys = |rows: usize| -> Vec<Shifting> {
            (0..rows).map(|row| Shifting { calls: AtomicUsize::new(row % 7), panics_at }).collect()
        };
        let outcome = Outcome::of(|| {
            let (build, probe) = (keys(300), keys(1000));
            let table = KeyTable::new(BytesOf(&build))?;
            let (mut pairs, mut first, mut found) = (Pairs::new(), Vec::new(), Vec::new());
            table.pairs(BytesOf(&probe), &mut pairs)?;
            table.first_matches(BytesOf(&probe), &mut first)?;
            table.exists(BytesOf(&probe), &mut found)?;
            assert!(pairs.iter().all(|(row, of_table)| row < 1000 && of_table < 300));
            Ok(first.len())
        });
        match outcome {
            Outcome::Panicked(text) => assert!(text.contains(ON_PURPOSE), "{text}"),
            outcome => assert_eq!(outcome, Outcome::Rows(1000)),
        }
    }
}
