//! The shipped recordings: sealed, readable, and with the facts that the
//! shipped scenarios promise.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimestampMicrosecondType};
use streamjoin_datasets::catalogue::Catalogue;
use streamjoin_datasets::{FileFormat, ReadOptions, Source, read_table};

fn catalogue() -> Catalogue {
    Catalogue::open(&PathBuf::from(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn table(name: &str) -> RecordBatch {
    let source = catalogue().find(name).unwrap().open(&ReadOptions::default()).unwrap();
    let batches = read_table(&source, None).unwrap();
    concat_batches(source.schema(), &batches).unwrap()
}

fn texts(table: &RecordBatch, column: &str) -> Vec<Option<String>> {
    let column = cast(table.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
    column.as_string::<i32>().iter().map(|v| v.map(str::to_owned)).collect()
}

fn micros(table: &RecordBatch, column: &str) -> Vec<i64> {
    let column = table.column_by_name(column).unwrap();
    assert_eq!(column.null_count(), 0);
    column.as_primitive::<TimestampMicrosecondType>().values().to_vec()
}

#[test]
fn every_recording_is_what_its_sidecar_says() {
    let catalogue = catalogue();
    let names: Vec<&str> = catalogue.recordings.iter().map(|r| r.sidecar.name.as_str()).collect();
    for name in ["nyc/flights", "rate-users/profiles", "device-readings/orders"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for recording in &catalogue.recordings {
        let about = &recording.sidecar;
        recording.verify().unwrap();
        let source = recording.open(&ReadOptions::default()).unwrap();
        assert_eq!(**source.schema().fields(), **about.arrow_schema().unwrap().fields());
        let batches: Vec<_> = source.read(None).unwrap().map(Result::unwrap).collect();
        let rows: usize = batches.iter().map(|b| b.batch.num_rows()).sum();
        assert_eq!(rows as u64, about.rows, "{}", about.name);
        if let Some(borders) = &about.batch_borders {
            // These were cut by file.
            let mut found = vec![0; source.files().len()];
            let mut before = 0;
            for batch in &batches {
                if batch.first_row == 0 {
                    found[batch.file] = before;
                }
                before += batch.batch.num_rows() as u64;
            }
            assert_eq!(found, *borders, "{}", about.name);
        }
        for name in about.event_time.iter().chain(&about.arrival).chain(&about.sorted_by) {
            source.column(name).unwrap();
        }
    }
}

#[test]
fn flights_are_in_order_and_their_times_are_instants() {
    let flights = table("nyc/flights");
    assert_eq!(flights.num_rows(), 336_776);
    let (sched, observed) = (micros(&flights, "sched_dep"), micros(&flights, "observed"));
    let hour = micros(&flights, "time_hour");
    let int =
        |name: &str| flights.column_by_name(name).unwrap().as_primitive::<Int32Type>().clone();
    let (minute, delay, flight) = (int("minute"), int("dep_delay"), int("flight"));
    let (carrier, origin) = (texts(&flights, "carrier"), texts(&flights, "origin"));
    for row in 0..flights.num_rows() {
        assert_eq!(sched[row], hour[row] + i64::from(minute.value(row)) * 60_000_000);
        let late = if delay.is_null(row) { 0 } else { i64::from(delay.value(row)) };
        assert_eq!(observed[row], sched[row] + late * 60_000_000);
    }
    let key =
        |row: usize| (observed[row], sched[row], &carrier[row], flight.value(row), &origin[row]);
    assert!((1..flights.num_rows()).all(|row| key(row - 1) < key(row)));
    assert_eq!(delay.len() - delay.null_count(), 328_521);
}

#[test]
fn flights_meet_their_dimensions_as_often_as_promised() {
    let flights = table("nyc/flights");
    let keys = |name: &str, column: &str| -> HashSet<String> {
        let all = texts(&table(name), column);
        let keys: HashSet<String> = all.iter().flatten().cloned().collect();
        assert_eq!(keys.len(), all.len(), "{name}.{column} is unique and not null");
        keys
    };
    let count = |column: &str, keys: &HashSet<String>| {
        texts(&flights, column).iter().flatten().filter(|key| keys.contains(*key)).count()
    };
    assert_eq!(texts(&flights, "tailnum").iter().filter(|t| t.is_none()).count(), 2_512);
    assert_eq!(count("tailnum", &keys("nyc/planes", "tailnum")), 284_170);
    assert_eq!(count("dest", &keys("nyc/airports", "faa")), 329_174);
    assert_eq!(count("carrier", &keys("nyc/airlines", "carrier")), 336_776);

    let weather = table("nyc/weather");
    let pairs = |table: &RecordBatch| -> Vec<(String, i64)> {
        let origins = texts(table, "origin").into_iter().map(Option::unwrap);
        origins.zip(micros(table, "time_hour")).collect()
    };
    let known: HashSet<_> = pairs(&weather).into_iter().collect();
    assert_eq!(known.len(), weather.num_rows());
    assert_eq!(pairs(&flights).iter().filter(|pair| known.contains(pair)).count(), 335_220);
}

#[test]
fn samples_have_rows_that_match_none_one_and_several() {
    for name in ["rate-users/profiles", "rate-users/plans"] {
        let mut users: HashMap<i64, usize> = HashMap::new();
        let table = table(name);
        let ids = table.column_by_name("user_id").unwrap().as_primitive::<Int64Type>();
        ids.values().iter().for_each(|id| *users.entry(*id).or_default() += 1);
        assert!(users.keys().all(|id| (0..100).contains(id)));
        assert!(users.len() < 100 && users.values().any(|n| *n > 1), "{name}");
    }
    let orders = catalogue().find("device-readings/orders").unwrap().clone();
    let source = orders.open(&ReadOptions::default()).unwrap();
    assert_eq!((source.files().len(), source.format()), (4, FileFormat::JsonLines));
    let source = Source::open(&orders.path.join("../products.csv"), &ReadOptions::default());
    let price = source.unwrap().schema().field_with_name("price").unwrap().data_type().clone();
    assert_eq!(price, DataType::Decimal128(10, 2));
}

#[test]
fn schedule_and_observations_are_the_same_rows_in_the_order_of_their_time() {
    let (flights, schedule) = (table("nyc/flights"), table("nyc/schedule"));
    let key = |table: &RecordBatch| {
        let flight = table.column_by_name("flight").unwrap().as_primitive::<Int32Type>().clone();
        let (carrier, origin) = (texts(table, "carrier"), texts(table, "origin"));
        let (tail, dest) = (texts(table, "tailnum"), texts(table, "dest"));
        let sched = micros(table, "sched_dep");
        let keys = (0..table.num_rows()).map(|row| {
            let of = |texts: &[Option<String>]| texts[row].clone();
            (sched[row], of(&carrier), flight.value(row), of(&origin), of(&tail), of(&dest))
        });
        keys.collect::<Vec<_>>()
    };
    let (mut all, ordered) = (key(&flights), key(&schedule));
    assert!(ordered.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    let mut sorted = ordered;
    sorted.sort();
    all.sort();
    assert!(all == sorted);
    let (weather, observations) = (table("nyc/weather"), table("nyc/observations"));
    let times = micros(&observations, "time_hour");
    assert!(times.is_sorted());
    let hours = |table: &RecordBatch| {
        let hours = micros(table, "time_hour").into_iter().zip(texts(table, "origin"));
        hours.collect::<HashSet<_>>()
    };
    assert_eq!(hours(&weather), hours(&observations));
    assert_eq!(observations.num_rows(), weather.num_rows());
}
