//! Two streams laid out for the kernels: which columns travel, and no others.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, TimeUnit};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::is_event_time;
use streamjoin_kernels::{
    Filter, JoinType, KeyHasher, NullEquality, OutputColumn, Side, SideColumn, stream_stream,
};

use crate::error::{Failure, Result};
use crate::plan::bind::BoundStream;
use crate::plan::bind::relation::{Needed, Origin};
use crate::plan::bind::replay_order::arrival_time;
use crate::plan::bind::stream_stream::{BoundStreamStream, BoundStreams, side_column};
use crate::plan::event_time::EventTime;
use crate::plan::physical::carry::Carried;
use crate::plan::physical::table_joins::{Before, add_keys};
use crate::plan::physical::uses::FilterOnly;
use crate::plan::projector::{Item, Projector};
use crate::plan::{OutputPlan, Strategy, StreamPlan, TableJoinPlan, Timing};
use crate::scenario::{DisorderSpec, End, Finished, JoinSpec, Merge, Scenario, Trigger};
use crate::text::duration::Micros;
use streamjoin_sql::BoundExpr;

/// Two streams, joined with each other and then with tables.
#[derive(Debug)]
pub struct StreamStreamPlan {
    /// The stream on the left.
    pub left: SidePlan,
    /// The stream on the right.
    pub right: SidePlan,
    /// The join as the kernels take it.
    pub spec: stream_stream::Spec,
    /// The join's name and keys, for messages.
    pub place: String,
    /// The keys as text: the left's and the right's.
    pub on: Vec<(String, String)>,
    /// From the joined rows to those that the tables are joined with.
    pub joined: JoinedRows,
    /// Which row comes next.
    pub merge: Merge,
    /// Which rows are held back.
    pub disorder: Option<DisorderSpec>,
    /// Where a batch ends.
    pub trigger: Trigger,
    /// How fast rows of both come, and when they end.
    pub timing: Timing,
    /// Rows of both streams to read at most.
    pub limit: Option<u64>,
    /// What becomes of the state at the end.
    pub end: End,
    /// The joins with tables, in order.
    pub joins: Vec<TableJoinPlan>,
    /// What is given out.
    pub output: OutputPlan,
    /// The joined rows as they are written when they found nothing, if all their
    /// columns are carried along.
    pub carried: Option<Carried>,
    /// What the state holds for the output's `where` alone.
    pub filter_only: Option<FilterOnly>,
    /// What is odd about the join, though it can be run.
    pub warnings: Vec<String>,
    /// Which streams' rows never leave the state, and why.
    pub unbounded: Vec<String>,
}

/// One of two streams.
#[derive(Debug)]
pub struct SidePlan {
    /// The stream. Its limit and trigger are those of both.
    pub stream: StreamPlan,
    /// Adds computed keys.
    pub input: Projector,
    /// After how long a silence it leaves the watermark.
    pub idle_timeout: Option<Micros>,
    /// Whether it leaves the watermark when it ends.
    pub finished: Finished,
}

/// From the join's output to the rows that follow.
#[derive(Clone, Debug)]
pub struct JoinedRows {
    /// Columns of the join's output that travel on.
    pub columns: usize,
    /// Columns of the output that are null only in a row that found no match:
    /// one of each side that may be missing. Empty where nobody asks.
    pub proofs: Vec<usize>,
}

