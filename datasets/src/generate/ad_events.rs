//! Ad impressions and the clicks on them: two streams of one seed that belong
//! together. A click follows its impression after a log-normal delay, mostly
//! of minutes, sometimes beyond an hour; some clicks lie exactly on the borders
//! of the first hour, some one microsecond outside, some belong to no
//! impression at all.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::clock::{check_clock, parse_start, time_of};
use super::defaults::{default_start, number};
use super::held_back::HeldBack;
use super::rows::{Generate, Rows, batch};
use crate::error::{DatasetError, Result};
use crate::random::{KeyOf, Random, Zipf, below};
use crate::type_text::timestamp_utc;

const SECOND: i64 = 1_000_000;
/// The hour whose borders some clicks lie on.
const HOUR: i64 = 3600 * SECOND;
/// No click comes later than this after its impression.
const LONGEST_DELAY: i64 = 6 * HOUR;
/// One click in this many is of each kind that lies on a border or just outside.
const BORDER_EVERY: u64 = 512;
/// Ordinals of impressions that do not exist.
const ORPHANS: u64 = 1 << 62;

/// Columns `imp_id` (bigint, unique), `imp_ts` (microseconds, UTC), `campaign`
/// (int, Zipf) and `cost` (int); or, of the clicks, `click_id` (bigint, unique),
/// `click_imp_id` (bigint), `click_ts` and `position` (int).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdEvents {
    /// Which of the two streams.
    pub stream: AdStream,
    /// Impressions in all.
    pub impressions: u64,
    /// Impressions for each click (default 10).
    #[serde(default = "number::<10, _>")]
    pub impressions_per_click: u64,
    /// Impressions in a second of event time (default 100).
    #[serde(default = "number::<100, _>")]
    pub impressions_per_second: u64,
    /// Campaigns (default 1,000); 8 bytes of memory each.
    #[serde(default = "number::<1000, _>")]
    pub campaigns: u32,
    /// Exponent of the campaigns' skew (default 1).
    #[serde(default = "number::<1, _>")]
    pub zipf: f64,
    /// Share of the clicks without an impression (default 0.02).
    #[serde(default = "two_percent")]
    pub orphans: f64,
    /// Seconds that a row may be emitted behind its event time (default 30).
    #[serde(default = "number::<30, _>")]
    pub disorder_seconds: u32,
    /// Seed; both streams must have the same (default 0).
    #[serde(default)]
    pub seed: u64,
    /// Event time of the first impression (default `2024-01-01T00:00:00Z`).
    #[serde(default = "default_start")]
    pub start: String,
}

/// Which of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdStream {
    /// What was shown.
    Impressions,
    /// What was clicked.
    Clicks,
}

fn two_percent() -> f64 {
    0.02
}

impl Generate for AdEvents {
    fn schema(&self) -> SchemaRef {
        let bigint = |name: &str| Field::new(name, DataType::Int64, false);
        let int = |name: &str| Field::new(name, DataType::Int32, false);
        let time = |name: &str| Field::new(name, timestamp_utc(), false);
        Arc::new(Schema::new(match self.stream {
            AdStream::Impressions => {
                vec![bigint("imp_id"), time("imp_ts"), int("campaign"), int("cost")]
            }
            AdStream::Clicks => {
                vec![bigint("click_id"), bigint("click_imp_id"), time("click_ts"), int("position")]
            }
        }))
    }

    fn rows(&self) -> Option<u64> {
        Some(match self.stream {
            AdStream::Impressions => self.impressions,
            AdStream::Clicks => self.impressions / self.impressions_per_click.max(1),
        })
    }

    fn check(&self) -> Result<()> {
        let wrong =
            |field, message: String| Err(DatasetError::generator("ad-events", field, message));
        if self.impressions > ORPHANS {
            return wrong("impressions", "must be at most 2^62".to_owned());
        }
        if self.impressions_per_click == 0 {
            return wrong("impressions_per_click", "must be at least 1".to_owned());
        }
        if self.campaigns == 0 {
            return wrong("campaigns", "must be at least 1".to_owned());
        }
        if !(0.0..=10.0).contains(&self.zipf) {
            return wrong("zipf", format!("is {}, but must be 0 to 10", self.zipf));
        }
        if !(0.0..=1.0).contains(&self.orphans) {
            return wrong("orphans", format!("is {}, but must be 0 to 1", self.orphans));
        }
        check_clock(
            "ad-events",
            &self.start,
            ("impressions_per_second", self.impressions_per_second),
            Some(self.impressions),
        )
    }

    fn prepare(&self) -> Box<dyn Rows> {
        let start = parse_start("ad-events", &self.start).unwrap_or_default();
        let zipf = (self.zipf > 0.0).then(|| Zipf::new(self.campaigns as usize, self.zipf));
        Box::new(Made {
            schema: self.schema(),
            key_of: KeyOf::new(self.seed, false),
            settings: self.clone(),
            start,
            zipf,
            next: 0,
            held: HeldBack::new(),
        })
    }
}

