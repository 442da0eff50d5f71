//! Expressions over nested columns and JSON, with what Spark 4.3 makes of them:
//! `tests/data/nested` has the expressions, the values, and how they were recorded.

use arrow::compute;
use arrow::datatypes::{Fields, Int64Type, TimestampMicrosecondType};
use arrow::json::ReaderBuilder;
use serde_json::{Value as Json, json};

use super::*;

const ROWS: &str = include_str!("../../tests/data/nested/rows.jsonl");
const RECORDED: &str = include_str!("../../tests/data/nested/recorded.jsonl");

/// Where we do not follow Spark, each with the reason.
const DEPARTURES: &[(&str, &str)] = &[
    // Spark's optimiser takes the element before it looks at the condition.
    ("if(i = 0, structs[1].deep.y, 'none')", "the branch that is not taken does not fail"),
    ("if(i = 0, structs[2].field, -1)", "the branch that is not taken does not fail"),
    // Of nested values no common type is sought.
    ("if(i = 0, nested[1], array(9))", "the items of the arrays have other names: refused"),
    ("to_json(array(named_struct('a', 1), NULL))", "refused"),
    ("m['a'] > arr[1]", "both sides of a comparison are evaluated, also where one is null"),
    // Spark ignores options that it does not know, and reads an unknown mode as PERMISSIVE.
    ("from_json('{\"a\":1}', 'a INT', map('nosuch', 'x'))", "an unknown option is refused"),
    ("from_json('{\"a\":1}', 'a INT', map('mode', 'x'))", "an unknown mode is refused"),
    ("from_json('{\"a\":1.5}', 'a STRING', map('primitivesAsString', 'true'))", "refused"),
    ("from_json('/* c */ {\"a\":1}', 'a INT', map('allowComments', 'true'))", "refused"),
    ("from_json('{\"a\":1}', schema_of_json('{\"a\":1}'))", "the schema must be written out"),
    ("from_json('{\"a\":1}', 'a INT, a INT')", "two fields of one name are refused"),
    ("from_json('{\"a\":1}', 'a INT, A INT')", "two fields of one name are refused"),
    ("from_json('{\"a\":\"12:00\"}', 'a TIMESTAMP')", "a time of day has no date: null"),
    ("to_json(named_struct('a', 1), map('pretty', 'true'))", "refused"),
    (
        "to_json(named_struct('a', TIMESTAMP '2024-02-29 12:00:00'), map('timestampFormat', 'dd/MM/yyyy'))",
        "refused",
    ),
    ("to_json(named_struct('a', DATE '2024-02-29'), map('dateFormat', 'dd/MM/yyyy'))", "refused"),
    // Intervals are no values of JSON here.
    ("from_json('{\"a\":\"PT1H\"}', 'a INTERVAL DAY TO SECOND')", "refused"),
    (
        "from_json('{\"a\":\"INTERVAL ''1 02:03:04'' DAY TO SECOND\"}', 'a INTERVAL DAY TO SECOND')",
        "refused",
    ),
    ("to_json(named_struct('a', INTERVAL '1 02:03:04' DAY TO SECOND))", "refused"),
    ("to_json(named_struct('a', INTERVAL 2 MONTHS))", "refused"),
    ("to_json(CAST(NULL AS STRUCT<a: INT>))", "CAST to a nested type is refused"),
    ("struct(i, k AS z).z", "refused: named_struct names fields"),
    // Escapes of SQL literals, not of JSON.
    (r#"to_json(named_struct('a', 'é"\\/\n\t\u0001\u2028'))"#, "no \\u in SQL literals"),
    ("CAST(X'ff61' AS STRING)", "a STRING is UTF-8: an error"),
];

fn row_fields() -> Fields {
    let item = |data_type| DataType::List(Arc::new(Field::new("element", data_type, true)));
    let structs = |fields: Vec<Field>| DataType::Struct(Fields::from(fields));
    let map = |value| {
        let entries = structs(vec![
            Field::new("key", DataType::Utf8, false),
            Field::new("value", value, true),
        ]);
        DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
    };
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into()));
    let inner = structs(vec![field("x", DataType::Int32), field("ts", utc)]);
    let deep = structs(vec![field("y", DataType::Utf8)]);
    Fields::from(vec![
        field("i", DataType::Int32),
        field("k", DataType::Utf8),
        field(
            "after",
            structs(vec![
                field("id", DataType::Int64),
                field("Name", DataType::Utf8),
                field("a.b", DataType::Int32),
                field("inner", inner),
            ]),
        ),
        field("arr", item(DataType::Int32)),
        field("structs", item(structs(vec![field("field", DataType::Int32), field("deep", deep)]))),
        field("m", map(DataType::Int32)),
        field("mi", map(DataType::Utf8)),
        field(
            "ms",
            map(structs(vec![field("v", DataType::Int32), field("w", item(DataType::Int32))])),
        ),
        field("nested", item(item(DataType::Int32))),
        field(
            "t",
            structs(vec![
                field("i", DataType::Int32),
                field("x", DataType::Utf8),
                field("after", DataType::Int32),
            ]),
        ),
        field("s", DataType::Utf8),
    ])
}

