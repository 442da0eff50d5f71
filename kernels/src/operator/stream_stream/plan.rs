//! A checked specification: what each side reads and keeps, and how long.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::exact_times;
use super::options::Options;
use super::spec::{Input, Spec};
use crate::column::SideColumn;
use crate::error::{JoinError, Result};
use crate::form::has_union;
use crate::null_equality::NullEquality;
use crate::operator::columns::{KeyPlan, SlotFilter, in_schema_order, output_field, slot_of};
use crate::side::{Side, Sides};
use crate::spark::supported;
use crate::state::{StorePlan, kept_type};
use crate::time::{
    DeclaredWatermarks, EventTimes, Expiry, IntervalCondition, TimeDelta, TimeKey, is_event_time,
};

/// A kept column of one side, by position among those that its store keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) side: Side,
    pub(super) column: usize,
}

#[derive(Debug)]
pub(super) struct SidePlan {
    /// Columns that are read, in the schema's order; slots index this list.
    pub(super) read: Vec<usize>,
    /// Their types by value, which batches do not differ in.
    pub(super) read_types: Vec<DataType>,
    /// Slots of the key columns.
    pub(super) keys: Vec<usize>,
    pub(super) event_time: Option<usize>,
    pub(super) filter: Option<SlotFilter<usize, usize>>,
    pub(super) not_null: Vec<usize>,
    /// Columns that the store keeps, in the schema's order.
    pub(super) kept: Vec<usize>,
    /// Their slots.
    pub(super) payload: Vec<usize>,
    /// The types in which they are kept.
    pub(super) kept_types: Vec<DataType>,
    /// Whether each row is output even when nothing matches it.
    pub(super) preserved: bool,
    /// Whether a row without event time can match nothing.
    pub(super) needs_time: bool,
    /// Whether the side declares a watermark, so that its rows can be late.
    pub(super) watermark: bool,
    pub(super) expiry: Expiry,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sides: Sides<SidePlan>,
    pub(super) keys: KeyPlan,
    /// The condition by which pairs are looked up; none where it has no bound.
    pub(super) interval: Option<IntervalCondition>,
    /// Width of the windows that replace event times.
    pub(super) window: Option<TimeDelta>,
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
        let expiry = Sides::new(|side| spec.time.expiry(side, declared));
        supported::stream_stream(spec.join_type, spec.output_mode, !spec.keys.is_empty(), expiry)?;
        check_windows(spec)?;
        let exact = exact_times::are_needed(spec)
            .then(|| Spec { residual: exact_times::residual(spec), ..spec.clone() });
        let spec = exact.as_ref().unwrap_or(spec);
        let keys = spec.keys.iter().map(|key| {
            let (left, right) = (&spec.left.schema, &spec.right.schema);
            (left.field(key.first), right.field(key.second), key.null_equality)
        });
        let keys = KeyPlan::new(keys)?;
        let sides = Sides::try_new(|side| SidePlan::new(spec, side, expiry[side]))?;
        let kept = |&SideColumn { side, column }: &SideColumn| -> Result<Kept> {
            let column = slot_of(&sides[side].kept, column)?;
            Ok(Kept { side, column })
        };
        let residual = SlotFilter::new(spec.residual.as_ref(), kept)?;
        let output = spec.output.iter().map(|c| kept(&c.source)).collect::<Result<_>>()?;
        Ok(Self {
            keys,
            interval: Some(match &exact {
                Some(_) => exact_times::looked_up(spec.time.interval),
                None => spec.time.interval,
            })
            .filter(|interval| !interval.is_unbounded()),
            window: match spec.time.key {
                Some(TimeKey::Window { width }) => Some(width),
                _ => None,
            },
            residual,
            output,
            output_schema: output_schema(spec),
            sides,
        })
    }

    pub(super) fn store_plan(&self, side: Side, options: &Options) -> StorePlan {
        let plan = &self.sides[side];
        StorePlan {
            shape: self.keys.shape(),
            payload: plan.kept_types.clone(),
            evicts: plan.expiry.is_bounded(),
            tracks_matches: plan.preserved,
            timed: self.interval.is_some(),
            hasher: options.hasher.clone(),
            blocks: options.blocks,
        }
    }

    /// The times that decide when rows are late and when they leave.
    pub(super) fn deciding_times(&self, times: EventTimes) -> EventTimes {
        match self.window {
            Some(width) => times.window_ends(width),
            None => times,
        }
    }
}

impl SidePlan {
    fn new(spec: &Spec, side: Side, expiry: Expiry) -> Result<Self> {
        let input = spec.input(side);
        let preserved = spec.join_type.preserves(side);
        let pairwise = pairwise_columns(spec, side);
        let kept = in_schema_order(pairwise.collect());
        let mut read = kept.clone();
        read.extend(spec.keys.iter().map(|key| key.on(side)));
        read.extend(input.event_time);
        read.extend(input.filter.iter().flat_map(|filter| &filter.columns));
        read.extend(&input.not_null);
        let read = in_schema_order(read);
        let slot = |column: &usize| slot_of(&read, *column);
        let slots = |columns: &[usize]| columns.iter().map(slot).collect::<Result<Vec<_>>>();
        let not_null: Vec<usize> =
            input.not_null.iter().copied().filter(|c| input.event_time != Some(*c)).collect();
        let kept_types = kept
            .iter()
            .map(|&i| kept_by_value(input.schema.field(i), side))
            .collect::<Result<_>>()?;
        let read_types = read.iter().map(|&i| kept_type(input.schema.field(i).data_type()));
        let read_types = read_types.collect();
        let keys: Vec<usize> = spec.keys.iter().map(|key| key.on(side)).collect();
        Ok(Self {
            keys: slots(&keys)?,
            event_time: input.event_time.as_ref().map(slot).transpose()?,
            filter: SlotFilter::new(input.filter.as_ref(), slot)?,
            not_null: slots(&not_null)?,
            payload: slots(&kept)?,
            kept,
            kept_types,
            preserved,
            needs_time: !spec.time.interval.is_unbounded()
                || equal_times(spec)
                || matches!(spec.time.key, Some(TimeKey::Window { .. })),
            watermark: input.watermark_delay.is_some(),
            expiry,
            read,
            read_types,
        })
    }
}

