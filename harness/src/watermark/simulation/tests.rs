//! The curve against the operator itself, at every delay, on random streams.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BooleanArray, Int32Array, RecordBatch, TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef, TimeUnit};
use proptest::prelude::*;
use streamjoin_kernels::stream_stream::{self, BatchKind, BatchReport};
use streamjoin_kernels::time::{
    Bound, IntervalCondition, TimeCondition, TimeDelta, TimeKey, Timestamp, WatermarkPolicy,
    window_start,
};
use streamjoin_kernels::{
    Filter, JoinType, KeyPair, NullEquality, Predicate, Result as JoinResult, Side, SideColumn,
    Sides,
};

use super::follower::Follower;
use super::lateness::LatenessSurvey;
use super::many_delays::Simulation;
use super::{DelayOutcome, Delays, SideRows, Vary};
use crate::replay::{Latencies, StateTrack, waited};

/// Key, time in half milliseconds, value.
type Row = (Option<i32>, Option<i64>, Option<i32>);

/// Rows of both sides, what opens the batch, who leaves the watermark or comes
/// back after it.
#[derive(Clone, Debug)]
struct Step {
    left: Vec<Row>,
    right: Vec<Row>,
    opens: Option<i64>,
    participation: Option<(bool, bool)>,
}

const WINDOW: TimeDelta = TimeDelta::from_micros(7_000);
const KEY: usize = 0;
const AT: usize = 1;
const VALUE: usize = 2;
const WINDOW_START: usize = 3;

fn schema() -> SchemaRef {
    let time = DataType::Timestamp(TimeUnit::Microsecond, None);
    Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int32, true),
        Field::new("at", time.clone(), true),
        Field::new("v", DataType::Int32, true),
        Field::new("w", time, true),
    ]))
}

/// In up to two record batches, as a pass gives them.
fn batches(rows: &[Row]) -> Vec<RecordBatch> {
    let batch = |rows: &[Row]| {
        let times = || rows.iter().map(|row| row.1.map(|time| time * 500));
        let start = |time| window_start(Timestamp::from_micros(time), WINDOW).as_micros();
        let starts = times().map(|time| time.map(start));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>()),
            Arc::new(times().collect::<TimestampMicrosecondArray>()),
            Arc::new(rows.iter().map(|row| row.2).collect::<Int32Array>()),
            Arc::new(starts.collect::<TimestampMicrosecondArray>()),
        ];
        RecordBatch::try_new(schema(), columns).unwrap()
    };
    rows.chunks(4).map(batch).collect()
}

/// The value is above 1, or the left value below the right one.
#[derive(Debug)]
struct Values;

impl Predicate for Values {
    fn evaluate(&self, columns: &[ArrayRef], _rows: usize) -> JoinResult<BooleanArray> {
        let value = |column: usize| columns[column].as_primitive::<Int32Type>();
        Ok(match columns.len() {
            1 => value(0).iter().map(|v| v.map(|v| v > 1)).collect(),
            _ => value(0).iter().zip(value(1)).map(|(l, r)| Some(l? < r?)).collect(),
        })
    }
}

#[derive(Clone, Debug)]
struct Query {
    join_type: JoinType,
    time: TimeCondition,
    null_safe: bool,
    declared: [bool; 2],
    max: bool,
    no_data: bool,
    filters: [bool; 2],
    residual: bool,
}

fn spec(query: &Query, delays: Delays) -> stream_stream::Spec {
    let input = |side: Side| {
        let filter = query.filters[side as usize];
        let mut input = stream_stream::Input::new(schema()).with_event_time(AT).unwrap();
        input.filter = filter.then(|| Filter { columns: vec![VALUE], predicate: Arc::new(Values) });
        input.not_null = if query.residual { vec![VALUE] } else { Vec::new() };
        input.watermark_delay = delays.on(side).map(TimeDelta::from_micros);
        input
    };
    let null_equality = match query.null_safe {
        true => NullEquality::NullSafe,
        false => NullEquality::NullMatchesNothing,
    };
    let mut keys = vec![KeyPair { first: KEY, second: KEY, null_equality }];
    match query.time.key {
        Some(TimeKey::EventTime) => {
            keys.push(KeyPair { first: AT, second: AT, null_equality });
        }
        Some(TimeKey::Window { .. }) => {
            keys.push(KeyPair::equal(WINDOW_START, WINDOW_START));
        }
        _ => {}
    }
    let (left, right) = (input(Side::Left), input(Side::Right));
    let mut spec = stream_stream::Spec::on(left, right, query.join_type, keys, query.time).unwrap();
    spec.output.retain(|column| column.source.column == KEY);
    spec.policy = if query.max { WatermarkPolicy::Max } else { WatermarkPolicy::Min };
    spec.no_data_batches = query.no_data;
    spec.residual = query.residual.then(|| Filter {
        columns: vec![SideColumn::left(VALUE), SideColumn::right(VALUE)],
        predicate: Arc::new(Values),
    });
    spec
}

