//! One stream with tables.

use super::*;
use crate::replay::PaceOutcome;

const JOIN: &str = r#"
[stream.orders]
recording = "orders.csv"
schema = { id = "bigint", customer = "string", vip = "boolean" }
[[dimension]]
name = "customers"
table = "customers.csv"
schema = { id = "string", name = "string", level = "bigint" }
on = "orders.customer = customers.id"
"#;

fn orders(key: impl Fn(u64) -> String) -> (&'static str, String) {
    ("orders.csv", csv("id,customer,vip", 0..100, |i| format!("{i},{},true", key(i))))
}

fn customers(key: impl Fn(u64) -> String) -> (&'static str, String) {
    ("customers.csv", csv("id,name,level", 0..100, |i| format!("{},n{i},{i}", key(i))))
}

fn plain(i: u64) -> String {
    format!("C{i}")
}

#[test]
fn a_healthy_join_says_nothing() {
    Data::new(&[orders(plain), customers(plain)]).finds_nothing(JOIN);
    // Half of the rows without a match have nothing to do with how keys are written.
    let data = Data::new(&[orders(|i| format!("C{}", i * 2)), customers(plain)]);
    data.finds_nothing(&JOIN.replace("on =", "type = \"left outer\"\non ="));
    // An anti join is there for rows that are not found.
    let data = Data::new(&[orders(|i| format!("D{i}")), customers(plain)]);
    data.finds_nothing(&JOIN.replace("on =", "type = \"left anti\"\non ="));
}

#[test]
fn keys_that_would_match_after_trim_are_told_with_what_to_write() {
    let data = Data::new(&[orders(|i| format!("C{i}  ")), customers(plain)]);
    let finding = data.finds(JOIN, "few-keys-matched");
    says(
        &finding,
        &[
            "None of the 100 rows",
            "orders.customer (string) = customers.id (string), compared as string",
            "the table has 100 rows, 100 of them with a key",
            "'C0  ', 'C1  ', 'C2  ', 'C3  ', 'C4  '",
            "100 of 100 missing keys would match after trim, such as 'C0  ' with 'C0'",
            "trim(orders.customer) = customers.id",
        ],
    );
    assert_eq!(finding.about.as_deref(), Some("customers"));
    // What it says to write, works.
    let fixed =
        JOIN.replace("orders.customer = customers.id", "trim(orders.customer) = customers.id");
    data.finds_nothing(&fixed);
}

#[test]
fn of_the_ways_to_write_keys_the_one_that_finds_most_is_told_on_the_side_that_needs_it() {
    for (stream, table, on, name) in [
        ("C{}", "c{}", "lower(orders.customer) = customers.id", "in lower case"),
        ("c{}", "C{}", "orders.customer = lower(customers.id)", "in lower case"),
        (
            "000{}7",
            "{}7",
            "TRIM(LEADING '0' FROM orders.customer) = customers.id",
            "without leading zeros",
        ),
        (
            "{}5.0",
            "{}5",
            "TRY_CAST(orders.customer AS DECIMAL(38, 9)) = TRY_CAST(customers.id AS DECIMAL(38, 9))",
            "after a cast to numbers",
        ),
        (" C{}", "c{}", "lower(trim(orders.customer)) = customers.id", "in lower case"),
        ("C{} ", "c{}  ", "lower(trim(orders.customer)) = lower(trim(customers.id))", "after trim"),
    ] {
        let key = |form: &'static str| move |i: u64| form.replace("{}", &(i + 1).to_string());
        let data = Data::new(&[orders(key(stream)), customers(key(table))]);
        let finding = data.finds(JOIN, "few-keys-matched");
        says(&finding, &[on, name, "100 of 100 missing keys"]);
        let fixed = JOIN.replace("orders.customer = customers.id", on);
        data.finds_nothing(&fixed);
    }
}

#[test]
fn some_keys_written_otherwise_are_told_though_most_match() {
    let key = |i: u64| if i < 60 { plain(i) } else { format!("{} ", plain(i)) };
    let data = Data::new(&[orders(key), customers(plain)]);
    let text = JOIN.replace("on =", "type = \"left outer\"\non =");
    says(&data.finds(&text, "few-keys-matched"), &["60.0 % of the 100 rows", "40 of 40 missing"]);
}

