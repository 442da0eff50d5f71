//! An index, `IndexBuilder` and `JoinIndex`, that does one thing wrong.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use streamjoin_kernels::key::KeyView;
use streamjoin_kernels::stream_static::Join;
use streamjoin_kernels::table::{
    BuildInput, BuiltIndex, FindCursor, IndexBuilder, JoinIndex, Probe,
};
use streamjoin_kernels::{IndexKind, NO_ROW, Pairs, Result};

use crate::inputs::{ON_PURPOSE, push, table};

/// What an index does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// Nothing.
    Honest,
    OrderTwice,
    OrderBeyond,
    OrderShort,
    RowsAtBuild,
    PositionsAtBuild,
    RowsLater,
    PositionsLater,
    BytesLater,
    AllBytes,
    UniqueYes,
    UniqueUnknown,
    RowBeyond,
    PositionBeyond,
    NoRow,
    FirstBeyond,
    FirstAll,
    PadsPairs,
    ClearsPairs,
    LooksAtAll,
    StandsStill,
    StandsStillWithAPair,
    GoesBack,
    Dithers,
    RowsWithoutCandidates,
    PanicsInBuild,
    PanicsInName,
    PanicsInRows,
    PanicsInBytes,
    PanicsInFirst,
    PanicsInFind,
    PanicsInFindLater,
    CallsBack,
}

use Wrong::*;

pub(crate) const ALL: [Wrong; 33] = [
    Honest,
    OrderTwice,
    OrderBeyond,
    OrderShort,
    RowsAtBuild,
    PositionsAtBuild,
    RowsLater,
    PositionsLater,
    BytesLater,
    AllBytes,
    UniqueYes,
    UniqueUnknown,
    RowBeyond,
    PositionBeyond,
    NoRow,
    FirstBeyond,
    FirstAll,
    PadsPairs,
    ClearsPairs,
    LooksAtAll,
    StandsStill,
    StandsStillWithAPair,
    GoesBack,
    Dithers,
    RowsWithoutCandidates,
    PanicsInBuild,
    PanicsInName,
    PanicsInRows,
    PanicsInBytes,
    PanicsInFirst,
    PanicsInFind,
    PanicsInFindLater,
    CallsBack,
];

/// Refused when the table is built, whatever is asked for.
pub(crate) const REFUSED: [Wrong; 5] =
    [OrderTwice, OrderBeyond, OrderShort, RowsAtBuild, PositionsAtBuild];

/// Nothing that changes the answer.
pub(crate) const RIGHT: [Wrong; 7] =
    [Honest, UniqueUnknown, RowsLater, PositionsLater, LooksAtAll, CallsBack, ClearsPairs];

/// An error where several matches of a row are asked for.
pub(crate) const FAILS_IN_FIND: [Wrong; 8] = [
    RowBeyond,
    PositionBeyond,
    NoRow,
    StandsStill,
    StandsStillWithAPair,
    GoesBack,
    Dithers,
    RowsWithoutCandidates,
];

#[derive(Clone, Debug)]
pub(crate) struct HostileBuilder {
    wrong: Wrong,
    inner: IndexKind,
    /// What [`CallsBack`] calls.
    pub(crate) join: Arc<Mutex<Option<Arc<Join>>>>,
}

impl HostileBuilder {
    pub(crate) fn new(wrong: Wrong, inner: IndexKind) -> Self {
        Self { wrong, inner, join: Arc::default() }
    }
}

impl IndexBuilder for HostileBuilder {
    fn name(&self) -> &'static str {
        "hostile"
    }

    fn estimated_bytes(&self, keys: KeyView<'_>) -> usize {
        if self.wrong == AllBytes { usize::MAX } else { self.inner.estimated_bytes(keys) }
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        assert!(self.wrong != PanicsInBuild, "{ON_PURPOSE}");
        let rows = input.keys().len() as u32;
        let mut built = self.inner.build(input)?;
        let mut order = built.order;
        match self.wrong {
            OrderTwice => order = Some(vec![0; rows as usize]),
            OrderBeyond => order = Some((1..=rows).collect()),
            OrderShort => order = Some((0..rows.saturating_sub(1)).collect()),
            _ => {}
        }
        let (wrong, join) = (self.wrong, Arc::clone(&self.join));
        let index = Hostile { wrong, inner: built.index, calls: AtomicUsize::new(0), join };
        (built.index, built.order) = (Box::new(index), order);
        Ok(built)
    }
}

