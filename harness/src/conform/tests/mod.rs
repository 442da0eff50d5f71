mod case;
mod value;

use std::io::Write;

use serde_json::{Value, json};
use streamjoin_kernels::StoreKind;

use super::check::check;
use super::form::{Form, Rows};
use super::*;

/// A shipped case as JSON, to be tampered with.
fn record(name: &str) -> Value {
    let cases = if name.starts_with("st_") { STREAM_STATIC } else { STREAM_STREAM };
    let text = String::from_utf8(zstd::decode_all(cases).unwrap()).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.into_iter().find(|record| record["case"]["name"] == name).unwrap()
}

fn checked(record: &Value, forms: &[Form]) -> Vec<String> {
    let case = Case::parse(&record.to_string()).unwrap();
    check(&case.content.unwrap(), forms)
}

fn failures_of(record: &Value) -> Vec<String> {
    let case = Case::parse(&record.to_string()).unwrap();
    run(&[case], Forms::Usual(Isa::detect())).unwrap().remove(0).failures
}

/// The case passes as recorded and fails, in these words, once tampered with.
fn catches(name: &str, tamper: impl Fn(&mut Value), words: &str) {
    let mut record = record(name);
    assert_eq!(failures_of(&record), Vec::<String>::new(), "{name}");
    tamper(&mut record);
    let failures = failures_of(&record);
    assert!(failures.iter().any(|failure| failure.contains(words)), "{name}: {failures:?}");
}

#[test]
fn wrong_rows_are_caught() {
    let name = "st_basic_stream_left_inner";
    catches(
        name,
        |record| record["expected"]["batches"][0]["rows"][0][1] = json!(77),
        "missing    1 x [1, 77",
    );
    catches(
        name,
        |record| {
            record["expected"]["batches"][0]["rows"].as_array_mut().unwrap().remove(0);
        },
        "unexpected 1 x [1, 15, \"a\", 1, \"one\", 10]",
    );
    catches(
        name,
        |record| {
            let rows = record["expected"]["batches"][0]["rows"].as_array_mut().unwrap();
            rows.push(rows[0].clone());
        },
        "missing    1 x",
    );
}

#[test]
fn wrong_batches_are_caught() {
    let name = "st_empty_batches_inner";
    catches(
        name,
        |record| {
            record["expected"]["batches"].as_array_mut().unwrap().pop();
        },
        "batches ran for input",
    );
}

#[test]
fn wrong_columns_are_caught() {
    let name = "st_basic_stream_left_inner";
    catches(name, |record| record["expected"]["output_columns"][0] = json!("z"), "output columns");
    catches(
        name,
        |record| record["expected"]["output_types"][0] = json!("bigint"),
        "output column k is of type Int32, but should be bigint",
    );
}

#[test]
fn other_keys_and_filters_than_the_text_has_are_caught() {
    catches(
        "st_two_keys_inner",
        |record| {
            record["case"]["joins"][0]["keys"].as_array_mut().unwrap().pop();
        },
        "other keys",
    );
    catches(
        "st_null_safe_inner",
        |record| record["case"]["joins"][0]["keys"][0]["null_safe"] = json!(false),
        "other keys",
    );
    catches(
        "st_residual_inner",
        |record| record["case"]["joins"][0]["filters"][0]["op"] = json!("="),
        "other filters",
    );
}

#[test]
fn errors_that_differ_are_caught() {
    catches(
        "st_basic_stream_left_full_outer",
        |record| {
            record["expected"].as_object_mut().unwrap().remove("error");
        },
        "refused, but should run",
    );
    catches(
        "st_key_int_string_bad_ansi_inner",
        |record| record["expected"]["batches_before_error"] = json!(1),
        "0 batches ran before the error, but 1 should",
    );
    catches(
        "st_basic_stream_left_inner",
        |record| record["expected"]["error"] = json!({ "phase": "start", "message": "no" }),
        "was started, but should be refused",
    );
    catches(
        "st_ambiguous_on",
        |record| record["expected"]["error"]["error_class"] = json!("CAST_INVALID_INPUT"),
        "another meaning",
    );
}

#[test]
fn streams_that_differ_are_caught() {
    let batch = |record: &mut Value, batch: usize, field: &str, value: Value| {
        record["expected"]["batches"][batch][field] = value;
    };
    let name = "ss_basic_between_left_outer";
    for (field, words) in [
        ("watermark_ms", "watermark: "),
        ("late_watermark_ms", "late watermark: "),
        ("state_rows_total", "state rows: "),
        ("state_rows_left", "state rows on the left: "),
        ("state_rows_right", "state rows on the right: "),
        ("state_rows_updated", "rows stored: "),
        ("state_rows_removed", "rows removed: "),
        ("rows_dropped_late", "rows dropped as late: "),
    ] {
        catches(name, |record| batch(record, 1, field, json!(77)), words);
        catches(name, |record| batch(record, 1, field, json!(77)), "but should be 77");
    }
    catches(name, |record| batch(record, 1, "no_data", json!(false)), "batches ran for input");
    catches(name, |record| batch(record, 0, "rows", json!([])), "unexpected");
    catches(
        name,
        |record| record["case"]["time_bounds"]["upper_us"] = json!(1),
        "other time bounds than the case has",
    );
    catches(
        name,
        |record| record["case"]["time_bounds"]["lower_inclusive"] = json!(false),
        "other time bounds than the case has",
    );
    catches(name, |record| record["case"]["keys"] = json!([]), "other keys");
    catches(
        "ss_residual_two_sided_inner",
        |record| record["case"]["filters"] = json!([]),
        "other filters",
    );
    catches(name, |record| record["expected"]["output_columns"][0] = json!("z"), "output columns");
    catches(
        "ss_refused_no_watermark_left_outer",
        |record| {
            record["expected"].as_object_mut().unwrap().remove("error");
        },
        "refused, but should run",
    );
    catches(
        "ss_refused_update_mode_left_outer",
        |record| {
            record["expected"]["error"]["message"] =
                json!("not without a watermark in the join keys");
            record["case"]["output_mode"] = json!("complete");
        },
        "another meaning",
    );
    catches(
        name,
        |record| record["expected"]["error"] = json!({ "phase": "start", "message": "no" }),
        "was started, but should be refused",
    );
}

