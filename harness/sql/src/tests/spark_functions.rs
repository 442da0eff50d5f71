//! Functions against what Spark answered (`spark_functions/recorded.jsonl`, recorded by
//! `spark_functions/record.py`).

use serde_json::Value as Json;

use super::*;

/// The lines of a file of the folder.
fn lines(name: &str) -> Vec<Json> {
    let path = format!("{}/src/tests/spark_functions/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The type as Spark's `typeof` names it.
fn spark_type(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 => "string".into(),
        DataType::Int32 => "int".into(),
        DataType::List(element) => format!("array<{}>", spark_type(element.data_type())),
        other => crate::types::sql_name(other).to_lowercase().replace(", ", ","),
    }
}

/// The only value as the recording has it: text, null, or a list of texts.
fn json(array: &ArrayRef) -> Json {
    if array.logical_null_count() > 0 || *array.data_type() == DataType::Null {
        return Json::Null;
    }
    match array.data_type() {
        DataType::List(_) => {
            let elements = array.as_list::<i32>().value(0);
            (0..elements.len()).map(|at| json(&elements.slice(at, 1))).collect()
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(0);
            bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>().into()
        }
        _ => shown(array)[0].clone().into(),
    }
}

/// What we answer: the type and the value, or an error.
fn answer(sql: &str) -> Result<(String, Json), String> {
    let bound = expression(sql, &Scope::default(), CastMode::Ansi).map_err(|e| e.to_string())?;
    let array = table(vec![]).evaluate(&bound).map_err(|e| e.to_string())?;
    Ok((spark_type(bound.data_type()), json(&array)))
}

#[test]
fn functions_answer_as_spark_does() {
    // What is refused although Spark answers it, what the refusal says, and why.
    let refused = lines("refused.jsonl");
    // What is answered although Spark refuses it, and why.
    let accepted = lines("accepted.jsonl");
    let about = |lines: &[Json], sql: &str| lines.iter().find(|line| line["sql"] == sql).cloned();
    let mut wrong = Vec::new();
    let mut exceptions = 0;
    for line in lines("recorded.jsonl") {
        let sql = line["sql"].as_str().unwrap();
        let ours = answer(sql);
        let answered = line["error"].is_null();
        if let Some(refused) = about(&refused, sql) {
            exceptions += 1;
            let says = refused["says"].as_str().unwrap();
            match &ours {
                Err(message) if answered && message.contains(says) => {}
                _ => wrong.push(format!("{line}: expected a refusal with `{says}`, got {ours:?}")),
            }
        } else if let Some(accepted) = about(&accepted, sql) {
            exceptions += 1;
            match &ours {
                Ok((_, value)) if !answered && *value == accepted["value"] => {}
                _ => wrong.push(format!("{line}: expected {}, got {ours:?}", accepted["value"])),
            }
        } else {
            match &ours {
                Ok((data_type, value)) if line["type"] == *data_type && line["value"] == *value => {
                }
                Err(_) if !answered => {}
                _ => wrong.push(format!("{line}: got {ours:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ from Spark:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(exceptions, refused.len() + accepted.len(), "exceptions are of recorded lines");
}
