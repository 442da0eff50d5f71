//! A join with a table, and how a strategy runs it.

use std::sync::Arc;

use streamjoin_kernels::arch::CacheSizes;
use streamjoin_kernels::stream_static::{self, Beyond, BroadcastLimit, Layout};
use streamjoin_kernels::table::auto::{AutoIndex, CostModel};
use streamjoin_kernels::{IndexChoice, IndexKind};

use super::table_joins::KernelJoin;
use super::width::row_bytes;
use crate::error::{Failure, Result};
use crate::plan::bind::BoundTable;
use crate::plan::strategy::{Footing, Resolved, Strategy};
use crate::plan::table::Table;
use crate::scenario::Choice;

/// One join with a table.
#[derive(Debug)]
pub struct TableJoinPlan {
    /// The dimension's name.
    pub name: String,
    /// The table's contents over time.
    pub table: Table,
    /// The join as the kernels take it.
    pub kernel: KernelJoin,
    /// The join's name and keys, for messages.
    pub place: String,
    /// The keys as text: the stream's and the table's.
    pub on: Vec<(String, String)>,
    pub(in crate::plan) layout: Option<Choice<Layout>>,
    pub(in crate::plan) index: Option<Choice<IndexKind>>,
    /// Stream rows that probe each version of the table, where that is known.
    pub(in crate::plan) probe_rows: Option<f64>,
}

impl TableJoinPlan {
    /// What `strategy` results in for this join, as far as is known before the
    /// table is loaded.
    pub fn resolve(&self, strategy: &Strategy) -> Resolved {
        let bytes = self.expected_bytes().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        strategy.resolve(self.layout, self.index, bytes.filter(|_| self.has_keys()))
    }

    /// Whether rows are found by keys at all.
    pub(in crate::plan) fn has_keys(&self) -> bool {
        !self.kernel.spec.keys.is_empty()
    }

    /// Rows of the largest version of the table, where that is known.
    pub(in crate::plan) fn expected_rows(&self) -> Option<u64> {
        self.table.versions.iter().map(|version| version.feed.rows()).max().flatten()
    }

    /// A guess at the table's size from its rows and types, index included.
    pub(in crate::plan) fn expected_bytes(&self) -> Option<u64> {
        let row = row_bytes(self.kernel.table.keys.schema());
        // A chained index: a head and a link of 4 bytes each per row, and the key's copy.
        self.expected_rows().map(|rows| rows.saturating_mul(row + 16))
    }

    /// The join as `strategy` runs it.
    ///
    /// # Errors
    /// A usage failure for what the kernels refuse.
    pub fn operator(
        &self,
        strategy: &Strategy,
        pool: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<stream_static::Join> {
        let resolved = self.resolve(strategy);
        let defaults = stream_static::Options::default();
        // Where the layout is free, the loaded table decides: its size is known then.
        let (layout, beyond) = match resolved.free_layout {
            true => (Layout::Broadcast, Beyond::Partition),
            false => (resolved.layout, Beyond::Note),
        };
        let caches = match strategy.footing {
            Footing::ThisMachine => defaults.caches,
            Footing::Typical => CacheSizes::TYPICAL,
        };
        let index = match resolved.index {
            Choice::Fixed(index) => index.into(),
            Choice::Auto => {
                let model = match strategy.footing {
                    Footing::ThisMachine => crate::costs::model()?,
                    Footing::Typical => CostModel::shipped(),
                };
                let auto = AutoIndex::default().with_model(model).with_probe_rows(self.probe_rows);
                IndexChoice::Auto(auto)
            }
        };
        let options = defaults
            .clone()
            .with_layout(layout)
            .with_broadcast_limit(BroadcastLimit::new(strategy.broadcast_threshold, beyond))
            .with_index(index)
            .with_hasher(strategy.hasher())
            .with_caches(caches)
            .with_probe_rows(strategy.batch_rows.map_or(defaults.probe_rows, usize::from))
            .with_max_output_rows(
                strategy.grain.max_output_rows.map_or(defaults.max_output_rows, usize::from),
            )
            .with_cancellation(crate::interrupt::builds())
            .with_pool(pool.cloned());
        stream_static::Join::new(self.kernel.spec.clone(), options)
            .map_err(|error| Failure::usage(error).at(&self.place))
    }
}

/// The joins with what their scenario pins.
pub(super) fn table_join_plans(
    tables: Vec<BoundTable>,
    kernels: Vec<KernelJoin>,
) -> Vec<TableJoinPlan> {
    let joins = tables.into_iter().zip(kernels).map(|(table, kernel)| {
        let BoundTable { spec, table, relation, join } = table;
        let keys = join.keys.iter();
        TableJoinPlan {
            on: keys.map(|key| (key.stream.to_string(), key.table.to_string())).collect(),
            place: join.place(&relation.name),
            name: relation.name,
            table,
            kernel,
            layout: spec.layout,
            index: spec.index,
            probe_rows: None,
        }
    });
    joins.collect()
}
