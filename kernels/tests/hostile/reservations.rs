//! `MemoryReservation`.

use std::cell::Cell;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use streamjoin_kernels::stream_static::{Join, Layout, Options};
use streamjoin_kernels::{IndexKind, JoinType, MemoryReservation};

use crate::inputs::{ON_PURPOSE, Outcome, build_and_push, distinct_table, push, spec, table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Refuses,
    PanicsInGrow,
    PanicsInShrink,
    CallsBack,
}

/// Does something wrong at its `at`th call.
#[derive(Debug)]
struct Account {
    wrong: Wrong,
    at: usize,
    calls: AtomicUsize,
    held: Mutex<i128>,
}

thread_local! {
    static CALLED: Cell<bool> = const { Cell::new(false) };
}

impl Account {
    fn is_time(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) == self.at
    }
}

impl MemoryReservation for Account {
    fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
        let is_time = self.wrong != Wrong::PanicsInShrink && self.is_time();
        match self.wrong {
            Wrong::Refuses if is_time => return Err("never".into()),
            Wrong::PanicsInGrow => assert!(!is_time, "{ON_PURPOSE}"),
            Wrong::CallsBack if is_time && !CALLED.replace(true) => {
                let options = Options::default().with_index(IndexKind::Linear);
                let other = Join::new(spec(JoinType::Inner)?, options)?;
                assert!(build_and_push(&other, &table())? > 0);
                CALLED.set(false);
            }
            _ => {}
        }
        *self.held.lock().unwrap() += bytes as i128;
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        *self.held.lock().unwrap() -= bytes as i128;
        assert!(self.wrong != Wrong::PanicsInShrink || !self.is_time(), "{ON_PURPOSE}");
    }
}

/// A refusal or a panic at any call leaves nothing reserved and the join as good as
/// before.
#[test]
fn what_was_reserved_is_given_back_whatever_the_account_does() {
    for wrong in [Wrong::Refuses, Wrong::PanicsInGrow, Wrong::PanicsInShrink, Wrong::CallsBack] {
        for (layout, at) in [Layout::Broadcast, Layout::Partitioned]
            .into_iter()
            .flat_map(|l| (0..12).map(move |at| (l, at)))
        {
            let case = format!("{wrong:?} {layout} {at}");
            let account =
                Arc::new(Account { wrong, at, calls: AtomicUsize::new(0), held: Mutex::new(0) });
            let options =
                Options::default().with_memory(Arc::clone(&account) as _).with_layout(layout);
            let join = Join::new(spec(JoinType::LeftOuter).unwrap(), options).unwrap();
            let outcome = Outcome::of(|| build_and_push(&join, &distinct_table()));
            match &outcome {
                Outcome::Rows(rows) => assert_eq!(*rows, 150, "{case}"),
                Outcome::Failed(error) => {
                    assert!(wrong == Wrong::Refuses && error.contains("never"), "{case}: {error}");
                }
                Outcome::Panicked(text) => assert!(text.contains(ON_PURPOSE), "{case}: {text}"),
            }
            // At its next calls the account is honest.
            account.calls.store(usize::MAX / 2, Ordering::Relaxed);
            assert_eq!(build_and_push(&join, &distinct_table()).unwrap(), 150, "{case}");
            assert_eq!(push(&join).unwrap(), 150, "{case}");
            drop(join);
            assert_eq!(*account.held.lock().unwrap(), 0, "{case}");
        }
    }
}