#[test]
fn keys_that_are_there_point_to_the_rest_of_the_condition_and_strangers_to_the_data() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let other = JOIN.replace("customers.id\"", "customers.id AND level + orders.id > 1000\"");
    says(
        &data.finds(&other, "few-keys-matched"),
        &["100 of 100 keys", "another part of the condition"],
    );
    let data = Data::new(&[orders(|i| format!("X{i}")), customers(plain)]);
    let finding = data.finds(JOIN, "few-keys-matched");
    says(&finding, &["'X0', 'X1'", "do not help (compared with all 100 rows", "--unmatched"]);
}

#[test]
fn an_empty_table_is_told_and_what_emptied_it() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let text = JOIN.replace("on =", "where = \"level < 0\"\non =");
    let finding = data.finds(&text, "empty-table");
    says(
        &finding,
        &["is empty", "has 100 rows, and its `where` (customers.level < 0L)", "keeps none"],
    );
    let data = Data::new(&[orders(plain), ("customers.csv", "id,name,level\n".to_owned())]);
    let finding = data.finds(JOIN, "empty-table");
    says(
        &finding,
        &["customers.csv", "has no rows", "100 rows reached the join, 0 of them matched"],
    );
}

#[test]
fn a_table_that_is_empty_for_a_while_is_told_with_the_batch() {
    let empty = ("empty.csv", "id,name,level\n".to_owned());
    let data = Data::new(&[orders(plain), customers(plain), empty]);
    let versions = "versions = [{ from_batch = 0, table = \"customers.csv\" }, { from_batch = 3, table = \"empty.csv\" }]";
    let text =
        JOIN.replace("table = \"customers.csv\"", versions) + "[replay]\ntrigger = { rows = 20 }\n";
    says(
        &data.finds(&text, "empty-table"),
        &["sometimes empty", "from batch 3 on, and at most 100 before"],
    );
}

#[test]
fn the_step_that_left_no_row_is_named() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let step = |text: &str| {
        let finding = data.finds(text, "no-rows-out");
        (finding.data["step"].as_str().unwrap().to_owned(), words(&finding))
    };
    let (at, text) = step(&JOIN.replace("[[dimension]]", "where = \"NOT vip\"\n[[dimension]]"));
    assert_eq!(at, "stream-where");
    assert!(text.contains("100 rows read") && text.contains("[stream.orders]"), "{text}");
    let (at, text) = step(&format!("{JOIN}[output]\nwhere = \"customers.level > 1000\"\n"));
    assert_eq!(at, "output-where");
    assert!(text.contains("100 rows after the join with `customers`"), "{text}");
    let (at, text) = step(&JOIN.replace("on =", "type = \"left anti\"\non ="));
    assert_eq!(at, "join:customers");
    assert!(text.contains("anti join removes"), "{text}");
    let nulls = Data::new(&[orders(|_| String::new()), customers(plain)]);
    let finding = nulls.finds(JOIN, "no-rows-out");
    says(&finding, &["(100 with a null key)", "(orders.customer): it is null in every row"]);
    let none = Data::new(&[("orders.csv", "id,customer,vip\n".to_owned()), customers(plain)]);
    says(&none.finds(JOIN, "no-rows-out"), &["none was read"]);
    none.finds_nothing(&format!("{JOIN}[replay]\nlimit = 0\n"));
}

#[test]
fn columns_for_the_output_filter_alone_are_told_and_moving_it_silences() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let output = "[output]\nselect = [\"orders.id\", \"name\"]\n";
    let text = format!("{JOIN}{output}where = \"level >= 50\"\n");
    let finding = data.finds(&text, "unused-columns");
    says(
        &finding,
        &["customers.level", "8 bytes per row", "`where` under [[dimension]] `customers`"],
    );
    data.finds_nothing(&format!(
        "{}{output}",
        JOIN.replace("on =", "where = \"level >= 50\"\non =")
    ));
    // Of an outer join it could not be moved: rows without a match would stay.
    let outer = text.replace("on =", "type = \"left outer\"\non =");
    data.finds_nothing(&outer);
    // Nor could a condition over both sides.
    data.finds_nothing(&text.replace("level >= 50", "level >= orders.id"));
}

#[test]
fn an_outer_join_of_which_nothing_is_given_out_is_told() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let outer = JOIN.replace("on =", "type = \"left outer\"\non =");
    let text = format!("{outer}[output]\nselect = [\"orders.id\"]\n");
    let finding = data.finds(&text, "unused-columns");
    says(
        &finding,
        &["none of its columns is in the output", "each row is emitted once", "type = \"semi\""],
    );
    data.finds_nothing(&text.replace("\"orders.id\"", "\"orders.id\", \"name\""));
    data.finds_nothing(&text.replace("left outer", "inner"));
}

