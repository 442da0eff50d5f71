//! The shipped scenarios of two streams: their facts, with every store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, TimestampMicrosecondType};
use streamjoin::plan::{Plan, Strategy, plan, strategies};
use streamjoin::record::StateRows;
use streamjoin::replay::PassOutcome;
use streamjoin::scenario::{self, SourceText};
use streamjoin_datasets::{Generator, ReadOptions, Source, read_table};

use super::batches::{Batch, on_threads, run_alike};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets")
}

/// The plan of a shipped scenario, its text changed, and its strategies.
#[track_caller]
fn read(name: &str, change: impl Fn(&str) -> String) -> (Plan, Vec<Strategy>) {
    let path = data().join(format!("scenarios/{name}.toml"));
    let text = change(&std::fs::read_to_string(&path).unwrap());
    let scenario = scenario::parse(SourceText::new(&path, text), name).unwrap();
    let plan = plan(&scenario, None).unwrap();
    assert!(matches!(plan, Plan::StreamStream(_)) && plan.warnings().is_empty());
    let strategies = strategies(&scenario, &[], None).unwrap();
    let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name.as_str()).collect();
    assert_eq!(names, ["time-blocks", "ordered-map", "full-scan"]);
    (plan, strategies)
}

/// Runs a shipped scenario, its text changed, with each of its strategies,
/// which must agree batch by batch.
#[track_caller]
fn run(name: &str, change: impl Fn(&str) -> String) -> PassOutcome {
    let (plan, strategies) = read(name, change);
    run_alike(&plan, &strategies).0
}

fn as_it_is(text: &str) -> String {
    text.to_owned()
}

fn state(outcome: &PassOutcome) -> StateRows {
    outcome.state.unwrap().rows
}

/// The first rows of a shipped scenario. The impressions come so slowly that
/// they expire among those rows.
fn beginning(text: &str) -> String {
    let slower = text.replace("impressions_per_second = 50", "impressions_per_second = 1");
    assert!(slower.contains("[replay]\n"));
    slower.replace("[replay]\n", "[replay]\nlimit = 40_000\n")
}

