//! A checked specification: column slots, coerced key types, output schema.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::spec::Spec;
use crate::column::ColumnRef;
use crate::error::{JoinError, Result};
use crate::form::{has_union, stream_type, table_type};
use crate::join_type::JoinType;
use crate::operator::columns::{KeyPlan, SlotFilter, in_schema_order, output_field, slot_of};
use crate::probe::{Payload, row_bytes};
use crate::spark::supported;
use crate::table::IndexChoice;

/// What a stream row turns into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emit {
    /// Its matches; if preserved, a row of nulls when there is none.
    Pairs { preserved: bool },
    /// Itself, once, if it has a match or has none.
    Existence { matched: bool },
}

impl Emit {
    fn of(join_type: JoinType) -> Self {
        match join_type {
            JoinType::Inner | JoinType::Cross => Self::Pairs { preserved: false },
            JoinType::LeftOuter | JoinType::RightOuter | JoinType::FullOuter => {
                Self::Pairs { preserved: true }
            }
            JoinType::LeftSemi => Self::Existence { matched: true },
            JoinType::LeftAnti => Self::Existence { matched: false },
        }
    }
}

/// A column of an input, by slot among those that the join reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Stream(usize),
    Payload(usize),
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) emit: Emit,
    /// Stream columns that are read, in the schema's order; slots index this
    /// list.
    pub(super) stream_columns: Vec<usize>,
    /// Whether the numbers of the stream's rows are read: they are the slot after
    /// its columns.
    pub(super) stream_rows: bool,
    /// Table columns that a snapshot retains, in the schema's order.
    pub(super) payload_columns: Vec<usize>,
    /// The types in which it does.
    pub(super) payload_types: Vec<DataType>,
    /// The types in which columns of the stream that are read are passed on.
    pub(super) stream_types: Vec<DataType>,
    pub(super) keys: KeyPlan,
    /// Slots of the stream's key columns.
    pub(super) stream_keys: Vec<usize>,
    /// The table's key columns.
    pub(super) table_keys: Vec<usize>,
    pub(super) stream_filter: Option<SlotFilter<ColumnRef, usize>>,
    pub(super) table_filter: Option<SlotFilter<ColumnRef, usize>>,
    pub(super) residual: Option<SlotFilter<ColumnRef, Slot>>,
    pub(super) output: Vec<Slot>,
    pub(super) output_schema: SchemaRef,
}

impl Plan {
    pub(super) fn new(spec: &Spec) -> Result<Self> {
        supported::stream_static(spec.join_type, spec.stream_side)?;
        check_columns(spec)?;
        let emit = Emit::of(spec.join_type);
        let (mut stream_columns, mut payload_columns) = (Vec::new(), Vec::new());
        let mut stream_rows = false;
        let read_pairwise = spec.residual.iter().flat_map(|filter| &filter.columns);
        let read = spec.output.iter().map(|column| &column.source).chain(read_pairwise);
        for column in read.chain(spec.stream_filter.iter().flat_map(|filter| &filter.columns)) {
            match *column {
                ColumnRef::Stream(i) => stream_columns.push(i),
                ColumnRef::Table(i) => payload_columns.push(i),
                ColumnRef::StreamRow => stream_rows = true,
            }
        }
        stream_columns.extend(spec.keys.iter().map(|key| key.first));
        let stream_columns = in_schema_order(stream_columns);
        let payload_columns = in_schema_order(payload_columns);
        let payload_types = payload_columns
            .iter()
            .map(|&i| kept_by_table(spec.table_schema.field(i)))
            .collect::<Result<_>>()?;
        let stream_types = stream_columns.iter();
        let stream_types =
            stream_types.map(|&i| stream_type(spec.stream_schema.field(i).data_type()));
        let stream_types = stream_types.collect();
        let slot = |column: &ColumnRef| -> Result<Slot> {
            Ok(match *column {
                ColumnRef::Stream(i) => Slot::Stream(slot_of(&stream_columns, i)?),
                ColumnRef::Table(i) => Slot::Payload(slot_of(&payload_columns, i)?),
                ColumnRef::StreamRow => Slot::Stream(stream_columns.len()),
            })
        };
        let of_stream = |column: &ColumnRef| match slot(column)? {
            Slot::Stream(slot) => Ok(slot),
            Slot::Payload(_) => Err(reads_the_other_side()),
        };
        let of_table = |column: &ColumnRef| match *column {
            ColumnRef::Table(i) => Ok(i),
            ColumnRef::Stream(_) | ColumnRef::StreamRow => Err(reads_the_other_side()),
        };
        let keys = spec.keys.iter().map(|key| {
            let stream = spec.stream_schema.field(key.first);
            (stream, spec.table_schema.field(key.second), key.null_equality)
        });
        let stream_keys = spec.keys.iter().map(|key| slot_of(&stream_columns, key.first));
        Ok(Self {
            emit,
            keys: KeyPlan::new(keys)?,
            stream_keys: stream_keys.collect::<Result<_>>()?,
            table_keys: spec.keys.iter().map(|key| key.second).collect(),
            stream_filter: SlotFilter::new(spec.stream_filter.as_ref(), of_stream)?,
            table_filter: SlotFilter::new(spec.table_filter.as_ref(), of_table)?,
            residual: SlotFilter::new(spec.residual.as_ref(), slot)?,
            output: spec.output.iter().map(|column| slot(&column.source)).collect::<Result<_>>()?,
            output_schema: output_schema(spec, emit),
            stream_columns,
            stream_rows,
            stream_types,
            payload_columns,
            payload_types,
        })
    }

