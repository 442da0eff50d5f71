//! Tables of keys over a hostile index.

use std::sync::Arc;

use streamjoin_kernels::table::KeyTable;
use streamjoin_kernels::{IndexChoice, IndexKind, Isa, KeyHasher, Pairs, Result};

use crate::hostile_index::{ALL, FAILS_IN_FIND, HostileBuilder, REFUSED, Wrong};
use crate::inputs::{ON_PURPOSE, Outcome};

#[test]
fn a_table_of_keys_outlives_every_index() {
    let keys: Vec<u64> = (0..40).map(|row| row % 20).collect();
    let looked_up: Vec<u64> = (0..150).map(|row| row * 7 % 60).collect();
    for wrong in ALL {
        for inner in [IndexKind::Chained, IndexKind::Contiguous, IndexKind::RowAtATime] {
            let case = format!("{wrong:?} {inner}");
            let choice = IndexChoice::Own(Arc::new(HostileBuilder::new(wrong, inner)));
            let with_table = |use_it: &dyn Fn(&KeyTable) -> Result<usize>| {
                let outcome = Outcome::of(|| {
                    let hasher = KeyHasher::with_seed(Isa::detect(), 3);
                    use_it(
                        &KeyTable::builder()
                            .with_index(choice.clone())
                            .with_hasher(hasher)
                            .build(&keys)?,
                    )
                });
                if let Outcome::Failed(error) = &outcome {
                    assert!(
                        error.contains("`hostile`") || error.contains("no machine"),
                        "{case}: {error}"
                    );
                }
                if let Outcome::Panicked(text) = &outcome {
                    assert!(text.contains(ON_PURPOSE), "{case}: {text}");
                }
                if REFUSED.contains(&wrong) {
                    assert!(outcome.is_failure("`hostile`"), "{case}: {outcome:?}");
                }
                outcome
            };
            let pairs = with_table(&|table| {
                let (mut matches, mut pairs, mut count) =
                    (table.find(&looked_up)?, Pairs::new(), 0);
                while matches.next_pairs(&mut pairs, 10)? {
                    count += pairs.len();
                    assert!(count < 100_000, "endless");
                }
                Ok(count)
            });
            if FAILS_IN_FIND.contains(&wrong) {
                assert!(pairs.is_failure("`hostile`"), "{case}: {pairs:?}");
            }
            if wrong == Wrong::Honest {
                assert_eq!(
                    pairs,
                    Outcome::Rows(2 * looked_up.iter().filter(|key| **key < 20).count())
                );
            }
            let first = with_table(&|table| {
                let mut matches = Vec::new();
                table.first_matches(&looked_up, &mut matches)?;
                Ok(matches.len())
            });
            if wrong == Wrong::FirstBeyond {
                assert!(first.is_failure("position 40 of 40"), "{case}: {first:?}");
            }
            let found = with_table(&|table| {
                let mut found = Vec::new();
                table.exists(&looked_up, &mut found)?;
                assert_eq!(found.last().unwrap() >> (looked_up.len() % 64), 0, "{case}");
                Ok(table.bytes().min(1) + table.rows() + table.positions())
            });
            assert!(!matches!(found, Outcome::Rows(0)), "{case}");
        }
    }
}
