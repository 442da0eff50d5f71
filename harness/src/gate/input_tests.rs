//! Queries that are the same, and those that a gate refuses.

use super::*;

#[test]
fn batches_that_are_a_matter_of_time_are_refused() {
    for text in ["", "[replay]\npace = \"unthrottled\"\ntrigger = { rows = 5 }\n"] {
        without_clock(text).unwrap();
    }
    for (text, what) in [
        ("[replay]\ntrigger = { every = \"5 s\" }\n", "[replay] trigger = { every"),
        ("[replay]\npace = { rows_per_second = 5 }\n", "[replay] pace goes"),
        ("[replay]\nduration = \"300 ms\"\n", "[replay] duration goes by the clock"),
    ] {
        let failure = without_clock(text).unwrap_err();
        assert!(failure.message.contains(what) && failure.kind.exit_code() == 2, "{failure}");
    }
}

#[test]
fn what_is_asked_is_more_than_its_text() {
    let text = "description = \"a\"\n# why\n[stream.s]\nrecording = \"s.csv\"\nevent_time = \"t\"\n[replay]\nlimit = 5\n[strategies.x]\nindex = \"direct\"\n[output]\npath = \"out.csv\"\n";
    let same = "[replay]\nlimit = 5\n[stream.s]\nevent_time = \"t\"\nrecording = \"s.csv\"\n";
    assert_eq!(query(text).unwrap(), query(same).unwrap());
    for other in [
        same.replace("limit = 5", "limit = 6"),
        same.replace("\"t\"", "\"u\""),
        format!("{same}[output]\nwhere = \"x > 1\"\n"),
        same.replace("limit = 5", "limit = \"5\""),
    ] {
        assert_ne!(query(&other).unwrap(), query(same).unwrap(), "{other}");
    }
}
