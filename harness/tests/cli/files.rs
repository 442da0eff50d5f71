//! Files as people have them: `check`, `explain`, `run` and the commands on data say the
//! same of them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use streamjoin_datasets::{FileFormat, writer};

use crate::support::Folder;

fn put(folder: &Folder, name: &str, columns: &[(&str, ArrayRef)]) {
    let path = folder.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let columns = columns.iter().map(|(name, column)| (*name, column.clone()));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = Box::new(File::create(&path).unwrap());
    let mut out = writer(FileFormat::from_path(&path).unwrap(), file, &batch.schema()).unwrap();
    out.write(&batch).unwrap();
    out.finish().unwrap();
}

/// A stream and a table of these files, joined on `id`.
fn scenario(stream: &str, table: &str, more: &str) -> String {
    format!(
        r#"
[stream.s]
recording = "{stream}"
[[dimension]]
name = "d"
table = "{table}"
type = "left outer"
on = "s.id = d.id"
{more}
"#
    )
}

const COMMANDS: [&[&str]; 3] = [
    &["check", "s.toml"],
    &["explain", "s.toml"],
    &["run", "s.toml", "-o", "out.jsonl", "--force"],
];

/// All commands refuse it in the same words.
#[track_caller]
fn all_refuse(folder: &Folder, code: i32, words: &[&str]) {
    for command in COMMANDS {
        let ran = folder.streamjoin(command);
        assert_eq!(ran.code, code, "{command:?}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        for word in words {
            assert!(ran.stderr.contains(word), "{command:?}: no `{word}` in: {}", ran.stderr);
        }
        assert!(!folder.path("out.jsonl").exists(), "{command:?} wrote rows");
    }
}

/// All commands take it; the rows that `run` writes.
#[track_caller]
fn rows_of(folder: &Folder) -> Vec<String> {
    for command in COMMANDS {
        let ran = folder.streamjoin(command);
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
    }
    let text = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    rows.sort();
    rows
}

#[test]
fn ids_beyond_bigint_join_as_decimals() {
    let folder = Folder::small();
    folder.write("s.csv", "id,v\n9223372036854775808,a\n9223372036854775809,b\n1,c\n");
    folder.write("d.csv", "id,name\n9223372036854775809,B\n1,C\n");
    let select = "[output]\nselect = [\"s.id AS id\", \"v\", \"name\"]";
    folder.write("s.toml", scenario("s.csv", "d.csv", select));
    let expected = [
        "{\"id\":1,\"v\":\"c\",\"name\":\"C\"}",
        "{\"id\":9223372036854775808,\"v\":\"a\",\"name\":null}",
        "{\"id\":9223372036854775809,\"v\":\"b\",\"name\":\"B\"}",
    ];
    assert_eq!(rows_of(&folder), expected);
    // A table of bigints, and of JSON lines.
    folder.write("s.toml", scenario("s.csv", "e.jsonl", select));
    folder.write("e.jsonl", "{\"id\": 1, \"name\": \"C\"}\n");
    let found = rows_of(&folder);
    assert_eq!(found.iter().filter(|row| row.contains("null")).count(), 2);
    folder.write(
        "e.jsonl",
        "{\"id\": 1, \"name\": \"C\"}\n{\"id\": 9223372036854775809, \"name\": \"B\"}\n",
    );
    assert_eq!(rows_of(&folder), expected);
    let shown = folder.streamjoin(&["data", "inspect", "s.csv"]).ok();
    assert!(shown.contains("decimal(20,0)") && shown.contains("9223372036854775809"), "{shown}");
    // As keys of two streams.
    let both = r#"
[stream.s]
recording = "s.csv"
[stream.d]
recording = "d.csv"
[join]
left = "s"
right = "d"
on = "s.id = d.id"
[replay]
merge = "file-order"
[output]
select = ["s.id AS id", "v", "name"]
"#;
    folder.write("s.toml", both);
    assert_eq!(rows_of(&folder), [expected[0], expected[2]]);
}

