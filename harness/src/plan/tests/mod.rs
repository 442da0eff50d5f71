//! Plans of small scenarios on real files: what is read, what is kept.

use std::fs;

mod in_memory;
mod parts;
mod stream_stream;

use arrow::datatypes::Schema;
use streamjoin_kernels::IndexKind;
use streamjoin_kernels::stream_static::Layout;

use crate::error::FailureKind;
use crate::plan::*;
use crate::scenario::{Choice, Scenario, SourceText, parse};

const SCENARIO: &str = r#"
[stream.s]
recording = "s.csv"
[[dimension]]
name = "a"
table = "a.csv"
type = "left outer"
on = "s.k + 1 = a.k AND a.w > 0 AND s.x < a.v"
[[dimension]]
name = "b"
table = "b.csv"
type = "left outer"
on = "a.v = b.k"
"#;

fn scenario(text: &str) -> (tempfile::TempDir, Scenario) {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [
        ("s.csv", "id,k,x,y\n1,2,3,4\n"),
        ("a.csv", "k,v,w,u\n1,2,3,4\n"),
        ("b.csv", "k,name,v\n1,one,5\n"),
        ("p.csv", "id,k,x,y,at\n1,2,3,4,2024-01-01 00:00:00\n"),
    ] {
        fs::write(folder.path().join(name), rows).unwrap();
    }
    let scenario = parse(SourceText::new(folder.path().join("t.toml"), text), "t").unwrap();
    (folder, scenario)
}

fn joined(text: &str) -> StreamStaticPlan {
    let (_folder, scenario) = scenario(text);
    static_plan(&scenario)
}

fn static_plan(scenario: &Scenario) -> StreamStaticPlan {
    let Plan::StreamStatic(plan) = plan(scenario, None).unwrap() else { panic!("two streams") };
    *plan
}

fn names(schema: &Schema) -> Vec<&str> {
    schema.fields().iter().map(|field| field.name().as_str()).collect()
}

fn read_of(plan: &StreamStaticPlan) -> Vec<Vec<String>> {
    let of = |schema: &Schema, read: &Needed| {
        read.positions().map(|column| schema.field(column).name().clone()).collect()
    };
    let stream = of(&plan.stream.feed.schema(), &plan.stream.prepare.read);
    let tables =
        plan.joins.iter().map(|join| of(&join.table.schema(), &join.kernel.table.rows.read));
    std::iter::once(stream).chain(tables).collect()
}

#[test]
fn columns_that_nobody_selected_are_not_read() {
    let plan = joined(&format!("{SCENARIO}[output]\nselect = [\"s.id\", \"b.name\"]\n"));
    assert_eq!(read_of(&plan), [vec!["id", "k", "x"], vec!["k", "v", "w"], vec!["k", "name"]]);
    // The computed key and what later steps need; the filter column stays behind.
    let first = &plan.joins[0].kernel.spec;
    assert_eq!(names(&first.stream_schema), ["id", "k", "x", "key 1"]);
    let output: Vec<&str> = first.output.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(output, ["id", "v", "matched 0"]);
    assert!(first.stream_filter.is_none());
    assert!(first.table_filter.is_some() && first.residual.is_some());
    let second = &plan.joins[1].kernel.spec;
    assert_eq!(names(&second.stream_schema), ["id", "v", "matched 0"]);
    assert_eq!(names(plan.output.columns.schema()), ["id", "name"]);
    assert_eq!(plan.output.unmatched, Unmatched::ByMarkers);
    assert_eq!(plan.output.markers.len(), 2);
}

#[test]
fn a_key_that_is_given_out_is_its_own_marker() {
    let text = SCENARIO.replace("s.k + 1 = a.k AND a.w > 0 AND s.x < a.v", "s.k = a.k");
    let plan = joined(&format!("{text}[output]\nselect = [\"id\", \"a.k\", \"b.k AS bk\"]\n"));
    for join in &plan.joins {
        let names = join.kernel.spec.output.iter().map(|column| column.name.as_str());
        assert!(names.clone().all(|name| !name.starts_with("matched")), "{names:?}");
    }
    assert_eq!(plan.output.markers.len(), 2);
}

#[test]
fn without_a_select_every_column_comes_out_in_sqls_order() {
    let plan = joined(SCENARIO);
    assert_eq!(
        names(plan.output.columns.schema()),
        ["id", "k", "x", "y", "k", "v", "w", "u", "k", "name", "v"]
    );
    let nullable: Vec<bool> =
        plan.output.columns.schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert!(nullable[4..].iter().all(|nullable| *nullable), "the outer side may be null");
}

