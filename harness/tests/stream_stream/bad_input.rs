//! Scenarios that are refused, and data that is wrong.

use streamjoin::error::FailureKind;

use super::support::{Folder, HEAD, csv};

fn folder() -> Folder {
    let rows = csv(&[(1, Some(1), Some(10)), (2, Some(2), Some(20))]);
    Folder::new(&[("l.csv", &rows), ("r.csv", &rows), ("d.csv", "k,v\n1,2\n")])
}

const ON: &str = "l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 10 SECOND";

fn join(join_type: &str, on: &str) -> String {
    format!("[join]\nleft = \"l\"\nright = \"r\"\ntype = \"{join_type}\"\non = \"{on}\"\n")
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = folder().refusal(text);
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert!(message.contains("s.toml"), "no place in: {message}");
}

#[test]
fn refusals_name_the_rule_and_what_would_work() {
    let without = |side: &str| {
        let at = HEAD.find(&format!("[stream.{side}]")).unwrap();
        let (before, after) = HEAD.split_at(at);
        before.to_owned() + &after.replacen("watermark = \"0 s\"\n", "", 1)
    };
    let no_watermarks = HEAD.replace("watermark = \"0 s\"\n", "");
    for (head, join_type, on, parts) in [
        (HEAD, "left", "l.k = r.k", &["left-outer", "never be output", "INTERVAL"][..]),
        (HEAD, "semi", "l.k = r.k", &["wait for ever"]),
        (HEAD, "left", "l.k = r.k AND r.at >= l.at", &["r.ts <= l.ts + INTERVAL 1 HOUR"]),
        (HEAD, "right", "l.k = r.k AND r.at <= l.at", &["right-outer"]),
        (&without("r"), "left", ON, &["declare a watermark on the right side"]),
        (&without("l"), "right", ON, &["declare a watermark on the left side"]),
        (&no_watermarks, "full", ON, &["declare a watermark"]),
        (HEAD, "inner", "l.k < r.k", &["equality"]),
        (HEAD, "cross", ON, &["equality"]),
    ] {
        refused(&format!("{head}{}", join(join_type, on)), parts);
    }
    for (mode, join_type) in [("update", "left"), ("update", "anti"), ("complete", "inner")] {
        let text = format!("{HEAD}{}output_mode = \"{mode}\"\n", join(join_type, ON));
        refused(&text, &[mode, "append"]);
    }
    for join_type in ["inner", "semi"] {
        let text = format!("{HEAD}{}output_mode = \"update\"\n", join(join_type, ON));
        folder().run(&text);
    }
}

#[test]
fn names_and_settings_that_do_not_fit() {
    let fine = format!("{HEAD}{}", join("inner", ON));
    folder().run(&fine);
    for (from, to, parts) in [
        ("left = \"l\"", "left = \"ll\"", &["stream `ll`", "did you mean `l`?"][..]),
        ("right = \"r\"", "right = \"l\"", &["both sides", "second [stream.NAME]"]),
        ("l.k = r.k", "k = r.k", &["ambiguous", "l.k or r.k"]),
        ("l.k = r.k", "l.kk = r.k", &["did you mean `k`?"]),
        ("l.k = r.k", "x.k = r.k", &["unknown stream or dimension `x`"]),
        ("event_time = \"at\"\nwatermark", "watermark", &["`watermark`", "no `event_time`"]),
        ("event_time = \"at\"", "event_time = \"id\"", &["`id`", "unit ="]),
        ("event_time = \"at\"\nwatermark = \"0 s\"\n", "", &["merged by event time", "file-order"]),
        (
            "INTERVAL 10 SECOND",
            "INTERVAL 1 MONTH",
            &["month", "no fixed length", "INTERVAL 31 DAY"],
        ),
        ("INTERVAL 10 SECOND", "INTERVAL 200000000 DAY", &["longer than 292,000 years"]),
        ("INTERVAL 10 SECOND", "10", &["`on`"]),
    ] {
        assert!(fine.contains(from), "{from}");
        refused(&fine.replacen(from, to, 1), parts);
    }
    for (more, parts) in [
        ("using = [\"k\"]\n", &["`on` or `using`"][..]),
        ("[replay]\nmerge = \"arrival\"\n", &["merge = \"arrival\"", "arrival = \"COLUMN\""]),
        ("[replay]\ntrigger = { arrival = \"1 s\" }\n", &["trigger `arrival`"]),
        ("[replay]\ntrigger = { event_time = \"0 s\" }\n", &["tick"]),
        ("[replay]\ndisorder = { share = 1.5, max = \"1 s\" }\n", &["`share`", "0 to 1"]),
        ("[replay]\ndisorder = { share = 0.5, max = \"0 s\" }\n", &["`max`"]),
        ("[stream.x]\nrecording = \"l.csv\"\n", &["stream `x` is neither side"]),
        ("window = \"0 s\"\n", &["window", "longer than zero"]),
        ("window = \"10 s\"\n", &["`r.at`", "replaced by its window's `window_start`"]),
        ("[[dimension]]\nname = \"L\"\ntable = \"d.csv\"\non = \"l.k = L.k\"\n", &["used twice"]),
        (
            "[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\non = \"l.k = d.k\"\nstream_side = \"right\"\n",
            &["stream_side"],
        ),
    ] {
        refused(&format!("{fine}{more}"), parts);
    }
    let text = fine.replace("[stream.l]", "[stream.l]\nidle_timeout = \"1 s\"");
    refused(&text, &["`idle_timeout`", "arrival = \"COLUMN\""]);
    let text = fine.replace("[stream.l]", "[stream.l]\narrival = \"k\"");
    folder().run(&text);
    let text =
        format!("ansi = true\n{}ansi = false\n", format_args!("{HEAD}{}", join("inner", ON)));
    refused(&text, &["`ansi` is given twice"]);
}

