//! The generators of streams that belong together.

use std::collections::{HashMap, HashSet};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type, TimestampMicrosecondType};

use super::{all, column, generator};

const HOUR: i64 = 3_600_000_000;

fn times(batch: &RecordBatch, name: &str) -> Vec<i64> {
    let column = batch.column_by_name(name).unwrap();
    column.as_primitive::<TimestampMicrosecondType>().values().to_vec()
}

fn ads(stream: &str, more: &str) -> RecordBatch {
    let json = format!(
        r#"{{"kind": "ad-events", "stream": "{stream}", "impressions": 60000, "seed": 7{more}}}"#
    );
    all(&generator(&json), 4096)
}

/// Greatest distance of a row behind the running maximum.
fn disorder(times: &[i64]) -> i64 {
    let mut max = i64::MIN;
    let behind = times.iter().map(|time| {
        max = max.max(*time);
        max - time
    });
    behind.max().unwrap()
}

#[test]
fn impressions_are_unique_skewed_and_a_little_out_of_order() {
    let rows = ads("impressions", "");
    let ids: HashSet<i64> = column(&rows, "imp_id").into_iter().collect();
    assert_eq!(ids.len(), 60_000);
    let behind = disorder(&times(&rows, "imp_ts"));
    assert!((1..=30_000_000).contains(&behind), "{behind}");
    let mut campaigns: HashMap<i32, usize> = HashMap::new();
    let column = rows.column_by_name("campaign").unwrap();
    column.as_primitive::<Int32Type>().values().iter().for_each(|c| {
        *campaigns.entry(*c).or_default() += 1;
    });
    // The first of a thousand has 1 / H(1000) = 13 % under a Zipf law of exponent 1.
    let first = campaigns[&0] as f64 / 60_000.0;
    assert!((first - 0.1336).abs() < 0.01, "{first}");
    assert!(campaigns.len() > 900);
}

#[test]
fn clicks_follow_impressions_within_an_hour_on_its_borders_and_beyond() {
    let (shown, clicked) = (ads("impressions", ""), ads("clicks", ""));
    let shown: HashMap<i64, i64> =
        column(&shown, "imp_id").into_iter().zip(times(&shown, "imp_ts")).collect();
    assert_eq!(clicked.num_rows(), 6000);
    let click_times = times(&clicked, "click_ts");
    let behind = disorder(&click_times);
    assert!((1..=30_000_000).contains(&behind), "{behind}");
    let ids: HashSet<i64> = column(&clicked, "click_id").into_iter().collect();
    assert_eq!(ids.len(), 6000);
    let mut delays = Vec::new();
    let mut orphans = 0;
    for (imp, time) in column(&clicked, "click_imp_id").into_iter().zip(click_times) {
        match shown.get(&imp) {
            Some(shown) => delays.push(time - shown),
            None => orphans += 1,
        }
    }
    assert!((60..=180).contains(&orphans), "{orphans} of about 120");
    for border in [-1, 0, HOUR, HOUR + 1] {
        let found = delays.iter().filter(|delay| **delay == border).count();
        assert!(found > 3, "{found} clicks at {border}");
    }
    delays.sort_unstable();
    let median = delays[delays.len() / 2];
    assert!((110_000_000..130_000_000).contains(&median), "{median}");
    let beyond = delays.iter().filter(|delay| **delay > HOUR + 1).count() as f64;
    let share = beyond / delays.len() as f64;
    assert!((0.015..0.04).contains(&share), "{share}");
    assert!(*delays.last().unwrap() <= 6 * HOUR && delays[0] == -1);
}

#[test]
fn no_disorder_is_order_and_rows_do_not_depend_on_batches() {
    for stream in ["impressions", "clicks"] {
        let name = if stream == "clicks" { "click_ts" } else { "imp_ts" };
        let ordered = times(&ads(stream, r#", "disorder_seconds": 0"#), name);
        assert!(ordered.is_sorted());
        let json = format!(r#"{{"kind": "ad-events", "stream": "{stream}", "impressions": 2000}}"#);
        let generator = generator(&json);
        assert_eq!(all(&generator, 4096), all(&generator, 7));
        assert_eq!(generator.rows(), Some(if stream == "clicks" { 200 } else { 2000 }));
    }
}

fn nexmark(stream: &str, events: u64) -> RecordBatch {
    let json = format!(
        r#"{{"kind": "nexmark", "stream": "{stream}", "events": {events}, "events_per_second": 100, "seed": 1}}"#
    );
    all(&generator(&json), 1000)
}

#[test]
fn nexmark_streams_share_events_and_refer_to_each_other() {
    for events in [1, 3, 50, 51, 77, 99, 10_000] {
        let streams = ["persons", "auctions", "bids"];
        let rows = |stream: &&str| {
            let json =
                format!(r#"{{"kind": "nexmark", "stream": "{stream}", "events": {events}}}"#);
            generator(&json).rows().unwrap()
        };
        assert_eq!(streams.iter().map(rows).sum::<u64>(), events, "{events}");
    }
    let persons = nexmark("persons", 10_000);
    let auctions = nexmark("auctions", 10_000);
    let bids = nexmark("bids", 10_000);
    assert_eq!((persons.num_rows(), auctions.num_rows(), bids.num_rows()), (200, 600, 9200));
    let longest = 2 * (100 * 50 / 3) * 10_000;
    let opened = times(&auctions, "date_time");
    for (opened, expires) in opened.iter().zip(times(&auctions, "expires")) {
        assert!((1..=longest + 40_000).contains(&(expires - opened)), "{}", expires - opened);
    }
    let ids = |batch: &RecordBatch| column(batch, "id").into_iter().collect::<HashSet<i64>>();
    let known = ids(&persons);
    let sellers = column(&auctions, "seller");
    let found = sellers.iter().filter(|seller| known.contains(seller)).count();
    assert!(found > 590, "{found} of 600 sellers are known");
    let known = ids(&auctions);
    assert_eq!(known.len(), 600);
    let on = column(&bids, "auction");
    let found = on.iter().filter(|auction| known.contains(auction)).count();
    assert!(found > 9000, "{found} of 9200 bids are on known auctions");
    let when: HashMap<i64, i64> =
        column(&auctions, "id").into_iter().zip(opened.iter().copied()).collect();
    let early = on.iter().zip(times(&bids, "date_time"));
    let early = early.filter(|(on, bid)| when.get(on).is_some_and(|opened| opened > bid)).count();
    assert!(early > 50, "{early} bids come before their auction");
    let hot = on.iter().filter(|auction| (*auction - 1000) % 100 == 0).count();
    assert!((4300..5200).contains(&hot), "{hot}");
    for name in ["name", "email", "city", "state"] {
        assert_eq!(persons.column_by_name(name).unwrap().null_count(), 0);
    }
    assert!(times(&bids, "date_time").is_sorted());
    assert_eq!(bids.column(0).as_primitive::<Int64Type>().null_count(), 0);
}