#[test]
fn using_merges_the_keys_and_hides_the_other_side() {
    let using = |more: &str| {
        format!(
            "[stream.s]\nrecording = \"s.csv\"\n[[dimension]]\nname = \"a\"\ntable = \"a.csv\"\nusing = [\"K\"]\n{more}"
        )
    };
    let plan = joined(&using(""));
    assert_eq!(names(plan.output.columns.schema()), ["k", "id", "x", "y", "v", "w", "u"]);
    let plan = joined(&using("stream_side = \"right\"\ntype = \"right\"\n"));
    assert_eq!(names(plan.output.columns.schema()), ["k", "v", "w", "u", "id", "x", "y"]);
    let (_folder, scenario) = scenario(&using("[output]\nselect = [\"a.k\"]\n"));
    let failure = crate::plan::plan(&scenario, None).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(failure.message.contains("t.toml:8:11: `select`"), "{failure}");
}

#[test]
fn semi_and_anti_joins_keep_the_left_columns_only() {
    for (join_type, unmatched) in [("semi", Unmatched::None), ("anti", Unmatched::All)] {
        let text = format!(
            "[stream.s]\nrecording = \"s.csv\"\n[[dimension]]\nname = \"a\"\ntable = \"a.csv\"\ntype = \"{join_type}\"\non = \"s.k = a.k\"\n"
        );
        let plan = joined(&text);
        assert_eq!(names(plan.output.columns.schema()), ["id", "k", "x", "y"]);
        assert_eq!(plan.output.unmatched, unmatched);
    }
}

#[test]
fn only_the_first_dimension_may_have_the_stream_on_its_right() {
    let (_folder, scenario) = scenario(&format!("{SCENARIO}stream_side = \"right\"\n"));
    let failure = plan(&scenario, None).unwrap_err();
    assert!(failure.message.contains("only the first [[dimension]]"), "{failure}");
    assert_eq!(failure.kind, FailureKind::Usage);
}

#[test]
fn strategies_resolve_with_a_reason() {
    let (_folder, scenario) = scenario(&format!(
        "{SCENARIO}index = \"row-at-a-time\"\n[strategies.p]\nlayout = \"partitioned\"\nthreads = 2\n"
    ));
    let chosen = strategies(&scenario, &[], None).unwrap();
    assert_eq!((chosen[0].name.as_str(), chosen[0].threads.get()), ("p", 2));
    let plan = static_plan(&scenario);
    let first = plan.joins[0].resolve(&chosen[0]);
    assert_eq!((first.layout, first.index), (Layout::Partitioned, Choice::Auto));
    assert!(first.why.contains("layout partitioned: the strategy asks for it"), "{}", first.why);
    let second = plan.joins[1].resolve(&chosen[0]);
    assert_eq!(second.index, Choice::Fixed(IndexKind::RowAtATime));
    assert!(second.why.contains("the dimension asks for it"), "{}", second.why);
    let forms = ["partitioned/row-at-a-time".to_owned(), "auto".to_owned()];
    let chosen = strategies(&scenario, &forms, None).unwrap();
    let names: Vec<&str> = chosen.iter().map(|strategy| strategy.name.as_str()).collect();
    assert_eq!(names, ["partitioned/row-at-a-time", "auto"]);
    let merge = &strategies(&scenario, &["sort-merge".to_owned()], None).unwrap()[0];
    let resolved = plan.joins[0].resolve(merge);
    assert_eq!((resolved.to_string(), resolved.layout), ("sort-merge".into(), Layout::SortMerge));
    assert!(resolved.why.contains("no index"), "{}", resolved.why);
    let with_index = ["sort-merge/chained".to_owned()];
    let failure = strategies(&scenario, &with_index, None).unwrap_err();
    assert!(failure.message.contains("write `sort-merge`"), "{failure}");
    let misspelt = strategies(&scenario, &["sort-merg".to_owned()], None).unwrap_err();
    assert!(misspelt.message.contains("did you mean `sort-merge`?"), "{misspelt}");
}

#[test]
fn a_free_layout_follows_the_threshold() {
    let free = Strategy { broadcast_threshold: 1000, ..Strategy::auto().unwrap() };
    let fixed = Strategy { layout: Choice::Fixed(Layout::Broadcast), ..free.clone() };
    let pinned = Some(Choice::Fixed(Layout::Broadcast));
    for (strategy, pinned, bytes, layout, is_free, why) in [
        (&free, None, None, Layout::Broadcast, true, "partitioned if index and columns take more"),
        (&free, None, Some(1000), Layout::Broadcast, true, "chosen; one shared table"),
        (&free, None, Some(1001), Layout::Partitioned, true, "1,001 bytes of index and columns"),
        (
            &free,
            pinned,
            Some(1001),
            Layout::Broadcast,
            false,
            "though about 1,001 bytes are beyond",
        ),
        (&fixed, None, Some(1001), Layout::Broadcast, false, "though about 1,001 bytes are beyond"),
        (&fixed, None, Some(1000), Layout::Broadcast, false, "the strategy asks for it; index"),
        (&fixed, Some(Choice::Auto), Some(1001), Layout::Partitioned, true, "chosen; about 1,001"),
    ] {
        let resolved = strategy.resolve(pinned, None, bytes);
        assert_eq!((resolved.layout, resolved.free_layout), (layout, is_free), "{resolved:?}");
        assert!(resolved.why.contains(why), "no `{why}` in {}", resolved.why);
    }
}