/// A row that is to be emitted: its number and its event time.
#[derive(Debug, Clone, Copy)]
struct Event {
    number: u64,
    time: i64,
}

struct Made {
    schema: SchemaRef,
    settings: AdEvents,
    key_of: KeyOf,
    start: i64,
    zipf: Option<Zipf>,
    /// The next event to make.
    next: u64,
    held: HeldBack<Event>,
}

impl Made {
    fn random(&self, purpose: u64) -> Random {
        Random::new(self.settings.seed, purpose)
    }

    fn shown_at(&self, impression: u64) -> i64 {
        time_of(self.start, impression, self.settings.impressions_per_second)
    }

    /// The impression that a click may be on: one of each run of impressions.
    fn clicked(&self, click: u64) -> u64 {
        let run = self.settings.impressions_per_click;
        click * run + below(self.random(101).at(click), run)
    }

    fn is_orphan(&self, click: u64) -> bool {
        // 2^53 steps are exact in a double.
        let share = (self.random(102).at(click) >> 11) as f64 / 9_007_199_254_740_992.0;
        share < self.settings.orphans
    }

    /// Microseconds from an impression to a click on it.
    fn delay(&self, click: u64) -> i64 {
        match self.random(103).at(click) % BORDER_EVERY {
            0 => 0,
            1 => -1,
            2 => HOUR,
            3 => HOUR + 1,
            _ => log_normal(self.random(104), click),
        }
    }

    fn event(&self, number: u64) -> Event {
        let time = match self.settings.stream {
            AdStream::Impressions => self.shown_at(number),
            AdStream::Clicks => {
                self.shown_at(self.clicked(number)).saturating_add(self.delay(number))
            }
        };
        Event { number, time }
    }

    /// The event that is emitted next: none that is yet to be made is due before
    /// it.
    fn next_out(&mut self) -> Event {
        let total = self.settings.rows().unwrap_or_default();
        let disorder = u64::from(self.settings.disorder_seconds) * SECOND as u64;
        let (jitter, run) = match self.settings.stream {
            AdStream::Impressions => (self.random(105), 1),
            AdStream::Clicks => (self.random(106), self.settings.impressions_per_click),
        };
        loop {
            // A click is due one microsecond before its run of impressions at the earliest.
            let bound = match self.next < total {
                true => self.shown_at(self.next * run).saturating_sub(1),
                false => i64::MAX,
            };
            if let Some(event) = self.held.next_before(bound) {
                return event;
            }
            let event = self.event(self.next);
            let behind = below(jitter.at(self.next), disorder + 1) as i64;
            self.held.hold(event.time.saturating_add(behind), event);
            self.next += 1;
        }
    }
}

impl Rows for Made {
    fn rows(&mut self, _: u64, rows: usize) -> Result<RecordBatch> {
        let events: Vec<Event> = (0..rows).map(|_| self.next_out()).collect();
        let bigint = |value: &dyn Fn(u64) -> i64| -> ArrayRef {
            Arc::new(events.iter().map(|e| Some(value(e.number))).collect::<Int64Array>())
        };
        let int = |value: &dyn Fn(u64) -> u64| -> ArrayRef {
            Arc::new(events.iter().map(|e| Some(value(e.number) as i32)).collect::<Int32Array>())
        };
        let times: Vec<i64> = events.iter().map(|event| event.time).collect();
        let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC"));
        let columns: Vec<ArrayRef> = match self.settings.stream {
            AdStream::Impressions => {
                let (pick, cost) = (self.random(107), self.random(108));
                let campaign = |row: u64| match &self.zipf {
                    Some(zipf) => zipf.pick(pick.at(row)),
                    None => below(pick.at(row), u64::from(self.settings.campaigns)),
                };
                vec![
                    bigint(&|row| self.key_of.key(row)),
                    times,
                    int(&campaign),
                    int(&|row| 1 + below(cost.at(row), 5000)),
                ]
            }
            AdStream::Clicks => {
                let position = self.random(109);
                let on = |row: u64| match self.is_orphan(row) {
                    true => self.key_of.key(ORPHANS + row),
                    false => self.key_of.key(self.clicked(row)),
                };
                vec![
                    bigint(&|row| row as i64),
                    bigint(&on),
                    times,
                    int(&|row| below(position.at(row), 10)),
                ]
            }
        };
        batch("ad-events", &self.schema, columns)
    }
}

/// A delay whose logarithm is normal: the median is 2 minutes, and one click in
/// about 40 comes more than an hour later.
fn log_normal(random: Random, click: u64) -> i64 {
    // The sum of twelve uniform numbers is as good as normal.
    let twelve = (0..12).map(|part| (random.at(click * 12 + part) >> 11) as f64);
    let normal = twelve.sum::<f64>() / 9_007_199_254_740_992.0 - 6.0;
    let seconds = 120.0 * (1.75 * normal).exp();
    // Whole milliseconds: a last digit that machines disagree about is gone.
    ((seconds * 1000.0) as i64 * 1000).clamp(0, LONGEST_DELAY)
}
