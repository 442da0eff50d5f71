//! A checked specification: column slots, coerced key types, output schema.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::spec::Spec;
use crate::column::ColumnRef;
use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::key::{EncodedKeys, KeyEncoder, KeyShape};
use crate::predicate::Filter;
use crate::probe::{Payload, row_bytes};
use crate::spark::{CastMode, cast, comparison_type, supported};

/// What a stream row turns into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emit {
    /// Its matches; if preserved, a row of nulls when there is none.
    Pairs { preserved: bool },
    /// Itself, once, if it has a match or has none.
    Existence { matched: bool },
}

/// A column of an input, by slot among those that the join reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Stream(usize),
    Payload(usize),
}

/// A filter with its columns as slots.
#[derive(Clone, Debug)]
pub(super) struct SlotFilter {
    pub(super) filter: Filter,
    pub(super) slots: Vec<Slot>,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) emit: Emit,
    /// Stream columns that are read, ascending; slots index this list.
    pub(super) stream_columns: Vec<usize>,
    /// Dimension columns that a table retains, ascending.
    pub(super) payload_columns: Vec<usize>,
    pub(super) stream_keys: KeySide,
    pub(super) table_keys: KeySide,
    pub(super) key_types: Vec<DataType>,
    encoder: KeyEncoder,
    pub(super) stream_filter: Option<SlotFilter>,
    pub(super) residual: Option<SlotFilter>,
    pub(super) output: Vec<Slot>,
    pub(super) output_schema: SchemaRef,
}

/// The key columns of one side: where they are and what they are cast to.
#[derive(Debug)]
pub(super) struct KeySide {
    /// Positions in what the side passes to [`Plan::encode`].
    pub(super) columns: Vec<usize>,
}

impl Plan {
    /// Whether one match a row is as good as all of them.
    pub(super) fn asks_existence(&self) -> bool {
        matches!(self.emit, Emit::Existence { .. }) && self.residual.is_none()
    }

    pub(super) fn new(spec: &Spec) -> Result<Self> {
        supported::stream_static(spec.join_type, spec.stream_side)?;
        check_columns(spec)?;
        let emit = match spec.join_type {
            JoinType::Inner | JoinType::Cross => Emit::Pairs { preserved: false },
            JoinType::LeftOuter | JoinType::RightOuter | JoinType::FullOuter => {
                Emit::Pairs { preserved: true }
            }
            JoinType::LeftSemi => Emit::Existence { matched: true },
            JoinType::LeftAnti => Emit::Existence { matched: false },
        };
        let (mut stream_columns, mut payload_columns) = (Vec::new(), Vec::new());
        let read_pairwise = spec.residual.iter().flat_map(|filter| &filter.columns);
        let read = spec.output.iter().map(|column| &column.source).chain(read_pairwise);
        for column in read.chain(spec.stream_filter.iter().flat_map(|filter| &filter.columns)) {
            match *column {
                ColumnRef::Stream(i) => stream_columns.push(i),
                ColumnRef::Table(i) => payload_columns.push(i),
            }
        }
        stream_columns.extend(spec.keys.iter().map(|key| key.stream));
        for columns in [&mut stream_columns, &mut payload_columns] {
            columns.sort_unstable();
            columns.dedup();
        }
        let position = |columns: &[usize], i: usize| {
            columns.binary_search(&i).map_err(|_| JoinError::InvalidPlan(format!("column {i}")))
        };
        let slot = |column: &ColumnRef| -> Result<Slot> {
            Ok(match *column {
                ColumnRef::Stream(i) => Slot::Stream(position(&stream_columns, i)?),
                ColumnRef::Table(i) => Slot::Payload(position(&payload_columns, i)?),
            })
        };
        let slot_filter = |filter: &Option<Filter>| -> Result<Option<SlotFilter>> {
            let Some(filter) = filter else { return Ok(None) };
            let slots = filter.columns.iter().map(slot).collect::<Result<_>>()?;
            Ok(Some(SlotFilter { filter: filter.clone(), slots }))
        };

        let mut key_types = Vec::with_capacity(spec.keys.len());
        for (number, key) in spec.keys.iter().enumerate() {
            let stream = spec.stream_schema.field(key.stream);
            let table = spec.table_schema.field(key.table);
            let common = comparison_type(stream.data_type(), table.data_type()).map_err(
                |error| match error {
                    JoinError::TypeMismatch { left, right, remedy, .. } => {
                        JoinError::TypeMismatch {
                            left,
                            right,
                            place: format!(
                                " in key {} (`{}` = `{}`)",
                                number + 1,
                                stream.name(),
                                table.name()
                            ),
                            remedy,
                        }
                    }
                    other => other,
                },
            )?;
            key_types.push(common);
        }
        let encoder_columns: Vec<_> = key_types
            .iter()
            .zip(&spec.keys)
            .map(|(data_type, key)| (data_type.clone(), key.null_equality))
            .collect();
        let stream_keys = KeySide {
            columns: spec
                .keys
                .iter()
                .map(|key| position(&stream_columns, key.stream))
                .collect::<Result<_>>()?,
        };
        let table_keys = KeySide { columns: spec.keys.iter().map(|key| key.table).collect() };
        Ok(Self {
            emit,
            stream_keys,
            table_keys,
            encoder: KeyEncoder::new(&encoder_columns)?,
            key_types,
            stream_filter: slot_filter(&spec.stream_filter)?,
            residual: slot_filter(&spec.residual)?,
            output: spec.output.iter().map(|column| slot(&column.source)).collect::<Result<_>>()?,
            output_schema: output_schema(spec, emit),
            stream_columns,
            payload_columns,
        })
    }