/// The rows of the file; the keys of `mi` are integers.
pub(super) fn rows() -> Table {
    let schema = Arc::new(Schema::new(row_fields()));
    let mut reader = ReaderBuilder::new(schema.clone()).build(ROWS.as_bytes()).unwrap();
    let batch = reader.next().unwrap().unwrap();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| {
        let column = if field.name() == "mi" { with_integer_keys(column) } else { column.clone() };
        (field.name().as_str(), column)
    });
    table(columns.collect())
}

fn with_integer_keys(column: &ArrayRef) -> ArrayRef {
    let map = column.as_map();
    let keys = compute::cast(map.keys(), &DataType::Int32).unwrap();
    let fields = Fields::from(vec![
        Field::new("key", DataType::Int32, false),
        Field::new("value", DataType::Utf8, true),
    ]);
    let entries = StructArray::new(fields, vec![keys, map.values().clone()], None);
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
    Arc::new(MapArray::new(field, offsets, entries, nulls, false))
}

/// A value as the recording writes it.
pub(super) fn plain(array: &ArrayRef, row: usize) -> Json {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return Json::Null;
    }
    let list = |values: ArrayRef| (0..values.len()).map(|at| plain(&values, at)).collect::<Json>();
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        data_type if data_type.is_integer() => {
            let wide = compute::cast(array, &DataType::Int64).unwrap();
            json!(wide.as_primitive::<Int64Type>().value(row))
        }
        DataType::Float32 | DataType::Float64 => {
            let wide = compute::cast(array, &DataType::Float64).unwrap();
            match wide.as_primitive::<arrow::datatypes::Float64Type>().value(row) {
                value if value.is_finite() => json!(value),
                value => json!(value.to_string().to_lowercase()),
            }
        }
        DataType::Timestamp(..) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            let seconds = chrono_like(micros.div_euclid(1_000_000));
            json!(format!("{seconds}.{:06}", micros.rem_euclid(1_000_000)))
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(row);
            json!(format!("0x{}", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()))
        }
        DataType::List(_) => list(array.as_list::<i32>().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            let values: Vec<Json> =
                columns.map(|(field, column)| json!([field.name(), plain(column, row)])).collect();
            json!({ "struct": values })
        }
        DataType::Map(..) => {
            let entries: ArrayRef = Arc::new(array.as_map().value(row));
            let entries = entries.as_struct();
            let pairs: Vec<Json> = (0..entries.len())
                .map(|at| json!([plain(entries.column(0), at), plain(entries.column(1), at)]))
                .collect();
            json!({ "map": pairs })
        }
        _ => json!(shown(&array.slice(row, 1))[0]),
    }
}

