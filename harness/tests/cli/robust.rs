//! Runs whose surroundings fail them: disks, pipes, folders, files that change,
//! time that runs out.

use std::fs::{self, File, OpenOptions};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::ipc::writer::FileWriter;

use crate::support::{CUSTOMERS, Folder, ORDERS, SCENARIO, WRITABLE, in_own_mounts, printed, said};

/// A stream that takes longer than any test, or as long as `limit` says.
fn long(limit: u64) -> String {
    format!(
        r#"
[stream.s]
generator = {{ kind = "rate", rows_per_second = 100, limit = {limit} }}
event_time = "timestamp"
watermark = "1 s"
[[dimension]]
name = "c"
table = "customers.csv"
type = "left outer"
on = "s.value % 7 = c.customer"
[replay]
trigger = {{ rows = 1_000 }}
"#
    )
}

const ENDLESS: u64 = 1_000_000_000_000;

fn streamjoin(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("streamjoin"));
    command.args(args).current_dir(folder.path("")).stdin(Stdio::null());
    command.env_remove("STREAMJOIN_DATA").env_remove("STREAMJOIN_ISA");
    command.env("STREAMJOIN_MEASURE_FOR", "50ms");
    command
}

fn shell(folder: &Folder, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path("")).stdin(Stdio::null());
    command.env("SJ", assert_cmd::cargo::cargo_bin!("streamjoin")).env_remove("STREAMJOIN_DATA");
    command.env("STREAMJOIN_MEASURE_FOR", "50ms");
    command.output().unwrap()
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Waits until the run has written this many bytes of its output.
fn wait_for_output(folder: &Folder, bytes: u64) {
    wait("output", || {
        let names = folder.names();
        let mut unfinished = names.iter().filter(|name| name.ends_with(".tmp"));
        unfinished.any(|name| fs::metadata(folder.path(name)).is_ok_and(|f| f.len() >= bytes))
    });
}

#[test]
fn a_full_disk_is_told_and_leaves_no_half_file() {
    for extension in ["csv", "parquet", "arrow"] {
        let folder = Folder::small();
        folder.write("s.toml", long(ENDLESS));
        folder.write("disk/keep", "");
        let script = format!(
            "mount -t tmpfs -o size=1m tmpfs disk
             code=0; $SJ run s.toml -o disk/out.{extension} || code=$?
             ls -A disk; exit $code"
        );
        let Some(output) = in_own_mounts(&folder, &script) else { return };
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("out.{extension}")), "{said}");
        assert!(said.contains("No space left on device"), "{said}");
        let names = printed(&output);
        assert!(!names.contains(".tmp"), "{names}");
        assert!(!names.lines().any(|name| name == format!("out.{extension}")), "{names}");
    }
}

#[test]
fn a_report_that_does_not_fit_is_told() {
    let folder = Folder::small();
    folder.write("disk/keep", "");
    let script = "mount -t tmpfs -o size=4k tmpfs disk
                  cat /dev/zero >disk/full 2>/dev/null || true
                  code=0; $SJ run s.toml --report disk/r.json || code=$?
                  ls -A disk; exit $code";
    let Some(output) = in_own_mounts(&folder, script) else { return };
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("r.json") && said.contains("No space left"), "{said}");
    assert!(!printed(&output).lines().any(|name| name.contains("r.json")));
}

#[test]
fn a_read_only_folder_is_told_before_the_first_row() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    folder.write("ro/keep", "");
    let prepare = "mount -t tmpfs tmpfs ro; mount -o remount,ro ro;";
    for args in ["-o ro/out.csv", "--report ro/r.json"] {
        let script = format!("{prepare} exec $SJ run s.toml {args}");
        let Some(output) = in_own_mounts(&folder, &script) else { return };
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("ro/") && said.contains("Read-only file system"), "{said}");
    }
}

#[test]
fn recordings_in_a_read_only_folder_are_read() {
    let folder = Folder::small();
    for name in ["s.toml", "orders.csv", "customers.csv"] {
        folder.write(&format!("ro/{name}"), fs::read(folder.path(name)).unwrap());
    }
    let script = "mount --bind ro ro; mount -o remount,ro,bind ro; exec $SJ run ro/s.toml";
    let Some(output) = in_own_mounts(&folder, script) else { return };
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let folder = Folder::small();
    folder.write("s.toml", long(200_000));
    for args in ["--format jsonl", "-o -", "-o - --output-format csv", "--output-format console"] {
        let script = format!("{{ $SJ run s.toml {args}; echo $? >&2; }} 2>code | head -n 1");
        let output = shell(&folder, &script);
        assert_eq!(printed(&output).lines().count(), 1, "{args}");
        let code = fs::read_to_string(folder.path("code")).unwrap();
        assert_eq!(code.lines().last(), Some("0"), "{args}: {code}");
    }
}

