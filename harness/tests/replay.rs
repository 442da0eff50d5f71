//! The library's replay: triggers, versions, reloads, chains.

use std::fs;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use proptest::prelude::*;
use streamjoin::error::{Failure, FailureKind, Result};
use streamjoin::plan::{Strategy as JoinStrategy, plan};
use streamjoin::record::Progress;
use streamjoin::replay::{Counted, Pass, PassOutcome, ProgressListener};
use streamjoin::scenario::{self, Scenario, SourceText};
use streamjoin::sink::{self, Sink, SinkSpec};

/// Keeps what batches tell, and does something after each.
struct Notes<F> {
    kept: Vec<Progress>,
    after: F,
}

impl<F: FnMut(u64)> ProgressListener for Notes<F> {
    fn progress(&mut self, progress: &Progress) -> Result<()> {
        (self.after)(progress.batch_id);
        self.kept.push(progress.clone());
        Ok(())
    }
}

fn scenario(folder: &Path, text: &str) -> Scenario {
    scenario::parse(SourceText::new(folder.join("s.toml"), text), "s").unwrap()
}

fn replay(scenario: &Scenario, after: impl FnMut(u64)) -> Result<(PassOutcome, Vec<Progress>)> {
    let plan = plan(scenario, None)?;
    let strategy = JoinStrategy::auto()?;
    let mut sink = sink::open(&SinkSpec::None, plan.output_schema())?;
    let mut notes = Notes { kept: Vec::new(), after };
    let outcome = Pass::new(&plan, &strategy, None).run(&mut *sink, &mut notes, Counted::All)?;
    Ok((outcome, notes.kept))
}

fn checksum(outcome: &PassOutcome) -> String {
    outcome.checksum.as_ref().unwrap().to_string()
}

const CHANGING: &str = r#"
[stream.s]
recording = "s.csv"
event_time = "at"
[[dimension]]
name = "d"
TABLE
on = "s.k = d.k"
[replay]
trigger = { rows = 1 }
"#;

fn changing(folder: &Path, table: &str) -> Scenario {
    let rows = "k,at\n1,2024-01-01 00:00:00\n1,2024-01-01 00:00:10\n1,2024-01-01 00:00:05\n";
    fs::write(folder.join("s.csv"), rows).unwrap();
    scenario(folder, &CHANGING.replace("TABLE", table))
}

fn versions(progress: &[Progress]) -> Vec<(u64, bool)> {
    let tables = progress.iter().map(|batch| &batch.dimension[0]);
    tables.map(|table| (table.version, table.rebuilt_ms.is_some())).collect()
}

#[test]
fn versions_start_at_batches() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("v0.csv"), "k,v\n1,10\n").unwrap();
    // Columns in another order are the same columns.
    fs::write(folder.path().join("v1.csv"), "v,k\n20,1\n21,1\n").unwrap();
    let table = r#"versions = [{ from_batch = 0, table = "v0.csv" }, { from_batch = 1, table = "v1.csv" }]"#;
    let scenario = changing(folder.path(), table);
    let (outcome, progress) = replay(&scenario, |_| {}).unwrap();
    assert_eq!(outcome.rows_out, 1 + 2 + 2);
    assert_eq!(versions(&progress), [(0, true), (1, true), (1, false)]);
}

#[test]
fn versions_start_at_event_times() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("v0.csv"), "k,v\n1,10\n").unwrap();
    fs::write(folder.path().join("v1.csv"), "k,v\n1,20\n1,21\n").unwrap();
    let table = "versions = [{ from = 2023-12-01, table = \"v0.csv\" }, { from = \"2024-01-01 00:00:10\", table = \"v1.csv\" }]";
    let scenario = changing(folder.path(), table);
    let (_, progress) = replay(&scenario, |_| {}).unwrap();
    // The late third row does not turn time back.
    assert_eq!(versions(&progress), [(0, true), (1, true), (1, false)]);
}