#[derive(Debug)]
struct Hostile {
    wrong: Wrong,
    inner: Box<dyn JoinIndex>,
    calls: AtomicUsize,
    join: Arc<Mutex<Option<Arc<Join>>>>,
}

impl Hostile {
    fn calls(&self) -> usize {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    fn panics_in(&self, wrong: Wrong) {
        assert!(self.wrong != wrong, "{ON_PURPOSE}");
    }
}

thread_local! {
    static CALLED: Cell<bool> = const { Cell::new(false) };
}

impl JoinIndex for Hostile {
    fn name(&self) -> &'static str {
        self.panics_in(PanicsInName);
        "hostile"
    }

    fn rows(&self) -> usize {
        self.panics_in(PanicsInRows);
        match self.wrong {
            RowsAtBuild => usize::MAX,
            RowsLater if self.calls() > 0 => usize::MAX,
            _ => self.inner.rows(),
        }
    }

    fn positions(&self) -> usize {
        match self.wrong {
            PositionsAtBuild => usize::MAX,
            PositionsLater if self.calls() > 0 => usize::MAX,
            _ => self.inner.positions(),
        }
    }

    fn bytes(&self) -> usize {
        self.panics_in(PanicsInBytes);
        match self.wrong {
            AllBytes => usize::MAX,
            BytesLater => usize::MAX >> (self.calls() % 3),
            _ => self.inner.bytes(),
        }
    }

    fn unique(&self) -> Option<bool> {
        match self.wrong {
            UniqueYes | FirstBeyond | FirstAll | PanicsInFirst => Some(true),
            UniqueUnknown => None,
            _ => Some(false),
        }
    }

    fn first_match(&self, probe: Probe<'_>, matches: &mut [u32]) -> u64 {
        self.panics_in(PanicsInFirst);
        let compared = self.inner.first_match(probe, matches);
        match self.wrong {
            FirstBeyond => matches[probe.len() / 2] = self.inner.positions() as u32,
            FirstAll => matches.fill(0),
            LooksAtAll => return u64::MAX,
            _ => {}
        }
        compared
    }

    fn exists(&self, probe: Probe<'_>, found: &mut [u64]) {
        self.inner.exists(probe, found);
        if self.wrong == FirstAll {
            found.fill(u64::MAX);
        }
    }

    fn find(
        &self,
        probe: Probe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> u64 {
        self.panics_in(PanicsInFind);
        let (call, positions) = (self.calls(), self.inner.positions() as u32);
        match self.wrong {
            RowBeyond => pairs.push(probe.len() as u32, 0),
            PositionBeyond => pairs.push(0, positions),
            NoRow => pairs.push(0, NO_ROW),
            // What one of two columns alone was padded with, once.
            PadsPairs => (0..1000).for_each(|_| pairs.push(0, 0)),
            ClearsPairs => pairs.clear(),
            StandsStill => return 0,
            StandsStillWithAPair => {
                pairs.push(0, 0);
                return 1;
            }
            GoesBack => {
                cursor.next_row = 1 - call % 2;
                return 0;
            }
            Dithers => {
                (cursor.rows, cursor.candidates) = (vec![0], vec![call as u32 % 2]);
                return 0;
            }
            RowsWithoutCandidates => {
                cursor.rows = vec![0; 3];
                return 0;
            }
            PanicsInFindLater => assert!(call < 2, "{ON_PURPOSE}"),
            CallsBack if !CALLED.replace(true) => {
                let join = self.join.lock().unwrap().clone();
                if let Some(join) = join {
                    assert!(push(&join).unwrap() > 0);
                    join.build(&[table()], 2).unwrap();
                }
                CALLED.set(false);
            }
            _ => {}
        }
        let compared = self.inner.find(probe, cursor, pairs, limit);
        if self.wrong == LooksAtAll { u64::MAX } else { compared }
    }
}