#[test]
fn standard_output_that_takes_nothing_is_told() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    for (args, place) in [("", ">/dev/full"), ("-o -", ">/dev/full")] {
        let output = shell(&folder, &format!("$SJ run s.toml {args} {place}"));
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("No space left") && !said.contains("panicked"), "{said}");
    }
    let output = shell(&folder, "$SJ run s.toml >&-");
    assert!(!said(&output).contains("panicked"), "{}", said(&output));
}

#[test]
fn a_run_that_is_out_of_time_reports_its_whole_batches() {
    for strategies in ["", "[strategies.a]\nindex = \"chained\"\n[strategies.b]\n"] {
        let folder = Folder::small();
        folder.write("s.toml", format!("{}{strategies}", long(ENDLESS)));
        let args = ["run", "s.toml", "--timeout", "1500ms", "-o", "out.csv", "--report", "r.json"];
        let output = streamjoin(&folder, &args).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("time limit (--timeout) is over after"), "{said}");
        assert!(said.contains("out.partial.csv"), "{said}");
        let report = fs::read_to_string(folder.path("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let runs = report["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 1, "the second strategy was not begun");
        let summary = &runs[0]["summary"];
        assert_eq!(summary["ended"], "timeout");
        let rows = summary["rowsIn"].as_u64().unwrap();
        assert_eq!((rows > 0, rows % 1_000), (true, 0), "{rows}");
        let kept = fs::read_to_string(folder.path("out.partial.csv")).unwrap();
        assert_eq!(kept.lines().count() as u64, summary["rowsOut"].as_u64().unwrap() + 1);
        assert!(!folder.names().iter().any(|name| name.ends_with(".tmp") || name == "out.csv"));
        assert!(printed(&output).contains("rows in"), "{}", printed(&output));
    }
}

#[test]
fn an_interrupted_run_says_how_far_it_came() {
    let folder = Folder::small();
    folder.write("s.toml", long(ENDLESS));
    let mut run = streamjoin(&folder, &["run", "s.toml", "-o", "out.jsonl", "--format", "json"]);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_output(&folder, 10_000);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = &report["runs"][0];
    assert_eq!(run["summary"]["ended"], "interrupted");
    let batches = run["progress"].as_array().unwrap();
    let rows: u64 = batches.iter().map(|batch| batch["numInputRows"].as_u64().unwrap()).sum();
    assert_eq!(run["summary"]["rowsIn"], rows);
    let kept = fs::read_to_string(folder.path("out.partial.jsonl")).unwrap();
    assert_eq!(run["summary"]["rowsOut"], kept.lines().count() as u64);
}

#[test]
fn an_output_that_others_make_meanwhile_is_theirs() {
    let folder = Folder::small();
    folder.write("s.toml", long(400_000));
    let mut run = streamjoin(&folder, &["run", "s.toml", "-o", "out.csv"]);
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_output(&folder, 10_000);
    // As a second run on the same output would, that is done sooner.
    folder.write("out.csv", "theirs");
    let output = child.wait_with_output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("taken by somebody else") && said.contains("out.partial.csv"), "{said}");
    assert_eq!(fs::read_to_string(folder.path("out.csv")).unwrap(), "theirs");
    let kept = fs::read_to_string(folder.path("out.partial.csv")).unwrap();
    assert_eq!(kept.lines().count(), 400_001);
}

#[test]
fn a_recording_that_is_cut_while_it_is_read_is_told() {
    for (change, words) in [(Some(40), "was cut from"), (None, "grew from")] {
        let folder = Folder::small();
        let row = "7,1,70,2024-01-01 00:01:00\n";
        folder.write("orders.csv", format!("id,customer,amount,at\n{}", row.repeat(300_000)));
        folder
            .write("s.toml", format!("{SCENARIO}{WRITABLE}[replay]\ntrigger = {{ rows = 20 }}\n"));
        let args = ["run", "s.toml", "-o", "out.jsonl"];
        let mut run = streamjoin(&folder, &args);
        let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for_output(&folder, 10_000);
        let file = OpenOptions::new().write(true).open(folder.path("orders.csv")).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(change.unwrap_or(length + 100)).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("orders.csv") && said.contains(words), "{said}");
    }
}

