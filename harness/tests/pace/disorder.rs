//! Rows of one stream that are held back.

use crate::support::{Folder, Ran};

/// Two files of 50 rows each; a second apart, and arrived three seconds later.
fn folder() -> Folder {
    let rows = |from: u64| -> String {
        let time = |at: u64| format!("2024-01-01 00:{:02}:{:02}", at / 60, at % 60);
        let row = |id| format!("{id},{},{},{}\n", id % 7, time(id), time(3 + id / 10 * 10));
        "id,k,at,got\n".to_owned() + &(from..from + 50).map(row).collect::<String>()
    };
    let table: String = (0..7).map(|k| format!("{k}\n")).collect();
    Folder::new(&[("s/a.csv", &rows(0)), ("s/b.csv", &rows(50)), ("d.csv", &format!("k\n{table}"))])
}

fn scenario(stream: &str, replay: &str) -> String {
    format!(
        r#"
[stream.s]
recording = "s"
format = "csv"
schema = {{ id = "bigint", k = "bigint", at = "timestamp", got = "timestamp" }}
{stream}
[[dimension]]
name = "d"
table = "d.csv"
on = "s.k = d.k"
[output]
select = ["id"]
[replay]
{replay}
"#
    )
}

fn ids(ran: &Ran) -> Vec<i64> {
    ran.rows.iter().map(|row| row.parse().unwrap()).collect()
}

/// How far behind the greatest so far a row is at most.
fn furthest(ids: &[i64]) -> i64 {
    let mut max = 0;
    ids.iter().fold(0, |furthest, id| {
        max = max.max(*id);
        furthest.max(max - id)
    })
}

const BY_EVENT_TIME: &str = "event_time = \"at\"";

#[test]
fn the_same_seed_holds_back_the_same_rows() {
    let run = |seed| {
        let replay = format!("disorder = {{ share = 0.3, max = \"10 s\", seed = {seed} }}");
        ids(&folder().run(&scenario(BY_EVENT_TIME, &replay)))
    };
    let (first, second) = (run(1), run(2));
    assert_eq!(first, run(1));
    assert_ne!(first, second);
    let in_order: Vec<i64> = (0..100).collect();
    for mut ids in [first, second] {
        assert_ne!(ids, in_order);
        assert!((1..=10).contains(&furthest(&ids)), "{}", furthest(&ids));
        ids.sort_unstable();
        assert_eq!(ids, in_order, "none is lost");
    }
    // The answer is the same: only the order is not.
    let plain = folder().run(&scenario(BY_EVENT_TIME, ""));
    let replay = "disorder = { share = 1.0, max = \"1 minute\" }";
    assert_eq!(folder().run(&scenario(BY_EVENT_TIME, replay)).checksum(), plain.checksum());
}

#[test]
fn batches_are_cut_in_the_order_of_arrival() {
    let disorder = "disorder = { share = 0.3, max = \"10 s\", seed = 1 }";
    let run = |trigger: &str| {
        folder().run(&scenario(BY_EVENT_TIME, &format!("{disorder}\ntrigger = {trigger}")))
    };
    let whole = ids(&run("\"once\""));
    for trigger in ["{ rows = 7 }", "{ event_time = \"10 s\" }", "{ column = \"k\" }", "\"file\""] {
        let ran = run(trigger);
        assert_eq!(ids(&ran), whole, "{trigger}");
        assert!(ran.sizes().len() > 1, "{trigger}");
    }
    // A row of the first file that comes late counts to the second.
    let sizes = run("\"file\"").sizes();
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    let replay = format!("{disorder}\nlimit = 40");
    assert_eq!(ids(&folder().run(&scenario(BY_EVENT_TIME, &replay))), whole[..40]);
    // As they come, whatever the pace.
    let replay = format!("{disorder}\npace = {{ rows_per_second = 10 }}");
    assert_eq!(ids(&folder().run(&scenario(BY_EVENT_TIME, &replay))), whole);
}

#[test]
fn where_arrival_is_told_it_is_what_a_row_is_late_by() {
    let by_arrival = "event_time = \"at\"\narrival = \"got\"";
    let replay = "disorder = { share = 0.5, max = \"5 s\" }\n";
    // Ten rows arrive at once, so one that is held back comes when the next ten
    // do, up to 9 s behind by its event time.
    let ids = ids(&folder().run(&scenario(by_arrival, replay)));
    assert!((6..10).contains(&furthest(&ids)), "{ids:?}");
    assert!(ids.iter().enumerate().all(|(at, id)| at / 10 == (*id / 10) as usize), "{ids:?}");
    let alone = folder().run(&scenario("arrival = \"got\"", replay));
    assert_eq!(crate::disorder::ids(&alone), ids, "no event time is needed");
    // The trigger goes by event time all the same.
    let trigger = format!("{replay}trigger = {{ event_time = \"1 minute\" }}");
    assert_eq!(folder().run(&scenario(by_arrival, &trigger)).sizes().len(), 2);
    let failure = folder().plan(&scenario("", replay)).unwrap_err();
    assert!(failure.message.contains("`disorder` needs [stream.s] event_time"), "{failure}");
}
