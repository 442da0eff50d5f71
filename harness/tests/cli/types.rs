//! Types that other programs write, through the commands: what `data inspect` reads,
//! `check` and `run` read, and what a sink cannot hold all of them refuse.

#[path = "../../../datasets/tests/any/mod.rs"]
mod any;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::StreamWriter;
use streamjoin_datasets::{ReadOptions, Source, read_table};

use crate::support::{Folder, Ran};
use any::{Dice, any_array, any_type, leaves, nested, text};

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/tests/data/types").join(name)
}

/// A stream of times that DuckDB wrote, with `infinity` among them, and its customers.
fn times(select: &str, output: &str) -> Folder {
    let folder = Folder::small();
    for name in ["duckdb-times.parquet", "duckdb-nested-times.parquet"] {
        fs::copy(recorded(name), folder.path(name)).unwrap();
    }
    folder.write(
        "s.toml",
        format!(
            r#"
[stream.t]
recording = "duckdb-times.parquet"
[[dimension]]
name = "customers"
table = "customers.csv"
type = "left outer"
on = "t.id = customers.customer + 1"
[output]
select = {select}
path = "{output}"
"#
        ),
    );
    folder
}

#[test]
fn times_that_never_end_are_no_error_text() {
    let folder = times(r#"["id", "at", "atz", "day", "name"]"#, "out.jsonl");
    folder.streamjoin(&["check", "s.toml"]).ok();
    let run = folder.streamjoin(&["run", "s.toml", "--unmatched", "none.csv"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            r#"{"id":1,"at":"2024-02-29T12:00:00","atz":"2024-02-29T12:00:00Z","day":"2024-02-29","name":null}"#,
            r#"{"id":2,"at":"+294247-01-10T04:00:54.775807","atz":"+294247-01-10T04:00:54.775807Z","day":"+5881580-07-11","name":"Ann"}"#,
            r#"{"id":3,"at":"-290308-12-21T19:59:05.224193","atz":"-290308-12-21T19:59:05.224193Z","day":"-5877641-06-24","name":"Bob"}"#,
            r#"{"id":4,"at":null,"atz":null,"day":null,"name":"Cem"}"#,
        ]
    );
    let console = folder.streamjoin(&["run", "s.toml", "--output-format", "console"]);
    let console = console.stdout;
    assert!(console.contains("|+294247-01-10 04:...|"), "{console}");
    let shown = folder.streamjoin(&["data", "inspect", "duckdb-nested-times.parquet"]).ok();
    assert!(shown.contains("[+294247-01-10 04..."), "{shown}");
    assert!(!shown.contains("rror"), "{shown}");
}

#[test]
fn what_a_sink_cannot_hold_is_refused_by_all() {
    let folder = times(r#"["id", "span"]"#, "out.parquet");
    let words = ["column `span` of type Interval(MonthDayNano)", "leave it out, or write arrow"];
    for command in ["check", "run"] {
        folder.streamjoin(&[command, "s.toml"]).fails(2, &words);
    }
    let explained = folder.streamjoin(&["explain", "s.toml"]);
    assert_eq!(explained.code, 2, "{}", explained.stderr);
    assert!(words.iter().all(|word| explained.stderr.contains(word)), "{}", explained.stderr);
    assert!(!folder.path("out.parquet").exists());
    let import = ["data", "import", "duckdb-times.parquet", "-o", "copy.parquet"];
    folder.streamjoin(&import).fails(2, &words);
    // The remedy works.
    folder.streamjoin(&["run", "s.toml", "-o", "out.arrow"]);
    assert!(folder.path("out.arrow").exists());
}

/// A stream of Arrow batches of these types.
fn write_stream(path: &Path, types: &[DataType], dice: &mut Dice) -> Vec<RecordBatch> {
    let fields = types.iter().enumerate();
    let fields =
        fields.map(|(at, data_type)| Field::new(format!("c{at}"), data_type.clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches: Vec<RecordBatch> = [5, 4]
        .into_iter()
        .map(|rows| {
            let columns = types.iter().map(|data_type| any_array(dice, data_type, rows));
            RecordBatch::try_new(schema.clone(), columns.collect()).unwrap()
        })
        .collect();
    let mut out = StreamWriter::try_new(File::create(path).unwrap(), &schema).unwrap();
    batches.iter().for_each(|batch| out.write(batch).unwrap());
    out.finish().unwrap();
    batches
}

fn no_panic(ran: &Ran) {
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert!(matches!(ran.code, 0 | 2), "{}{}", ran.stdout, ran.stderr);
}

/// Every type, and random nestings of it: what can be opened can be inspected and
/// imported, or is refused for the format.
#[test]
fn every_type_can_be_inspected_and_imported() {
    let folder = Folder::small();
    let mut dice = Dice::new(7);
    for leaf in leaves().iter().step_by(3) {
        let mut types = vec![leaf.clone()];
        types.extend(nested(leaf).into_iter().filter(|t| !unusual_dictionary(t)));
        let deep = any_type(&mut dice, 2);
        types.extend(Some(deep).filter(|t| !unusual_dictionary(t)));
        let batches = write_stream(&folder.path("t.arrows"), &types, &mut dice);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 9);
        let shown = folder.streamjoin(&["data", "inspect", "t.arrows"]);
        no_panic(&shown);
        assert_eq!(shown.code, 0, "{leaf}: {}", shown.stderr);
        for extension in ["arrow", "parquet", "jsonl", "csv"] {
            let to = format!("to.{extension}");
            no_panic(&folder.streamjoin(&["data", "import", "t.arrows", "-o", &to, "--force"]));
        }
        // The values of the leaf are those of the Arrow file.
        let source = Source::open(&folder.path("to.arrow"), &ReadOptions::default());
        let found = read_table(&source.unwrap(), None).unwrap();
        let values = |batches: &[RecordBatch]| -> Vec<String> {
            let columns = batches.iter().map(|batch| batch.column(0));
            columns.flat_map(|c| (0..c.len()).map(move |row| text(c, row))).collect()
        };
        assert_eq!(values(&found), values(&batches), "{leaf}");
    }
}

/// A dictionary of dictionaries, or of unions, which not every file holds.
fn unusual_dictionary(data_type: &DataType) -> bool {
    let text = data_type.to_string();
    let dictionaries = text.matches("Dictionary(").count();
    dictionaries > 1 || dictionaries == 1 && text.contains("Union(")
}