impl StreamStreamPlan {
    /// One of the streams.
    #[must_use]
    pub fn side(&self, side: Side) -> &SidePlan {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// The join as `strategy` carries it out.
    ///
    /// # Errors
    /// A usage failure for what the kernels refuse.
    pub fn operator(
        &self,
        strategy: &Strategy,
        pool: Option<&Arc<rayon::ThreadPool>>,
    ) -> Result<stream_stream::Join> {
        let options = stream_stream::Options {
            store: strategy.state,
            hasher: KeyHasher::with_seed(strategy.isa, crate::plan::HASH_SEED),
            limit: strategy.state_limit,
            pool: pool.cloned(),
            ..stream_stream::Options::default()
        };
        stream_stream::Join::new(self.spec.clone(), options)
            .map_err(|error| Failure::usage(error).at(&self.place))
    }
}

/// What the joins with tables must know about the join before them.
pub(in crate::plan) fn before(join_type: JoinType) -> Before {
    match join_type {
        JoinType::LeftOuter | JoinType::RightOuter | JoinType::FullOuter => Before::Outer,
        JoinType::LeftAnti => Before::Anti,
        JoinType::Inner | JoinType::Cross | JoinType::LeftSemi => Before::Matched,
    }
}

/// Both sides and the join, laid out.
pub(in crate::plan) struct Streams {
    pub(in crate::plan) left: SidePlan,
    pub(in crate::plan) right: SidePlan,
    pub(in crate::plan) spec: stream_stream::Spec,
    pub(in crate::plan) joined: JoinedRows,
}

/// Lays out the join of two streams whose joined columns `needed` are needed.
pub(in crate::plan) fn plan(
    scenario: &Scenario,
    spec: &JoinSpec,
    pair: &BoundStreams,
    needed: &Needed,
    marked: bool,
    mode: CastMode,
) -> Result<Streams> {
    let join = &pair.join;
    let left_columns = pair.left.relation.scope.columns.len();
    let proofs = if marked { proofs(pair, needed) } else { Vec::new() };
    let sides = [Side::Left, Side::Right].map(|side| {
        let mut columns: BTreeSet<usize> = join.columns(side, left_columns).collect();
        let given = needed.positions().map(|position| join.sources[position]);
        let proving = proofs.iter().filter_map(|proof| match proof {
            Proof::Column(column) => Some(*column),
            Proof::Given(_) | Proof::True(_) => None,
        });
        columns.extend(given.chain(proving).filter(|c| c.side == side).map(|c| c.column));
        let stream = pair.side(side);
        columns.extend(stream.time_column.filter(|_| event_time_as_seen(stream).is_some()));
        let true_column = proofs.contains(&Proof::True(side));
        Laid::new(scenario, stream, join, side, columns, true_column)
    });
    let [left, right] = sides;
    let (left, right) = (left?, right?);
    let column = |source: SideColumn| match source.side {
        Side::Left => SideColumn::left(left.needed.at(source.column)),
        Side::Right => SideColumn::right(right.needed.at(source.column)),
    };
    let mut output: Vec<OutputColumn<SideColumn>> = needed
        .positions()
        .map(|position| OutputColumn {
            source: column(join.sources[position]),
            name: join.output.columns[position].name.clone(),
        })
        .collect();
    let columns = output.len();
    let mut proving = Vec::with_capacity(proofs.len());
    for proof in proofs {
        let source = match proof {
            Proof::Given(at) => {
                proving.push(at);
                continue;
            }
            Proof::Column(source) => column(source),
            Proof::True(Side::Left) => SideColumn::left(left.true_column),
            Proof::True(Side::Right) => SideColumn::right(right.true_column),
        };
        proving.push(output.len());
        output.push(OutputColumn { source, name: "matched".to_owned() });
    }
    let keys = join.keys.iter().zip(left.keys.iter().zip(&right.keys));
    let keys = keys.map(|(key, (&left, &right))| stream_stream::Key {
        left,
        right,
        null_equality: key.null_equality,
    });
    let residual = join.residual.as_ref().map(|residual| Filter {
        columns: residual
            .columns()
            .iter()
            .map(|&position| column(side_column(position, left_columns)))
            .collect(),
        predicate: residual.to_predicate(),
    });
    let kernel = stream_stream::Spec {
        join_type: join.join_type,
        keys: keys.collect(),
        time: join.time,
        residual,
        policy: spec.watermark_policy.as_ref().map(|p| *p.get_ref()).unwrap_or_default(),
        no_data_batches: spec.no_data_batches.unwrap_or(true),
        output_mode: spec.output_mode.as_ref().map(|mode| *mode.get_ref()).unwrap_or_default(),
        output,
        cast_mode: mode,
        left: left.stream_input(&join.left_filter, &join.left_not_null),
        right: right.stream_input(&join.right_filter, &join.right_not_null),
    };
    Ok(Streams {
        left: left.plan,
        right: right.plan,
        spec: kernel,
        joined: JoinedRows { columns, proofs: proving },
    })
}

/// How it is told that a side of a joined row is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// A column that is given out anyway is null only then.
    Given(usize),
    /// A column that is not, is null only then.
    Column(SideColumn),
    /// A column of its own, true in every row of the side.
    True(Side),
}

/// A proof for each side that may be missing.
fn proofs(pair: &BoundStreams, needed: &Needed) -> Vec<Proof> {
    let join = &pair.join;
    let sides = [Side::Left, Side::Right].into_iter();
    let sides = sides.filter(|side| join.join_type.extends_with_nulls(*side));
    let proof = |side: Side| {
        let certain = |column: usize| {
            let stream = pair.side(side);
            let of_key = join.keys.iter().any(|key| {
                let expr = if side == Side::Left { &key.left } else { &key.right };
                key.null_equality == NullEquality::NullMatchesNothing
                    && expr.as_column() == Some(column)
            });
            let of_time = stream.time_column == Some(column) && !join.time.interval.is_unbounded();
            of_key || of_time || !stream.relation.scope.columns[column].nullable
        };
        let given = needed.positions().position(|position| {
            let source = join.sources[position];
            source.side == side && certain(source.column)
        });
        if let Some(at) = given {
            return Proof::Given(at);
        }
        let columns = join.columns(side, pair.left.relation.scope.columns.len());
        match columns.filter(|column| certain(*column)).min() {
            Some(column) => Proof::Column(SideColumn { side, column }),
            None => Proof::True(side),
        }
    };
    sides.map(proof).collect()
}

