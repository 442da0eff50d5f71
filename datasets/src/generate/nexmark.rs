//! The auction site of the Nexmark benchmark: persons, the auctions that they
//! open, the bids on them. Written from the public description: of 50 events
//! one is a person, three are auctions and 46 are bids; most go to few hot
//! sellers, auctions and bidders.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::clock::{check_clock, parse_start, time_of};
use super::defaults::{default_start, number};
use super::rows::{Generate, Rows, batch};
use crate::error::{DatasetError, Result};
use crate::random::{Random, below};
use crate::type_text::timestamp_utc;

/// Events of one round: a person, three auctions, 46 bids.
const ROUND: u64 = 50;
const AUCTIONS: u64 = 3;
const BIDS: u64 = 46;
/// The first person and the first auction.
const FIRST_ID: u64 = 1000;
/// Auctions that are open at a time.
const IN_FLIGHT: u64 = 100;
/// Persons who are active at a time.
const ACTIVE: u64 = 1000;
/// How far ahead of what exists an id may be.
const LEAD: u64 = 10;
/// One id in this many is hot.
const HOT_EVERY: u64 = 100;
const CATEGORIES: [i64; 5] = [10, 11, 12, 13, 14];
const STATES: [&str; 6] = ["AZ", "CA", "ID", "OR", "WA", "WY"];
const CITIES: [&str; 10] = [
    "Phoenix",
    "Los Angeles",
    "San Francisco",
    "Boise",
    "Portland",
    "Bend",
    "Redmond",
    "Seattle",
    "Kent",
    "Cheyenne",
];
const FIRST_NAMES: [&str; 11] = [
    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter",
];
const LAST_NAMES: [&str; 9] =
    ["Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"];
const CHANNELS: [&str; 4] = ["Google", "Facebook", "Baidu", "Apple"];

/// Of persons `id`, `name`, `email`, `city`, `state`, `date_time`; of auctions
/// `id`, `item_name`, `initial_bid`, `reserve`, `date_time`, `expires`,
/// `seller`, `category`; of bids `auction`, `bidder`, `price`, `channel`,
/// `date_time`. Ids and amounts are bigint, times microseconds in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nexmark {
    /// Which of the three streams.
    pub stream: NexmarkStream,
    /// Events of all three streams together.
    pub events: u64,
    /// Events in a second, all three streams together (default 10,000).
    #[serde(default = "number::<10_000, _>")]
    pub events_per_second: u64,
    /// Seed; the streams that belong together have the same (default 0).
    #[serde(default)]
    pub seed: u64,
    /// Time of the first event (default `2024-01-01T00:00:00Z`).
    #[serde(default = "default_start")]
    pub start: String,
}

/// Which of the three streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NexmarkStream {
    /// People who sell and bid.
    Persons,
    /// Things for sale.
    Auctions,
    /// Offers.
    Bids,
}

impl Nexmark {
    /// The longest that an auction is open, in microseconds.
    #[must_use]
    pub fn longest_auction(&self) -> i64 {
        // Twice the time in which as many auctions are opened as are open at a time.
        let horizon = time_of(0, IN_FLIGHT * ROUND / AUCTIONS, self.events_per_second);
        (horizon / 1000).saturating_mul(2).max(1).saturating_mul(1000)
    }

    /// Events of this stream in a round, and where in it they start.
    fn share(&self) -> (u64, u64) {
        match self.stream {
            NexmarkStream::Persons => (1, 0),
            NexmarkStream::Auctions => (AUCTIONS, 1),
            NexmarkStream::Bids => (BIDS, 1 + AUCTIONS),
        }
    }
}

impl Generate for Nexmark {
    fn schema(&self) -> SchemaRef {
        let bigint = |name: &str| Field::new(name, DataType::Int64, false);
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let time = |name: &str| Field::new(name, timestamp_utc(), false);
        Arc::new(Schema::new(match self.stream {
            NexmarkStream::Persons => vec![
                bigint("id"),
                text("name"),
                text("email"),
                text("city"),
                text("state"),
                time("date_time"),
            ],
            NexmarkStream::Auctions => vec![
                bigint("id"),
                text("item_name"),
                bigint("initial_bid"),
                bigint("reserve"),
                time("date_time"),
                time("expires"),
                bigint("seller"),
                bigint("category"),
            ],
            NexmarkStream::Bids => vec![
                bigint("auction"),
                bigint("bidder"),
                bigint("price"),
                text("channel"),
                time("date_time"),
            ],
        }))
    }

    fn rows(&self) -> Option<u64> {
        let (share, from) = self.share();
        Some(self.events / ROUND * share + (self.events % ROUND).saturating_sub(from).min(share))
    }

    fn check(&self) -> Result<()> {
        if self.events > 1 << 50 {
            return Err(DatasetError::generator("nexmark", "events", "must be at most 2^50"));
        }
        check_clock(
            "nexmark",
            &self.start,
            ("events_per_second", self.events_per_second),
            Some(self.events),
        )
    }

    fn prepare(&self) -> Box<dyn Rows> {
        let start = parse_start("nexmark", &self.start).unwrap_or_default();
        Box::new(Made { schema: self.schema(), settings: self.clone(), start })
    }
}

struct Made {
    schema: SchemaRef,
    settings: Nexmark,
    start: i64,
}

