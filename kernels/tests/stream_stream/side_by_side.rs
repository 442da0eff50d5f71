//! Long streams: the stores side by side, batch by batch.

use streamjoin_kernels::state::BlockOptions;
use streamjoin_kernels::stream_stream::{self, End};
use streamjoin_kernels::{JoinType, Side, StoreKind};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, MicroBatch, Run, between};
use crate::query::{Query, Row};

/// Draws numbers from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A stream in microseconds, a millisecond a row and side, about.
struct Stream {
    batches: usize,
    rows: u64,
    disorder: u64,
    poison: bool,
    jumps: bool,
    nulls: bool,
}

const ORDERED: Stream =
    Stream { batches: 150, rows: 400, disorder: 0, poison: false, jumps: false, nulls: false };

impl Stream {
    fn draw(&self, seed: u64) -> Vec<MicroBatch> {
        let mut draw = Draw(seed);
        let (mut id, mut clock) = (0, 1_700_000_000_000_000i64);
        let mut batch = |draw: &mut Draw| {
            let (start, count) = (clock, draw.below(self.rows) + 1);
            clock += count as i64 * 1000;
            if self.jumps && draw.percent(3) {
                clock += [1_000_000, 3_600_000_000][draw.below(2) as usize];
            }
            let mut side = |draw: &mut Draw| -> Vec<Row> {
                (0..count)
                    .map(|i| {
                        id += 1;
                        let mut time = Some(start + i as i64 * 1000);
                        if draw.percent(self.disorder) {
                            time = time.map(|time| time - draw.below(3_000_000) as i64);
                        }
                        if self.poison && draw.below(2000) == 0 {
                            time = Some(
                                [-62_135_596_800_000_000, 253_402_300_799_999_999]
                                    [draw.below(2) as usize],
                            );
                        }
                        if self.nulls && draw.percent(1) {
                            time = None;
                        }
                        let key = (!self.nulls || draw.percent(98)).then(|| draw.below(4) as u8);
                        Row { id, keys: vec![key], time, value: Some(draw.below(6) as i32) }
                    })
                    .collect()
            };
            [side(draw), side(draw)]
        };
        (0..self.batches).map(|_| batch(&mut draw)).collect()
    }
}

/// Runs the stream over both stores and compares each batch; the most rows in
/// state.
fn compare(query: &Query, stream: &Stream, blocks: BlockOptions, seed: u64) -> u64 {
    let mut query = query.clone();
    query.delays = [Some(2_000_000), Some(1_000_000)];
    let stores = [StoreKind::TimeBlocks, StoreKind::OrderedMap];
    let runs = stores.map(|store| {
        let options = stream_stream::Options::default().with_store(store).with_blocks(blocks);
        let form = Form { options, ..Form::default() };
        Run { query: query.clone(), types: &KEY_TYPES[..1], form }
    });
    let mut joins = runs
        .each_ref()
        .map(|run| stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap());
    let mut most = 0;
    for (i, [left, right]) in stream.draw(seed).iter().enumerate() {
        let [fast, plain] = [0, 1].map(|at| runs[at].push(&mut joins[at], left, right));
        assert_eq!(fast, plain, "batch {i} of {query:?}");
        let states = fast.last().map_or(0, |batch| batch.sides[0].state + batch.sides[1].state);
        most = most.max(states);
    }
    let [fast, plain] = [0, 1].map(|at| {
        let end = joins[at].finish(End::Flush).unwrap();
        end.map(|mut batch| runs[at].executed(&mut batch))
    });
    assert_eq!(fast.map(|batch| batch.rows), plain.map(|batch| batch.rows), "{query:?}");
    for side in [Side::Left, Side::Right] {
        let size = joins[0].state(side);
        assert_eq!((size.rows, size.bytes() - size.slack), (0, 0), "{size:?}");
    }
    most
}

#[test]
fn long_ordered_streams() {
    let query = between(JoinType::FullOuter, -5_000, 5_000);
    let most = compare(&query, &ORDERED, BlockOptions::default(), 1);
    assert!(most > 4000, "{most} rows in state");
    let blocks = BlockOptions::default().with_rows(100).with_first_row((1 << 31) - 20_000);
    compare(&between(JoinType::Inner, -1_600_000, -1_590_000), &ORDERED, blocks, 2);
}

#[test]
fn long_streams_in_disorder() {
    let stream = Stream { disorder: 50, nulls: true, ..ORDERED };
    for (seed, (join_type, rows)) in
        (0..).zip([(JoinType::LeftSemi, 64), (JoinType::LeftAnti, 7), (JoinType::RightOuter, 1024)])
    {
        let blocks = BlockOptions::default().with_rows(rows).with_first_row(u32::MAX);
        compare(&between(join_type, -20_000, 10_000), &stream, blocks, seed);
    }
}

#[test]
fn long_streams_with_outliers_and_jumps() {
    let stream = Stream { disorder: 5, nulls: true, poison: true, jumps: true, ..ORDERED };
    for (seed, (join_type, rows)) in
        (0..).zip([(JoinType::FullOuter, 64), (JoinType::LeftSemi, 1024), (JoinType::LeftOuter, 1)])
    {
        let blocks = BlockOptions::default().with_rows(rows).with_first_row((1 << 29) - 1000);
        let mut query = between(join_type, -10_000, 20_000);
        query.no_data_batches = seed % 2 == 0;
        compare(&query, &stream, blocks, seed);
    }
}
