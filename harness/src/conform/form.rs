//! The forms in which a case is run.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_static::{self, Layout};
use streamjoin_kernels::{IndexKind, Isa, KeyHasher, StoreKind, stream_stream};

use crate::error::Result;
use crate::plan::pool;

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
        let stream_static::Options { layout, probe_rows, max_output_rows, .. } =
            stream_static::Options::default();
        let index = IndexKind::default();
        let size = Size::Recorded;
        vec![Self { layout, index, isa, probe_rows, max_output_rows, size, encoded: false }]
    }

    /// Every index x layout x Isa x block size, on recorded and on enlarged rows.
    pub(super) fn all() -> Vec<Self> {
        let mut forms = Vec::new();
        for index in IndexKind::ALL {
            // One index stands for all where there is none.
            let has_any = |layout: &Layout| layout.has_index() || index == IndexKind::ALL[0];
            for layout in Layout::ALL.into_iter().filter(has_any) {
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

    pub(super) fn options(&self) -> stream_static::Options {
        stream_static::Options {
            layout: self.layout,
            index: self.index.into(),
            hasher: KeyHasher::with_seed(self.isa, SEED),
            probe_rows: self.probe_rows,
            max_output_rows: self.max_output_rows,
            ..stream_static::Options::default()
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
    /// None: one thread.
    pool: Option<Arc<rayon::ThreadPool>>,
    blocks: BlockOptions,
    /// Whether columns come as dictionaries and views, sliced and in pieces;
    /// the types of the output are then not judged.
    pub(super) encoded: bool,
}

/// Bounds of an output batch, with blocks of a store that keeps such: their rows
/// and the number of the first row, which soon wraps around.
const OUTPUTS: [usize; 4] = [1, 2, 7, 8192];
const BLOCKS: [(usize, u32); 4] = [(1, u32::MAX), (2, u32::MAX - 3), (7, 0), (1024, u32::MAX - 9)];

impl StreamsForm {
    fn new(store: StoreKind, isa: Isa) -> Self {
        let stream_stream::Options { max_output_rows, pool, blocks, .. } =
            stream_stream::Options::default();
        Self { store, isa, max_output_rows, pool, blocks, encoded: false }
    }

    /// Every store: no answer depends on it.
    pub(super) fn usual(isa: Isa) -> Vec<Self> {
        StoreKind::ALL.map(|store| Self::new(store, isa)).to_vec()
    }

    /// Every store x Isa with each two of: one to four threads, a bound of the
    /// output, a kind of blocks. And every store on other encodings.
    pub(super) fn all() -> Result<Vec<Self>> {
        let threads = (1..=4).filter_map(NonZeroUsize::new);
        let pools = threads.map(pool).collect::<Result<Vec<_>>>()?;
        let mut forms = Vec::new();
        for store in StoreKind::ALL {
            for isa in Isa::available() {
                let form = Self::new(store, isa);
                for (at, pool) in pools.iter().enumerate() {
                    for (max_output_rows, i) in OUTPUTS.into_iter().zip(at..) {
                        let (rows, first_row) = BLOCKS[i % BLOCKS.len()];
                        let (pool, blocks) = (pool.clone(), BlockOptions { rows, first_row });
                        forms.push(Self { max_output_rows, pool, blocks, ..form.clone() });
                    }
                }
            }
            let form = Self::new(store, Isa::detect());
            forms.push(Self { max_output_rows: 3, encoded: true, ..form });
        }
        Ok(forms)
    }

    pub(super) fn options(&self) -> stream_stream::Options {
        stream_stream::Options {
            store: self.store,
            hasher: KeyHasher::with_seed(self.isa, SEED),
            max_output_rows: self.max_output_rows,
            pool: self.pool.clone(),
            blocks: self.blocks,
            ..stream_stream::Options::default()
        }
    }
}

impl fmt::Display for StreamsForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.pool.as_ref().map_or(1, |pool| pool.current_num_threads());
        let BlockOptions { rows, first_row } = self.blocks;
        write!(
            f,
            "{} {} threads={threads} max_output_rows={} block_rows={rows} first_row={first_row}",
            self.store, self.isa, self.max_output_rows
        )?;
        if self.encoded { f.write_str(" encoded") } else { Ok(()) }
    }
}
