use std::path::Path;

use clap::Parser;

use super::*;
use crate::scenario::RowSource;

#[derive(Debug, Parser)]
struct Cli {
    scenario: Option<String>,
    #[command(flatten)]
    inline: InlineArgs,
}

fn inputs(args: &[&str]) -> Result<Inputs> {
    let cli = Cli::try_parse_from([&["x"], args].concat()).unwrap();
    given::inputs(&cli.inline.given)
}

fn scenario(args: &[&str]) -> Scenario {
    let text = text(&inputs(args).unwrap());
    scenario::parse(SourceText::of_flags(&text), "arguments")
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn refused(args: &[&str]) -> String {
    inputs(args).unwrap_err().message
}

#[test]
fn names_come_from_the_argument_or_the_file() {
    let named = |argument| {
        let inputs = inputs(&["--stream", argument, "--table", "t.csv"]).unwrap();
        (inputs.streams[0].name.clone(), inputs.streams[0].path.clone())
    };
    let pair = |name: &str, path: &str| (name.to_owned(), path.to_owned());
    assert_eq!(named("o=a/orders.csv"), pair("o", "a/orders.csv"));
    assert_eq!(named("a/my orders.csv"), pair("my_orders", "a/my orders.csv"));
    assert_eq!(named("a/dt=1/x.csv"), pair("x", "a/dt=1/x.csv"));
}

#[test]
fn flags_belong_to_the_table_before_them() {
    let inputs = inputs(&[
        "--type=left",
        "--stream=s.csv",
        "--table=a.csv",
        "--using=k,l",
        "--table=b.csv",
        "--type=semi",
        "--on=s.k = b.k",
        "--table=c.csv",
        "--on",
        "s.m = c.m",
    ])
    .unwrap();
    let by: Vec<(Option<&str>, Option<&str>, Option<&str>)> = inputs
        .tables
        .iter()
        .map(|table| {
            let Condition { on, using, kind } = &table.by;
            (on.as_deref(), using.as_deref(), kind.as_deref())
        })
        .collect();
    assert_eq!(
        by,
        [
            (None, Some("k,l"), Some("left")),
            (Some("s.k = b.k"), None, Some("semi")),
            (Some("s.m = c.m"), None, Some("left")),
        ]
    );
    assert!(
        refused(&["--stream=s.csv", "--table=a.csv", "--table=b.csv", "--on=x", "--on=y"])
            .contains("--on is given twice for --table b.csv")
    );
    assert!(
        refused(&["--stream=s.csv", "--on=x", "--table=a.csv", "--table=b.csv"])
            .contains("--on stands before several --table")
    );
    assert!(
        refused(&["--stream=s.csv", "--table=a.csv", "--on=x", "--using=y"]).contains("keep one")
    );
    assert!(refused(&["--stream=s.csv"]).contains("nothing to join with"));
    assert!(
        refused(&["--stream=s.csv", "--stream=t.csv", "--stream=u.csv"])
            .contains("--stream u.csv: at most two")
    );
}

#[test]
fn two_streams_are_joined_by_what_stands_before_the_tables() {
    let scenario = scenario(&[
        "--stream",
        "l=a.csv",
        "--event-time",
        "ts",
        "--watermark",
        "2 hours",
        "--stream",
        "r=b.csv",
        "--event-time",
        "l2:ms",
        "--on",
        "l.k = r.k",
        "--type",
        "full outer",
        "--watermark",
        "r=1 hour",
        "--table",
        "c.csv",
        "--using",
        "k",
        "--trigger",
        "event-time=10 s",
    ]);
    let join = scenario.join.as_ref().unwrap();
    assert_eq!((join.left.as_str(), join.right.as_str()), ("l", "r"));
    assert_eq!(join.condition.on.as_ref().unwrap().value, "l.k = r.k");
    let right = scenario.stream("r").unwrap();
    let time = right.event_time.as_ref().unwrap();
    assert_eq!((time.column.as_str(), time.unit.unwrap().short()), ("l2", "ms"));
    assert_eq!(right.watermark.as_ref().unwrap().0, 3_600_000_000);
    let asked = ["--stream=l.csv", "--stream=r.csv", "--on=x", "--table=c.csv", "--event-time=ts"];
    assert!(
        refused(&asked).contains("for which stream? Say --event-time l=ts or --event-time r=ts")
    );
    // Before the first stream, a flag is of both.
    let both = inputs(&["--watermark=1 s", "--stream=l.csv", "--stream=r.csv"]).unwrap();
    assert!(both.streams.iter().all(|stream| stream.watermark.as_deref() == Some("1 s")));
}

#[test]
fn places_are_flags() {
    let text = |args| text(&inputs(args).unwrap());
    let failure =
        |args| scenario::parse(SourceText::of_flags(text(args)), "x").unwrap_err().message;
    let two = ["--stream=s.csv", "--table=t.csv", "--using=k", "--type=lefft"];
    assert!(failure(&two).starts_with("--type: "), "{}", failure(&two));
    let three = [
        "--stream=s.csv",
        "--table=t.csv",
        "--using=k",
        "--table=u # v.csv",
        "--type=x",
        "--using=k",
    ];
    assert!(failure(&three).starts_with("--type of u_v: "), "{}", failure(&three));
    let trigger = ["--stream=s.csv", "--table=t.csv", "--using=k", "--trigger=row=5"];
    let refused = failure(&trigger);
    assert!(
        refused.starts_with("--trigger: ") && refused.contains("did you mean `rows`"),
        "{refused}"
    );
}

#[test]
fn odd_text_is_quoted() {
    let on = "s.k = `c'd`.k AND s.x <> \"\\\" # --on";
    let scenario = scenario(&[
        "--stream",
        "s=a \"b\"\n.csv",
        "--table",
        "c'd.csv",
        "--on",
        on,
        "--select",
        "s.*, f(a, b) AS \"x,y\"",
        "--where",
        "s.v > 0",
        "--event-time",
        "when:%d/%m/%Y %H:%M",
    ]);
    let dimension = &scenario.tables[0];
    assert_eq!(dimension.name.value, "c_d");
    assert_eq!(dimension.condition.on.as_ref().unwrap().value, on);
    let stream = scenario.stream("s").unwrap();
    let RowSource::Files(path) = &stream.source.as_ref().unwrap().value else { panic!("no files") };
    assert_eq!(path, Path::new("a \"b\"\n.csv"));
    assert_eq!(stream.event_time.as_ref().unwrap().format.as_deref(), Some("%d/%m/%Y %H:%M"));
    let select = scenario.output.clauses.select.as_ref().unwrap();
    let select: Vec<&str> = select.iter().map(|item| item.as_str()).collect();
    assert_eq!(select, ["s.*", "f(a, b) AS \"x,y\""]);
    assert!(scenario.text.is_of_flags());
}
