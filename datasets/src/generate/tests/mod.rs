//! Generators: same seed, same rows; keys that hit as often as asked.

use std::collections::{HashMap, HashSet};

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};

use super::*;
use crate::error::Result;

mod streams;

fn generator(json: &str) -> Generator {
    serde_json::from_str(json).unwrap()
}

fn all(generator: &Generator, batch_rows: usize) -> RecordBatch {
    let batches: Vec<_> = generator.read(batch_rows).collect::<Result<_>>().unwrap();
    assert!(batches.iter().all(|b| b.num_rows() <= batch_rows && b.num_rows() > 0));
    concat_batches(&generator.schema(), &batches).unwrap()
}

fn column(batch: &RecordBatch, name: &str) -> Vec<i64> {
    batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn rate_counts_and_tells_time() {
    let rate = generator(r#"{"kind": "rate", "rows_per_second": 5, "limit": 12}"#);
    let rows = all(&rate, 5);
    assert_eq!(column(&rows, "value"), (0..12).collect::<Vec<_>>());
    let times = rows.column(0).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(times.value(0), 1_704_067_200_000_000);
    assert_eq!(times.value(11) - times.value(0), 2_200_000);
    let endless = generator(r#"{"kind": "rate"}"#);
    assert_eq!(endless.rows(), None);
    assert_eq!(endless.read(10).take(3).count(), 3);
}

#[test]
fn the_cut_into_batches_does_not_change_the_rows() {
    for json in [
        r#"{"kind": "keys", "rows": 1000, "dimension_rows": 50, "seed": 3, "zipf": 1.0, "hit_rate": 0.7}"#,
        r#"{"kind": "keys", "rows": 1000, "dimension_rows": 50, "rows_per_second": 7}"#,
        r#"{"kind": "dimension", "rows": 1000, "payload_columns": 3, "seed": 9}"#,
        r#"{"kind": "rate", "limit": 1000}"#,
    ] {
        let generator = generator(json);
        let once = all(&generator, 4096);
        assert_eq!(once.num_rows(), 1000);
        assert_eq!(once, all(&generator, 7));
        assert_eq!(once, all(&generator, 1));
    }
}

#[test]
fn seeds_differ() {
    let of = |seed| {
        let json =
            format!(r#"{{"kind": "keys", "rows": 9, "dimension_rows": 99, "seed": {seed}}}"#);
        column(&all(&generator(&json), 9), "key")
    };
    assert_ne!(of(0), of(1));
}

#[test]
fn keys_hit_the_dimension_of_their_seed() {
    for dense in [false, true] {
        for (rate, zipf) in [(0.0, 0.0), (0.3, 0.0), (1.0, 0.0), (0.5, 1.0), (1.0, 1.2)] {
            let dimension =
                Generator::Dimension(Dimension { rows: 500, payload_columns: 1, seed: 5, dense });
            let table = all(&dimension, 128);
            let known: HashSet<i64> = column(&table, "key").into_iter().collect();
            assert_eq!(known.len(), 500);
            let json = format!(
                r#"{{"kind": "keys", "rows": 40000, "key_space": 500, "hit_rate": {rate},
                     "zipf": {zipf}, "seed": 5, "dense": {dense}}}"#
            );
            let keys = column(&all(&generator(&json), 1000), "key");
            let hits = keys.iter().filter(|k| known.contains(k)).count() as f64 / 40_000.0;
            assert!((hits - rate).abs() < 0.02, "{hits} instead of {rate}");
            let mut counts: HashMap<i64, usize> = HashMap::new();
            keys.iter()
                .filter(|k| known.contains(k))
                .for_each(|k| *counts.entry(*k).or_default() += 1);
            let most = counts.values().max().copied().unwrap_or(0) as f64 / 40_000.0;
            assert_eq!(most > 0.05, zipf > 0.0, "most frequent key {most}");
        }
    }
}

#[test]
fn bad_settings_are_named() {
    for (json, field) in [
        (r#"{"kind": "keys", "rows": 1, "dimension_rows": 0}"#, "dimension_rows"),
        (r#"{"kind": "keys", "rows": 1, "dimension_rows": 9, "hit_rate": 1.5}"#, "hit_rate"),
        (r#"{"kind": "keys", "rows": 1, "dimension_rows": 9, "zipf": -1}"#, "zipf"),
        (r#"{"kind": "rate", "rows_per_second": 0}"#, "rows_per_second"),
        (r#"{"kind": "rate", "limit": 18446744073709551615}"#, "rows_per_second"),
        (r#"{"kind": "rate", "start": "soon"}"#, "start"),
        (r#"{"kind": "dimension", "rows": 1, "payload_columns": 9999}"#, "payload_columns"),
        (r#"{"kind": "ad-events", "stream": "clicks", "impressions": 1, "orphans": 2}"#, "orphans"),
        (r#"{"kind": "ad-events", "stream": "clicks", "impressions": 1, "zipf": -1}"#, "zipf"),
        (
            r#"{"kind": "ad-events", "stream": "clicks", "impressions": 1, "campaigns": 0}"#,
            "campaigns",
        ),
        (
            r#"{"kind": "nexmark", "stream": "bids", "events": 1, "events_per_second": 0}"#,
            "events_per_second",
        ),
    ] {
        let generator = generator(json);
        let error = generator.check().unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
        let mut batches = generator.read(10);
        assert!(batches.next().unwrap().is_err());
        assert!(batches.next().is_none());
    }
    for json in [r#"{"kind": "rat"}"#, r#"{"kind": "rate", "rows": 3}"#, r#"{"kind": "keys"}"#] {
        assert!(serde_json::from_str::<Generator>(json).is_err(), "{json}");
    }
}

/// Records of benchmarks name a generator and a seed: its rows must not change
/// from one version to the next.
#[test]
fn rows_stay_the_same_for_ever() {
    let sum = |json: &str| {
        let rows = all(&generator(json), 512);
        column(&rows, "key").iter().fold(0_i64, |a, b| a.wrapping_mul(31).wrapping_add(*b))
    };
    let keys =
        r#"{"kind": "keys", "rows": 1000, "dimension_rows": 77, "seed": 1, "hit_rate": 0.5}"#;
    let skewed = r#"{"kind": "keys", "rows": 1000, "dimension_rows": 77, "zipf": 1.0}"#;
    let clicks = r#"{"kind": "ad-events", "stream": "clicks", "impressions": 10000}"#;
    let bids = r#"{"kind": "nexmark", "stream": "bids", "events": 1000}"#;
    let of = |json: &str, name: &str| {
        let rows = all(&generator(json), 512);
        column(&rows, name).iter().fold(0_i64, |a, b| a.wrapping_mul(31).wrapping_add(*b))
    };
    assert_eq!(
        [of(clicks, "click_imp_id"), of(clicks, "click_id"), of(bids, "price")],
        [3346191383216372291, 1658102206447317352, 4692630115511163511]
    );
    let found = [sum(keys), sum(skewed), sum(r#"{"kind": "dimension", "rows": 1000}"#)];
    assert_eq!(found, [-2038731983044016927, 2788491027524272884, 7548440646806426894]);
}
