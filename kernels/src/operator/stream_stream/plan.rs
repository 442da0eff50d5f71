//! A checked specification: what each side reads, keeps and waits for.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::can_cast_types;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::options::Options;
use super::spec::{Input, Spec};
use crate::column::SideColumn;
use crate::error::{JoinError, Result};
use crate::key::{EncodedKeys, KeyEncoder};
use crate::null_equality::NullEquality;
use crate::predicate::Filter;
use crate::side::Side;
use crate::spark::{CastMode, cast, comparison_type, supported};
use crate::state::{StorePlan, kept_type};
use crate::time::{DeclaredWatermarks, Expiry, IntervalCondition, TimeKey, is_event_time};

/// A filter with its columns as slots.
#[derive(Debug)]
pub(super) struct SlotFilter<C, S> {
    pub(super) filter: Filter<C>,
    pub(super) slots: Vec<S>,
}

/// A kept column of one side, by position among those that its store keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) side: Side,
    pub(super) column: usize,
}

#[derive(Debug)]
pub(super) struct SidePlan {
    /// Columns that are read, ascending positions in the schema; slots index
    /// this list.
    pub(super) read: Vec<usize>,
    keys: Vec<usize>,
    pub(super) event_time: Option<usize>,
    pub(super) filter: Option<SlotFilter<usize, usize>>,
    pub(super) not_null: Vec<usize>,
    /// Slots of the columns that the store keeps.
    pub(super) payload: Vec<usize>,
    /// The types in which they are kept.
    pub(super) kept_types: Vec<DataType>,
    /// Whether each row comes out even when nothing matches it.
    pub(super) preserved: bool,
    /// Whether a row without event time can match nothing.
    pub(super) needs_time: bool,
    /// Whether the side declares a watermark, so that its rows can be late.
    pub(super) watermark: bool,
    pub(super) expiry: Expiry,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) left: SidePlan,
    pub(super) right: SidePlan,
    pub(super) key_types: Vec<DataType>,
    encoder: KeyEncoder,
    /// None where it has no bound.
    pub(super) interval: Option<IntervalCondition>,
    /// Width of the windows that stand in for event times.
    pub(super) window: Option<i64>,
    pub(super) residual: Option<SlotFilter<SideColumn, Kept>>,
    pub(super) output: Vec<Kept>,
    pub(super) output_schema: SchemaRef,
}

impl Plan {
    pub(super) fn new(spec: &Spec) -> Result<Self> {
        check_columns(spec)?;
        check_times(spec)?;
        let declared = DeclaredWatermarks {
            left: spec.left.watermark_delay.is_some(),
            right: spec.right.watermark_delay.is_some(),
        };
        let expiry = |side| spec.time.expiry(side, declared);
        supported::stream_stream(
            spec.join_type,
            spec.output_mode,
            !spec.keys.is_empty(),
            [expiry(Side::Left), expiry(Side::Right)],
        )?;
        check_windows(spec)?;
        let key_types = key_types(spec)?;
        let encoder_columns: Vec<_> = key_types
            .iter()
            .zip(&spec.keys)
            .map(|(data_type, key)| (data_type.clone(), key.null_equality))
            .collect();
        let left = SidePlan::new(spec, Side::Left, expiry(Side::Left))?;
        let right = SidePlan::new(spec, Side::Right, expiry(Side::Right))?;
        let kept = |column: &SideColumn| -> Result<Kept> {
            let plan = if column.side == Side::Left { &left } else { &right };
            let at = plan.payload.iter().position(|&slot| plan.read[slot] == column.column);
            let column = at.ok_or_else(|| missing("the output", *column, spec))?;
            Ok(Kept { side: plan_side(plan, &left), column })
        };
        let residual = match &spec.residual {
            None => None,
            Some(filter) => Some(SlotFilter {
                slots: filter.columns.iter().map(kept).collect::<Result<_>>()?,
                filter: filter.clone(),
            }),
        };
        let output = spec.output.iter().map(|c| kept(&c.source)).collect::<Result<_>>()?;
        Ok(Self {
            key_types,
            encoder: KeyEncoder::new(&encoder_columns)?,
            interval: Some(spec.time.interval).filter(|interval| !interval.is_unbounded()),
            window: match spec.time.key {
                Some(TimeKey::Window { width }) => Some(width),
                _ => None,
            },
            residual,
            output,
            output_schema: output_schema(spec),
            left,
            right,
        })
    }