/// The type in which the state keeps a column.
///
/// # Errors
/// [`JoinError::UnsupportedState`] for one that it cannot keep.
fn kept_by_value(field: &Field, side: Side) -> Result<DataType> {
    if has_union(field.data_type()) {
        return Err(JoinError::UnsupportedState {
            column: format!("`{}` of the {side} side", field.name()),
            data_type: field.data_type().clone(),
            remedy: "leave it out of the output and of the residual condition".to_owned(),
        });
    }
    Ok(kept_type(field.data_type()))
}

/// Whether the event times are a pair of keys that null never satisfies.
fn equal_times(spec: &Spec) -> bool {
    spec.time.key == Some(TimeKey::EventTime)
        && time_keys(spec).any(|equality| equality == NullEquality::NullMatchesNothing)
}

/// How the keys that pair the event times of both sides treat nulls.
fn time_keys(spec: &Spec) -> impl Iterator<Item = NullEquality> {
    let times = (spec.left.event_time, spec.right.event_time);
    let pairs = spec.keys.iter().filter(move |k| (Some(k.first), Some(k.second)) == times);
    pairs.map(|key| key.null_equality)
}

/// The columns of a side that the output or the residual condition read.
fn pairwise_columns(spec: &Spec, side: Side) -> impl Iterator<Item = usize> {
    let residual = spec.residual.iter().flat_map(|filter| filter.columns.iter().copied());
    let columns = spec.output.iter().map(|column| column.source).chain(residual);
    columns.filter(move |column| column.side == side).map(|column| column.column)
}

/// Checks that every column exists on the side where it is looked for.
fn check_columns(spec: &Spec) -> Result<()> {
    let keys = spec
        .keys
        .iter()
        .flat_map(|key| [SideColumn::left(key.first), SideColumn::right(key.second)]);
    let of_inputs = Side::BOTH.into_iter().flat_map(|side| {
        let input = spec.input(side);
        let filter = input.filter.iter().flat_map(|filter| &filter.columns);
        let columns = filter.chain(&input.not_null).chain(&input.event_time);
        columns.map(move |&column| SideColumn { side, column })
    });
    let pairwise = Side::BOTH.into_iter().flat_map(|side| {
        pairwise_columns(spec, side).map(move |column| SideColumn { side, column })
    });
    for column in keys.chain(of_inputs).chain(pairwise) {
        spec.resolve(&column)?;
    }
    let right_out = spec.output.iter().any(|column| column.source.side == Side::Right);
    if spec.join_type.is_existence() && right_out {
        return Err(JoinError::InvalidPlan(format!(
            "the output of a {} join has no columns of the right side: select those of the left",
            spec.join_type
        )));
    }
    Ok(())
}

/// Checks event times and watermarks.
fn check_times(spec: &Spec) -> Result<()> {
    let needed = !spec.time.interval.is_unbounded() || spec.time.key.is_some();
    for side in Side::BOTH {
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
                if delay.is_some_and(|delay| delay < TimeDelta::ZERO) {
                    return Err(JoinError::InvalidPlan(format!(
                        "the watermark delay of the {side} side is negative: a watermark cannot run ahead of the event time"
                    )));
                }
                continue;
            }
        };
        return Err(JoinError::InvalidPlan(format!(
            "{what} needs an event time on the {side} side: name its column with Input::with_event_time"
        )));
    }
    if spec.time.key == Some(TimeKey::EventTime) && time_keys(spec).next().is_none() {
        return Err(JoinError::InvalidPlan(
            "event time is said to be a key, but no key pairs the two event times".to_owned(),
        ));
    }
    Ok(())
}

/// Windows replace the event times, so a query must not read both (rule 42).
fn check_windows(spec: &Spec) -> Result<()> {
    let Some(TimeKey::Window { width }) = spec.time.key else { return Ok(()) };
    if width <= TimeDelta::ZERO {
        return Err(JoinError::InvalidPlan(format!(
            "a window of {width}: its width must be above 0"
        )));
    }
    for side in Side::BOTH {
        let input = spec.input(side);
        let mut read: Vec<usize> = pairwise_columns(spec, side).collect();
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

/// The columns of a side are nullable where the output may hold a row of the
/// other side without a match.
fn output_schema(spec: &Spec) -> SchemaRef {
    let fields = spec.output.iter().map(|column| {
        let SideColumn { side, column: position } = column.source;
        let field = spec.input(side).schema.field(position);
        let extended = spec.join_type.extends_with_nulls(side);
        let kept = kept_type(field.data_type());
        output_field(field, &column.name, extended).with_data_type(kept)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
