//! What both joins do with columns: they find them, compare them as keys,
//! evaluate filters on them and name them in errors.

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;

use crate::column_id::ColumnId;
use crate::error::{JoinError, Result};
use crate::key::{EncodedKeys, KeyEncoder, KeyShape};
use crate::null_equality::NullEquality;
use crate::predicate::Filter;
use crate::spark::{CastMode, cast, comparison_type};

/// Columns of one input in the order of its schema, each once; a *slot* is a
/// position in this list.
pub(super) fn in_schema_order(mut columns: Vec<usize>) -> Vec<usize> {
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The slot of a column among `columns`, which are in the schema's order.
pub(super) fn slot_of(columns: &[usize], column: usize) -> Result<usize> {
    columns.binary_search(&column).map_err(|_| {
        JoinError::InvalidPlan(format!("column {column} is not among those that the join reads"))
    })
}

/// The positions of columns of one input, of which errors speak as `input`.
///
/// # Errors
/// Those of [`ColumnId::position`].
pub(super) fn resolve_all(
    columns: impl IntoIterator<Item = impl ColumnId>,
    input: &str,
    schema: &Schema,
) -> Result<Vec<usize>> {
    columns.into_iter().map(|column| column.position(input, schema)).collect()
}

/// A filter with its columns as slots.
#[derive(Debug)]
pub(super) struct SlotFilter<C, S> {
    pub(super) filter: Filter<C>,
    pub(super) slots: Vec<S>,
}

impl<C: Clone, S> SlotFilter<C, S> {
    pub(super) fn new(
        filter: Option<&Filter<C>>,
        slot: impl Fn(&C) -> Result<S>,
    ) -> Result<Option<Self>> {
        let Some(filter) = filter else { return Ok(None) };
        let slots = filter.columns.iter().map(slot).collect::<Result<_>>()?;
        Ok(Some(Self { filter: filter.clone(), slots }))
    }
}

impl<C> SlotFilter<C, usize> {
    /// The rows that pass.
    ///
    /// # Errors
    /// What the predicate fails with.
    pub(super) fn passing(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
        let inputs: Vec<ArrayRef> = self.slots.iter().map(|&slot| columns[slot].clone()).collect();
        self.filter.evaluate(&inputs, rows)
    }
}

/// The keys of a join: the types that both sides are cast to, and their encoder.
#[derive(Debug)]
pub(super) struct KeyPlan {
    types: Vec<DataType>,
    encoder: KeyEncoder,
}

impl KeyPlan {
    /// Of pairs of columns that are compared.
    ///
    /// # Errors
    /// [`JoinError::TypeMismatch`] for types that are not comparable,
    /// [`JoinError::UnsupportedKey`] for types that cannot be keys.
    pub(super) fn new<'a>(
        pairs: impl Iterator<Item = (&'a Field, &'a Field, NullEquality)>,
    ) -> Result<Self> {
        let mut columns = Vec::new();
        for (number, (left, right, null_equality)) in (1..).zip(pairs) {
            let in_place = |error| match error {
                JoinError::TypeMismatch { left: l, right: r, remedy, cast_to, .. } => {
                    let (left, right) = (left.name(), right.name());
                    let place = format!(" in key {number} (`{left}` = `{right}`)");
                    JoinError::TypeMismatch { left: l, right: r, place, remedy, cast_to }
                }
                other => other,
            };
            let common = comparison_type(left.data_type(), right.data_type()).map_err(in_place)?;
            columns.push((common, null_equality));
        }
        let encoder = KeyEncoder::new(&columns)?;
        Ok(Self { types: columns.into_iter().map(|(common, _)| common).collect(), encoder })
    }

    /// The types that keys are compared as.
    pub(super) fn types(&self) -> &[DataType] {
        &self.types
    }

    pub(super) fn shape(&self) -> KeyShape {
        self.encoder.shape()
    }

    /// Casts and encodes the key columns of one side, which are `columns` at
    /// `slots`.
    ///
    /// # Errors
    /// Errors of casts.
    pub(super) fn encode(
        &self,
        slots: &[usize],
        columns: &[ArrayRef],
        rows: usize,
        mode: CastMode,
    ) -> Result<EncodedKeys> {
        let slots = slots.iter().zip(&self.types);
        let keys = slots.map(|(&slot, to)| cast(&columns[slot], to, mode));
        self.encoder.encode(&keys.collect::<Result<Vec<_>>>()?, rows)
    }
}

/// A field of the output: `extended` if the join may fill it with nulls.
pub(super) fn output_field(field: &Field, name: &str, extended: bool) -> Field {
    field.clone().with_name(name).with_nullable(field.is_nullable() || extended)
}

/// Checks the types of a batch; names, nullability and metadata may differ.
///
/// # Errors
/// [`JoinError::Schema`] for another schema.
pub(super) fn check_schema(what: &str, planned: &Schema, batch: &RecordBatch) -> Result<()> {
    let fields = batch.schema_ref().fields();
    if fields.len() != planned.fields().len() {
        return Err(JoinError::Schema(format!(
            "{what} has {} columns, {} were planned",
            fields.len(),
            planned.fields().len()
        )));
    }
    for (found, planned) in fields.iter().zip(planned.fields()) {
        if found.data_type() != planned.data_type() {
            return Err(JoinError::Schema(format!(
                "column `{}` of {what} is {}, {} was planned",
                planned.name(),
                found.data_type(),
                planned.data_type()
            )));
        }
    }
    Ok(())
}

/// Explains an overflow of 32-bit offsets in an output batch: a single row is
/// too large, because the byte limit had already cut the batch down to one.
pub(super) fn too_large(error: JoinError, schema: &Schema) -> JoinError {
    match error {
        JoinError::Arrow(source @ ArrowError::OffsetOverflowError(_)) => {
            let names: Vec<&str> = schema
                .fields()
                .iter()
                .filter(|field| matches!(field.data_type(), DataType::Utf8 | DataType::Binary))
                .map(|field| field.name().as_str())
                .collect();
            JoinError::OutputTooLarge { column: names.join("` or `"), source }
        }
        other => other,
    }
}