#[test]
fn versions_with_other_columns_are_usage() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("v0.csv"), "k,v\n1,10\n").unwrap();
    fs::write(folder.path().join("v1.csv"), "k,w\n1,20\n").unwrap();
    let table = r#"versions = [{ from_batch = 0, table = "v0.csv" }, { from_batch = 1, table = "v1.csv" }]"#;
    let failure = plan(&changing(folder.path(), table), None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("v1.csv") && failure.message.contains("`v`"), "{failure}");
}

#[test]
fn a_table_read_once_is_not_looked_at_again() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("d.csv");
    fs::write(&table, "k,v\n1,10\n").unwrap();
    let scenario = changing(folder.path(), "table = \"d.csv\"");
    let (outcome, progress) = replay(&scenario, |_| fs::write(&table, "k,v\n").unwrap()).unwrap();
    assert_eq!(outcome.rows_out, 3);
    assert_eq!(versions(&progress), [(0, true), (0, false), (0, false)]);
}

#[test]
fn a_changed_table_is_built_again_and_an_unchanged_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("d.csv");
    fs::write(&table, "k,v\n1,10\n").unwrap();
    let scenario = changing(folder.path(), "table = \"d.csv\"\nrefresh = \"every-batch\"");
    let (outcome, progress) = replay(&scenario, |batch| {
        if batch == 1 {
            fs::write(&table, "k,v\n1,10\n1,11\n1,12\n").unwrap();
        }
    })
    .unwrap();
    assert_eq!(outcome.rows_out, 1 + 1 + 3);
    assert_eq!(versions(&progress), [(0, true), (0, false), (1, true)]);
}

#[test]
fn files_that_join_a_folder_or_a_glob_are_seen() {
    for table in ["d", "d/*.csv"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/1.csv"), "k,v\n1,10\n").unwrap();
        let table = format!("table = \"{table}\"\nrefresh = \"every-batch\"");
        let scenario = changing(folder.path(), &table);
        let (outcome, progress) = replay(&scenario, |batch| {
            if batch == 0 {
                fs::write(folder.path().join("d/2.csv"), "k,v\n1,11\n").unwrap();
            }
        })
        .unwrap();
        assert_eq!(outcome.rows_out, 1 + 2 + 2);
        assert_eq!(versions(&progress), [(0, true), (1, true), (1, false)]);
    }
}

#[test]
fn a_failed_reload_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("d.csv");
    let breaks: [fn(&Path); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "k,other\n1,10\n").unwrap(),
    ];
    for broken in breaks {
        fs::write(&table, "k,v\n1,10\n").unwrap();
        let scenario = changing(folder.path(), "table = \"d.csv\"\nrefresh = \"every-batch\"");
        let failure: Failure = replay(&scenario, |batch| {
            if batch == 0 {
                broken(&table);
            }
        })
        .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Run);
        assert!(failure.message.contains("dimension `d`"), "{failure}");
        assert!(failure.message.contains("d.csv"), "{failure}");
    }
}