    /// Whether one match per row is as good as all of them.
    pub(super) fn asks_existence(&self) -> bool {
        matches!(self.emit, Emit::Existence { .. }) && self.residual.is_none()
    }

    /// An index choice with what this plan needs of an index.
    pub(super) fn index_for(&self, mut index: IndexChoice) -> IndexChoice {
        if let IndexChoice::Auto(auto) = &mut index {
            auto.existence = self.asks_existence();
            auto.gathers = !self.payload_columns.is_empty();
        }
        index
    }

    /// Whether a stream row without a match is part of the output.
    pub(super) fn preserves_stream(&self) -> bool {
        matches!(self.emit, Emit::Pairs { preserved: true } | Emit::Existence { matched: false })
    }

    /// Whether there is no equality, so that every pair is a candidate.
    pub(super) fn is_nested_loop(&self) -> bool {
        self.keys.types().is_empty()
    }

    /// The most bytes that an output row takes.
    pub(super) fn output_row_bytes(&self, stream: &[ArrayRef], payload: &Payload) -> usize {
        let bytes = self.output.iter().map(|&slot| match slot {
            Slot::Stream(i) => row_bytes(&stream[i]),
            Slot::Payload(i) => payload.row_bytes(i),
        });
        bytes.sum()
    }
}

/// Checks that every column exists on the side where it is looked for.
fn check_columns(spec: &Spec) -> Result<()> {
    let of_keys =
        spec.keys.iter().flat_map(|k| [ColumnRef::Stream(k.first), ColumnRef::Table(k.second)]);
    let filters = [&spec.stream_filter, &spec.table_filter, &spec.residual].into_iter().flatten();
    let of_filters = filters.flat_map(|filter| filter.columns.iter().copied());
    let of_output = spec.output.iter().map(|column| column.source);
    for column in of_keys.chain(of_filters).chain(of_output) {
        spec.resolve(&column)?;
    }
    let table_out = spec.output.iter().any(|column| matches!(column.source, ColumnRef::Table(_)));
    if spec.join_type.is_existence() && table_out {
        return Err(JoinError::InvalidPlan(format!(
            "the output of a {} join has no columns of the table: select those of the stream",
            spec.join_type
        )));
    }
    Ok(())
}

/// The type in which a table keeps a column.
///
/// # Errors
/// [`JoinError::UnsupportedTable`] for one that it cannot keep.
fn kept_by_table(field: &Field) -> Result<DataType> {
    if has_union(field.data_type()) {
        return Err(JoinError::UnsupportedTable {
            column: format!("`{}`", field.name()),
            data_type: field.data_type().clone(),
            remedy: "leave it out of the output and of the residual condition".to_owned(),
        });
    }
    Ok(table_type(field.data_type()))
}

fn reads_the_other_side() -> JoinError {
    JoinError::InvalidPlan(
        "a one-sided filter reads a column of the other side: make it the residual".to_owned(),
    )
}

/// The table's columns are nullable where the output may hold a stream row
/// without a match.
fn output_schema(spec: &Spec, emit: Emit) -> SchemaRef {
    let extended = emit == Emit::Pairs { preserved: true };
    let fields = spec.output.iter().map(|column| match column.source {
        ColumnRef::Stream(i) => {
            let field = spec.stream_schema.field(i);
            let passed = stream_type(field.data_type());
            output_field(field, &column.name, false).with_data_type(passed)
        }
        ColumnRef::Table(i) => {
            let field = spec.table_schema.field(i);
            let kept = table_type(field.data_type());
            output_field(field, &column.name, extended).with_data_type(kept)
        }
        ColumnRef::StreamRow => Field::new(&column.name, DataType::UInt32, false),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