#[test]
fn a_broadcast_is_told_beyond_the_threshold_and_a_fifth_of_memory() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let text =
        format!("{JOIN}layout = \"broadcast\"\n[strategies.a]\nbroadcast_threshold = 1000\n");
    let finding = data.finds(&text, "large-broadcast");
    says(
        &finding,
        &[
            "Dimension `customers` is broadcast",
            "threshold of this strategy is 1.0 kB",
            "layout = \"partitioned\"",
        ],
    );
    assert!(finding.warned, "the kernels warn of it");
    data.finds_nothing(&text.replace("1000", "1000000"));
    data.finds_nothing(&text.replace("layout = \"broadcast\"", "layout = \"partitioned\""));

    let (plan, strategy, outcome) = data.outcome(JOIN);
    let size = outcome.evidence.joins[0].table.broadcast_bytes;
    let look =
        |memory| find(&FinishedRun { plan: &plan, strategy: &strategy, outcome: &outcome, memory });
    assert!(size > 0 && look(None).is_empty() && look(Some(size * 5)).is_empty());
    let found = look(Some(size * 5 - 1));
    assert_eq!(found.len(), 1, "{found:#?}");
    says(&found[0], &["of this machine's memory of", "20.0 %"]);
    assert!(!found[0].warned);
}

#[test]
fn a_stream_that_falls_behind_its_pace_is_told() {
    let data = Data::new(&[orders(plain), customers(plain)]);
    let (plan, strategy, mut outcome) = data.outcome(JOIN);
    let mut late = PaceOutcome::default();
    late.rows_per_second = 1e6;
    late.behind = Duration::from_secs(5);
    late.most_behind = Duration::from_secs(6);
    late.late_batches = 9;
    late.falling_behind = 0.4;
    outcome.batches = 12;
    outcome.elapsed = Duration::from_secs(1);
    let mut look = |kept| {
        outcome.pace = kept;
        find(&FinishedRun { plan: &plan, strategy: &strategy, outcome: &outcome, memory: None })
    };
    let found = look(Some(late));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].id, "falling-behind");
    says(
        &found[0],
        &["pace of 1,000,000 rows", "about 5,000,000 rows", "9 of 12 batches", "to less than 100"],
    );
    assert!(look(None).is_empty());
    let change = |change: fn(&mut PaceOutcome)| {
        let mut kept = late;
        change(&mut kept);
        kept
    };
    // One batch that was late, a backlog that was caught up, a machine's jitter.
    for healthy in [
        change(|kept| kept.late_batches = 1),
        change(|kept| kept.behind = Duration::from_millis(10)),
        change(|kept| kept.falling_behind = 0.001),
    ] {
        assert!(look(Some(healthy)).is_empty(), "{healthy:?}");
    }
}

#[test]
fn a_pace_that_cannot_be_kept_is_told_by_the_run_itself() {
    let data = Data::new(&[
        ("orders.csv", csv("id,customer,vip", 0..20_000, |i| format!("{i},C{},true", i % 100))),
        customers(plain),
    ]);
    let paced = |rate: &str| {
        format!(
            "{JOIN}[replay]\ntrigger = {{ rows = 100 }}\npace = {{ rows_per_second = {rate} }}\n"
        )
    };
    says(&data.finds(&paced("1e12"), "falling-behind"), &["--find-rate"]);
}

#[test]
fn event_times_read_in_the_wrong_unit_are_told_with_the_right_one() {
    let times = |unit: u64| csv("at,k", 0..20, |i| format!("{},{i}", (1_704_067_200 + i) * unit));
    let table = ("d.csv", csv("k,v", 0..20, |i| format!("{i},{i}")));
    let text = r#"
[stream.s]
recording = "s.csv"
event_time = { column = "at", unit = "ms" }
watermark = "1 minute"
[[dimension]]
name = "d"
table = "d.csv"
using = ["k"]
"#;
    let data = Data::new(&[("s.csv", times(1)), table.clone()]);
    let finding = data.finds(text, "event-time-unit");
    says(
        &finding,
        &[
            "1970-01-20",
            "seconds read as milliseconds",
            "{ column = \"at\", unit = \"s\" }",
            "2024-01-01",
        ],
    );
    Data::new(&[("s.csv", times(1000)), table]).finds_nothing(text);
}
