//! The forms in which a case is run.

use std::fmt;

use streamjoin_kernels::{
    IndexKind, Isa, JoinOptions, KeyHasher, Layout, StoreKind, StreamOptions,
};

/// Which rows a form takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// As recorded.
    Recorded,
    /// With rows that match nothing, and stream rows repeated.
    Enlarged,
}

/// Everything that must not change an answer.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) layout: Layout,
    pub(super) index: IndexKind,
    pub(super) isa: Isa,
    pub(super) probe_rows: usize,
    pub(super) max_output_rows: usize,
    pub(super) size: Size,
    /// Whether columns come as dictionaries and views, sliced, and tables in
    /// pieces; the types of the output are then not judged.
    pub(super) encoded: bool,
}

/// Work units (stream rows) and bounds of an output batch, on recorded rows.
const SMALL_BLOCKS: [(usize, usize); 4] = [(1, 1), (2, 3), (7, 2), (8192, 8192)];
/// The same on enlarged rows.
const LARGE_BLOCKS: [(usize, usize); 2] = [(50, 1000), (8192, 8192)];

/// Seed of the hashes; any would do.
const SEED: u64 = 0x5eed;

impl Form {
    /// The form in which a case is run when not all are asked for.
    pub(super) fn usual(isa: Isa) -> Vec<Self> {
        let JoinOptions { layout, index, probe_rows, max_output_rows, .. } = JoinOptions::default();
        let size = Size::Recorded;
        vec![Self { layout, index, isa, probe_rows, max_output_rows, size, encoded: false }]
    }

    /// Every index x layout x Isa x block size, on recorded and on enlarged rows.
    pub(super) fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for index in IndexKind::ALL {
            for layout in Layout::ALL {
                for isa in Isa::available() {
                    let small = SMALL_BLOCKS.map(|blocks| (Size::Recorded, blocks));
                    let large = LARGE_BLOCKS.map(|blocks| (Size::Enlarged, blocks));
                    for (size, (probe_rows, max_output_rows)) in small.into_iter().chain(large) {
                        forms.push(Self {
                            layout,
                            index,
                            isa,
                            probe_rows,
                            max_output_rows,
                            size,
                            encoded: false,
                        });
                    }
                }
                let (isa, size) = (Isa::detect(), Size::Recorded);
                let (probe_rows, max_output_rows) = (7, 2);
                forms.push(Self {
                    layout,
                    index,
                    isa,
                    probe_rows,
                    max_output_rows,
                    size,
                    encoded: true,
                });
            }
        }
        forms
    }

    pub(super) fn options(&self) -> JoinOptions {
        JoinOptions {
            layout: self.layout,
            index: self.index,
            hasher: KeyHasher::with_seed(self.isa, SEED),
            probe_rows: self.probe_rows,
            max_output_rows: self.max_output_rows,
            ..JoinOptions::default()
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}/{} {} probe_rows={} max_output_rows={}",
            self.layout, self.index, self.isa, self.probe_rows, self.max_output_rows
        )?;
        if self.size == Size::Enlarged {
            f.write_str(" enlarged")?;
        }
        if self.encoded { f.write_str(" encoded") } else { Ok(()) }
    }
}

/// Everything that must not change an answer of two streams.
#[derive(Clone, Debug)]
pub(super) struct StreamsForm {
    pub(super) store: StoreKind,
    pub(super) isa: Isa,
    pub(super) max_output_rows: usize,
    /// Whether columns come as dictionaries and views, sliced and in pieces;
    /// the types of the output are then not judged.
    pub(super) encoded: bool,
}

impl StreamsForm {
    /// Every store: no answer depends on it.
    pub(super) fn usual(isa: Isa) -> Vec<Self> {
        let StreamOptions { max_output_rows, .. } = StreamOptions::default();
        StoreKind::ALL.map(|store| Self { store, isa, max_output_rows, encoded: false }).to_vec()
    }

    /// Every store x Isa x block size, and every store on other encodings.
    pub(super) fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for store in StoreKind::ALL {
            for isa in Isa::available() {
                for max_output_rows in [1, 2, 7, 8192] {
                    forms.push(Self { store, isa, max_output_rows, encoded: false });
                }
            }
            forms.push(Self { store, isa: Isa::detect(), max_output_rows: 3, encoded: true });
        }
        forms
    }

    pub(super) fn options(&self) -> StreamOptions {
        StreamOptions {
            store: self.store,
            hasher: KeyHasher::with_seed(self.isa, SEED),
            max_output_rows: self.max_output_rows,
            ..StreamOptions::default()
        }
    }
}

impl fmt::Display for StreamsForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} max_output_rows={}", self.store, self.isa, self.max_output_rows)?;
        if self.encoded { f.write_str(" encoded") } else { Ok(()) }
    }
}
