//! Of nested columns only the used parts are joined, gathered and kept.

use arrow::datatypes::DataType;

use super::*;

const STREAM: &str = r#"{"n":1,"at":"2024-01-01T00:00:00Z","after":{"id":1,"name":"x","inner":{"a":1,"b":2}},"items":[{"sku":"p","price":1}]}
"#;
const TABLE: &str = r#"{"row":{"id":1,"low":0,"wide":"w","deep":{"x":1,"y":2}},"items":[{"sku":"p","price":1}]}
"#;
const OTHER: &str = r#"{"id":1,"info":{"a":1,"b":2}}
"#;

fn nested(text: &str) -> Plan {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("s.jsonl", STREAM), ("t.jsonl", TABLE), ("u.jsonl", OTHER)] {
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let scenario = parse(SourceText::new(folder.path().join("t.toml"), text), "t").unwrap();
    plan(&scenario, None).unwrap_or_else(|failure| panic!("{failure}"))
}

fn with_table(text: &str) -> StreamStaticPlan {
    let Plan::StreamStatic(plan) = nested(text) else { panic!("two streams") };
    *plan
}

const JOIN: &str = r#"
[stream.s]
recording = "s.jsonl"
[[dimension]]
name = "t"
table = "t.jsonl"
type = "left outer"
on = "s.after.id = t.row.id AND t.row.low < s.after.inner.a"
[[dimension]]
name = "u"
table = "u.jsonl"
type = "left outer"
on = "t.row.deep.x = u.id"
[output]
select = ["n", "t.row.deep.y AS y", "u.info.b AS b"]
"#;

#[test]
fn a_table_gives_the_fields_that_are_used() {
    let plan = with_table(JOIN);
    let first = &plan.joins[0].kernel.spec;
    assert_eq!(names(&first.stream_schema), ["n", "s.after.id", "s.after.inner.a"]);
    // The columns of the stream side are also what its rows are made into at once.
    assert_eq!(names(plan.stream.prepare.schema()), ["n", "s.after.id", "s.after.inner.a"]);
    assert_eq!(
        names(&first.table_schema),
        ["t.row.id", "t.row.low", "t.row.deep.x", "t.row.deep.y", "matched"]
    );
    let gathered: Vec<&str> = first.output.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(gathered, ["n", "t.row.deep.x", "t.row.deep.y", "matched 0"]);
    let residual = first.residual.as_ref().unwrap();
    assert_eq!(residual.columns.len(), 2);
    let second = &plan.joins[1].kernel.spec;
    assert_eq!(names(&second.table_schema), ["id", "u.info.b", "matched"]);
    assert_eq!(names(plan.output.columns.schema()), ["n", "y", "b"]);
    let nested = |schema: &Schema| schema.fields().iter().any(|f| f.data_type().is_nested());
    assert!(!nested(&first.table_schema) && !nested(&first.stream_schema));
}

#[test]
fn an_array_travels_with_the_fields_that_are_used_of_its_elements() {
    let plan = with_table(
        r#"
[stream.s]
recording = "s.jsonl"
[[dimension]]
name = "t"
table = "t.jsonl"
on = "s.n = t.row.id"
[output]
select = ["t.items[0].sku AS sku", "s.items.price AS prices"]
"#,
    );
    let spec = &plan.joins[0].kernel.spec;
    let field = spec.table_schema.fields().iter().find(|f| f.name() == "t.items").unwrap();
    let DataType::List(item) = field.data_type() else { panic!("{field}") };
    let DataType::Struct(fields) = item.data_type() else { panic!("{item}") };
    assert_eq!(fields.iter().map(|f| f.name().as_str()).collect::<Vec<_>>(), ["sku"]);
    // `items.price` cannot fail, so it is made before the join.
    assert_eq!(names(&spec.stream_schema), ["n", "s.items.price"]);
}

#[test]
fn two_streams_keep_the_fields_that_are_used() {
    let text = r#"
[stream.l]
recording = "s.jsonl"
event_time = "at"
watermark = "1 min"
[stream.r]
recording = "s.jsonl"
event_time = "at"
watermark = "1 min"
[join]
left = "l"
right = "r"
type = "left outer"
on = "l.after.id = r.after.id AND l.after.inner.a <= r.after.inner.b AND r.after.name <> 'no' AND r.at BETWEEN l.at AND l.at + INTERVAL 1 HOUR"
[[dimension]]
name = "u"
table = "u.jsonl"
on = "r.after.inner.a = u.id"
[output]
select = ["l.n", "r.after.name AS name", "u.info.a AS a"]
"#;
    let Plan::StreamStream(plan) = nested(text) else { panic!("one stream") };
    let schema = |side: &SidePlan| {
        side.input.schema().fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(schema(&plan.left), ["n", "at", "l.after.id", "l.after.inner.a"]);
    assert_eq!(
        schema(&plan.right),
        ["at", "r.after.id", "r.after.name", "r.after.inner.b", "r.after.inner.a"]
    );
    assert_eq!(names(&plan.joins[0].kernel.spec.table_schema), ["id", "u.info.a"]);
    assert_eq!(names(plan.output.columns.schema()), ["n", "name", "a"]);
}

#[test]
fn unmatched_rows_are_written_with_the_columns_that_people_named() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("s.jsonl", STREAM), ("t.jsonl", TABLE), ("u.jsonl", OTHER)] {
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let scenario = parse(SourceText::new(folder.path().join("t.toml"), JOIN), "t").unwrap();
    let plan = plan_carrying(&scenario, None).unwrap();
    assert_eq!(names(plan.carried().unwrap().schema()), ["missed", "n", "at", "after", "items"]);
}

#[test]
fn rows_are_read_without_the_fields_that_nothing_uses() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("s.jsonl", STREAM), ("t.jsonl", TABLE), ("u.jsonl", OTHER)] {
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let scenario = parse(SourceText::new(folder.path().join("t.toml"), JOIN), "t").unwrap();
    let plan = static_plan(&scenario);
    let prepare = &plan.joins[0].kernel.table.rows;
    let feed = &plan.joins[0].table.versions[0].feed;
    let mut batches = feed.read_parts(prepare.read.as_slice(), &prepare.parts).unwrap();
    let batch = batches.next().unwrap().unwrap().batch;
    let DataType::Struct(row) = batch.schema().field(0).data_type().clone() else { panic!() };
    let mut fields: Vec<&str> = row.iter().map(|f| f.name().as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["deep", "id", "low"]);
    let rows = prepare.apply(batch).unwrap();
    assert_eq!(names(rows.schema_ref()).len(), 4);
    let text = prepare.parts[0].fields_of(feed.schema().field(0).data_type()).unwrap();
    assert_eq!(text, ["deep.x", "deep.y", "id", "low"]);
}
