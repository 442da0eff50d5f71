//! `RowWords`: columns that an index may lay out next to its keys.

use std::sync::atomic::{AtomicUsize, Ordering};

use streamjoin_kernels::arch::CacheSizes;
use streamjoin_kernels::table::{BuildInput, IndexBuilder, Probe, RowWords};
use streamjoin_kernels::{Isa, NO_ROW};

use crate::inputs::{ON_PURPOSE, Outcome, hashes, kinds};

#[derive(Debug)]
struct Columns {
    /// What is answered in turn.
    words: &'static [usize],
    calls: AtomicUsize,
    panics: bool,
}

impl RowWords for Columns {
    fn words(&self) -> usize {
        self.words[self.calls.fetch_add(1, Ordering::Relaxed) % self.words.len()]
    }

    fn write(&self, order: &[u32], stride: usize, words: &mut [u64]) {
        assert!(!self.panics, "{ON_PURPOSE}");
        assert!(words.len() >= order.len() * stride);
        // The keys, too.
        words.fill(u64::MAX);
    }
}

#[test]
fn columns_may_say_and_write_anything() {
    let keys: Vec<u64> = (0..1000).map(|row| row * row).collect();
    let hashes = hashes(&keys);
    for words in [&[0][..], &[1], &[3], &[2, usize::MAX], &[usize::MAX], &[1, 0], &[3, 1, 2]] {
        for (kind, panics) in kinds().flat_map(|kind| [(kind, false), (kind, true)]) {
            let columns = Columns { words, calls: AtomicUsize::new(0), panics };
            let outcome = Outcome::of(|| {
                let caches = CacheSizes::TYPICAL.with_l1(1).with_l2(1).with_l3(1);
                let input = BuildInput::new(&keys, &hashes, Isa::detect())?;
                let built = kind.build(input.laid_out_for(caches).with_columns(&columns))?;
                let mut matches = vec![NO_ROW; keys.len()];
                built.index.first_match(Probe::new(&keys, &hashes, None), &mut matches);
                built.rows_at(&mut matches)?;
                Ok(matches.len())
            });
            match outcome {
                Outcome::Panicked(text) => assert!(text.contains(ON_PURPOSE), "{kind}: {text}"),
                outcome => assert_eq!(outcome, Outcome::Rows(1000), "{kind} {words:?}"),
            }
        }
    }
}
