//! `--stream` and `--table` in place of a scenario file.

use serde_json::Value;

use crate::support::Folder;

/// The last line of `run --format jsonl`.
#[track_caller]
fn summary(folder: &Folder, args: &[&str]) -> Value {
    let text = folder.streamjoin(&[&["run", "--format", "jsonl"], args].concat()).ok();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_join_needs_no_file() {
    let folder = Folder::small();
    let joined = ["--stream", "orders.csv", "--table", "customers.csv", "--using", "customer"];
    let found = summary(&folder, &[&joined[..], &["--type", "left"]].concat());
    assert_eq!((&found["rowsOut"], &found["rowsUnmatched"]), (&6.into(), &2.into()));
    assert_eq!(summary(&folder, &joined)["rowsOut"], 4);
    // Every command that takes a scenario takes it.
    let explained = folder.streamjoin(&[&["explain"], &joined[..]].concat()).ok();
    assert!(explained.contains("customers"), "{explained}");
    let checked = folder.streamjoin(&[&["check"], &joined[..]].concat()).ok();
    assert!(checked.contains("orders: 6 rows") && checked.contains("ok, with auto"), "{checked}");
    // Every strategy is measured in a process of its own, which gets the flags too.
    let two = ["--strategy=auto", "--strategy=broadcast/row-at-a-time", "--set", "ansi=false"];
    let text = folder.streamjoin(&[&["run"], &joined[..], &two].concat()).ok();
    assert!(text.contains("verified: auto, broadcast/row-at-a-time"), "{text}");
    assert!(text.starts_with("arguments: orders with customers\n"), "{text}");
}

#[test]
fn each_table_has_what_follows_it() {
    let folder = Folder::small();
    folder.write("vips.csv", "vip,bonus\ntrue,5\n");
    let found = summary(
        &folder,
        &[
            "--type",
            "left",
            "--stream",
            "o=orders.csv",
            "--event-time",
            "at",
            "--table",
            "c=customers.csv",
            "--on",
            "o.customer = c.customer AND o.amount > 10",
            "--table",
            "vips.csv",
            "--using",
            "vip",
            "--type",
            "semi",
            "--trigger",
            "event-time=10 s",
        ],
    );
    assert_eq!(
        (&found["rowsIn"], &found["rowsOut"], &found["batches"]),
        (&6.into(), &1.into(), &3.into())
    );
    let rows = folder.streamjoin(&[
        "run",
        "--stream",
        "orders.csv",
        "--table",
        "customers.csv",
        "--using=customer",
        "--select",
        "name, coalesce(vip, false) AS vip",
        "--select",
        "amount * 2 AS twice",
        "--where",
        "amount >= 50",
        "-o",
        "-",
        "--output-format",
        "csv",
    ]);
    assert_eq!(rows.stdout, "name,vip,twice\nAnn,true,100\nCem,false,120\n", "{}", rows.stderr);
}

#[test]
fn two_streams_need_no_file_either() {
    let folder = Folder::small();
    folder.write(
        "payments.csv",
        "order_id,paid\n1,2024-01-01 00:00:05\n2,2024-01-01 00:10:00\n5,2024-01-01 00:00:36\n",
    );
    let on = "o.id = p.order_id AND p.paid BETWEEN o.at AND o.at + INTERVAL 1 MINUTE";
    let streams = [
        "--stream",
        "o=orders.csv",
        "--event-time",
        "at",
        "--stream",
        "p=payments.csv",
        "--event-time",
        "paid",
    ];
    let inner = [&["--watermark=1 s"], &streams[..], &["--on", on]].concat();
    let found = summary(&folder, &inner);
    assert_eq!(found["rowsOut"], 2);
    let outer = [
        &["--watermark", "10 seconds"],
        &streams[..],
        &[
            "--on",
            on,
            "--type=left outer",
            "--table",
            "c=customers.csv",
            "--using=customer",
            "--type=left",
        ],
    ]
    .concat();
    let found = summary(&folder, &outer);
    assert_eq!((&found["rowsOut"], &found["stateRows"]["peak"].is_u64()), (&6.into(), &true));
    let curve = folder
        .streamjoin(&[&["watermark", "--delay", "0s,10s", "--format", "csv"], &outer[..]].concat())
        .ok();
    assert_eq!(curve.lines().count(), 3, "{curve}");
    let timeless = ["check", "--stream", "o=orders.csv", "--stream", "p=payments.csv", "--on", on];
    folder.streamjoin(&timeless).fails(2, &["--stream orders.csv", "--event-time o=COLUMN"]);
}

#[test]
fn what_is_left_out_is_suggested() {
    let folder = Folder::small();
    let check =
        |more: &[&str]| folder.streamjoin(&[&["check", "--stream", "orders.csv"], more].concat());
    check(&["--table", "customers.csv"]).fails(
        2,
        &[
            "--table customers.csv",
            "neither --using nor --on",
            "`customer` (bigint, bigint)",
            "say --using customer",
            "streamjoin init orders.csv customers.csv",
        ],
    );
    folder.write("other.csv", "id,customer,x\n1,2,3\n");
    check(&["--table", "other.csv"]).fails(2, &["both sides have id, customer", "--using id"]);
    folder.write("apart.csv", "k,x\n1,3\n");
    check(&["--table", "apart.csv"])
        .fails(2, &["no column name is common", "orders has id bigint", "\"orders.id = apart.k\""]);
    folder.write("unlike.csv", "at,x\ntrue,3\n");
    check(&["--table", "unlike.csv"]).fails(2, &["`at`", "do not compare", "CAST"]);
    // A cross join needs none.
    check(&["--table", "c=customers.csv", "--type", "cross"]).ok();
    check(&["--table", "no.csv"]).fails(1, &["--table no.csv", "no such file"]);
}

#[test]
fn errors_name_the_flag() {
    let folder = Folder::small();
    let check = |more: &[&str]| {
        folder.streamjoin(
            &[&["check", "--stream", "orders.csv", "--table", "customers.csv"], more].concat(),
        )
    };
    let using = "--using=customer";
    check(&["--on", "orders.custmer = customers.customer"])
        .fails(2, &["error: --on: `on`", "did you mean `customer`"]);
    check(&["--using", "custmer"]).fails(2, &["error: --using: ", "custmer"]);
    check(&[using, "--type", "full"]).fails(2, &["error: --t", "full"]);
    check(&[using, "--type", "lefft"]).fails(2, &["error: --type: ", "lefft"]);
    check(&[using, "--trigger", "row=5"]).fails(2, &["error: --trigger: ", "did you mean `rows`"]);
    check(&[using, "--event-time", "amount"])
        .fails(2, &["error: --event-time: ", "--event-time COLUMN:ms"]);
    check(&[using, "--watermark", "soon", "--event-time=at"])
        .fails(2, &["error: --watermark: ", "is not a duration"]);
    check(&[using, "--select", "nme"]).fails(2, &["error: --select: ", "did you mean `name`"]);
    check(&[using, "--where", "name >"]).fails(2, &["error: --where: "]);
    check(&[using, "--table", "customers.csv", using])
        .fails(2, &["error: --table customers.csv: ", "used twice"]);
    folder
        .streamjoin(&["check", "--stream", "no.csv", "--table", "customers.csv", using])
        .fails(1, &["error: --stream no.csv: "]);
    folder
        .streamjoin(&["check", "s.toml", "--table", "customers.csv"])
        .fails(2, &["--table without --stream", "--set"]);
}