#[test]
fn an_arrow_recording_that_is_cut_within_a_batch_is_told() {
    let folder = Folder::small();
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(0..2_000_000));
    let batch = RecordBatch::try_from_iter([("k", keys)]).unwrap();
    let file = File::create(folder.path("s.arrow")).unwrap();
    let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let args = ["run", "--stream", "s.arrow", "--table", "customers.csv", "--type", "left"];
    let more = ["--on", "k = customer", "--trigger", "rows=1000", "-o", "out.jsonl"];
    let pace = ["--set", "replay.pace={ rows_per_second = 100_000 }"];
    let child = streamjoin(&folder, &[&args[..], &more, &pace].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_output(&folder, 10_000);
    OpenOptions::new().write(true).open(folder.path("s.arrow")).unwrap().set_len(100_000).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("s.arrow was cut") && said.contains("while it was read"), "{said}");
}

#[test]
fn a_bus_signal_from_outside_ends_the_run() {
    use std::os::unix::process::ExitStatusExt;
    let folder = Folder::small();
    folder.write("s.toml", long(ENDLESS));
    let mut run = streamjoin(&folder, &["run", "s.toml", "-o", "out.csv"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_output(&folder, 10_000);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-BUS", &id]).status().unwrap().success());
    let mut ended = None;
    wait("end", || {
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    assert!(ended.is_some_and(|ended| ended.signal().is_some()), "{ended:?}");
}

#[test]
fn signals_that_come_together_are_one_request() {
    let folder = Folder::small();
    folder.write("s.toml", format!("{}[strategies.a]\n[strategies.b]\n", long(ENDLESS)));
    // `timeout` tells the process, and then its group.
    let script = "timeout --preserve-status -s TERM 2 $SJ run s.toml -o out.csv --report r.json";
    let output = shell(&folder, script);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    let report = fs::read_to_string(folder.path("r.json")).unwrap();
    assert!(report.contains("\"ended\": \"interrupted\""), "{report}");
}

#[test]
fn a_recording_that_is_replaced_between_two_passes_is_told() {
    let folder = Folder::small();
    folder.scenario_and(WRITABLE);
    // Short, so that it is read again and again for two seconds.
    let mut run = streamjoin(&folder, &["run", "s.toml", "-o", "out.csv", "--measure-for", "20s"]);
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait("first pass", || folder.path("out.csv").exists());
    folder.write("new.csv", "id,customer,amount,at\n1,1,10,2024-01-01 00:00:00\n");
    fs::rename(folder.path("new.csv"), folder.path("orders.csv")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("orders.csv") && said.contains("replaced by another file"), "{said}");
}

#[test]
fn names_may_hold_blanks_and_any_letters() {
    let folder = Folder::small();
    for (name, content) in [("orders.csv", ORDERS), ("customers.csv", CUSTOMERS)] {
        folder.write(&format!("Дані 2024/{name}"), content);
    }
    let scenario = SCENARIO
        .replace("[stream.orders]", "[stream.\"замовлення é\"]")
        .replace("\"orders.csv\"", "\"Дані 2024/orders.csv\"")
        .replace("\"customers.csv\"", "\"Дані 2024/customers.csv\"")
        .replace("orders.customer", "`замовлення é`.customer");
    folder.write("ö 1/s é.toml", scenario.replace("Дані", "../Дані"));
    let args = ["run", "ö 1/s é.toml", "-o", "ö 1/вихід 1.jsonl", "--report", "ö 1/звіт.json"];
    let args = [&args[..], &["--set", "output.select=[\"id\", \"name\"]"]].concat();
    let printed = folder.streamjoin(&args).ok();
    assert!(printed.starts_with("s é: orders with customers"), "{printed}");
    let rows = fs::read_to_string(folder.path("ö 1/вихід 1.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 6);
    assert!(folder.path("ö 1/звіт.json").exists());
}

#[test]
fn the_bar_shows_rows_rate_batch_watermark_and_what_is_left() {
    let folder = Folder::small();
    folder.write("s.toml", long(2_000_000));
    // A terminal of its own, wide enough for one line.
    let script = "script -qec 'stty cols 200 rows 40; $SJ run s.toml' /dev/null";
    let output = shell(&folder, script);
    let printed = printed(&output);
    assert!(output.status.success(), "{printed}");
    let bar = printed.split('\r').rfind(|line| line.contains("watermark"));
    let bar = bar.unwrap_or_else(|| panic!("no bar in {printed}"));
    for part in ["/2,000,000 rows", "/s", " left", "batch ", "watermark 2024-01-01T"] {
        assert!(bar.contains(part), "no `{part}` in {bar}");
    }
}