#[test]
fn keys_for_two_streams_are_refused_of_one() {
    let head = HEAD.split("[stream.r]").next().unwrap();
    let table = "[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\non = \"l.k = d.k\"\n";
    for (text, key) in [
        (format!("{head}{table}[replay]\nmerge = \"file-order\"\n"), "merge"),
        (format!("{head}finished = \"leaves\"\n{table}"), "finished"),
        (format!("{head}idle_timeout = \"1 s\"\n{table}"), "idle_timeout"),
    ] {
        refused(&text, &[key, "[join] of two streams"]);
    }
    let scenario =
        folder().scenario(&format!("{head}{table}[strategies.a]\nstate = \"full-scan\"\n"));
    let failure = streamjoin::plan::strategies(&scenario.unwrap(), &[], None).unwrap_err();
    assert!(failure.message.contains("`state`"), "{failure}");
    let two = HEAD.to_owned();
    refused(&two, &["a second stream `r`", "[join] left = \"l\""]);
}

#[test]
fn an_interval_that_can_never_match_is_warned_of() {
    let on = "l.k = r.k AND r.at > l.at + INTERVAL 10 SECOND AND r.at < l.at + INTERVAL 5 SECOND";
    let text = format!("{HEAD}{}", join("left", on));
    let plan = folder().plan(&text).unwrap();
    assert_eq!(plan.warnings().len(), 1);
    assert!(plan.warnings()[0].contains("can hold for no pair of rows"), "{:?}", plan.warnings());
    let ran = folder().run(&text);
    assert_eq!((ran.outcome.rows_out, ran.outcome.rows_unmatched), (2, 2));
}

/// Rows with the years 1 and 9999 among ordinary ones.
fn poisoned(left: &str, right: &str) -> Folder {
    let stream = |poison: &str| {
        let mut text = "id,k,at\n".to_owned();
        for (id, at) in (0..6).map(|i| (i, format!("2024-01-01 00:00:{:02}", i * 10))) {
            if id == 2 && !poison.is_empty() {
                text += &format!("99,1,{poison}\n");
            }
            text += &format!("{id},1,{at}\n");
        }
        text
    };
    Folder::new(&[("l.csv", &stream(left)), ("r.csv", &stream(right))])
}

const FUTURE: &str = "9999-12-31 23:59:59";
const PAST: &str = "0001-01-01 00:00:00";

fn poison(policy: &str, replay: &str) -> String {
    let head = HEAD.replace("\"0 s\"", "\"20 s\"");
    format!(
        "{head}{}watermark_policy = \"{policy}\"\n[replay]\ntrigger = {{ rows = 3 }}\nmerge = \"file-order\"\n{replay}",
        join("left", ON)
    )
}