#[test]
fn folders_of_differing_files_join() {
    let folder = Folder::small();
    for extension in ["parquet", "arrow", "arrows"] {
        let ints: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        let longs: ArrayRef = Arc::new(Int64Array::from(vec![3_000_000_000]));
        let names = |name: &str| -> ArrayRef { Arc::new(StringArray::from(vec![name])) };
        let odd: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
        put(
            &folder,
            &format!("{extension}/0.{extension}"),
            &[("id", ints.clone()), ("name", names("one")), ("odd", names("x"))],
        );
        put(
            &folder,
            &format!("{extension}/1.{extension}"),
            &[("odd", odd), ("NAME", names("three")), ("ID", longs.clone())],
        );
        folder.write("s.csv", "id\n1\n2\n3000000000\n");
        let used = "[output]\nselect = [\"s.id AS id\", \"name\"]";
        folder.write("s.toml", scenario("s.csv", extension, used));
        let expected = [
            "{\"id\":1,\"name\":\"one\"}",
            "{\"id\":2,\"name\":null}",
            "{\"id\":3000000000,\"name\":\"three\"}",
        ];
        assert_eq!(rows_of(&folder), expected);
        fs::remove_file(folder.path("out.jsonl")).unwrap();
        // As a stream too, and refused where the column that differs is used.
        folder.write("s.toml", scenario(extension, "s.csv", "[output]\nselect = [\"s.id AS id\"]"));
        assert_eq!(rows_of(&folder), ["{\"id\":1}", "{\"id\":3000000000}"]);
        fs::remove_file(folder.path("out.jsonl")).unwrap();
        let odd = "[output]\nselect = [\"s.id AS id\", \"odd\"]";
        let words =
            ["column `odd` is double, but string is expected", "schema = { odd = \"string\" }"];
        folder.write("s.toml", scenario("s.csv", extension, odd));
        all_refuse(&folder, 2, &words);
        folder.write("s.toml", scenario(extension, "s.csv", odd));
        all_refuse(&folder, 2, &words);
        folder.streamjoin(&["data", "inspect", extension]).fails(2, &words);
        folder.streamjoin(&["data", "import", extension, "-o", "all.arrow"]).fails(2, &words);
        // What the message says to do.
        let declared = scenario(extension, "s.csv", odd).replacen(
            "[[dimension]]",
            "schema = { odd = \"string\" }\n[[dimension]]",
            1,
        );
        folder.write("s.toml", declared);
        let expected = ["{\"id\":1,\"odd\":\"x\"}", "{\"id\":3000000000,\"odd\":\"0.5\"}"];
        assert_eq!(rows_of(&folder), expected);
        fs::remove_file(folder.path("out.jsonl")).unwrap();
        let schema = "{ odd = \"string\" }";
        folder.streamjoin(&["data", "inspect", extension, "--schema", schema]).ok();
    }
}

#[test]
fn lake_tables_pipes_and_links_are_refused_by_all() {
    let folder = Folder::small();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    put(&folder, "delta/dt=1/0.parquet", &[("id", ids)]);
    folder.write("delta/_delta_log/00000000000000000000.json", "{}");
    folder.write("s.csv", "id\n1\n");
    #[cfg(unix)]
    {
        let pipe = folder.path("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        std::os::unix::fs::symlink("gone.csv", folder.path("link.csv")).unwrap();
    }
    let mut cases = vec![
        ("delta", 2, ["delta", "is a table of Delta Lake"]),
        ("delta/dt=1", 2, ["delta/dt=1", "is a part of the Delta Lake table"]),
        ("delta/*/*.parquet", 2, ["delta", "is a part of the Delta Lake table"]),
    ];
    if cfg!(unix) {
        cases.push(("pipe.csv", 2, ["a named pipe", "streamjoin data record -o"]));
        cases.push(("link.csv", 1, ["link.csv: a link to gone.csv", "does not exist"]));
    }
    for (path, code, words) in cases {
        for (stream, table) in [(path, "s.csv"), ("s.csv", path)] {
            folder.write("s.toml", scenario(stream, table, ""));
            all_refuse(&folder, code, &words);
        }
        folder.streamjoin(&["data", "inspect", path]).fails(code, &words);
        folder.streamjoin(&["data", "import", path, "-o", "all.arrow"]).fails(code, &words);
        assert!(!Path::new(&folder.path("all.arrow")).exists());
        folder.streamjoin(&["init", "s.csv", path, "-o", "new.toml"]).fails(code, &words);
    }
}

/// 2024-03-31 02:30 is skipped in Paris, 2024-10-27 02:30 is there twice; the instants are
/// those that Spark 4.3 has of these texts.
#[test]
fn local_times_of_a_zone_are_read_as_in_spark() {
    let folder = Folder::small();
    let times = ["2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-10-27 03:00:00"];
    let csv: String = times.iter().zip(1..).map(|(t, id)| format!("{id},{t}\n")).collect();
    folder.write("s.csv", format!("id,t\n{csv}"));
    let json = times.iter().zip(1..).map(|(t, id)| format!("{{\"id\":{id},\"t\":\"{t}\"}}\n"));
    folder.write("s.jsonl", json.collect::<String>());
    folder.write("d.csv", "id\n1\n2\n3\n");
    for stream in ["s.csv", "s.jsonl"] {
        let schema = r#"schema = { id = "bigint", t = 'Timestamp(µs, "Europe/Paris")' }"#;
        let select = "[output]\nselect = [\"s.id AS id\", \"unix_micros(t) AS us\"]";
        let text = scenario(stream, "d.csv", select);
        folder.write(
            "s.toml",
            text.replacen("[[dimension]]", &format!("{schema}\n[[dimension]]"), 1),
        );
        let expected = [
            "{\"id\":1,\"us\":1711848600000000}",
            "{\"id\":2,\"us\":1729989000000000}",
            "{\"id\":3,\"us\":1729994400000000}",
        ];
        assert_eq!(rows_of(&folder), expected);
    }
}
