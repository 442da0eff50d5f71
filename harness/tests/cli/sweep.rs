//! `sweep` as a shell sees it.

use serde_json::Value;

use crate::support::Folder;

/// The fields that were promised, in their order.
const FIELDS: [&str; 22] = [
    "buildRows",
    "hitRate",
    "duplicates",
    "zipf",
    "key",
    "payload",
    "batchRows",
    "index",
    "layout",
    "isa",
    "threads",
    "nsPerBuildRow",
    "nsPerProbePairs",
    "nsPerProbeSum",
    "nsPerProbePayload",
    "nsPerProbeExists",
    "nsPerMatch",
    "bytesPerRow",
    "peakBytes",
    "limitNs",
    "shareOfLimit",
    "vsRowAtATime",
];

const QUICK: [&str; 5] = ["sweep", "--repetitions", "1", "--slice", "1"];

fn lines(args: &[&str]) -> Vec<Value> {
    let args = [&QUICK[..], &["--format", "jsonl"], args].concat();
    let text = Folder::small().streamjoin(&args).ok();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_has_the_promised_fields_and_every_time_is_there() {
    let text = Folder::small()
        .streamjoin(&[&QUICK[..], &["--build-rows", "1e3", "--format", "jsonl"]].concat())
        .ok();
    let first = text.lines().next().unwrap();
    let places: Vec<usize> =
        FIELDS.iter().map(|field| first.find(&format!("\"{field}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{first}");
    assert!(first.contains("\"cyclesPerProbe\":"), "{first}");
    let names: Vec<String> = text
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            for field in FIELDS.iter().filter(|field| field.starts_with("ns")) {
                assert!(line[field].as_f64().unwrap() > 0.0, "{field} in {line}");
            }
            for field in ["bytesPerRow", "peakBytes", "limitNs", "shareOfLimit", "vsRowAtATime"] {
                assert!(line[field].as_f64().unwrap() > 0.0, "{field} in {line}");
            }
            assert_eq!(line["skipped"], Value::Null);
            line["index"].as_str().unwrap().to_owned()
        })
        .collect();
    // Without --index every index is measured, each once.
    let known = streamjoin_kernels::IndexKind::ALL.map(|index| index.name().to_owned());
    assert_eq!(names, known);
}

#[test]
fn lists_make_every_combination_in_the_numbers_that_people_write() {
    let found = lines(&[
        "--build-rows",
        "1e3,2_000",
        "--hit-rate",
        "1,0.1",
        "--key",
        "i32,utf8-16",
        "--index",
        "chained",
        "--threads",
        "1",
    ]);
    assert_eq!(found.len(), 8);
    let cell = |line: &Value| {
        format!("{} {} {} {}", line["buildRows"], line["hitRate"], line["key"], line["index"])
    };
    let mut cells: Vec<String> = found.iter().map(cell).collect();
    cells.sort();
    cells.dedup();
    assert_eq!(cells.len(), 8, "{cells:?}");
    assert!(cells.contains(&"2000 0.1 \"utf8-16\" \"chained\"".to_owned()), "{cells:?}");
    // The baseline was measured though nobody asked for its line.
    assert!(found.iter().all(|line| line["vsRowAtATime"].as_f64().unwrap() > 0.0));
}

#[test]
fn what_matches_follows_from_the_workload() {
    let found = lines(&[
        "--build-rows",
        "1000",
        "--duplicates",
        "1,10",
        "--hit-rate",
        "0.5",
        "--zipf",
        "0,1",
        "--null-share",
        "0.2",
        "--index",
        "chained",
        "--batch-rows",
        "1024",
    ]);
    assert_eq!(found.len(), 4);
    for line in found {
        let expected = 0.5 * 0.8 * line["duplicates"].as_f64().unwrap();
        let matches = line["matchesPerProbe"].as_f64().unwrap();
        assert!((matches / expected - 1.0).abs() < 0.05, "{line}");
        let (pairs, per_match) = (&line["nsPerProbePairs"], &line["nsPerMatch"]);
        let ratio = pairs.as_f64().unwrap() / per_match.as_f64().unwrap();
        assert!((ratio / matches - 1.0).abs() < 1e-9, "{line}");
    }
}

#[test]
fn every_layout_and_thread_is_measured_in_every_form() {
    let layouts = streamjoin_kernels::stream_static::Layout::ALL
        .map(streamjoin_kernels::stream_static::Layout::name)
        .join(",");
    let found = lines(&[
        "--build-rows",
        "1000",
        "--layout",
        &layouts,
        "--index",
        "chained,row-at-a-time",
        "--threads",
        "1,2",
        "--isa",
        "portable",
        "--payload",
        "2",
    ]);
    // An index makes no difference to a layout without one.
    let strategies =
        streamjoin_kernels::stream_static::Layout::ALL.map(|l| if l.has_index() { 2 } else { 1 });
    assert_eq!(found.len(), 2 * strategies.iter().sum::<usize>());
    for line in &found {
        for field in FIELDS.iter().filter(|field| field.starts_with("ns")) {
            assert!(line[field].as_f64().unwrap() > 0.0, "{field} in {line}");
        }
        assert_eq!(line["isa"], "portable");
    }
}

#[test]
fn tables_csv_and_json_hold_the_same_cells() {
    let folder = Folder::small();
    let args = [&QUICK[..], &["--build-rows", "1e3", "--index", "chained"]].concat();
    let table = folder.streamjoin(&args).ok();
    for words in ["1,000 build rows, key i64, 100 % hits", "broadcast/chained", "row-at-a-time"] {
        assert!(table.contains(words), "{words} in {table}");
    }
    let csv =
        folder.streamjoin(&[&args[..], &["--format", "csv", "--hit-rate", "1,0.5"]].concat()).ok();
    let header = csv.lines().next().unwrap();
    assert!(header.starts_with(&FIELDS.join(",")), "{header}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let json = folder.streamjoin(&[&args[..], &["--format", "json"]].concat()).ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 1);
    assert!(json["environment"]["machine"]["cores"].as_u64().unwrap() > 0);
}

#[test]
fn what_cannot_be_measured_is_refused_before_it_starts() {
    let folder = Folder::small();
    let indexes = streamjoin_kernels::IndexKind::ALL.map(streamjoin_kernels::IndexKind::name);
    for (args, words) in [
        (&["--index", "chaind"][..], &indexes[..]),
        (&["--layout", "sideways"], &["broadcast", "partitioned"]),
        (&["--key", "utf8-9999"], &["utf8-9999", "i64-dense", "utf8-16"]),
        (&["--isa", "sse9"], &["portable", "avx2"]),
        (&["--build-rows", "many"], &["many", "1e6"]),
        (&["--build-rows", "0"], &["--build-rows 0"]),
        (&["--build-rows", "5e9"], &["--build-rows 5000000000"]),
        (&["--hit-rate", "2"], &["--hit-rate 2"]),
        (&["--hit-rate", "half"], &["half"]),
        (&["--null-share", "NaN"], &["--null-share NaN"]),
        (&["--zipf", "11"], &["--zipf 11"]),
        (&["--payload", "0"], &["--payload 0"]),
        (&["--threads", "0"], &["0"]),
        (&["--key", "i32", "--build-rows", "3e9"], &["--key i32"]),
        // More than any machine that runs this test has.
        (&["--build-rows", "4e9"], &["4000000000 build rows", "memory"]),
    ] {
        let ran = folder.streamjoin(&[&QUICK[..], args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.stdout, ran.stderr);
        for word in words {
            assert!(ran.stderr.contains(word), "no `{word}` in: {}", ran.stderr);
        }
    }
}

#[test]
fn a_cell_without_room_is_skipped_and_the_others_are_measured() {
    let found = lines(&["--build-rows", "4e9,1000", "--index", "chained"]);
    assert_eq!(found.len(), 2);
    assert!(found[0]["skipped"].as_str().unwrap().contains("memory"), "{}", found[0]);
    assert_eq!(found[0]["nsPerProbePairs"], Value::Null);
    assert!(found[1]["nsPerProbePairs"].as_f64().unwrap() > 0.0);
}