#[test]
fn where_spark_is_wrong_the_right_answer_counts() {
    catches(
        "ss_between_two_watermarks_left_semi",
        |record| {
            record["expected"].as_object_mut().unwrap().remove("right_answer");
        },
        "unexpected 1 x [2, ",
    );
}

#[test]
fn every_form_of_two_streams_is_run() {
    let forms = form::Forms::all().unwrap().stream_stream;
    let encoded = forms.iter().filter(|form| form.rows == Rows::Encoded);
    assert_eq!(encoded.count(), StoreKind::ALL.len());
    for name in [
        "ss_key_binary_full_outer",
        "ss_two_keys_string_bigint_left_outer",
        "ss_window_equal_full_outer",
        "ss_duplicates_left_semi",
        "ss_many_values_one_key_full_outer",
    ] {
        let mut record = record(name);
        assert_eq!(checked(&record, &forms), Vec::<String>::new(), "{name}");
        let expected = record["expected"].as_object_mut().unwrap();
        expected.remove("right_answer");
        expected["batches"][0]["state_rows_left"] = json!(77);
        assert_eq!(checked(&record, &forms).len(), forms.len(), "{name}");
    }
}

#[test]
fn an_unknown_kind_fails() {
    let record = json!({ "case": { "name": "x", "kind": "as-of" }, "expected": {} });
    assert!(failures_of(&record)[0].contains("as-of"));
}

#[test]
fn every_form_of_a_case_is_run() {
    // Enlarged ones in the best Isa only: this is not the release build.
    let mut forms = form::Forms::all().unwrap().stream_static;
    forms.retain(|form| form.rows != Rows::Enlarged || form.strategy.isa == Isa::detect());
    for name in [
        "st_basic_stream_right_right_outer",
        "st_key_boolean_left_semi",
        "st_key_binary_string_inner",
        "st_chain3_left_semi_left_outer_inner",
        "st_no_equality_left_outer",
    ] {
        assert_eq!(checked(&record(name), &forms), Vec::<String>::new(), "{name}");
    }
    let mut wrong = record("st_basic_stream_left_inner");
    wrong["expected"]["batches"][0]["rows"][0][1] = json!(77);
    let failures = checked(&wrong, &forms);
    assert_eq!(failures.len(), forms.len());
    assert!(
        failures.iter().any(|f| f.contains("enlarged") && f.contains("1000 x")),
        "{failures:?}"
    );
}

#[test]
fn tables_are_enlarged_by_rows_that_can_match_nothing() {
    let mut without = Vec::new();
    for case in shipped().unwrap() {
        let Case { name: case_name, content: Some(Content { query, expected }), .. } = case else {
            panic!("a case of an unknown kind was shipped");
        };
        let Query::StreamStatic(query) = query else { continue };
        if expected.error.is_some() {
            continue;
        }
        for dimension in &query.dims {
            let Some(rows) = padding::rows(&query, dimension, 100).unwrap() else {
                without.push(case_name.clone());
                continue;
            };
            assert_eq!(rows.len(), 100);
            let join = query.joins.iter().find(|join| join.dim == dimension.name).unwrap();
            let join = &join.condition;
            for (column, (name, type_name)) in dimension.schema.iter().enumerate() {
                let is_key = join.keys.iter().any(|key| key.left == *name || key.right == *name);
                if is_key && type_name != "boolean" {
                    let known: Vec<&Value> =
                        dimension.versions.iter().flatten().map(|row| &row[column]).collect();
                    assert!(rows.iter().all(|row| !known.contains(&&row[column])), "{name}");
                }
            }
        }
    }
    // Joined without keys, or by a boolean for which null is a value.
    without.sort();
    without.dedup();
    assert!(without.iter().all(|name| !name.starts_with("st_key")), "{without:?}");
    assert!(without.contains(&"st_no_equality_inner".to_owned()), "{without:?}");
    assert!(without.len() < 20, "{without:?}");
}

#[test]
fn files_are_read_plain_and_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("cases.jsonl");
    fs::write(&plain, zstd::decode_all(STREAM_STATIC).unwrap()).unwrap();
    let packed = folder.path().join("cases.jsonl.zst");
    fs::write(&packed, STREAM_STATIC).unwrap();
    assert_eq!(read(&plain).unwrap().len(), 284);
    assert_eq!(read(&packed).unwrap().len(), 284);

    let broken = folder.path().join("broken.jsonl");
    let mut file = fs::File::create(&broken).unwrap();
    writeln!(file, "{}\n\n{{\"case\":", record("st_fanout_inner")).unwrap();
    let error = read(&broken).unwrap_err();
    assert!(error.message.contains("broken.jsonl, line 3"), "{error}");
    fs::write(&broken, "\n").unwrap();
    assert!(read(&broken).unwrap_err().message.contains("no case"));
    fs::write(&broken, [0xff, 0xfe]).unwrap();
    assert!(read(&broken).unwrap_err().message.contains("UTF-8"));
    fs::write(&broken, &STREAM_STATIC[..1000]).unwrap();
    assert!(read(&broken).is_err());
    assert!(read(&folder.path().join("none.jsonl")).is_err());
}
