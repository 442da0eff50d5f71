//! Tests of `axis`.

use super::*;

fn read(text: &str) -> (String, Vec<String>) {
    let Axis { key, values } = axis(text).unwrap();
    (key, values)
}

#[test]
fn keys_and_values_are_toml() {
    let texts = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        read("replay.trigger.rows=1000,10_000"),
        ("replay.trigger.rows".to_owned(), texts(&["1000", "10_000"]))
    );
    assert_eq!(
        read(r#"strategies."a=b".index="chained",linear"#),
        (r#"strategies."a=b".index"#.to_owned(), texts(&["\"chained\"", "linear"]))
    );
    assert_eq!(read(r#"x="a,b","c""#).1, texts(&["\"a,b\"", "\"c\""]));
    assert_eq!(read("x=[1,2],[3]").1, texts(&["[1,2]", "[3]"]));
    for wrong in ["x", "=1", "x=", "x=1,,2", "x=1,1"] {
        assert!(axis(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn settings_are_of_one_strategy_or_of_all() {
    let setting = |key: &str, value: &str| Setting { key: key.to_owned(), value: value.to_owned() };
    let of = setting(r#"strategies."broadcast/chained".threads"#, "2");
    assert!(!of.is_of_another("broadcast/chained"));
    assert!(of.is_of_another("auto"));
    assert!(!setting("replay.limit", "2").is_of_another("auto"));
    assert_eq!(setting("k", "\"a b\"").shown(), "a b");
    assert_eq!(setting("k", "10 s").json(), Json::from("10 s"));
    assert_eq!(setting("k", "1_000").json(), Json::from(1000));
}
