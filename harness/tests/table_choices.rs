//! What is chosen for a table as it is loaded: its layout by its size, and the
//! index that is swapped in behind the first one.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use streamjoin::error::Result;
use streamjoin::plan::{Plan, Strategy, plan, pool, read_table, strategies};
use streamjoin::record::Progress;
use streamjoin::replay::{Counted, Pass, PassOutcome, ProgressListener};
use streamjoin::scenario::{self, Scenario, SourceText, Swap};
use streamjoin::sink::{self, SinkSpec};
use streamjoin_kernels::TableSnapshot;

/// Keeps what a pass tells; waits after each batch.
#[derive(Default)]
struct Notes {
    progress: Vec<Progress>,
    warnings: Vec<String>,
    pause: Duration,
}

impl ProgressListener for Notes {
    fn warning(&mut self, warning: &str) -> Result<()> {
        self.warnings.push(warning.to_owned());
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) -> Result<()> {
        std::thread::sleep(self.pause);
        self.progress.push(progress.clone());
        Ok(())
    }
}

const SCENARIO: &str = r#"
[stream.s]
recording = "s.csv"
[[dimension]]
name = "d"
versions = [
  { from_batch = 0, table = "v0.csv" },
  { from_batch = 3, table = "v1.csv" },
  { from_batch = 8, table = "v2.csv" },
]
refresh = "every-batch"
type = "left outer"
on = "s.k = d.k"
[replay]
trigger = { rows = 100 }
"#;

/// Keys far apart, so that no index needs them dense.
fn key(row: i64) -> i64 {
    row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64)
}

/// 2,000 stream rows and three versions of a table of 1,000 rows.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let stream: String = (0..2000).map(|i| format!("{i},{}\n", key(i * 7 % 1500))).collect();
    fs::write(folder.path().join("s.csv"), format!("id,k\n{stream}")).unwrap();
    for version in 0..3 {
        let rows = (0..1000).map(|i| format!("{},v{version}-{i}\n", key(i)));
        let table = format!("k,v\n{}", rows.collect::<String>());
        fs::write(folder.path().join(format!("v{version}.csv")), table).unwrap();
    }
    folder
}

fn read(folder: &Path, more: &str) -> Scenario {
    let text = format!("{SCENARIO}{more}");
    scenario::parse(SourceText::new(folder.join("s.toml"), text), "s").unwrap()
}

fn run(plan: &Plan, strategy: &Strategy, pause: Duration) -> (PassOutcome, Notes) {
    let mut sink = sink::open(&SinkSpec::None, plan.output_schema()).unwrap();
    let mut notes = Notes { pause, ..Notes::default() };
    let pass = Pass::new(plan, strategy, pool(strategy.threads).unwrap());
    let outcome = pass.run(&mut *sink, &mut notes, Counted::All).unwrap();
    (outcome, notes)
}

fn indexes(notes: &Notes) -> Vec<&str> {
    notes.progress.iter().map(|batch| batch.dimension[0].index.as_str()).collect()
}

/// The strategy `a` of these keys.
fn strategy(folder: &Path, keys: &str) -> (Plan, Strategy) {
    let scenario = read(folder, &format!("[strategies.a]\n{keys}"));
    let strategy = strategies(&scenario, &[], None).unwrap().remove(0);
    (plan(&scenario, None).unwrap(), strategy)
}

#[test]
fn every_swap_gives_the_same_rows() {
    let folder = folder();
    let mut checksums = Vec::new();
    for layout in ["broadcast", "partitioned", "sort-merge", "auto"] {
        for index in ["auto", "contiguous", "row-at-a-time"] {
            let keys = format!("layout = \"{layout}\"\nindex = \"{index}\"\n");
            let (plan, asked) = strategy(folder.path(), &keys);
            for swap in [Swap::Never, Swap::Now, Swap::Background] {
                for threads in [1, 2] {
                    let threads = NonZeroUsize::new(threads).unwrap();
                    let strategy = Strategy { swap, threads, ..asked.clone() };
                    let (outcome, notes) = run(&plan, &strategy, Duration::ZERO);
                    assert_eq!(outcome.rows_out, 2000);
                    assert_eq!(notes.warnings, [""; 0]);
                    checksums.push(outcome.checksum.unwrap().to_string());
                }
            }
        }
    }
    checksums.dedup();
    assert_eq!(checksums.len(), 1, "{checksums:?}");
}

