//! `data record`, and what is made of its recordings.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use crate::support::{Folder, Ran, in_own_mounts, printed, said};

/// `streamjoin data record ARGS` in the folder, with a pipe to its input.
fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    command.current_dir(folder.path("")).args(["data", "record"]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn record(folder: &Folder, args: &[&str], input: &[u8]) -> Ran {
    let mut child = start(folder, args);
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that is refused does not read.
    let feeder = spawn(move || drop(pipe.write_all(&input)));
    let ran = ended(child);
    feeder.join().unwrap();
    ran
}

const CLICKS: &str = "\
{\"topic\":\"clicks\",\"partition\":0,\"offset\":0,\"tstype\":\"create\",\"ts\":1704067200000,\"broker\":1,\"key\":\"1\",\"payload\":\"{\\\"customer\\\":1,\\\"page\\\":\\\"/\\\"}\"}
{\"topic\":\"clicks\",\"partition\":0,\"offset\":1,\"tstype\":\"create\",\"ts\":1704067201000,\"broker\":1,\"key\":null,\"payload\":\"{\\\"customer\\\":9}\"}
{\"topic\":\"clicks\",\"partition\":1,\"offset\":0,\"tstype\":\"create\",\"ts\":1704067202000,\"broker\":1,\"key\":\"2\",\"payload\":\"{\\\"customer\\\":2,\\\"page\\\":\\\"/a\\\"}\"}
";

/// A scenario over a recording `clicks.arrow`.
const REPLAY: &str = r#"
[stream.clicks]
recording = "clicks.arrow"
event_time = "ts"
[[dimension]]
name = "customers"
table = "customers.csv"
type = "left outer"
using = ["customer"]
"#;

#[test]
fn a_recording_is_replayed_as_it_came() {
    let folder = Folder::small();
    let args = ["-o", "clicks.arrow", "--batch-rows", "2", "--event-time", "ts"];
    let said = record(&folder, &args, CLICKS.as_bytes()).ok();
    assert!(said.contains("clicks.arrow: 3 rows in 2 batches"), "{said}");
    assert!(said.contains("SHA-256") && said.contains("from kcat"), "{said}");
    assert!(said.ends_with("clicks.arrow.sidecar.json\n"), "{said}");

    // By its own batches, by the arrival that its sidecar names, and so by name.
    for (extra, replay, batches) in [
        ("", "{ column = \"batch_id\" }", 2),
        ("", "{ arrival = \"1 week\" }", 1),
        ("arrival = \"arrival\"", "{ arrival = \"1 week\" }", 1),
    ] {
        let scenario = REPLAY.replace("event_time", &format!("{extra}\nevent_time"));
        folder.write("s.toml", format!("{scenario}[replay]\ntrigger = {replay}\n"));
        let report = folder.streamjoin(&["run", "s.toml", "--format", "json"]).ok();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let summary = &report["runs"][0]["summary"];
        assert_eq!(summary["batches"], batches, "{replay}");
        assert_eq!((&summary["rowsOut"], &summary["rowsUnmatched"]), (&3.into(), &1.into()));
        // The sidecar's digest.
        assert!(report["environment"]["dataHash"].is_null(), "customers.csv has no sidecar");
    }
    fs::remove_file(folder.path("clicks.arrow.sidecar.json")).unwrap();
    folder.write("s.toml", format!("{REPLAY}[replay]\ntrigger = {{ arrival = \"1 s\" }}\n"));
    folder.streamjoin(&["run", "s.toml"]).fails(2, &["arrival = \"COLUMN\"", "sidecar"]);
}

#[test]
fn two_recordings_are_merged_by_arrival() {
    let folder = Folder::small();
    for name in ["left", "right"] {
        let rows = b"k,at\n1,2024-01-01 00:00:00\n2,2024-01-01 00:00:01\n";
        record(&folder, &["-o", &format!("{name}.parquet")], rows).ok();
    }
    folder.write(
        "s.toml",
        r#"
[stream.l]
recording = "left.parquet"
event_time = "at"
watermark = "1 s"
idle_timeout = "10 minutes"
[stream.r]
recording = "right.parquet"
event_time = "at"
watermark = "1 s"
[join]
left = "l"
right = "r"
on = "l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 1 SECOND"
[replay]
merge = "arrival"
"#,
    );
    let report = folder.streamjoin(&["run", "s.toml", "--format", "json"]).ok();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["runs"][0]["summary"]["rowsOut"], 2);
    assert!(report["environment"]["dataHash"].is_string());
    fs::remove_file(folder.path("right.parquet.sidecar.json")).unwrap();
    folder.streamjoin(&["run", "s.toml"]).fails(2, &["[stream.r] arrival"]);
}

#[test]
fn what_is_refused() {
    let folder = Folder::small();
    let csv: &[u8] = b"a,b\n1,x\n";
    record(&folder, &["-o", "orders.csv"], csv).fails(2, &["orders.csv", "already exists"]);
    record(&folder, &["-o", "-"], csv).fails(2, &["-o rows.arrow"]);
    record(&folder, &["-o", "a.txt"], csv).fails(2, &["a.txt", ".parquet"]);
    record(&folder, &["-o", "a.parquet.gz"], csv).fails(2, &["gzip"]);
    let format = ["-o", "a.arrow", "--input-format", "jsnl"];
    record(&folder, &format, csv).fails(2, &["`jsnl`", "did you mean `jsonl`"]);
    record(&folder, &["-o", "a.arrow", "--arrival", "B"], csv).fails(2, &["`b`", "--arrival"]);
    record(&folder, &["-o", "a.arrow", "--event-time", "at"], csv).fails(2, &["no column `at`"]);
    let schema = ["-o", "a.arrow", "--schema", "a = \"bigit\""];
    record(&folder, &schema, csv).fails(2, &["--schema", "did you mean `bigint`"]);
    let schema = ["-o", "a.arrow", "--schema", "a = "];
    record(&folder, &schema, csv).fails(2, &["--schema"]);
    let schema = ["-o", "a.arrow", "--schema", "{ c = \"int\" }"];
    record(&folder, &schema, csv).fails(2, &["no column `c`"]);
    let delimiter = ["-o", "a.arrow", "--delimiter", ";;"];
    record(&folder, &delimiter, csv).fails(2, &["--delimiter", "`;;`"]);
    record(&folder, &["-o", "a.arrow", "--duration", "0s"], csv).fails(2, &["--duration"]);
    record(&folder, &["-o", "a.arrow"], b"").fails(1, &["standard input", "producer"]);
    record(&folder, &["-o", "a.arrow"], b"PAR1").fails(1, &["parquet", "import"]);
    assert_eq!(folder.names(), ["customers.csv", "orders.csv", "s.toml"]);
}

#[test]
fn a_bad_line_keeps_the_rows_before_it() {
    let folder = Folder::small();
    let mut input: String = (0..1200).map(|i| format!("{{\"a\":{i}}}\n")).collect();
    input += "{\"a\":\"oops\"}\n{\"a\":1}\n";
    let ran = record(&folder, &["-o", "a.parquet"], input.as_bytes());
    assert!(ran.stdout.contains("a.partial.parquet: 1,200 rows"), "{}", ran.stdout);
    ran.fails(
        1,
        &[
            "standard input, line 1201",
            "`oops`",
            "schema = { a = \"string\" }",
            "a.partial.parquet",
        ],
    );
    // What the message says to do.
    let schema = ["-o", "a.parquet", "--schema", "schema = { a = \"string\" }"];
    record(&folder, &schema, input.as_bytes()).ok();
    let shown = folder.streamjoin(&["data", "inspect", "a.parquet", "--rows", "0"]).ok();
    assert!(shown.contains("1,202 rows"), "{shown}");
}

/// A script that records the standard output of `rows` on a disk of `size` and
/// then lists it; the exit code is the recording's.
fn on_small_disk(size: &str, rows: &str, args: &str) -> String {
    format!(
        "mount -t tmpfs -o size={size} tmpfs disk
         code=0; {rows} | $SJ data record {args} >said || code=$?
         ls -A disk; cp disk/* kept; exit $code"
    )
}

#[test]
fn a_full_disk_keeps_what_was_written_whole() {
    for extension in ["csv", "tsv", "jsonl", "arrows", "arrow", "parquet"] {
        let folder = Folder::small();
        ["disk", "kept"].iter().for_each(|name| folder.write(&format!("{name}/x"), ""));
        // Line ends and quotes within a field; enough for two row groups.
        let rows = "awk 'BEGIN { print \"n,s\"; for (i = 0; i < 600000; i++) \
                    printf \"%d,\\\"%d \\\"\\\"x\\\"\\\"\\n%d\\\"\\n\", i, i * 7919 % 10007, rand() * 1e9 }'";
        // Room for one of several batches or row groups.
        let size = if matches!(extension, "csv" | "tsv" | "jsonl") { "1m" } else { "5m" };
        let args = format!("-o disk/a.{extension} --batch-rows 100");
        let Some(output) = in_own_mounts(&folder, &on_small_disk(size, rows, &args)) else {
            return;
        };
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{extension}: {said}");
        let partial = format!("disk/a.partial.{extension}");
        for part in [&format!("disk/a.{extension}: cannot write: No space left"), &partial] {
            assert!(said.contains(part), "{extension}: {said}");
        }
        let names = printed(&output);
        assert!(!names.contains(".tmp"), "{names}");
        let file = format!("kept/a.partial.{extension}");
        let shown = folder.streamjoin(&["data", "inspect", &file, "--format", "json"]).ok();
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let rows = shown["rows"].as_u64().unwrap();
        assert!(rows > 5_000, "{extension}: {rows}");
        // Every row up to there, and what the message says.
        assert_eq!(shown["columns"][0]["max"], (rows - 1).to_string(), "{extension}");
        let digits = said.replace(',', "");
        assert!(digits.contains(&format!("the first {rows} rows are in {partial}")), "{said}");
        let sidecar = folder.path(&format!("{file}.sidecar.json"));
        match fs::read_to_string(sidecar) {
            Ok(text) => {
                let sidecar: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(sidecar["rows"], rows, "{extension}");
                let borders = sidecar["batchBorders"].as_array().unwrap();
                assert_eq!(borders.len() as u64, rows.div_ceil(100), "{extension}");
            }
            Err(_) => assert!(said.contains("no sidecar ("), "{extension}: {said}"),
        }
    }
}

#[test]
fn a_full_disk_of_which_nothing_whole_is_kept_is_told() {
    for (extension, words) in [
        ("parquet", &["rows are lost", "csv, jsonl and arrow-stream keep more"][..]),
        ("csv.gz", &["a.partial.csv.gz", "cut off at its end", "no sidecar"]),
    ] {
        let folder = Folder::small();
        ["disk", "kept"].iter().for_each(|name| folder.write(&format!("{name}/x"), ""));
        let rows =
            "awk 'BEGIN { print \"n,s\"; for (i = 0; i < 100000; i++) print i \",\" rand() }'";
        let args = format!("-o disk/a.{extension}");
        let Some(output) = in_own_mounts(&folder, &on_small_disk("64k", rows, &args)) else {
            return;
        };
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("disk/a.{extension}: cannot write: No space")), "{said}");
        words.iter().for_each(|word| assert!(said.contains(word), "no {word}: {said}"));
    }
}

/// Waits until the recorder has seen something: the file is begun before.
fn wait_for(folder: &Folder, end: &str) -> PathBuf {
    let start = Instant::now();
    loop {
        if let Some(name) = folder.names().into_iter().find(|name| name.ends_with(end)) {
            return folder.path(&name);
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no {end}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn ctrl_c_is_how_a_recording_ends() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::small();
        let mut child = start(&folder, &["-o", "a.arrow"]);
        let mut pipe = child.stdin.take().unwrap();
        // The last row is not whole yet.
        pipe.write_all(b"a,b\n1,x\n2,y\n3,z").unwrap();
        wait_for(&folder, ".tmp");
        sleep(Duration::from_millis(300));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let said = ended(child).ok();
        assert!(said.contains("a.arrow: 2 rows"), "{said}");
        drop(pipe);
        let shown = folder.streamjoin(&["data", "inspect", "a.arrow", "--format", "json"]).ok();
        assert!(shown.contains("\"rows\": 2"), "{shown}");
        assert!(!folder.names().iter().any(|name| name.ends_with(".tmp")));
    }
}

#[test]
fn a_duration_or_a_limit_ends_it_while_the_producer_goes_on() {
    let folder = Folder::small();
    for args in [["-o", "a.arrow", "--duration", "1s"], ["-o", "b.arrow", "--limit", "2"]] {
        let mut child = start(&folder, &args);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(b"{\"a\":1}\n{\"a\":2}\n").unwrap();
        let said = ended(child).ok();
        assert!(said.contains("2 rows"), "{said}");
        drop(pipe);
    }
}

#[test]
fn a_producer_that_is_killed_leaves_a_whole_file() {
    let folder = Folder::small();
    let script = "echo a,b; echo 1,x; echo 2,y; kill -9 $$";
    let mut producer =
        Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    command.current_dir(folder.path("")).args(["data", "record", "-o", "a.arrows"]);
    command.stdin(producer.stdout.take().unwrap());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = ended(command.spawn().unwrap()).ok();
    assert!(!producer.wait().unwrap().success());
    assert!(said.contains("a.arrows: 2 rows"), "{said}");
    assert!(folder.streamjoin(&["data", "inspect", "a.arrows"]).ok().contains("2 rows"));
}

/// Peak of anonymous memory in MiB while `rows` rows are recorded.
fn peak_of(folder: &Folder, rows: u64) -> u64 {
    let name = format!("{rows}.parquet");
    let mut child = start(folder, &["-o", &name]);
    let mut pipe = child.stdin.take().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let feeder = spawn(move || {
        let block: String = (0..1000).map(|i| format!("{i},a text of some length {i}\n")).collect();
        pipe.write_all(b"n,s\n").unwrap();
        (0..rows / 1000).for_each(|_| pipe.write_all(block.as_bytes()).unwrap());
    });
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib: Option<u64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(kib.unwrap_or(0) / 1024);
        sleep(Duration::from_millis(10));
    }
    feeder.join().unwrap();
    assert!(ended(child).ok().contains(" rows"));
    peak
}

#[test]
fn memory_does_not_grow_with_the_rows() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::small();
    let (few, many) = (peak_of(&folder, 200_000), peak_of(&folder, 2_000_000));
    // Ten times the rows, 45 MB more of text. The allocator alone varies by a
    // dozen MiB on a busy machine.
    assert!(few > 5 && many < few + 30, "{few} MiB and {many} MiB");
}

#[test]
fn compressed_streams_tables_and_outputs() {
    let folder = Folder::small();
    for (plain, packed) in [("orders.csv", "o.csv.gz"), ("customers.csv", "c.jsonl.zst")] {
        folder.streamjoin(&["data", "import", plain, "-o", packed]).ok();
        fs::remove_file(folder.path(plain)).unwrap();
        fs::remove_file(folder.path(&format!("{packed}.sidecar.json"))).unwrap();
    }
    folder.write(
        "s.toml",
        r#"
[stream.orders]
recording = "o.csv*"
[[dimension]]
name = "customers"
table = "c.jsonl.zst"
type = "left outer"
on = "orders.customer = customers.customer"
[output]
select = ["id", "name"]
"#,
    );
    for output in ["out.csv", "out.csv.gz", "out.csv.zst", "out.tsv"] {
        folder.streamjoin(&["run", "s.toml", "-o", output]).ok();
        let text = folder.streamjoin(&["data", "inspect", output, "--format", "json"]).ok();
        let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(shown["rows"], 6, "{output}");
        assert_eq!(shown["columns"][1]["nulls"], 2, "{output}");
    }
    assert_eq!(&fs::read(folder.path("out.csv.gz")).unwrap()[..2], b"\x1f\x8b");
    folder.streamjoin(&["run", "s.toml", "-o", "x.parquet.gz"]).fails(2, &["gzip", "parquet"]);
    let whole = fs::read(folder.path("o.csv.gz")).unwrap();
    folder.write("o.csv.gz", &whole[..whole.len() - 5]);
    folder.streamjoin(&["run", "s.toml"]).fails(1, &["o.csv.gz", "gzip", "cut off"]);
}

#[test]
fn text_is_read_as_it_is_told() {
    let folder = Folder::small();
    let args = ["-o", "a.arrow", "--delimiter", ";", "--no-header"];
    record(&folder, &args, b"1;\"a;b\"\n2;\"\"\n").ok();
    let shown = folder.streamjoin(&["data", "inspect", "a.arrow", "--format", "json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let names: Vec<_> = shown["columns"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["_c0", "_c1", "arrival"]);
    assert_eq!(shown["columns"][1]["min"], "");

    folder.write("semicolons.csv", "\u{feff}id;price\r\n1;1,5\r\n2;2,5\r\n");
    let inspect = ["data", "inspect", "semicolons.csv"];
    folder.streamjoin(&inspect).fails(1, &["line 1", "delimiter \";\""]);
    let shown = folder.streamjoin(&[&inspect[..], &["--delimiter", ";"]].concat()).ok();
    assert!(shown.contains("2 rows, 2 columns") && shown.contains("1,5"), "{shown}");
    let typed = ["--delimiter", ";", "--schema", "{ price = \"string\", id = \"decimal(5,2)\" }"];
    let import = ["data", "import", "semicolons.csv", "-o", "p.parquet"];
    folder.streamjoin(&[&import[..], &typed].concat()).ok();
    let shown = folder.streamjoin(&["data", "inspect", "p.parquet"]).ok();
    assert!(shown.contains("decimal(5,2)"), "{shown}");
}

#[test]
fn no_output_replaces_its_own_input() {
    let folder = Folder::small();
    let import = ["data", "import", "orders.csv", "-o", "./orders.csv", "--force"];
    folder.streamjoin(&import).fails(2, &["./orders.csv", "is a file that is read"]);
    ["part-1.csv", "part-2.csv"].iter().for_each(|name| folder.write(name, crate::support::ORDERS));
    let import = ["data", "import", "part-*.csv", "-o", "part-2.csv", "--force"];
    folder.streamjoin(&import).fails(2, &["part-2.csv", "is a file that is read"]);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    command.current_dir(folder.path(""));
    command.args(["data", "record", "-o", "orders.csv", "--force"]);
    command.stdin(fs::File::open(folder.path("orders.csv")).unwrap());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().unwrap()).fails(2, &["orders.csv", "standard input"]);
    assert_eq!(fs::read_to_string(folder.path("orders.csv")).unwrap(), crate::support::ORDERS);
}

#[test]
fn an_import_onto_a_full_disk_names_its_file() {
    let folder = Folder::small();
    folder.write("disk/x", "");
    let generator = "kind = \"rate\", rows_per_second = 5, limit = 1000000";
    for extension in ["csv", "csv.gz", "parquet"] {
        let script = format!(
            "mount -t tmpfs -o size=64k tmpfs disk
             $SJ data import --generator '{generator}' -o disk/a.{extension}"
        );
        let Some(output) = in_own_mounts(&folder, &script) else { return };
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("disk/a.{extension}: cannot write")), "{said}");
        assert!(said.contains("No space left on device"), "{said}");
    }
}
