//! One side of a join of two streams, as it runs.

use std::collections::BTreeSet;

use arrow::datatypes::{DataType, Field, TimeUnit};
use streamjoin_kernels::time::{TimeDelta, is_event_time};
use streamjoin_kernels::{Filter, Side, stream_stream};

use super::prepare::Needed;
use super::proof::Proof;
use super::stream::{StreamPlan, also_read};
use super::table_joins::add_keys;
use crate::plan::bind::{BoundStream, BoundStreams, Origin, Relation};
use crate::plan::projector::{Item, Projector};
use crate::scenario::{Finished, Trigger};
use crate::text::duration::Micros;
use streamjoin_sql::BoundExpr;

/// One of two streams.
#[derive(Debug)]
pub struct SidePlan {
    /// The stream. Its limit and trigger are those of both.
    pub stream: StreamPlan,
    /// Adds computed keys.
    pub input: Projector,
    /// How long it may be silent before it leaves the watermark.
    pub idle_timeout: Option<Micros>,
    /// Whether it leaves the watermark when it ends.
    pub finished: Finished,
}

/// One side, and where its columns stand.
pub(super) struct PlannedSide {
    pub(super) plan: SidePlan,
    /// The columns that the query sees and something needs.
    pub(super) needed: Needed,
    /// Where the keys stand.
    pub(super) keys: Vec<usize>,
    /// Where the event time stands.
    event_time: Option<usize>,
    /// Where a column stands that is true in every row, if one is asked for.
    pub(super) true_column: usize,
}

impl PlannedSide {
    /// The `side` of `streams` whose joined columns `joined` are needed.
    pub(super) fn new(
        streams: &BoundStreams,
        side: Side,
        joined: &Needed,
        proofs: &[Proof],
    ) -> Self {
        let (stream, join) = (&streams.sides[side], &streams.join);
        let relation = &stream.relation;
        let left_columns = streams.left_columns();
        let mut columns: BTreeSet<usize> = join.columns(side, left_columns).collect();
        let emitted = joined.positions().map(|position| join.sources[position]);
        let proving = proofs.iter().filter_map(|proof| match proof {
            Proof::Column(column) => Some(*column),
            Proof::Emitted(_) | Proof::True(_) => None,
        });
        columns.extend(emitted.chain(proving).filter(|c| c.side == side).map(|c| c.column));
        let seen = event_time_as_seen(stream);
        columns.extend(seen);
        let seen = seen.or_else(|| event_time_beside_window(stream, &columns));
        let needed = Needed::from(columns);
        let times = [stream.event_time.as_ref(), stream.arrival.as_ref()];
        let made = stream.event_time.as_ref().filter(|_| seen.is_none());
        let prepare = relation.prepare_with(&needed, also_read(stream, times), |read| {
            let made = made.map(|time| {
                let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
                let time = Item::Time(Box::new(time.reader(|column| read.at(column))));
                (Field::new("event time", utc, true), time)
            });
            made.into_iter().collect()
        });
        let event_time = match seen {
            Some(column) => Some(needed.at(column)),
            None => made.map(|_| needed.len()),
        };
        let fields = prepare.schema().fields().iter().enumerate();
        let mut items: Vec<(Field, Item)> =
            fields.map(|(at, field)| (field.as_ref().clone(), Item::column(at))).collect();
        let width = items.len();
        let expressions = join.keys.iter().map(|key| match side {
            Side::Left => &key.left,
            Side::Right => &key.right,
        });
        let keys = add_keys(&mut items, expressions, &needed);
        let true_column = items.len();
        if proofs.contains(&Proof::True(side)) {
            items.push((Field::new("matched", DataType::Boolean, false), Item::True));
        }
        let plan = SidePlan {
            input: Projector::new(items, width),
            idle_timeout: stream.spec.idle_timeout.as_ref().map(|timeout| timeout.value),
            finished: *stream.spec.finished,
            stream: StreamPlan::new(stream, prepare, times, Trigger::default(), None),
        };
        Self { plan, needed, keys, event_time, true_column }
    }

    /// The side as the kernels take it.
    pub(super) fn input(
        &self,
        filter: Option<&BoundExpr>,
        not_null: &[usize],
    ) -> stream_stream::Input {
        let delay = self.plan.stream.watermark;
        let mut input = stream_stream::Input::new(self.plan.input.schema().clone());
        input.event_time = self.event_time;
        input.watermark_delay = delay.map(|delay| TimeDelta::from_micros(delay.0));
        input.filter = filter.map(|expr| Filter {
            columns: expr.columns().iter().map(|&column| self.needed.at(column)).collect(),
            predicate: expr.to_predicate(),
        });
        input.not_null = not_null.iter().map(|&column| self.needed.at(column)).collect();
        input
    }
}

/// Where the query sees a stream's event time as the kernels can take it.
fn event_time_as_seen(stream: &BoundStream) -> Option<usize> {
    let time = stream.event_time.as_ref()?;
    let at = stream.time_column?;
    // A window's start stands where the event time was.
    let same = match (&time.origin, &stream.relation.columns[at]) {
        (Origin::Column(time), Origin::Column(seen)) => time == seen,
        (Origin::Expr(_), Origin::Expr(_)) => true,
        _ => false,
    };
    (same && is_event_time(&stream.relation.scope.columns[at].data_type)).then_some(at)
}

/// A column that still shows the event time where a window has taken its place,
/// if the query reads it: the kernels refuse that.
fn event_time_beside_window(stream: &BoundStream, columns: &BTreeSet<usize>) -> Option<usize> {
    let Origin::Column(time) = &stream.event_time.as_ref()?.origin else { return None };
    let Relation { columns: origins, scope, .. } = &stream.relation;
    let shows = |&at: &usize| {
        matches!(&origins[at], Origin::Column(column) if column == time)
            && is_event_time(&scope.columns[at].data_type)
    };
    columns.iter().copied().find(shows)
}