#[test]
fn the_index_is_the_first_or_the_last_as_the_swap_says() {
    let folder = folder();
    let (plan, asked) =
        strategy(folder.path(), "layout = \"broadcast\"\nindex = \"row-at-a-time\"\n");
    let by = |swap, threads, pause| {
        let threads = NonZeroUsize::new(threads).unwrap();
        run(&plan, &Strategy { swap, threads, ..asked.clone() }, Duration::from_millis(pause))
    };
    let (never, never_notes) = by(Swap::Never, 1, 0);
    let first = indexes(&never_notes)[0];
    assert_ne!(first, "row-at-a-time");
    assert_eq!(indexes(&never_notes), [first; 20]);
    let (_, now) = by(Swap::Now, 1, 0);
    assert_eq!(indexes(&now), ["row-at-a-time"; 20]);
    // With one thread: after the first batch of each version.
    let (behind, notes) = by(Swap::Background, 1, 0);
    let mut expected = ["row-at-a-time"; 20];
    for starts in [0, 3, 8] {
        expected[starts] = first;
    }
    assert_eq!(indexes(&notes), expected);
    let tables = || notes.progress.iter().map(|batch| &batch.dimension[0]);
    let rebuilt: Vec<bool> = tables().map(|table| table.rebuilt_ms.is_some()).collect();
    let built: Vec<bool> = (0..20).map(|batch| [0, 1, 3, 4, 8, 9].contains(&batch)).collect();
    assert_eq!(rebuilt, built);
    let time: f64 = tables().filter_map(|table| table.rebuilt_ms).sum();
    assert!((behind.build_time.as_secs_f64() * 1e3 - time).abs() < 1e-6, "{time}");
    // Both are there at once.
    let bytes: Vec<u64> = tables().map(|table| table.bytes).collect();
    let both = [0, 3, 8].map(|first| bytes[first] + bytes[first + 1]);
    assert_eq!(Some(behind.table_bytes), both.into_iter().max());
    assert!(never.table_bytes < behind.table_bytes);
    // With two: some time after it.
    let (two, notes) = by(Swap::Background, 2, 20);
    let found = indexes(&notes);
    assert_eq!((found[0], found[19]), (first, "row-at-a-time"), "{found:?}");
    assert!(found.iter().all(|index| [first, "row-at-a-time"].contains(index)), "{found:?}");
    assert!(two.build_time > Duration::ZERO && two.table_bytes >= never.table_bytes);
}

#[test]
fn an_index_that_is_the_first_already_is_built_once() {
    let folder = folder();
    let (plan, asked) = strategy(folder.path(), "swap = \"never\"\n");
    let (_, notes) = run(&plan, &asked, Duration::ZERO);
    let first = indexes(&notes)[0].to_owned();
    let keys = format!("swap = \"background\"\nindex = \"{first}\"\n");
    let (plan, asked) = strategy(folder.path(), &keys);
    let (_, notes) = run(&plan, &asked, Duration::ZERO);
    assert_eq!(indexes(&notes), [first.as_str(); 20]);
    let rebuilt = notes.progress.iter().filter(|batch| batch.dimension[0].rebuilt_ms.is_some());
    assert_eq!(rebuilt.count(), 3);
}

/// The first version of the table as the strategy builds it.
fn table(plan: &Plan, strategy: &Strategy) -> std::sync::Arc<TableSnapshot> {
    let join = &plan.joins()[0];
    let feed = &join.table.versions[0].feed;
    let rows = read_table(feed, &join.table.schema(), &join.kernel.table).unwrap();
    join.operator(strategy, None).unwrap().build(&rows, 0).unwrap()
}

#[test]
fn a_table_beyond_the_threshold_is_partitioned_unless_broadcast_is_asked_for() {
    let folder = folder();
    for (keys, partitioned, warned) in [
        ("", false, false),
        ("broadcast_threshold = 1_000_000\n", false, false),
        ("broadcast_threshold = 1_000\n", true, false),
        ("broadcast_threshold = 0\nlayout = \"auto\"\nindex = \"chained\"\n", true, false),
        ("broadcast_threshold = 1_000\nlayout = \"broadcast\"\n", false, true),
        ("broadcast_threshold = 1_000_000\nlayout = \"broadcast\"\n", false, false),
        ("broadcast_threshold = 1_000_000\nlayout = \"partitioned\"\n", true, false),
        ("broadcast_threshold = 0\nlayout = \"sort-merge\"\n", false, false),
    ] {
        let (plan, asked) = strategy(folder.path(), keys);
        assert_eq!(table(&plan, &asked).partitions() > 1, partitioned, "{keys}");
        let (outcome, notes) = run(&plan, &asked, Duration::ZERO);
        assert_eq!(outcome.rows_out, 2000);
        // Once, though three versions are.
        assert_eq!(notes.warnings.len(), usize::from(warned), "{keys}: {:?}", notes.warnings);
        for warning in notes.warnings {
            assert!(warning.contains("dimension `d`: "), "{warning}");
            assert!(warning.contains("beyond the threshold of 1000:"), "{warning}");
        }
    }
}