#[test]
fn a_row_from_the_far_future_is_told_when_it_decides_the_watermark() {
    // Under min the other side decides: nothing is late.
    let ran = poisoned(FUTURE, "").run(&poison("min", ""));
    assert_eq!((ran.outcome.dropped.late, ran.warnings.len()), (Some(0), 0));
    // Under max, or on both sides, all that follows is late, and it is said once.
    for (folder, policy) in [
        (poisoned(FUTURE, ""), "max"),
        (poisoned("", FUTURE), "max"),
        (poisoned(FUTURE, FUTURE), "min"),
    ] {
        let ran = folder.run(&poison(policy, ""));
        assert!(ran.outcome.dropped.late.unwrap() >= 6, "{:?}", ran.outcome.dropped);
        assert_eq!(ran.warnings.len(), 1, "{:?}", ran.warnings);
        for part in ["row 2 of ", ".csv", "9999-12-31T23:59:59.000Z", "far ahead"] {
            assert!(ran.warnings[0].contains(part), "no {part} in {:?}", ran.warnings);
        }
        // Each left row came out once, or was dropped and counted.
        let left = ran.rows().len() as u64;
        assert!(left <= 7 * 2 && ran.outcome.rows_in == 14 - u64::from(policy == "max"));
    }
}

#[test]
fn a_row_from_the_far_past_is_late_and_nothing_else() {
    let ran = poisoned(PAST, PAST).run(&poison("min", ""));
    assert_eq!(ran.outcome.dropped.late, Some(2));
    assert!(ran.warnings.is_empty(), "{:?}", ran.warnings);
}

#[test]
fn nulls_everywhere() {
    let rows = csv(&[(1, None, None), (2, None, None)]);
    let folder = Folder::new(&[("l.csv", &rows), ("r.csv", &rows)]);
    for (join_type, out) in
        [("inner", 0), ("left", 2), ("right", 2), ("full", 4), ("semi", 0), ("anti", 2)]
    {
        let ran = folder.run(&format!("{HEAD}{}", join(join_type, ON)));
        assert_eq!(ran.outcome.rows_out, out, "{join_type}");
        let dropped = ran.outcome.dropped;
        let dropped = dropped.late.unwrap()
            + dropped.null_key.unwrap()
            + dropped.filtered.unwrap()
            + dropped.null_time.unwrap();
        assert_eq!(dropped + out, 4, "{join_type}: nothing lost uncounted");
    }
}

#[test]
fn empty_streams_run_nothing() {
    let folder = Folder::new(&[("l.csv", "id,k,at\n"), ("r.csv", "id,k,at\n")]);
    let ran = folder.run(&format!("{HEAD}{}", join("full", ON)));
    assert_eq!((ran.outcome.rows_in, ran.outcome.batches, ran.outcome.rows_out), (0, 0, 0));
    // A `where` that keeps nothing is the same.
    let text = format!("{HEAD}{}", join("full", ON))
        .replace("event_time", "where = \"false\"\nevent_time");
    let ran = self::folder().run(&text);
    assert_eq!((ran.outcome.rows_in, ran.outcome.batches), (4, 0));
    assert_eq!(ran.outcome.dropped.filtered, Some(4));
}

#[test]
fn broken_values_name_the_file_and_the_batch() {
    let bad = "id,k,at\n1,1,2024-01-01 00:00:01\n2,x,2024-01-01 00:00:02\n";
    let folder = Folder::new(&[("l.csv", bad), ("r.csv", bad)]);
    let failure = folder.try_run(&format!("{HEAD}{}", join("inner", ON))).map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Run);
    assert!(failure.message.contains("l.csv") && failure.message.contains('x'), "{failure}");
    // A cast that fails is met in the batch with its row.
    let text = "id,k,at\n1,1,2024-01-01 00:00:01\n2,x,2024-01-01 00:00:02\n";
    let folder = Folder::new(&[("l.csv", text), ("r.csv", &csv(&[(1, Some(1), Some(1))]))]);
    let head = HEAD.replacen("k = \"bigint\"", "k = \"string\"", 1);
    let text = format!("{head}{}[replay]\ntrigger = {{ rows = 2 }}\n", join("inner", ON));
    let failure = folder.try_run(&text).map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Run);
    for part in ["batch 2: ", "l.csv rows 1 to 1", "r.csv no rows", "'x'"] {
        assert!(failure.message.contains(part), "no {part} in {failure}");
    }
    let text = format!("ansi = false\n{text}");
    assert_eq!(folder.run(&text).outcome.rows_out, 1);
}
