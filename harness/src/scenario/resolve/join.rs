//! `[join]` and `[[dimension]]`, resolved.

use streamjoin_kernels::stream_static::Layout;
use streamjoin_kernels::time::WatermarkPolicy;
use streamjoin_kernels::{IndexKind, JoinType, OutputMode, Side};

use super::context::{Clauses, Context};
use super::rows::{Reading, RowSource};
use crate::error::Result;
use crate::scenario::located::Located;
use crate::scenario::spec::{Choice, JoinSpec, Refresh, StreamSide, TableSpec, VersionStart};
use crate::text::duration::Micros;

/// Which rows match, as it is written.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The condition, as SQL.
    pub on: Option<Located<String>>,
    /// Key columns of equal name on both sides.
    pub using: Option<Located<Vec<String>>>,
}

/// The join of two streams.
#[derive(Clone, Debug)]
pub struct StreamJoin {
    /// The stream on the left.
    pub left: Located<String>,
    /// The stream on the right.
    pub right: Located<String>,
    /// The join type.
    pub join_type: JoinType,
    /// Which rows match.
    pub condition: Condition,
    /// Which of the sides' watermarks is in force.
    pub watermark_policy: WatermarkPolicy,
    /// Whether a watermark that has moved runs a batch without input.
    pub no_data_batches: bool,
    /// When rows are emitted.
    pub output_mode: OutputMode,
    /// Rows match only within one tumbling window of this length.
    pub window: Option<Located<Micros>>,
    /// ANSI mode, as at the top of the scenario.
    pub ansi: Option<Located<bool>>,
}

/// A table, and how rows are joined with it.
#[derive(Clone, Debug)]
pub struct TableJoin {
    /// Qualifies the table's columns, and names it in reports.
    pub name: Located<String>,
    /// The table's contents over time, a single one where it does not change;
    /// absent unless exactly one source is named.
    pub versions: Option<Vec<Located<Version>>>,
    /// How its files are read.
    pub reading: Reading,
    /// The join type.
    pub join_type: JoinType,
    /// Which rows match.
    pub condition: Condition,
    /// On which side of the join the stream stands.
    pub stream_side: Located<Side>,
    /// What the query sees of the table's rows.
    pub clauses: Clauses,
    /// Layout of this table whatever the strategy says.
    pub layout: Option<Choice<Layout>>,
    /// Index of this table whatever the strategy says.
    pub index: Option<Choice<IndexKind>>,
    /// When the table is read.
    pub refresh: Refresh,
}

/// One content of a table.
#[derive(Clone, Debug)]
pub struct Version {
    /// From when on it is in force; `None`: always.
    pub from: Option<VersionStart>,
    /// Where its rows come from.
    pub source: RowSource,
}

impl Context<'_> {
    pub(super) fn stream_join(self, spec: JoinSpec) -> StreamJoin {
        StreamJoin {
            left: self.located(spec.left),
            right: self.located(spec.right),
            join_type: spec.r#type.map_or(JoinType::Inner, toml::Spanned::into_inner),
            condition: Condition { on: self.optional(spec.on), using: self.optional(spec.using) },
            watermark_policy: self.or_default(spec.watermark_policy).value,
            no_data_batches: spec.no_data_batches.unwrap_or(true),
            output_mode: self.or_default(spec.output_mode).value,
            window: self.optional(spec.window),
            ansi: self.optional(spec.ansi),
        }
    }

    pub(super) fn table_join(self, spec: TableSpec) -> Result<TableJoin> {
        let changes = spec.versions.is_some();
        let always =
            |source: Located<RowSource>| vec![source.map(|source| Version { from: None, source })];
        let versions = match (spec.table, spec.generator, spec.versions) {
            (Some(table), None, None) => Some(always(self.named_source(&table))),
            (None, Some(generator), None) => Some(always(self.generated(generator))),
            (None, None, Some(versions)) => {
                let versions = versions.into_iter().map(|version| {
                    self.located(version).map(|version| Version {
                        from: Some(version.from),
                        source: self.source(&version.table),
                    })
                });
                Some(versions.collect())
            }
            _ => None,
        };
        let stream_side = match self.optional(spec.stream_side) {
            Some(side) => side.map(|side| match side {
                StreamSide::Left => Side::Left,
                StreamSide::Right => Side::Right,
            }),
            None => Located::unwritten(Side::Left, self.text),
        };
        let default = if changes { Refresh::EveryBatch } else { Refresh::Once };
        Ok(TableJoin {
            name: self.located(spec.name),
            versions,
            reading: self.reading(spec.format, spec.schema, spec.csv)?,
            join_type: spec.r#type.map_or(JoinType::Inner, toml::Spanned::into_inner),
            condition: Condition { on: self.optional(spec.on), using: self.optional(spec.using) },
            stream_side,
            clauses: self.clauses(spec.select, spec.r#where),
            layout: spec.layout.map(toml::Spanned::into_inner),
            index: spec.index.map(toml::Spanned::into_inner),
            refresh: spec.refresh.map_or(default, toml::Spanned::into_inner),
        })
    }
}