    /// Whether a stream row without a match comes out.
    pub(super) fn preserves_stream(&self) -> bool {
        matches!(self.emit, Emit::Pairs { preserved: true } | Emit::Existence { matched: false })
    }

    /// Whether there is no equality: every pair is a candidate.
    pub(super) fn is_nested_loop(&self) -> bool {
        self.key_types.is_empty()
    }

    /// Bytes that an output row takes at most.
    pub(super) fn output_row_bytes(&self, stream: &[ArrayRef], payload: &Payload) -> usize {
        let bytes = self.output.iter().map(|&slot| match slot {
            Slot::Stream(i) => row_bytes(&stream[i]),
            Slot::Payload(i) => payload.row_bytes(i),
        });
        bytes.sum()
    }

    /// The shape of the keys.
    pub(super) fn key_shape(&self) -> KeyShape {
        self.encoder.shape()
    }

    /// Casts and encodes the key columns of one side.
    pub(super) fn encode(
        &self,
        side: &KeySide,
        columns: &[ArrayRef],
        rows: usize,
        mode: CastMode,
    ) -> Result<EncodedKeys> {
        let keys = side
            .columns
            .iter()
            .zip(&self.key_types)
            .map(|(&i, to)| {
                if columns[i].data_type() == to {
                    Ok(Arc::clone(&columns[i]))
                } else {
                    cast(&columns[i], to, mode)
                }
            })
            .collect::<Result<Vec<_>>>()?;
        self.encoder.encode(&keys, rows)
    }
}

/// Checks that every column exists on the side where it is looked for.
fn check_columns(spec: &Spec) -> Result<()> {
    let check = |column: &ColumnRef, what: &str| {
        let (schema, side, at) = match *column {
            ColumnRef::Stream(i) => (&spec.stream_schema, "stream", i),
            ColumnRef::Table(i) => (&spec.table_schema, "table", i),
        };
        let columns = schema.fields().len();
        if at < columns {
            return Ok(());
        }
        Err(JoinError::InvalidPlan(format!(
            "{what} names column {at} of the {side}, which has {columns}"
        )))
    };
    for key in &spec.keys {
        check(&ColumnRef::Stream(key.stream), "a key")?;
        check(&ColumnRef::Table(key.table), "a key")?;
    }
    for column in &spec.output {
        check(&column.source, "the output")?;
    }
    for filter in [&spec.stream_filter, &spec.table_filter, &spec.residual].into_iter().flatten() {
        for column in &filter.columns {
            check(column, "a filter")?;
        }
    }
    let one_sided = |filter: &Option<Filter>, stream: bool| {
        filter
            .iter()
            .flat_map(|filter| &filter.columns)
            .all(|column| matches!(column, ColumnRef::Stream(_)) == stream)
    };
    if !one_sided(&spec.stream_filter, true) || !one_sided(&spec.table_filter, false) {
        return Err(JoinError::InvalidPlan(
            "a one-sided filter reads a column of the other side: make it the residual".to_owned(),
        ));
    }
    let dimension_out =
        spec.output.iter().any(|column| matches!(column.source, ColumnRef::Table(_)));
    if spec.join_type.is_existence() && dimension_out {
        return Err(JoinError::InvalidPlan(format!(
            "a {} join has no columns of the table to give out",
            spec.join_type
        )));
    }
    Ok(())
}

/// The table's columns are nullable where a stream row may come out alone.
fn output_schema(spec: &Spec, emit: Emit) -> SchemaRef {
    let extended = emit == Emit::Pairs { preserved: true };
    let fields: Vec<Field> = spec
        .output
        .iter()
        .map(|column| {
            let field = match column.source {
                ColumnRef::Stream(i) => spec.stream_schema.field(i).clone(),
                ColumnRef::Table(i) => {
                    let field = spec.table_schema.field(i).clone();
                    let nullable = field.is_nullable() || extended;
                    field.with_nullable(nullable)
                }
            };
            field.with_name(&column.name)
        })
        .collect();
    Arc::new(Schema::new(fields))
}