/// A run of the operator, counted as a pass counts it.
struct Real {
    join: stream_stream::Join,
    max_time: Option<i64>,
    ended: bool,
    late: [u64; 2],
    removed: [u64; 2],
    batches: u64,
    tracks: [StateTrack; 3],
    outer: Latencies,
}

impl Real {
    fn note(&mut self, report: &BatchReport, outer_times: &[Timestamp]) {
        let seen = [report.left.event_time, report.right.event_time];
        let greatest = seen.iter().flatten().map(|times| times.max.as_micros()).max();
        self.max_time = self.max_time.max(greatest);
        for side in Side::BOTH {
            self.late[side as usize] += report.side(side).late;
            self.removed[side as usize] += report.side(side).removed;
        }
        self.batches += 1;
        for waited in outer_times.iter().filter_map(|time| waited(self.max_time, time.as_micros()))
        {
            self.outer.record(waited);
        }
        self.tracks[2].batch(report, self.ended);
        for side in Side::BOTH {
            let mut alone = report.clone();
            let other = if side == Side::Left { &mut alone.right } else { &mut alone.left };
            other.state.rows = 0;
            self.tracks[side as usize].batch(&alone, self.ended);
        }
    }
}

fn drain(batch: Option<stream_stream::Batch<'_>>) -> Option<(BatchReport, Vec<Timestamp>)> {
    let mut batch = batch?;
    while batch.next_batch().unwrap().is_some() {}
    assert_ne!(batch.report().kind, BatchKind::End);
    Some((batch.report().clone(), batch.outer_times().to_vec()))
}

/// What the operator reports with these delays; none if it refuses the join.
fn real(query: &Query, delays: Delays, steps: &[Step]) -> Option<DelayOutcome> {
    let join =
        stream_stream::Join::new(spec(query, delays), stream_stream::Options::default()).ok()?;
    let can_evict = Sides::new(|side| join.expiry(side).is_bounded());
    let mut run = Real {
        join,
        max_time: None,
        ended: false,
        late: [0; 2],
        removed: [0; 2],
        batches: 0,
        tracks: [(); 3].map(|()| StateTrack::new(can_evict)),
        outer: Latencies::default(),
    };
    for (number, step) in steps.iter().enumerate() {
        run.max_time = run.max_time.max(step.opens);
        run.ended |= number + 2 > steps.len();
        let (left, right) = (batches(&step.left), batches(&step.right));
        if let Some((report, times)) = drain(run.join.push(&left, &right).unwrap()) {
            run.note(&report, &times);
        }
        if let Some((side, takes_part)) = step.participation {
            run.join.set_taking_part(side_of(side), takes_part);
        }
        if let Some((report, times)) = drain(run.join.advance().unwrap()) {
            run.note(&report, &times);
        }
    }
    let [left, right, together] = run.tracks.map(|track| track.finish().rows);
    let side = |side: usize, rows: crate::record::StateRows| SideRows {
        late: run.late[side],
        removed: run.removed[side],
        peak: rows.peak,
        plateau: rows.plateau,
    };
    Some(DelayOutcome {
        delays,
        left: side(0, left),
        right: side(1, right),
        rows: together,
        batches: run.batches,
        outer_delay: run.outer.quantiles(),
    })
}

fn side_of(left: bool) -> Side {
    if left { Side::Left } else { Side::Right }
}

fn follow(follower: &mut dyn Follower, steps: &[Step]) {
    for (number, step) in steps.iter().enumerate() {
        let (left, right) = (batches(&step.left), batches(&step.right));
        let ended = number + 2 > steps.len();
        follower.data(Sides { left: &left, right: &right }, step.opens, ended).unwrap();
        if let Some((side, takes_part)) = step.participation {
            follower.set_taking_part(side_of(side), takes_part);
        }
        follower.no_data().unwrap();
    }
}

fn bound() -> impl Strategy<Value = Option<Bound>> {
    let micros = prop::sample::select(vec![
        -40_000i64, -5_000, -1_500, -999, 0, 1, 500, 1_000, 5_000, 20_000, 40_000,
    ]);
    prop::option::weighted(
        0.9,
        (micros, any::<bool>()).prop_map(|(micros, inclusive)| Bound {
            distance: TimeDelta::from_micros(micros),
            inclusive,
        }),
    )
}