    pub(super) fn side(&self, side: Side) -> &SidePlan {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    pub(super) fn store_plan(&self, side: Side, options: &Options) -> StorePlan {
        let plan = self.side(side);
        StorePlan {
            shape: self.encoder.shape(),
            payload: plan.kept_types.clone(),
            evicts: plan.expiry.is_bounded(),
            tracks_matches: plan.preserved,
            timed: self.interval.is_some(),
            hasher: options.hasher.clone(),
            blocks: options.blocks,
        }
    }

    /// Casts and encodes the keys of one side; `columns` are those it reads.
    pub(super) fn encode(
        &self,
        side: Side,
        columns: &[ArrayRef],
        rows: usize,
        mode: CastMode,
    ) -> Result<EncodedKeys> {
        let slots = self.side(side).keys.iter().zip(&self.key_types);
        let keys = slots.map(|(&slot, to)| cast(&columns[slot], to, mode));
        self.encoder.encode(&keys.collect::<Result<Vec<_>>>()?, rows)
    }
}

fn plan_side(plan: &SidePlan, left: &SidePlan) -> Side {
    if std::ptr::eq(plan, left) { Side::Left } else { Side::Right }
}

impl SidePlan {
    fn new(spec: &Spec, side: Side, expiry: Expiry) -> Result<Self> {
        let input = spec.input(side);
        let preserved = spec.join_type.preserves(side);
        let mut kept: Vec<usize> = spec
            .output
            .iter()
            .map(|column| column.source)
            .chain(spec.residual.iter().flat_map(|filter| filter.columns.iter().copied()))
            .filter(|column| column.side == side)
            .map(|column| column.column)
            .collect();
        kept.sort_unstable();
        kept.dedup();
        let mut read = kept.clone();
        read.extend(spec.keys.iter().map(|key| key.on(side)));
        read.extend(input.event_time);
        read.extend(input.filter.iter().flat_map(|filter| &filter.columns));
        read.extend(&input.not_null);
        read.sort_unstable();
        read.dedup();
        let slot = |column: &usize| {
            let missing = || missing("the join", SideColumn { side, column: *column }, spec);
            read.binary_search(column).map_err(|_| missing())
        };
        let slots = |columns: &[usize]| columns.iter().map(slot).collect::<Result<Vec<_>>>();
        let filter = match &input.filter {
            None => None,
            Some(filter) => {
                Some(SlotFilter { slots: slots(&filter.columns)?, filter: filter.clone() })
            }
        };
        let not_null: Vec<usize> =
            input.not_null.iter().copied().filter(|c| input.event_time != Some(*c)).collect();
        let kept_types = kept
            .iter()
            .map(|&i| kept_by_value(input.schema.field(i).data_type()))
            .collect::<Result<_>>()?;
        let keys: Vec<usize> = spec.keys.iter().map(|key| key.on(side)).collect();
        Ok(Self {
            keys: slots(&keys)?,
            event_time: input.event_time.as_ref().map(slot).transpose()?,
            filter,
            not_null: slots(&not_null)?,
            payload: slots(&kept)?,
            kept_types,
            preserved,
            needs_time: !spec.time.interval.is_unbounded()
                || equal_times(spec)
                || matches!(spec.time.key, Some(TimeKey::Window { .. })),
            watermark: input.watermark_delay.is_some(),
            expiry,
            read,
        })
    }
}

/// The type in which the state keeps a column.
fn kept_by_value(data_type: &DataType) -> Result<DataType> {
    let kept = kept_type(data_type);
    if kept != data_type && !can_cast_types(data_type, kept) {
        return Err(JoinError::UnsupportedState {
            data_type: data_type.clone(),
            remedy: format!("cast it to {kept}"),
        });
    }
    Ok(kept.clone())
}

/// Whether the event times are a pair of keys that null never satisfies.
fn equal_times(spec: &Spec) -> bool {
    spec.time.key == Some(TimeKey::EventTime)
        && time_keys(spec).any(|equality| equality == NullEquality::NullMatchesNothing)
}

/// How the keys that pair the event times of both sides treat nulls.
fn time_keys(spec: &Spec) -> impl Iterator<Item = NullEquality> {
    let times = (spec.left.event_time, spec.right.event_time);
    let pairs = spec.keys.iter().filter(move |k| (Some(k.left), Some(k.right)) == times);
    pairs.map(|key| key.null_equality)
}

fn missing(what: &str, column: SideColumn, spec: &Spec) -> JoinError {
    JoinError::InvalidPlan(format!(
        "{what} names column {} of the {} side, which has {}",
        column.column,
        column.side,
        spec.input(column.side).schema.fields().len()
    ))
}

fn check_columns(spec: &Spec) -> Result<()> {
    let check = |what: &str, column: SideColumn| {
        let known = column.column < spec.input(column.side).schema.fields().len();
        if known { Ok(()) } else { Err(missing(what, column, spec)) }
    };
    for key in &spec.keys {
        check("a key", SideColumn::left(key.left))?;
        check("a key", SideColumn::right(key.right))?;
    }
    for column in &spec.output {
        check("the output", column.source)?;
        if spec.join_type.is_existence() && column.source.side == Side::Right {
            return Err(JoinError::InvalidPlan(format!(
                "a {} join has no columns of the right side to give out",
                spec.join_type
            )));
        }
    }
    for column in spec.residual.iter().flat_map(|filter| &filter.columns) {
        check("the residual", *column)?;
    }
    for side in [Side::Left, Side::Right] {
        let input = spec.input(side);
        let filter = input.filter.iter().flat_map(|filter| &filter.columns);
        for &column in filter.chain(&input.not_null).chain(&input.event_time) {
            check("an input", SideColumn { side, column })?;
        }
    }
    Ok(())
}

/// Checks event times and watermarks.
fn check_times(spec: &Spec) -> Result<()> {
    let needed = !spec.time.interval.is_unbounded() || spec.time.key.is_some();
    for side in [Side::Left, Side::Right] {
        let Input { schema, event_time, watermark_delay, .. } = spec.input(side);
        let what = match (event_time, watermark_delay) {
            (None, Some(_)) => "a watermark",
            (None, None) if needed => "a condition on event time",
            (None, None) => continue,
            (Some(column), delay) => {
                let field = schema.field(*column);
                if !is_event_time(field.data_type()) {
                    return Err(JoinError::InvalidPlan(format!(
                        "the event time `{}` of the {side} side is {}: an event time is a timestamp or a date",
                        field.name(),
                        field.data_type()
                    )));
                }
                if delay.is_some_and(|delay| delay < 0) {
                    return Err(JoinError::InvalidPlan(format!(
                        "the watermark delay of the {side} side is negative: a watermark cannot run ahead of the event time"
                    )));
                }
                continue;
            }
        };
        return Err(JoinError::InvalidPlan(format!(
            "{what} needs an event time on the {side} side: name its column"
        )));
    }
    if spec.time.key == Some(TimeKey::EventTime) && time_keys(spec).next().is_none() {
        return Err(JoinError::InvalidPlan(
            "event time is said to be a key, but no key pairs the two event times".to_owned(),
        ));
    }
    Ok(())
}

/// Windows stand in for the event times, which therefore may not be read beside
/// them (rule 42).
fn check_windows(spec: &Spec) -> Result<()> {
    let Some(TimeKey::Window { width }) = spec.time.key else { return Ok(()) };
    if width <= 0 {
        return Err(JoinError::InvalidPlan(format!(
            "a window of {width} microseconds: its width must be above 0"
        )));
    }
    for side in [Side::Left, Side::Right] {
        let input = spec.input(side);
        let pairwise = spec.output.iter().map(|column| column.source);
        let pairwise = pairwise.chain(spec.residual.iter().flat_map(|f| f.columns.clone()));
        let mut read: Vec<usize> =
            pairwise.filter(|column| column.side == side).map(|column| column.column).collect();
        read.extend(spec.keys.iter().map(|key| key.on(side)));
        read.extend(input.filter.iter().flat_map(|filter| &filter.columns));
        read.extend(&input.not_null);
        let kept = input.event_time.filter(|column| read.contains(column));
        if kept.is_some() || !spec.time.interval.is_unbounded() {
            return supported::two_event_times(spec.join_type, side);
        }
    }
    Ok(())
}

fn key_types(spec: &Spec) -> Result<Vec<DataType>> {
    let pairs = spec.keys.iter().enumerate();
    pairs
        .map(|(number, key)| {
            let (left, right) =
                (spec.left.schema.field(key.left), spec.right.schema.field(key.right));
            comparison_type(left.data_type(), right.data_type()).map_err(|error| match error {
                JoinError::TypeMismatch { left: l, right: r, remedy, .. } => {
                    let (number, left, right) = (number + 1, left.name(), right.name());
                    let place = format!(" in key {number} (`{left}` = `{right}`)");
                    JoinError::TypeMismatch { left: l, right: r, place, remedy }
                }
                other => other,
            })
        })
        .collect()
}

/// Columns of a side are nullable where a row of the other may come out alone.
fn output_schema(spec: &Spec) -> SchemaRef {
    let fields = spec.output.iter().map(|column| {
        let SideColumn { side, column: at } = column.source;
        let field = spec.input(side).schema.field(at);
        let nullable = field.is_nullable() || spec.join_type.extends_with_nulls(side);
        let data_type = kept_type(field.data_type()).clone();
        Field::new(&column.name, data_type, nullable).with_metadata(field.metadata().clone())
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
