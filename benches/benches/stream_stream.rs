//! The stream-stream join by phase, store beside store, and as a whole.
//!
//! Groups are named by setting and phase, such as
//! `state/live-1e5/interval-5%/disorder-0%/matches-1.5/inner/probe`, lines by
//! store. By default one property at a time departs from a plain setting;
//! `STREAMJOIN_BENCH_GRID=full` takes all combinations. See METHODOLOGY.md.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use streamjoin_benches::full_grid;
use streamjoin_benches::state_workload::{
    BATCH_ROWS, KeyChoice, Load, Meter, OperatorLoad, Setting, StoreLoad,
};
use streamjoin_kernels::StoreKind;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Stores without blocks are measured up to this many live rows per side.
const PLAIN_STORES: usize = 1_000_000;

const LIVE: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// Width of the interval and its shift.
const INTERVALS: [(f64, f64); 4] = [(0.05, 0.0), (0.001, 0.0), (1.0, 0.0), (0.05, 0.5)];
const DISORDER: [f64; 3] = [0.0, 0.05, 0.5];
const KEYS: [KeyChoice; 4] = [
    KeyChoice::Matches(1.5),
    KeyChoice::Matches(0.0),
    KeyChoice::Matches(30.0),
    KeyChoice::Zipf { exponent: 1.2, matches: 80.0 },
];

/// A phase, and how long it is measured. Only the phase is timed, and the short
/// phases are a small part of what runs.
type Phase = (&'static str, fn(&Meter) -> Duration, Duration);

const PHASES: [Phase; 3] = [
    ("probe", |meter| meter.probe, Duration::from_millis(300)),
    ("insert", |meter| meter.insert, Duration::from_millis(150)),
    ("evict", |meter| meter.evict, Duration::from_millis(60)),
];

fn base() -> Setting {
    Setting { interval: INTERVALS[0].0, ..Setting::default() }
}

/// The settings, without the impossible ones.
fn settings() -> Vec<Setting> {
    let mut all = Vec::new();
    for live in LIVE {
        for (interval, shift) in INTERVALS {
            for disorder in DISORDER {
                for keys in KEYS {
                    for left_outer in [false, true] {
                        let setting =
                            Setting { live, interval, shift, disorder, keys, left_outer, ..base() };
                        all.push(setting);
                    }
                }
            }
        }
    }
    let departures = |setting: &Setting| {
        let base = base();
        [
            setting.live != base.live,
            (setting.interval, setting.shift) != (base.interval, base.shift),
            setting.disorder != base.disorder,
            setting.keys != base.keys,
            setting.left_outer != base.left_outer,
        ]
        .into_iter()
        .filter(|departs| *departs)
        .count()
    };
    all.retain(|setting| (full_grid() || departures(setting) <= 1) && setting.shape().is_ok());
    all
}

fn stores(live: usize) -> impl Iterator<Item = StoreKind> {
    let plain = [StoreKind::OrderedMap, StoreKind::FullScan];
    StoreKind::ALL.into_iter().filter(move |kind| live <= PLAIN_STORES || !plain.contains(kind))
}

/// A load that is warmed up when it is first used: filters leave most out.
struct Warm<F> {
    setting: Setting,
    make: F,
    made: Option<Box<dyn Load>>,
}

impl<F: Fn() -> Box<dyn Load>> Warm<F> {
    fn new(setting: Setting, make: F) -> Self {
        Self { setting, make, made: None }
    }

    /// Adds a line to a group: `time` of what is measured.
    fn bench(
        &mut self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        name: &str,
        time: fn(&Meter) -> Duration,
    ) {
        group.bench_function(name, |bencher| {
            let load = self.made.get_or_insert_with(|| {
                let mut load = (self.make)();
                load.warm_up(&self.setting);
                load
            });
            bencher.iter_custom(|batches| time(&load.run(batches as usize)));
        });
    }
}

fn group<'a>(c: &'a mut Criterion, name: &str, measured: Duration) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group
        .throughput(Throughput::Elements(BATCH_ROWS as u64))
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .nresamples(2_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(measured);
    group
}

fn phases(c: &mut Criterion) {
    for setting in settings() {
        let mut loads: Vec<_> = stores(setting.live)
            .map(|store| {
                let make = move || -> Box<dyn Load> {
                    Box::new(StoreLoad::empty(&setting, store, BATCH_ROWS, 0).expect("checked"))
                };
                (store, Warm::new(setting, make))
            })
            .collect();
        for (phase, time, measured) in PHASES {
            let mut group = group(c, &format!("state/{setting}/{phase}"), measured);
            for (store, load) in &mut loads {
                load.bench(&mut group, store.name(), time);
            }
            group.finish();
        }
    }
}

fn operator(c: &mut Criterion) {
    let base = base();
    for setting in [
        base,
        Setting { left_outer: true, ..base },
        Setting { disorder: 0.05, ..base },
        Setting { live: 1_000_000, ..base },
        Setting { live: 1_000_000, interval: 1.0, ..base },
    ] {
        let mut group = group(c, &format!("operator/{setting}"), Duration::from_millis(500));
        for store in stores(setting.live) {
            let make = || -> Box<dyn Load> {
                let load = OperatorLoad::empty(&setting, store, BATCH_ROWS, 1);
                Box::new(load.expect("checked"))
            };
            let name = format!("{store}/threads-1");
            Warm::new(setting, make).bench(&mut group, &name, Meter::total);
        }
        group.finish();
    }
}

criterion_group!(benches, phases, operator);
criterion_main!(benches);