/// Where the query sees a stream's event time as the kernels can take it.
fn event_time_as_seen(stream: &BoundStream) -> Option<usize> {
    let (origin, _) = stream.event_time.as_ref()?;
    let at = stream.time_column?;
    // A window's start stands where the event time was.
    let same = match (origin, &stream.relation.columns[at]) {
        (Origin::Column(time), Origin::Column(seen)) => time == seen,
        (Origin::Expr(_), Origin::Expr(_)) => true,
        _ => false,
    };
    (same && is_event_time(&stream.relation.scope.columns[at].data_type)).then_some(at)
}

/// One side, laid out.
struct Laid {
    plan: SidePlan,
    needed: Needed,
    keys: Vec<usize>,
    event_time: Option<usize>,
    true_column: usize,
}

impl Laid {
    fn new(
        scenario: &Scenario,
        stream: &BoundStream,
        join: &BoundStreamStream,
        side: Side,
        columns: BTreeSet<usize>,
        with_true: bool,
    ) -> Result<Self> {
        let relation = &stream.relation;
        let needed = Needed::from(columns);
        let spec = scenario.spec.stream.get(&relation.name);
        let time_spec = spec.and_then(|spec| spec.event_time.as_ref());
        let seen = event_time_as_seen(stream);
        let arrival = stream.arrival.as_ref();
        let also: Vec<usize> = [stream.event_time.as_ref(), arrival]
            .into_iter()
            .flatten()
            .map(|(origin, _)| origin)
            .chain(&stream.trigger_column)
            .flat_map(Origin::columns)
            .copied()
            .collect();
        let time = |read: &Needed| match (&stream.event_time, time_spec) {
            (Some((origin, data_type)), Some(time)) => {
                EventTime::new(time.get_ref(), origin.item(|c| read.at(c)), data_type)
                    .map(Some)
                    .map_err(|message| Failure::usage(message).at(scenario.place(time)))
            }
            _ => Ok(None),
        };
        let mut failure = None;
        let prepare = relation.prepare_with(&needed, also, |read| match (seen, time(read)) {
            (None, Ok(Some(time))) => {
                let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
                vec![(Field::new("event time", utc, true), Item::Time(Box::new(time)))]
            }
            (_, Ok(_)) => Vec::new(),
            (_, Err(error)) => {
                failure = Some(error);
                Vec::new()
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        let made_time = (seen.is_none() && stream.event_time.is_some()).then_some(needed.len());
        let width = needed.len() + usize::from(made_time.is_some());
        let mut items: Vec<(Field, Item)> = prepare
            .schema()
            .fields()
            .iter()
            .enumerate()
            .map(|(at, field)| (field.as_ref().clone(), Item::Pass(at)))
            .collect();
        let expressions = join.keys.iter().map(|key| match side {
            Side::Left => &key.left,
            Side::Right => &key.right,
        });
        let keys = add_keys(&mut items, expressions, &needed);
        let true_column = items.len();
        if with_true {
            items.push((Field::new("matched", DataType::Boolean, false), Item::True));
        }
        let event_time = time(&prepare.read)?;
        let arrival = arrival.map(|(origin, data_type)| {
            let name = spec.and_then(|spec| spec.arrival.as_ref());
            let name = name.map_or("arrival", |name| name.get_ref());
            arrival_time(name, origin.item(|c| prepare.read.at(c)), data_type)
        });
        let arrival = arrival.transpose().map_err(Failure::usage)?;
        let trigger_column =
            stream.trigger_column.as_ref().map(|origin| origin.item(|c| prepare.read.at(c)));
        let plan = SidePlan {
            input: Projector::new(items, width),
            idle_timeout: spec.and_then(|s| s.idle_timeout.as_ref()).map(|t| *t.get_ref()),
            finished: spec
                .and_then(|s| s.finished.as_ref())
                .map_or(Finished::default(), |finished| *finished.get_ref()),
            stream: StreamPlan {
                name: relation.name.clone(),
                feed: stream.feed.clone(),
                prepare,
                event_time,
                arrival,
                watermark: spec.and_then(|s| s.watermark.as_ref()).map(|w| *w.get_ref()),
                trigger: Trigger::default(),
                trigger_column,
                limit: None,
            },
        };
        let event_time = seen.map(|column| needed.at(column)).or(made_time);
        Ok(Self { plan, needed, keys, event_time, true_column })
    }

    fn stream_input(&self, filter: &Option<BoundExpr>, not_null: &[usize]) -> stream_stream::Input {
        stream_stream::Input {
            schema: self.plan.input.schema().clone(),
            event_time: self.event_time,
            watermark_delay: self.plan.stream.watermark.map(|delay| delay.0),
            filter: filter.as_ref().map(|expr| Filter {
                columns: expr.columns().iter().map(|&column| self.needed.at(column)).collect(),
                predicate: expr.to_predicate(),
            }),
            not_null: not_null.iter().map(|&column| self.needed.at(column)).collect(),
        }
    }
}
