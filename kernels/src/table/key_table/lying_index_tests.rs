//! Indexes of the caller's own that say what cannot be.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::*;
use crate::error::JoinError;
use crate::table::{BuildInput, BuiltIndex, FindCursor, IndexBuilder, IndexChoice, JoinIndex};

/// An index that does not tell the truth about itself.
#[derive(Debug)]
struct Wrong {
    rows: usize,
    positions: usize,
    order: Option<Vec<u32>>,
}

impl IndexBuilder for Arc<Wrong> {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn build(&self, _: BuildInput<'_>) -> Result<BuiltIndex> {
        Ok(BuiltIndex {
            index: Box::new(Arc::clone(self)),
            order: self.order.clone(),
            fallback: None,
            fused: None,
        })
    }
}

impl JoinIndex for Arc<Wrong> {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn positions(&self) -> usize {
        self.positions
    }

    fn bytes(&self) -> usize {
        0
    }

    fn unique(&self) -> Option<bool> {
        Some(true)
    }

    fn first_match(&self, _: Probe<'_>, matches: &mut [u32]) -> u64 {
        matches.fill(NO_ROW);
        0
    }

    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, _: &mut Pairs, _: usize) -> u64 {
        cursor.next_row = probe.len();
        0
    }
}

#[test]
fn an_index_of_the_callers_that_does_not_fit_its_rows_is_refused() {
    let build = |rows, positions, order: Option<&[u32]>| {
        let wrong = Arc::new(Wrong { rows, positions, order: order.map(<[u32]>::to_vec) });
        let choice = IndexChoice::Own(Arc::new(wrong));
        KeyTable::builder().with_index(choice).build([1, 2]).map_err(|e| e.to_string())
    };
    assert!(build(2, 2, None).is_ok());
    assert!(build(2, 3, Some(&[1, NO_ROW, 0])).is_ok());
    for (rows, positions, order, why) in [
        (1, 2, None, "1 rows"),
        (2, 3, None, "no order"),
        (2, 3, Some(&[0, 1][..]), "an order of 2"),
        (2, 2, Some(&[0, 2][..]), "row 2 of 2"),
        (2, 2, Some(&[0, 0][..]), "row 0 twice"),
        (2, 3, Some(&[0, 0, 1][..]), "row 0 twice"),
        (2, 3, Some(&[0, NO_ROW, NO_ROW][..]), "1 of 2 rows"),
    ] {
        let refused = build(rows, positions, order).unwrap_err();
        assert!(refused.contains(why) && refused.contains("`wrong`"), "{refused}");
    }
}

/// An index that finds what cannot be.
#[derive(Clone, Copy, Debug)]
enum Lies {
    OneByOne,
    Positions,
    Rows,
    NoProgress,
    Panics,
}

impl IndexBuilder for Lies {
    fn name(&self) -> &'static str {
        "lies"
    }

    fn build(&self, _: BuildInput<'_>) -> Result<BuiltIndex> {
        Ok(BuiltIndex::ordered(*self, vec![1, 0]))
    }
}

impl JoinIndex for Lies {
    fn name(&self) -> &'static str {
        "lies"
    }

    fn rows(&self) -> usize {
        2
    }

    fn bytes(&self) -> usize {
        0
    }

    fn unique(&self) -> Option<bool> {
        Some(true)
    }

    fn first_match(&self, _: Probe<'_>, matches: &mut [u32]) -> u64 {
        matches.fill(2);
        0
    }

    fn find(&self, probe: Probe<'_>, cursor: &mut FindCursor, pairs: &mut Pairs, _: usize) -> u64 {
        match self {
            Self::OneByOne => {
                pairs.push(cursor.next_row as u32, 1);
                cursor.next_row += 1;
                return 1;
            }
            Self::Positions => pairs.push(0, 2),
            Self::Rows => pairs.push(u32::MAX, 1),
            Self::NoProgress => return 0,
            Self::Panics => panic!("as it was told to"),
        }
        cursor.next_row = probe.len();
        0
    }
}

#[test]
fn what_an_index_of_the_callers_cannot_have_found_is_an_error_and_ends_the_matches() {
    let table = |lies| {
        let choice = IndexChoice::Own(Arc::new(lies));
        KeyTable::builder().with_index(choice).build([1, 2]).unwrap()
    };
    let mut pairs = Pairs::default();
    let probe: Vec<i32> = (0..10_000).collect();
    for (lies, why) in [
        (Lies::Positions, "position 2 of 2"),
        (Lies::Rows, "probe row"),
        (Lies::NoProgress, "without getting on"),
    ] {
        let table = table(lies);
        let mut matches = table.find(&probe).unwrap();
        let refused = matches.next_pairs(&mut pairs, 10).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains("`lies`"), "{refused}");
        let again = matches.next_pairs(&mut pairs, 10);
        assert!(matches!(again, Err(JoinError::Unfinished)) && pairs.is_empty());
    }
    // One pair at a time is slow and nothing else.
    table(Lies::OneByOne).pairs(&probe, &mut pairs).unwrap();
    assert!(pairs.iter().eq((0..10_000).map(|row| (row, 0))));
    assert!(table(Lies::Positions).first_matches(&probe, &mut Vec::new()).is_err());
    let table = table(Lies::Panics);
    let mut matches = table.find(&probe).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| matches.next_pairs(&mut pairs, 10)));
    assert!(panicked.is_err());
    assert!(matches!(matches.next_pairs(&mut pairs, 10), Err(JoinError::Unfinished)));
}