/// A time in whole seconds, as Spark writes it.
fn chrono_like(seconds: i64) -> String {
    let array: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from(vec![seconds * 1_000_000]).with_timezone("UTC"));
    shown(&array)[0].clone()
}

/// Spark's names of types.
fn type_name(data_type: &DataType) -> String {
    let item = |field: &Field| type_name(field.data_type());
    match data_type {
        DataType::Null => "void".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Int8 => "tinyint".to_owned(),
        DataType::Int16 => "smallint".to_owned(),
        DataType::Int32 => "int".to_owned(),
        DataType::Int64 => "bigint".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::Date32 => "date".to_owned(),
        DataType::Decimal128(p, s) => format!("decimal({p},{s})"),
        DataType::Timestamp(_, None) => "timestamp_ntz".to_owned(),
        DataType::Timestamp(_, Some(_)) => "timestamp".to_owned(),
        DataType::List(field) => format!("array<{}>", item(field)),
        DataType::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{}:{}", field.name(), item(field))).collect();
            format!("struct<{}>", fields.join(","))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                format!("map<{},{}>", item(&fields[0]), item(&fields[1]))
            }
            other => other.to_string(),
        },
        other => other.to_string(),
    }
}

fn outcome(table: &Table, sql: &str, mode: CastMode) -> Result<ArrayRef, String> {
    let bound = expression(sql, &table.scope, mode).map_err(|e| e.to_string())?;
    table.evaluate(&bound).map_err(|e| e.to_string())
}

#[test]
fn values_are_those_that_spark_has() {
    let all = rows();
    let first = Table {
        scope: all.scope.clone(),
        columns: all.columns.iter().map(|column| column.slice(0, 1)).collect(),
    };
    let (mut compared, mut departures, mut wrong) = (0, 0, Vec::new());
    for line in RECORDED.lines() {
        let record: Json = serde_json::from_str(line).unwrap();
        let sql = record["sql"].as_str().unwrap();
        if DEPARTURES.iter().any(|(departs, _)| *departs == sql) {
            departures += 1;
            continue;
        }
        let topic = record["topic"].as_str().unwrap();
        let table = if topic == "first" { &first } else { &all };
        let mode = if topic == "lenient" { CastMode::NullOnError } else { CastMode::Ansi };
        let ours = outcome(table, sql, mode);
        // `array` and `map` build no values here: such expressions are refused.
        if ours.as_ref().is_err_and(|message| message.contains("unknown function")) {
            continue;
        }
        compared += 1;
        let spark = match record.get("error").and_then(Json::as_str) {
            // Python cannot show the year; the value is pinned elsewhere.
            Some(error) if error.starts_with("year ") => continue,
            Some(error) => Err(error.to_owned()),
            None => Ok(match record.get("value") {
                Some(value) => vec![value.clone(); table.rows()],
                None => record["rows"].as_array().unwrap().clone(),
            }),
        };
        match (&ours, &spark) {
            (Err(_), Err(_)) => {}
            (Ok(array), Ok(values)) => {
                let ours: Vec<Json> = (0..array.len()).map(|row| plain(array, row)).collect();
                if ours != *values {
                    wrong.push(format!("{sql}\n   spark {values:?}\n   ours  {ours:?}"));
                } else if type_name(array.data_type()) != record["type"].as_str().unwrap() {
                    let name = type_name(array.data_type());
                    wrong.push(format!("{sql}\n   spark {}\n   ours  {name}", record["type"]));
                }
            }
            (Ok(array), Err(error)) => {
                let ours: Vec<Json> = (0..array.len()).map(|row| plain(array, row)).collect();
                wrong.push(format!("{sql}\n   spark fails: {error}\n   ours  {ours:?}"));
            }
            (Err(error), Ok(values)) => {
                wrong.push(format!("{sql}\n   spark {values:?}\n   ours fails: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 550, "{compared}");
    assert_eq!(departures, DEPARTURES.len());
}