#[test]
fn every_batch_is_the_same_with_all_stores_and_two_threads() {
    let mut names: Vec<String> = std::fs::read_dir(data().join("scenarios"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| std::fs::read_to_string(path).unwrap().contains("\n[join]\n"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 12, "{names:?}");
    for name in names {
        let (plan, strategies) = read(&name, beginning);
        let (outcome, batches) = run_alike(&plan, &on_threads(&strategies, [1, 2]));
        let sum = |of: fn(&Batch) -> u64| batches.iter().map(of).sum::<u64>();
        assert_eq!(sum(|batch| batch.rows_in), outcome.rows_in, "{name}");
        assert_eq!(sum(|batch| batch.rows_out), outcome.rows_out, "{name}");
        assert_eq!(sum(|batch| batch.late), outcome.dropped.late.unwrap_or(0), "{name}");
        assert!(outcome.rows_out > 0, "{name}");
        assert_eq!(sum(|batch| batch.late) > 0, name.contains("disordered"), "{name}");
        let bounded = batches[0].event_time.is_some();
        let before_the_end = batches.iter().filter(|batch| !batch.end);
        let evicted = before_the_end.map(|batch| batch.evicted).sum::<u64>();
        assert_eq!(evicted > 0, bounded, "{name}");
    }
}

#[test]
fn kafka_integers_stay_in_state_for_ever() {
    let outcome = run("kafka-integers", as_it_is);
    assert_eq!((outcome.rows_in, outcome.rows_out), (21, 6));
    assert_eq!((state(&outcome).left, state(&outcome).right), (10, 11));
    assert_eq!(state(&outcome).peak, 21);
}

#[test]
fn flights_meet_the_weather_of_three_hours() {
    let outcome = run("nyc-weather-interval", as_it_is);
    assert_eq!(outcome.rows_in, 336_776 + 26_115);
    assert_eq!(outcome.rows_unmatched, 842);
    assert_eq!(outcome.rows_out - outcome.rows_unmatched, 1_066_702);
    assert_eq!(outcome.dropped.late, Some(0));
    assert_eq!(state(&outcome).plateaus, Some(true));
}

#[test]
fn cancelled_flights_come_out_alone() {
    let outcome = run("nyc-cancelled", as_it_is);
    assert_eq!((outcome.rows_out, outcome.rows_unmatched), (336_776, 8_499));
    assert_eq!((outcome.dropped.late, outcome.dropped.filtered), (Some(0), Some(8_255)));
    assert_eq!(state(&outcome).plateaus, Some(true));
}

#[test]
fn planes_leave_again_within_a_day() {
    let outcome = run("nyc-turnaround", as_it_is);
    assert_eq!((outcome.rows_out, outcome.rows_unmatched), (228_003, 0));
    assert_eq!(outcome.dropped.late, Some(0));
    assert_eq!(state(&outcome).plateaus, Some(true));
}

fn table(path: &str) -> RecordBatch {
    let source = Source::open(&data().join(path), &ReadOptions::default()).unwrap();
    concat_batches(source.schema(), &read_table(&source, None).unwrap()).unwrap()
}

fn micros(table: &RecordBatch, name: &str) -> Vec<i64> {
    let column = table.column_by_name(name).unwrap();
    column.as_primitive::<TimestampMicrosecondType>().values().to_vec()
}

/// Rows that are late on each side, by hand: `rows` are arrival, whether left,
/// and event time, in the order of arrival with left first on ties.
fn late_by_hand(rows: &[(i64, bool, i64)], delay_ms: i64) -> u64 {
    const HOUR: i64 = 3_600_000_000;
    let mut late = 0;
    let mut greatest = [0_i64; 2];
    // What the batch runs with, and what the one before ran with.
    let mut in_force = 0;
    let mut at = 0;
    while at < rows.len() {
        let tick = rows[at].0.div_euclid(HOUR);
        let end = at + rows[at..].iter().take_while(|row| row.0.div_euclid(HOUR) == tick).count();
        // A no-data batch ran whenever the watermark had moved, so that the
        // late watermark is the one in force.
        for (_, left, time) in &rows[at..end] {
            late += u64::from(*time <= in_force * 1000);
            let mark = time.div_euclid(1000) - delay_ms;
            let side = &mut greatest[usize::from(!left)];
            *side = (*side).max(mark);
        }
        in_force = in_force.max(greatest[0].min(greatest[1]));
        at = end;
    }
    late
}

/// A schedule in the order of departure, with this many minutes of patience.
fn disordered(name: &str, minutes: i64, pinned: u64) {
    let flights = table("nyc/flights.parquet");
    let (sched, observed) = (micros(&flights, "sched_dep"), micros(&flights, "observed"));
    let delay = flights.column_by_name("dep_delay").unwrap();
    let mut rows: Vec<(i64, bool, i64)> = Vec::new();
    for row in 0..flights.num_rows() {
        rows.push((observed[row], true, sched[row]));
        if delay.is_valid(row) {
            rows.push((observed[row], false, observed[row]));
        }
    }
    rows.sort_by_key(|row| (row.0, !row.1));
    assert_eq!(late_by_hand(&rows, minutes * 60_000), pinned);
    let outcome = run(name, as_it_is);
    assert_eq!(outcome.dropped.late, Some(pinned));
    // Every scheduled flight was late or came out once.
    assert_eq!(outcome.rows_out + pinned, 336_776);
    assert_eq!(state(&outcome).plateaus, Some(true));
}

#[test]
fn late_rows_with_sixty_minutes_are_those_of_a_computation_by_hand() {
    disordered("nyc-cancelled-disordered", 60, 15_470);
}

#[test]
fn late_rows_with_two_hours_are_those_of_a_computation_by_hand() {
    disordered("nyc-cancelled-disordered-120", 120, 5_738);
}

#[test]
fn late_rows_with_four_hours_are_those_of_a_computation_by_hand() {
    disordered("nyc-cancelled-disordered-240", 240, 816);
}

fn generated(json: &str) -> RecordBatch {
    let generator: Generator = serde_json::from_str(json).unwrap();
    let batches: Vec<RecordBatch> = generator.read(65_536).map(Result::unwrap).collect();
    concat_batches(&generator.schema(), &batches).unwrap()
}

fn bigints(table: &RecordBatch, name: &str) -> Vec<i64> {
    let column: Int64Array =
        cast(table.column_by_name(name).unwrap(), &DataType::Int64).unwrap().as_primitive().clone();
    column.values().to_vec()
}

#[test]
fn clicks_within_the_hour_are_those_of_a_join_by_hand() {
    // Fewer impressions over the same ten hours.
    let outcome = run("ad-clicks", |text| {
        let shorter = text.replace("2_000_000", "80_000");
        shorter.replace("impressions_per_second = 50", "impressions_per_second = 2")
    });
    let of = |stream: &str| {
        generated(&format!(
            r#"{{"kind": "ad-events", "stream": "{stream}", "impressions": 80000, "impressions_per_second": 2, "seed": 1}}"#
        ))
    };
    let (impressions, clicks) = (of("impressions"), of("clicks"));
    let shown: HashMap<i64, i64> =
        bigints(&impressions, "imp_id").into_iter().zip(micros(&impressions, "imp_ts")).collect();
    let mut matched: HashMap<i64, u64> = HashMap::new();
    for (on, at) in bigints(&clicks, "click_imp_id").into_iter().zip(micros(&clicks, "click_ts")) {
        if shown.get(&on).is_some_and(|shown| (0..=3_600_000_000).contains(&(at - shown))) {
            *matched.entry(on).or_default() += 1;
        }
    }
    let pairs: u64 = matched.values().sum();
    assert_eq!(outcome.rows_unmatched, 80_000 - matched.len() as u64);
    assert_eq!(outcome.rows_out, pairs + outcome.rows_unmatched);
    assert_eq!(outcome.dropped.late, Some(0));
    assert_eq!(state(&outcome).plateaus, Some(true));
    assert!(pairs > 7_000 && pairs < 8_000, "{pairs}");
}

#[test]
fn ad_clicks_holds_no_more_state_over_ten_times_the_length() {
    let of_length = |impressions: &str| {
        run("ad-clicks", |text| {
            let shorter = text.replace("2_000_000", impressions);
            shorter
                .replace("impressions_per_second = 50", "impressions_per_second = 1")
                .replace("event_time = \"10 minutes\"", "event_time = \"30 minutes\"")
        })
    };
    let (short, long) = (of_length("36_000"), of_length("360_000"));
    let (short, long) = (short.state.unwrap(), long.state.unwrap());
    assert_eq!((short.rows.plateaus, long.rows.plateaus), (Some(true), Some(true)));
    let (a, b) = (short.rows.plateau.unwrap() as f64, long.rows.plateau.unwrap() as f64);
    assert!((a / b - 1.0).abs() < 0.02, "{a} and {b} rows");
    let (a, b) = (short.bytes.peak as f64, long.bytes.peak as f64);
    assert!(b <= a * 1.1, "{a} and {b} bytes");
}

fn nexmark(stream: &str) -> RecordBatch {
    generated(&format!(
        r#"{{"kind": "nexmark", "stream": "{stream}", "events": 50000, "events_per_second": 100, "seed": 1}}"#
    ))
}

fn tenth(text: &str) -> String {
    text.replace("500_000", "50_000")
}

#[test]
fn nexmark_joins_are_those_of_joins_by_hand() {
    let (persons, auctions, bids) = (nexmark("persons"), nexmark("auctions"), nexmark("bids"));
    let states = persons.column_by_name("state").unwrap();
    let states: &StringArray = states.as_string();
    let (person_ids, person_times) = (bigints(&persons, "id"), micros(&persons, "date_time"));
    let (sellers, opened) = (bigints(&auctions, "seller"), micros(&auctions, "date_time"));
    let category = bigints(&auctions, "category");

    let local = |row: usize| ["OR", "ID", "CA"].contains(&states.value(row));
    let person: HashMap<i64, usize> = person_ids.iter().copied().zip(0..person_ids.len()).collect();
    let q3 = (0..sellers.len())
        .filter(|row| category[*row] == 10)
        .filter(|row| person.get(&sellers[*row]).is_some_and(|person| local(*person)));
    let outcome = run("nexmark-q3", tenth);
    assert_eq!(outcome.rows_out, q3.count() as u64);

    let window = |time: i64| time.div_euclid(10_000_000);
    let q8 = (0..sellers.len()).filter(|row| {
        let seller = person.get(&sellers[*row]);
        seller.is_some_and(|person| window(person_times[*person]) == window(opened[*row]))
    });
    let outcome = run("nexmark-q8", tenth);
    assert_eq!(outcome.rows_out, q8.count() as u64);
    assert_eq!((outcome.dropped.late, state(&outcome).plateaus), (Some(0), Some(true)));

    let (ids, expires) = (bigints(&auctions, "id"), micros(&auctions, "expires"));
    let auction: HashMap<i64, usize> = ids.iter().copied().zip(0..ids.len()).collect();
    let (on, bid) = (bigints(&bids, "auction"), micros(&bids, "date_time"));
    let q9 = on.iter().zip(&bid).filter(|(on, bid)| {
        auction.get(on).is_some_and(|row| (opened[*row]..=expires[*row]).contains(*bid))
    });
    let outcome = run("nexmark-q9", tenth);
    assert_eq!(outcome.rows_out, q9.count() as u64);
    assert_eq!((outcome.dropped.late, state(&outcome).plateaus), (Some(0), Some(true)));

    let q20 = on.iter().filter(|on| auction.get(on).is_some_and(|row| category[*row] == 10));
    let outcome = run("nexmark-q20", tenth);
    assert_eq!(outcome.rows_out, q20.count() as u64);
    let kept = state(&outcome);
    let of_category = category.iter().filter(|category| **category == 10).count() as u64;
    assert_eq!((kept.left, kept.right), (bids.num_rows() as u64, of_category));
}