fn query() -> impl Strategy<Value = Query> {
    let interval =
        || (bound(), bound()).prop_map(|(lower, upper)| IntervalCondition { lower, upper });
    let time = prop_oneof![
        6 => interval().prop_map(TimeCondition::from),
        1 => interval()
            .prop_map(|interval| TimeCondition::from(interval).with_key(TimeKey::EventTime)),
        1 => Just(TimeKey::EventTime.into()),
        2 => Just(TimeKey::Window { width: WINDOW }.into()),
    ];
    let often = || prop::bool::weighted(0.85);
    let seldom = || prop::bool::weighted(0.25);
    (
        prop::sample::select(JoinType::ALL.to_vec()),
        time,
        seldom(),
        [often(), often()],
        any::<bool>(),
        prop::bool::weighted(0.7),
        [seldom(), seldom()],
        seldom(),
    )
        .prop_map(|(join_type, time, null_safe, declared, max, no_data, filters, residual)| {
            Query { join_type, time, null_safe, declared, max, no_data, filters, residual }
        })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let row = || {
        let time = prop_oneof![1 => Just(None), 12 => (-60i64..60).prop_map(Some)];
        (prop::option::weighted(0.9, 0..3), time, prop::option::weighted(0.85, 0..5))
    };
    let rows = move || prop::collection::vec(row(), 0..9);
    let pace = prop::sample::select(vec![0i64, 5, 20, 60, 200]);
    let participation = prop::option::weighted(0.15, any::<(bool, bool)>());
    let opens = prop::option::weighted(0.3, -60i64..80);
    let step = (rows(), rows(), pace, opens, participation);
    prop::collection::vec(step, 1..14).prop_map(|steps| {
        let mut clock = 0;
        let step = |(left, right, pace, opens, participation): (_, _, i64, Option<i64>, _)| {
            clock += pace;
            let timed = |rows: Vec<Row>| -> Vec<Row> {
                rows.into_iter().map(|(k, at, v)| (k, at.map(|at| at + clock), v)).collect()
            };
            Step {
                left: timed(left),
                right: timed(right),
                opens: opens.map(|opens| (opens + clock) * 500),
                participation,
            }
        };
        steps.into_iter().map(step).collect()
    })
}

fn delays(declared: [bool; 2], left: i64, right: i64) -> Delays {
    Delays { left: declared[0].then_some(left), right: declared[1].then_some(right) }
}

/// The same delay on both sides, and some that differ.
const SETTINGS: [(i64, i64); 11] = [
    (0, 0),
    (1_000, 1_000),
    (4_000, 4_000),
    (4_999, 4_999),
    (10_000, 10_000),
    (30_000, 30_000),
    (90_000, 90_000),
    (2_000, 30_000),
    (30_000, 2_000),
    (5_000, 20_000),
    (0, 90_000),
];

proptest! {
    #[test]
    fn every_delay_is_as_the_operator_reports(query in query(), steps in steps()) {
        let settings: Vec<Delays> =
            SETTINGS.into_iter().map(|(l, r)| delays(query.declared, l, r)).collect();
        let Some(expected) = settings
            .iter()
            .map(|delays| real(&query, *delays, &steps))
            .collect::<Option<Vec<_>>>()
        else {
            return Ok(());
        };
        let mut curve = Simulation::new(&spec(&query, settings[0]), &settings).unwrap();
        follow(&mut curve, &steps);
        let rows = |side: fn(&Step) -> &Vec<Row>| steps.iter().map(|s| side(s).len() as u64).sum::<u64>();
        prop_assert_eq!(
            curve.rows_in(),
            Sides { left: rows(|s| &s.left), right: rows(|s| &s.right) }
        );
        for (found, expected) in curve.finish().iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_least_delay_that_suffices_is_exact(
        query in query(),
        steps in steps(),
        one in prop::option::of(any::<bool>()),
    ) {
        let declared = delays(query.declared, 3_000, 9_000);
        let vary = one.map_or(Vary::Both, |left| Vary::One(side_of(left)));
        let varies = |side: Side| declared.on(side).is_some();
        let some_varies = match vary {
            Vary::Both => Side::BOTH.into_iter().any(varies),
            Vary::One(side) => varies(side),
        };
        let late = |millis: i64| {
            let point = real(&query, vary.delays(declared, millis * 1_000), &steps)?;
            Some(point.left.late + point.right.late)
        };
        let Some(without) = late(0).filter(|_| some_varies) else { return Ok(()) };
        let mut survey = LatenessSurvey::new(&spec(&query, declared), vary).unwrap();
        follow(&mut survey, &steps);
        let found = survey.finish();
        prop_assert_eq!(found.curable + found.always, without);
        prop_assert_eq!(late(found.greatest), Some(found.always));
        prop_assert_eq!(found.greatest > 0, found.curable > 0);
        if found.greatest > 0 {
            prop_assert!(late(found.greatest - 1) > Some(found.always));
        }
    }
}
