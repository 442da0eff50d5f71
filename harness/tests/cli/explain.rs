//! `explain` and `check`.

use crate::support::{Folder, ORDERS};

#[test]
fn explain_tells_keys_types_columns_and_strategy() {
    let folder = Folder::small();
    folder.scenario_and("[output]\nselect = [\"orders.id\", \"name\"]\n");
    let text = folder.streamjoin(&["explain", "s.toml"]).ok();
    for part in [
        "stream orders: ",
        "join 1: stream left-outer customers",
        "compared as bigint",
        "read of orders: 2 of 4 columns (id, customer)",
        "read of customers: 2 of 3 columns (customer, name)",
        "broadcast/auto",
        "chosen",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn a_refused_scenario_is_explained_all_the_same() {
    let folder = Folder::small();
    folder.scenario_with("type = \"left outer\"", "type = \"right outer\"");
    let ran = folder.streamjoin(&["explain", "s.toml"]);
    assert_eq!(ran.code, 2);
    for part in ["join 1: stream right-outer customers", "refused: ", "use left-outer"] {
        assert!(ran.stdout.contains(part), "no `{part}` in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("right-outer join refused"), "{}", ran.stderr);
    folder.scenario_with("= customers.customer", "= customers.custom");
    let ran = folder.streamjoin(&["explain", "s.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("stream orders"), "{}", ran.stdout);
    assert!(ran.stdout.contains("did you mean `customer`?"), "{}", ran.stdout);
}

#[test]
fn check_reads_everything_and_writes_nothing() {
    let folder = Folder::small();
    let text = folder.streamjoin(&["check", "s.toml"]).ok();
    assert!(text.contains("orders: 6 rows") && text.contains("customers: 4 rows"), "{text}");
    assert!(text.contains("s: ok"), "{text}");
    assert_eq!(folder.names(), ["customers.csv", "orders.csv", "s.toml"]);
    folder.write("orders.csv", ORDERS.replace("2,2,20", "2,2,many"));
    folder.scenario_with(
        "event_time = \"at\"",
        "schema = { id = \"int\", customer = \"int\", amount = \"int\", at = \"timestamp\" }",
    );
    folder.streamjoin(&["check", "s.toml"]).fails(1, &["orders.csv", "many"]);
}