/// One event and the random numbers that belong to it.
#[derive(Clone, Copy)]
struct Event {
    /// Number among all events.
    number: u64,
    random: Random,
}

impl Event {
    fn draw(self, purpose: u64) -> u64 {
        self.random.at(self.number * 16 + purpose)
    }

    fn below(self, purpose: u64, n: u64) -> u64 {
        below(self.draw(purpose), n)
    }

    fn pick<T: Copy>(self, purpose: u64, from: &[T]) -> T {
        from[self.below(purpose, from.len() as u64) as usize]
    }

    /// The newest person, counted from 0.
    fn last_person(self) -> u64 {
        self.number / ROUND
    }

    /// The newest auction, counted from 0.
    fn last_auction(self) -> u64 {
        let opened = (self.number % ROUND).min(AUCTIONS);
        (self.number / ROUND * AUCTIONS + opened).saturating_sub(1)
    }

    /// One of the active persons; some are yet to come.
    fn person(self, purpose: u64) -> u64 {
        let persons = self.last_person() + 1;
        let active = persons.min(ACTIVE);
        persons - active + self.below(purpose, active + LEAD)
    }

    /// One of the open auctions; some are yet to come.
    fn auction(self, purpose: u64) -> u64 {
        let last = self.last_auction();
        let first = last.saturating_sub(IN_FLIGHT);
        first + self.below(purpose, last - first + 1 + LEAD)
    }

    fn price(self, purpose: u64) -> i64 {
        // From 1.00 to 1,000,000.00, every order of magnitude as often.
        let exponent = self.below(purpose, 6) as u32;
        (100 * 10_u64.pow(exponent) + self.below(purpose + 1, 900 * 10_u64.pow(exponent))) as i64
    }

    fn seller(self) -> i64 {
        let hot = self.last_person() / HOT_EVERY * HOT_EVERY;
        (FIRST_ID + if self.below(0, 4) > 0 { hot } else { self.person(1) }) as i64
    }

    fn bid_on(self) -> i64 {
        let hot = self.last_auction() / HOT_EVERY * HOT_EVERY;
        (FIRST_ID + if self.below(0, 2) > 0 { hot } else { self.auction(1) }) as i64
    }

    fn bidder(self) -> i64 {
        let hot = self.last_person() / HOT_EVERY * HOT_EVERY + 1;
        (FIRST_ID + if self.below(2, 4) > 0 { hot } else { self.person(3) }) as i64
    }
}

impl Made {
    fn columns(&self, events: &[Event], ordinals: std::ops::Range<u64>) -> Vec<ArrayRef> {
        let bigint = |value: &dyn Fn(Event) -> i64| -> ArrayRef {
            Arc::new(events.iter().map(|event| Some(value(*event))).collect::<Int64Array>())
        };
        let text = |value: &dyn Fn(Event) -> String| -> ArrayRef {
            Arc::new(events.iter().map(|event| Some(value(*event))).collect::<StringArray>())
        };
        let rate = self.settings.events_per_second;
        let time = |value: &dyn Fn(Event) -> i64| -> ArrayRef {
            let times = events
                .iter()
                .map(|event| time_of(self.start, event.number, rate).saturating_add(value(*event)));
            let times: Vec<i64> = times.collect();
            Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC"))
        };
        let ids = || -> ArrayRef {
            Arc::new(ordinals.map(|o| Some((FIRST_ID + o) as i64)).collect::<Int64Array>())
        };
        match self.settings.stream {
            NexmarkStream::Persons => {
                let names =
                    |event: Event| (event.pick(0, &FIRST_NAMES), event.pick(1, &LAST_NAMES));
                vec![
                    ids(),
                    text(&|event| format!("{} {}", names(event).0, names(event).1)),
                    text(&|event| {
                        let (first, last) = names(event);
                        format!("{first}.{last}@example.com").to_lowercase()
                    }),
                    text(&|event| event.pick(2, &CITIES).to_owned()),
                    text(&|event| event.pick(3, &STATES).to_owned()),
                    time(&|_| 0),
                ]
            }
            NexmarkStream::Auctions => {
                let longest = (self.settings.longest_auction() / 1000) as u64;
                vec![
                    ids(),
                    text(&|event| format!("item {}", event.below(2, 100_000))),
                    bigint(&|event| event.price(3)),
                    bigint(&|event| event.price(3) + event.price(5)),
                    time(&|_| 0),
                    time(&|event| (1 + event.below(7, longest)) as i64 * 1000),
                    bigint(&Event::seller),
                    bigint(&|event| event.pick(8, &CATEGORIES)),
                ]
            }
            NexmarkStream::Bids => vec![
                bigint(&Event::bid_on),
                bigint(&Event::bidder),
                bigint(&|event| event.price(4)),
                text(&|event| event.pick(6, &CHANNELS).to_owned()),
                time(&|_| 0),
            ],
        }
    }
}

impl Rows for Made {
    fn rows(&mut self, first: u64, rows: usize) -> Result<RecordBatch> {
        let (share, from) = self.settings.share();
        let random = Random::new(self.settings.seed, 200 + from);
        let ordinals = first..first + rows as u64;
        let number = |ordinal: u64| ordinal / share * ROUND + from + ordinal % share;
        let events: Vec<Event> =
            ordinals.clone().map(|ordinal| Event { number: number(ordinal), random }).collect();
        let columns = self.columns(&events, ordinals);
        batch("nexmark", &self.schema, columns)
    }
}
