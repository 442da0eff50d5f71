//! Messages of `kcat -J` as lines.

use super::*;

fn unwrapped(line: &str, prefix: &str) -> Result<String, String> {
    unwrap(line.as_bytes(), prefix).map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn payloads_become_fields() {
    let head = r#""topic":"t","partition":0,"offset":7,"tstype":"create","ts":5,"broker":1"#;
    let own = r#""topic":"t","partition":0,"offset":7,"ts":"1970-01-01T00:00:00.005Z""#;
    for (given, key, expected) in [
        (
            r#""key":"k","payload":"{\"a\": 12345678901234567890123}""#,
            "\"k\"",
            r#","a": 12345678901234567890123}"#,
        ),
        (r#""key":null,"payload":{"a":1}"#, "null", r#","a":1}"#),
        (r#""key":5,"payload":" {} ""#, "\"5\"", "}"),
        (r#""payload":null"#, "null", "}"),
        (r#""payload":"plain {""#, "null", r#","payload":"plain {"}"#),
        (r#""payload":"[1]""#, "null", r#","payload":"[1]"}"#),
        (r#""payload":17"#, "null", r#","payload":"17"}"#),
    ] {
        let line = unwrapped(&format!("{{{head},{given}}}"), "").unwrap();
        assert_eq!(line, format!("{{\"key\":{key},{own}{expected}\n"));
        let _: Value = serde_json::from_str(&line).unwrap();
    }
}

#[test]
fn names_that_collide_need_a_prefix() {
    let line = r#"{"topic":"t","partition":0,"offset":7,"ts":-1,"payload":"{\"Offset\":1}"}"#;
    let error = unwrapped(line, "").unwrap_err();
    assert!(error.contains("`Offset`") && error.contains("prefix"), "{error}");
    let line = unwrapped(line, "kafka_").unwrap();
    assert!(line.contains("\"kafka_ts\":null,\"Offset\":1}"), "{line}");
}

#[test]
fn other_objects_are_not_kcats() {
    assert!(is_kcat(br#"{"topic":"t","partition":0,"offset":7,"payload":null}"#));
    assert!(!is_kcat(br#"{"topic":"t","partition":0,"offset":7}"#));
    assert!(!is_kcat(br#"{"topic":"t","partition":"x","offset":7,"payload":"x"}"#));
}
