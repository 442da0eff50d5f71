//! The forms in which a case is run.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use rayon::ThreadPool;
use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::{IndexKind, Isa, StoreKind};

use crate::error::Result;
use crate::plan::{Grain, Strategy, pool};
use crate::scenario::Choice;

/// Which rows a form takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// As recorded.
    Recorded,
    /// With rows that match nothing, and stream rows repeated.
    Enlarged,
    /// As recorded, with columns as dictionaries and views, sliced, and tables
    /// in pieces; the types of the output are then not judged.
    Encoded,
}

/// Everything that must not change an answer.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) strategy: Strategy,
    pub(super) pool: Option<Arc<ThreadPool>>,
    pub(super) rows: Rows,
}

/// The most rows of a probe work unit and of an output batch, on recorded rows.
const SMALL: [(usize, usize); 4] = [(1, 1), (2, 3), (7, 2), (8192, 8192)];
/// The same on enlarged rows.
const LARGE: [(usize, usize); 2] = [(50, 1000), (8192, 8192)];

/// Rows of an output batch at most, with blocks of a store that keeps such: their
/// rows and the number of the first row, which soon wraps around.
const OUTPUTS: [usize; 4] = [1, 2, 7, 8192];
const BLOCKS: [(usize, u32); 4] = [(1, u32::MAX), (2, u32::MAX - 3), (7, 0), (1024, u32::MAX - 9)];

/// The forms of both kinds of cases.
#[derive(Debug)]
pub(super) struct Forms {
    pub(super) stream_static: Vec<Form>,
    pub(super) stream_stream: Vec<Form>,
}

impl Forms {
    /// The default strategy and every state store, with this instruction set.
    pub(super) fn usual(isa: Isa) -> Result<Self> {
        let strategy = Strategy {
            isa,
            layout: Choice::Fixed(Layout::default()),
            index: Choice::Fixed(IndexKind::default()),
            ..Strategy::auto()?
        };
        let form = Form { strategy, pool: None, rows: Rows::Recorded };
        let stores = StoreKind::ALL.map(|store| form.with(|strategy| strategy.state = store));
        Ok(Self { stream_static: vec![form], stream_stream: stores.to_vec() })
    }

    /// All of them.
    pub(super) fn all() -> Result<Self> {
        Ok(Self { stream_static: stream_static()?, stream_stream: stream_stream()? })
    }
}

/// Every index x layout x Isa x block size, on recorded and on enlarged rows;
/// every index x layout on encoded ones.
fn stream_static() -> Result<Vec<Form>> {
    let usual = Forms::usual(Isa::detect())?.stream_static.remove(0);
    let mut forms = Vec::new();
    for index in IndexKind::ALL {
        // One index stands for all where there is none.
        let has_any = |layout: &Layout| layout.has_index() || index == IndexKind::ALL[0];
        for layout in Layout::ALL.into_iter().filter(has_any) {
            let form = usual.with(|strategy| {
                (strategy.layout, strategy.index) = (Choice::Fixed(layout), Choice::Fixed(index));
            });
            let cut = |isa, (probe_rows, output_rows), rows| {
                let form = form.with(|strategy| {
                    strategy.isa = isa;
                    strategy.batch_rows = NonZeroUsize::new(probe_rows);
                    strategy.grain.max_output_rows = NonZeroUsize::new(output_rows);
                });
                Form { rows, ..form }
            };
            for isa in Isa::available() {
                forms.extend(SMALL.map(|cuts| cut(isa, cuts, Rows::Recorded)));
                forms.extend(LARGE.map(|cuts| cut(isa, cuts, Rows::Enlarged)));
            }
            forms.push(cut(Isa::detect(), (7, 2), Rows::Encoded));
        }
    }
    Ok(forms)
}

/// Every store x Isa with each two of: one to four threads, a bound of the
/// output, a kind of blocks. And every store on encoded rows.
fn stream_stream() -> Result<Vec<Form>> {
    let threads = (1..=4).filter_map(NonZeroUsize::new);
    let pools = threads.map(|threads| Ok((threads, pool(threads)?))).collect::<Result<Vec<_>>>()?;
    let mut forms = Vec::new();
    for form in Forms::usual(Isa::detect())?.stream_stream {
        for isa in Isa::available() {
            for (at, (threads, pool)) in pools.iter().enumerate() {
                for (output_rows, i) in OUTPUTS.into_iter().zip(at..) {
                    let (rows, first_row) = BLOCKS[i % BLOCKS.len()];
                    let form = form.with(|strategy| {
                        (strategy.isa, strategy.threads) = (isa, *threads);
                        strategy.grain = Grain {
                            max_output_rows: NonZeroUsize::new(output_rows),
                            blocks: BlockOptions::default()
                                .with_rows(rows)
                                .with_first_row(first_row),
                        };
                    });
                    forms.push(Form { pool: pool.clone(), ..form });
                }
            }
        }
        let form = form.with(|strategy| strategy.grain.max_output_rows = NonZeroUsize::new(3));
        forms.push(Form { rows: Rows::Encoded, ..form });
    }
    Ok(forms)
}

impl Form {
    fn with(&self, change: impl FnOnce(&mut Strategy)) -> Self {
        let mut form = self.clone();
        change(&mut form.strategy);
        form
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Strategy { layout, index, state, isa, threads, batch_rows, grain, .. } = &self.strategy;
        let Grain { max_output_rows, blocks: BlockOptions { rows, first_row, .. } } = grain;
        let number = |rows: &Option<NonZeroUsize>| match rows {
            Some(rows) => rows.to_string(),
            None => "default".to_owned(),
        };
        write!(
            f,
            "{layout}/{index} {state} {isa} threads={threads} probe_rows={} max_output_rows={} block_rows={rows} first_row={first_row}",
            number(batch_rows),
            number(max_output_rows)
        )?;
        match self.rows {
            Rows::Recorded => Ok(()),
            Rows::Enlarged => f.write_str(" enlarged"),
            Rows::Encoded => f.write_str(" encoded"),
        }
    }
}
