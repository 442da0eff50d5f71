use std::path::Path;

use streamjoin_kernels::stream_stream::StateLimit;
use streamjoin_kernels::time::WatermarkPolicy;
use streamjoin_kernels::{JoinType, OutputMode, Side, StoreKind};

use super::*;
use crate::error::FailureKind;
use crate::text::duration::Micros;

const SMALL: &str = r#"
[stream.s]
recording = "s.csv"
[[dimension]]
name = "d"
table = "d.csv"
on = "s.k = d.k"
"#;

fn read(text: &str) -> crate::error::Result<Scenario> {
    parse(SourceText::new("dir/x.toml", text), "x")
}

/// The message of a refused text, which must be a usage failure.
fn refusal(text: &str) -> String {
    let failure = read(text).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage, "{failure}");
    failure.message
}

#[track_caller]
fn refused(extra: &str, place: &str, parts: &[&str]) {
    let message = refusal(&format!("{SMALL}{extra}"));
    assert!(message.starts_with(&format!("dir/x.toml:{place}: ")), "{message}");
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

#[test]
fn everything_of_the_contract_that_works_now_is_read() {
    let scenario = read(
        r#"
description = "all of it"
ansi = false
[stream.readings]
recording = "r/*.csv"
format = "csv"
schema = { device = "string", at = "bigint", t = "double" }
csv = { header = false, delimiter = ";" }
event_time = { column = "at", unit = "ms" }
watermark = "1 hour 30 minutes"
select = ["device", "CAST(t AS INT) AS whole"]
where = "t > 0"
[[dimension]]
name = "devices"
versions = [
  { from_batch = 0, table = "v0.csv" },
  { from = 2013-01-31T12:00:00Z, table = "v1.csv" },
  { from = "2013-02-01 00:00:00", table = "v2.csv" },
]
type = "LEFT OUTER"
using = ["device"]
stream_side = "left"
layout = "partitioned"
index = "auto"
refresh = "every-batch"
select = ["*"]
where = "site = 'n'"
[replay]
trigger = { rows = 65_536 }
pace = "unthrottled"
limit = 1_000
end = "hold"
[strategies.a]
layout = "broadcast"
index = "row-at-a-time"
threads = 2
isa = "portable"
batch_rows = 1_024
broadcast_threshold = 1_000_000
swap = "background"
[output]
path = "out.parquet"
format = "parquet"
select = ["device"]
where = "device IS NOT NULL"
"#,
    )
    .unwrap();
    let stream = &scenario.streams[0];
    assert_eq!(*stream.name, "readings");
    assert_eq!(stream.watermark.as_ref().map(|delay| delay.value), Some(Micros(5_400_000_000)));
    let time = stream.event_time.as_ref().unwrap();
    assert_eq!((time.column.as_str(), time.unit), ("at", Some(TimeUnitName::Millisecond)));
    let schema = stream.reading.options.schema.as_ref().unwrap();
    let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(columns, ["device", "at", "t"], "in file order");
    let versions = scenario.tables[0].versions.as_ref().unwrap();
    let starts: Vec<VersionStart> = versions.iter().filter_map(|version| version.from).collect();
    assert_eq!(
        starts,
        [
            VersionStart::Batch(0),
            VersionStart::Time(1_359_633_600_000_000),
            VersionStart::Time(1_359_676_800_000_000),
        ]
    );
    assert_eq!(*scenario.replay.trigger, Trigger::default());
    assert_eq!(scenario.replay.limit, Some(1000));
    let text = &scenario.text;
    assert_eq!(text.resolve("a/b.csv"), Path::new("dir/a/b.csv"));
    assert_eq!(text.resolve("/a/b.csv"), Path::new("/a/b.csv"));
    assert_eq!(text.resolve("../a/../b.csv"), Path::new("b.csv"));
    assert_eq!(text.resolve("../../b.csv"), Path::new("../b.csv"));
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = read(SMALL).unwrap();
    let replay = &scenario.replay;
    assert_eq!((&*replay.trigger, replay.end), (&Trigger::default(), End::Flush));
    assert!(replay.trigger.written_at().is_none());
    assert_eq!((*replay.pace, *replay.merge), (Pace::Unthrottled, Merge::EventTime));
    let table = &scenario.tables[0];
    assert_eq!((table.join_type, table.refresh), (JoinType::Inner, Refresh::Once));
    assert_eq!(*table.stream_side, Side::Left);
    let versions = SMALL.replace("table = \"d.csv\"", "versions = []");
    assert_eq!(read(&versions).unwrap().tables[0].refresh, Refresh::EveryBatch);
    let on = table.condition.on.as_ref().unwrap();
    assert_eq!(on.refuse("no").message, "dir/x.toml:7:6: no");
    assert_eq!(replay.pace.refuse("no").message, "dir/x.toml: no", "a default has no line");
}

#[test]
fn a_wrong_form_of_reading_names_its_place() {
    refused("format = \"cvs\"\n", "8:10", &["cvs"]);
    refused("schema = { k = \"lint\" }\n", "8:16", &["lint"]);
    refused("csv = { delimiter = \";;\" }\n", "8:21", &["one ASCII character"]);
}

#[test]
fn triggers_are_read_in_every_form() {
    for (text, trigger) in [
        ("{ rows = 7 }", Trigger::Rows(7.try_into().unwrap())),
        ("{ event_time = \"10 s\" }", Trigger::EventTime(Micros(10_000_000))),
        ("{ every = \"5 s\" }", Trigger::Every(Micros(5_000_000))),
        ("{ column = \"batch_id\" }", Trigger::Column("batch_id".to_owned())),
        ("\"file\"", Trigger::File),
        ("\"once\"", Trigger::Once),
    ] {
        let scenario = read(&format!("{SMALL}[replay]\ntrigger = {text}\n")).unwrap();
        assert_eq!(*scenario.replay.trigger, trigger);
    }
}

#[test]
fn an_unknown_key_names_its_place_and_the_nearest_known_one() {
    refused(
        "[replay]\ntriger = \"once\"\n",
        "9:1",
        &["unknown key `triger`", "did you mean `trigger`?"],
    );
    refused("wher = \"x\"\n", "8:1", &["`wher`", "did you mean `where`?", "Known:"]);
    refused("[outptu]\n", "8:2", &["`outptu`", "did you mean `output`?"]);
    refused("[strategies.a]\nxyzzy = 1\n", "9:1", &["`xyzzy`", "known: layout, index"]);
}

#[test]
fn a_wrong_value_says_what_is_accepted() {
    refused("[replay]\nlimit = \"many\"\n", "9:9", &["`limit`", "a whole number from 0 on"]);
    refused("[replay]\ntrigger = \"one\"\n", "9:11", &["`one`", "did you mean `once`?"]);
    refused("[replay]\ntrigger = \"rows\"\n", "9:11", &["`rows` needs a value", "{ rows = N }"]);
    refused("[replay]\ntrigger = {}\n", "9:11", &["a trigger is one of { rows = N }"]);
    refused("[replay]\ntrigger = { rows = 1, column = \"k\" }\n", "9:11", &["is one of"]);
    refused("[replay]\ntrigger = 5\n", "9:11", &["`trigger`", "{ rows = N }"]);
    refused("[replay]\ntrigger = { rows = 0 }\n", "9:20", &["`rows`", "a whole number from 1 on"]);
    refused("[replay]\ntrigger = { event_time = \"10\" }\n", "9:26", &["is not a duration"]);
    refused("type = \"lefft\"\n", "8:8", &["unknown join type `lefft`", "left-outer"]);
    refused("layout = \"broadcst\"\n", "8:10", &["unknown layout", "broadcast"]);
    refused("index = \"hash\"\n", "8:9", &["unknown index", "row-at-a-time"]);
    refused("refresh = \"daily\"\n", "8:11", &["`daily`", "every-batch"]);
    refused("stream_side = \"rigth\"\n", "8:15", &["did you mean `right`?"]);
    refused("versions = [{ table = \"x\" }]\n", "8:12", &["from_batch"]);
    refused("[output]\nformat = \"parqet\"\n", "9:10", &["parqet", "did you mean `parquet`?"]);
    refused("[strategies.a]\nthreads = 0\n", "9:11", &["a whole number from 1 on"]);
    let a = "[strategies.a]\n";
    refused(&format!("{a}swap = \"later\"\n"), "9:8", &["`later`", "never, now, background"]);
    refused(&format!("{a}swap = \"backgroud\"\n"), "9:8", &["did you mean `background`?"]);
    refused(&format!("{a}swap = true\n"), "9:8", &["wanted string"]);
    for size in ["-1", "\"1 GB\"", "1.5"] {
        let text = format!("{a}broadcast_threshold = {size}\n");
        refused(&text, "9:23", &["`broadcast_threshold`", "a whole number from 0 on"]);
    }
}

#[test]
fn paces_are_read_in_every_form() {
    for (text, pace) in [
        ("\"unthrottled\"", Pace::Unthrottled),
        ("{ rows_per_second = 1e6 }", Pace::RowsPerSecond(1e6)),
        ("{ rows_per_second = 1_000 }", Pace::RowsPerSecond(1000.0)),
    ] {
        let scenario = read(&format!("{SMALL}[replay]\npace = {text}\n")).unwrap();
        assert_eq!(*scenario.replay.pace, pace);
    }
    refused("[replay]\npace = { rows_per_second = \"1\" }\n", "9:28", &["rows_per_second"]);
    refused("[replay]\npace = \"fast\"\n", "9:8", &["`fast`", "unthrottled"]);
    refused("[replay]\nduration = 30\n", "9:12", &["a duration in quotes"]);
    refused(
        "[replay]\ntrigger = { every = \"5 s\", rows = 2 }\n",
        "9:11",
        &["a trigger is one of", "every"],
    );
}

const PAIR: &str = r#"
[stream.impressions]
recording = "i.arrow"
event_time = "at"
watermark = "2 hours"
arrival = "got"
idle_timeout = "5 minutes"
finished = "leaves"
[stream.clicks]
recording = "c.arrow"
event_time = "at"
[join]
left = "impressions"
right = "clicks"
type = "left outer"
on = "impressions.id = clicks.id"
watermark_policy = "max"
no_data_batches = false
output_mode = "update"
window = "10 s"
ansi = false
[replay]
merge = "file-order"
trigger = { arrival = "10 s" }
disorder = { share = 0.05, max = "10 minutes", seed = 7 }
end = "hold"
[strategies.a]
state = "full-scan"
state_limit = { rows = 1_000 }
[strategies.b]
state_limit = { bytes = 1_000_000 }
"#;

#[test]
fn everything_about_two_streams_is_read() {
    let scenario = read(PAIR).unwrap();
    let join = scenario.join.as_ref().unwrap();
    assert_eq!((join.left.as_str(), join.right.as_str()), ("impressions", "clicks"));
    assert_eq!(join.join_type, JoinType::LeftOuter);
    assert_eq!(join.watermark_policy, WatermarkPolicy::Max);
    assert_eq!(join.output_mode, OutputMode::Update);
    assert!(!join.no_data_batches);
    assert_eq!(**join.window.as_ref().unwrap(), Micros(10_000_000));
    assert_eq!(join.ansi.as_ref().map(|ansi| ansi.value), Some(false));
    let stream = scenario.stream("impressions").unwrap();
    assert_eq!(stream.arrival.as_ref().unwrap().value, "got");
    assert_eq!(**stream.idle_timeout.as_ref().unwrap(), Micros(300_000_000));
    assert_eq!(*stream.finished, Finished::Leaves);
    let replay = &scenario.replay;
    assert_eq!(*replay.merge, Merge::FileOrder);
    assert_eq!(*replay.trigger, Trigger::Arrival(Micros(10_000_000)));
    let disorder = replay.disorder.as_ref().unwrap();
    assert_eq!(**disorder, DisorderSpec { share: 0.05, max: Micros(600_000_000), seed: 7 });
    assert_eq!(replay.end, End::Hold);
    let (a, b) = (&scenario.strategies[0], &scenario.strategies[1]);
    assert_eq!(*a.state, StoreKind::FullScan);
    assert_eq!(*a.state_limit, StateLimit::default().with_rows(1000));
    assert_eq!(*b.state_limit, StateLimit::default().with_bytes(1_000_000));
}

#[test]
fn wrong_values_of_two_streams_say_what_is_accepted() {
    for (from, to, parts) in [
        ("\"max\"", "\"median\"", &["watermark policy", "`median`", "min, max"][..]),
        ("\"update\"", "\"replace\"", &["output mode", "replace", "append"]),
        (
            "\"full-scan\"",
            "\"hash\"",
            &["state store", "hash", "time-blocks, ordered-map, full-scan"],
        ),
        ("\"file-order\"", "\"event_time\"", &["`event_time`", "did you mean `event-time`?"]),
        ("\"leaves\"", "\"leave\"", &["did you mean `leaves`?"]),
        ("\"2 hours\"", "\"2 moons\"", &["is not a duration"]),
        ("{ rows = 1_000 }", "{ row = 1 }", &["unknown value `row`", "`rows`"]),
        ("right = \"clicks\"\n", "", &["missing field `right`"]),
        ("no_data_batches", "no_data_batch", &["did you mean `no_data_batches`?"]),
    ] {
        assert!(PAIR.contains(from), "{from}");
        let message = refusal(&PAIR.replacen(from, to, 1));
        assert!(message.starts_with("dir/x.toml:"), "{message}");
        for part in parts {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
    }
}

#[test]
fn broken_toml_names_its_place() {
    refused("[replay]\nlimit = = 1\n", "9:9", &[]);
    refused("[[dimension]]\nname = \"d\nx\"\n", "10:3", &[]);
    let message = refusal("[stream.s]\nrecording = \"a\"\nrecording = \"b\"\n");
    assert!(message.starts_with("dir/x.toml:3:1"), "{message}");
}

#[test]
fn columns_are_counted_in_characters() {
    let message = refusal("description = \"é\" x\n");
    assert!(message.starts_with("dir/x.toml:1:19"), "{message}");
}

#[test]
fn a_shipped_name_that_is_not_there_lists_those_that_are() {
    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir(data.path().join("scenarios")).unwrap();
    std::fs::write(data.path().join("scenarios/nyc-enrich.toml"), SMALL).unwrap();
    let found = find(None, Some(data.path())).unwrap();
    assert_eq!(found.name, DEFAULT_SCENARIO);
    let failure = find(Some("nyc-enrch"), Some(data.path())).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("did you mean `nyc-enrich`?"), "{failure}");
    let failure = find(Some("no/such.toml"), Some(data.path())).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Run);
    assert!(failure.message.contains("no/such.toml"), "{failure}");
}
