//! Dictionaries as pyarrow writes them: 300 rows in three row groups.

use std::path::Path;

use arrow::datatypes::DataType;
use streamjoin::sink::SinkSpec;

use crate::scenario::{Job, Rows};
use crate::value::Value;

#[test]
fn dictionaries_of_several_row_groups_are_joined_by_value() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let columns: Vec<(String, DataType)> = Vec::new();
    let l = Rows { rows: (0..302).map(|id| (id, 0)).collect(), columns, batches: 2 };
    let text = "[stream.s]\nrecording = \"left\"\n[[dimension]]\nname = \"t\"\n\
        table = \"dictionaries.parquet\"\ntype = \"left outer\"\non = \"s.id = t.id\"\n\
        [output]\nselect = [\"s.id AS id\", \"own\", \"of128\", \"of256\", \"fixed\"]\n";
    let rows: &[(&str, &Rows)] = &[("left", &l)];
    let job = Job { text: text.to_owned(), rows, folder: &data, sink: SinkSpec::None };
    let expected: Vec<Vec<Value>> = (0..302)
        .map(|id: i64| {
            let found = id < 300;
            let text = |text: String| if found { Value::Text(text) } else { Value::Null };
            let fixed = id / 100 * 100 + 99 - id % 100;
            vec![
                Value::Integer(id.into()),
                text(format!("own {id}")),
                text(format!("of 128: {}", id % 128)),
                if id % 7 == 0 { Value::Null } else { text(format!("of 256: {}", id % 256)) },
                match found {
                    true => Value::Binary(fixed.to_be_bytes()[5..].to_vec()),
                    false => Value::Null,
                },
            ]
        })
        .collect();
    assert_eq!(job.outcome().values(&["id", "own", "of128", "of256", "fixed"]), expected);
}