/// Keeps what is emitted, one line per row.
struct Lines(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl Sink for Lines {
    fn batch(&mut self, _: u64, rows: &RecordBatch) -> Result<()> {
        let options = FormatOptions::default().with_null("-");
        let columns: Vec<ArrayFormatter<'_>> = rows
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        for row in 0..rows.num_rows() {
            let values: Vec<String> =
                columns.iter().map(|column| column.value(row).to_string()).collect();
            self.0.lock().unwrap().push(values.join(" "));
        }
        Ok(())
    }

    fn end_batch(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn abandon(self: Box<Self>) -> Result<Option<String>> {
        Ok(None)
    }
}

/// The sorted rows of one join of `s(id, k)` with `d(k, v)`, and how many are
/// unmatched.
fn joined(join: &str) -> (Vec<String>, u64) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.csv"), "id,k\n1,1\n2,2\n3,\n4,9\n").unwrap();
    fs::write(folder.path().join("d.csv"), "k,v\n1,10\n1,11\n2,20\n,30\n5,50\n").unwrap();
    let text = format!(
        "[stream.s]\nrecording = \"s.csv\"\n[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\n{join}\n"
    );
    let scenario = scenario(folder.path(), &text);
    let plan = plan(&scenario, None).unwrap();
    let strategy = JoinStrategy::auto().unwrap();
    let mut sink = Lines(std::sync::Arc::default());
    let mut notes = Notes { kept: Vec::new(), after: |_| {} };
    let pass = Pass::new(&plan, &strategy, None);
    let outcome = pass.run(&mut sink, &mut notes, Counted::All).unwrap();
    let mut rows = std::mem::take(&mut *sink.0.lock().unwrap());
    rows.sort();
    assert_eq!(rows.len() as u64, outcome.rows_out);
    (rows, outcome.rows_unmatched)
}

#[test]
fn every_join_type_on_both_sides() {
    let on = "on = \"s.k = d.k\"";
    let right = "stream_side = \"right\"";
    let pairs = ["1 1 1 10", "1 1 1 11", "2 2 2 20"];
    assert_eq!(joined(on), (pairs.map(str::to_owned).to_vec(), 0));
    let (rows, unmatched) = joined(&format!("{on}\ntype = \"left\""));
    assert_eq!(rows, [&pairs[..], &["3 - - -", "4 9 - -"]].concat());
    assert_eq!(unmatched, 2);
    let (rows, unmatched) = joined(&format!("{on}\ntype = \"semi\""));
    assert_eq!((rows, unmatched), (vec!["1 1".to_owned(), "2 2".to_owned()], 0));
    let (rows, unmatched) = joined(&format!("{on}\ntype = \"anti\""));
    assert_eq!((rows, unmatched), (vec!["3 -".to_owned(), "4 9".to_owned()], 2));
    let (rows, unmatched) = joined(&format!("{on}\ntype = \"right outer\"\n{right}"));
    assert_eq!(rows, ["- - 3 -", "- - 4 9", "1 10 1 1", "1 11 1 1", "2 20 2 2"]);
    assert_eq!(unmatched, 2);
    let (rows, _) = joined("type = \"cross\"");
    assert_eq!(rows.len(), 4 * 5);
    let (rows, _) = joined(&format!("on = \"s.k <=> d.k\"\n{right}"));
    assert_eq!(rows, ["- 30 3 -", "1 10 1 1", "1 11 1 1", "2 20 2 2"]);
    let (rows, unmatched) = joined("using = [\"k\"]\ntype = \"left\"");
    assert_eq!(rows, ["- 3 -", "1 1 10", "1 1 11", "2 2 20", "9 4 -"]);
    assert_eq!(unmatched, 2);
    let (rows, _) = joined("on = \"s.id < d.v - 27\"");
    assert_eq!(rows, ["1 1 - 30", "1 1 5 50", "2 2 - 30", "2 2 5 50", "3 - 5 50", "4 9 5 50"]);
}

#[test]
fn unmatched_rows_are_counted_after_the_output_filter() {
    let (rows, unmatched) = joined(
        "on = \"s.k = d.k\"\ntype = \"left\"\n[output]\nselect = [\"id\"]\nwhere = \"id >= 2 AND id < 4\"",
    );
    assert_eq!((rows, unmatched), (vec!["2".to_owned(), "3".to_owned()], 1));
}

const CHAIN: &str = r#"
[stream.s]
recording = "s.csv"
event_time = { column = "at", unit = "s" }
where = "k IS NULL OR k <> 3"
select = ["id", "k", "k + 1 AS next", "at"]
[[dimension]]
name = "a"
table = "a.csv"
type = "left outer"
on = "s.k = a.k"
[[dimension]]
name = "b"
table = "b.csv"
type = "left outer"
on = "s.next = b.k AND b.v <> 7"
[[dimension]]
name = "c"
table = "a.csv"
type = "left outer"
on = "b.v = c.k AND a.v < c.v"
[replay]
trigger = TRIGGER
[output]
select = ["id", "a.v AS av", "c.v AS cv"]
where = "id >= 0"
"#;

/// A nested loop over the same rows: rows out, and those unmatched in a join.
fn by_hand(stream: &[(Option<i64>, i64)], a: &[(i64, i64)], b: &[(i64, i64)]) -> (u64, u64) {
    let (mut rows, mut unmatched) = (0, 0);
    let find = |table: &[(i64, i64)], key: Option<i64>| -> Vec<i64> {
        table.iter().filter(|row| Some(row.0) == key).map(|row| row.1).collect()
    };
    let outer = |found: Vec<i64>| -> Vec<Option<i64>> {
        if found.is_empty() { vec![None] } else { found.into_iter().map(Some).collect() }
    };
    for (key, _) in stream.iter().filter(|row| row.0 != Some(3)) {
        for av in outer(find(a, *key)) {
            let next = key.map(|key| key + 1);
            let bs = find(b, next).into_iter().filter(|v| *v != 7).collect();
            for bv in outer(bs) {
                let cs = find(a, bv).into_iter().filter(|cv| av.is_some_and(|av| av < *cv));
                for cv in outer(cs.collect()) {
                    rows += 1;
                    unmatched += u64::from(av.is_none() || bv.is_none() || cv.is_none());
                }
            }
        }
    }
    (rows, unmatched)
}

fn small_table() -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((0_i64..8, 0_i64..9), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any trigger gives the rows of one batch, and they are the right ones.
    #[test]
    fn any_trigger_gives_the_same_rows(
        stream in prop::collection::vec((prop::option::weighted(0.8, 0_i64..8), 0_i64..60), 1..40),
        a in small_table(),
        b in small_table(),
        size in 1_u64..9,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "id,k,at\n".to_owned();
        for (id, (key, at)) in stream.iter().enumerate() {
            let key = key.map_or(String::new(), |key| key.to_string());
            text += &format!("{id},{key},{at}\n");
        }
        // Types are declared by a first row that no condition keeps.
        fs::write(folder.path().join("s.csv"), text + "-1,3,0\n").unwrap();
        for (name, table) in [("a.csv", &a), ("b.csv", &b)] {
            let rows: String = table.iter().map(|(k, v)| format!("{k},{v}\n")).collect();
            fs::write(folder.path().join(name), format!("k,v\n{rows}")).unwrap();
        }
        let once = scenario(folder.path(), &CHAIN.replace("TRIGGER", "\"once\""));
        let (whole, _) = replay(&once, |_| {}).unwrap();
        prop_assert_eq!((whole.rows_out, whole.rows_unmatched), by_hand(&stream, &a, &b));
        for trigger in [
            format!("{{ rows = {size} }}"),
            format!("{{ event_time = \"{size} s\" }}"),
            "{ column = \"k\" }".to_owned(),
            "\"file\"".to_owned(),
        ] {
            let cut = scenario(folder.path(), &CHAIN.replace("TRIGGER", &trigger));
            let (cut, progress) = replay(&cut, |_| {}).unwrap();
            prop_assert_eq!(checksum(&cut), checksum(&whole), "{}", trigger);
            prop_assert_eq!(cut.rows_out, whole.rows_out);
            prop_assert_eq!(cut.rows_unmatched, whole.rows_unmatched);
            prop_assert_eq!(&cut.joins, &whole.joins);
            prop_assert_eq!(cut.batches, progress.len() as u64);
            let rows: u64 = progress.iter().map(|batch| batch.num_input_rows).sum();
            prop_assert_eq!(rows, cut.rows_in);
        }
    }
}
