//! Any type through every writer: the values come back, or the writer refuses the
//! column before the first row.

mod any;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, IntervalUnit, Schema, SchemaRef};
use proptest::prelude::*;
use streamjoin_datasets::{
    DatasetError, FileFormat, ImportFrom, ImportOptions, ReadOptions, Source, import, writer,
};

use any::{Dice, any_array, any_type, leaves, nested, text};

/// Whether a type has a part for which `is` holds.
fn has(data_type: &DataType, is: &dyn Fn(&DataType) -> bool) -> bool {
    use DataType::*;
    is(data_type)
        || match data_type {
            List(item)
            | LargeList(item)
            | ListView(item)
            | LargeListView(item)
            | FixedSizeList(item, _)
            | Map(item, _)
            | RunEndEncoded(_, item) => has(item.data_type(), is),
            Struct(fields) => fields.iter().any(|field| has(field.data_type(), is)),
            Union(fields, _) => fields.iter().any(|(_, field)| has(field.data_type(), is)),
            Dictionary(_, values) => has(values, is),
            _ => false,
        }
}

/// Whether the format has no room for values of the type.
fn refuses(format: FileFormat, data_type: &DataType) -> bool {
    use DataType::*;
    match format {
        FileFormat::Parquet => has(data_type, &|part| match part {
            Union(..) | Interval(IntervalUnit::MonthDayNano) => true,
            Struct(fields) => fields.is_empty(),
            _ => false,
        }),
        FileFormat::Csv => {
            has(data_type, &|part| match part {
                Dictionary(..) | RunEndEncoded(..) => false,
                // The reader has no text for them.
                Duration(_) => true,
                other => other.is_nested(),
            })
        }
        _ => has(data_type, &|part| match part {
            Dictionary(_, values) => has(values, &|part| matches!(part, Union(..))),
            _ => false,
        }),
    }
}

fn rows(batches: &[RecordBatch]) -> Vec<String> {
    let row = |batch: &RecordBatch, row| {
        batch.columns().iter().map(|column| text(column, row)).collect::<Vec<_>>().join(" | ")
    };
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| row(batch, at))).collect()
}

fn read(path: &Path, options: &ReadOptions) -> Result<Vec<RecordBatch>, DatasetError> {
    let source = Source::open(path, options)?;
    source.read(None)?.map(|batch| batch.map(|batch| batch.batch)).collect()
}

/// Writes batches in every format and reads them back: what is wrong.
fn through_every_format(folder: &Path, schema: &SchemaRef, batches: &[RecordBatch]) -> Vec<String> {
    let expected = rows(batches);
    let formats = FileFormat::all();
    let wrong = formats.filter_map(|format| {
        let through = || through(folder, format, schema, batches, &expected);
        let through = std::panic::catch_unwind(std::panic::AssertUnwindSafe(through));
        let wrong = through.unwrap_or_else(|_| Err("panics".to_owned())).err()?;
        Some(format!("{format}: {wrong}\n  {:?}", schema.fields()))
    });
    wrong.collect()
}

fn through(
    folder: &Path,
    format: FileFormat,
    schema: &SchemaRef,
    batches: &[RecordBatch],
    expected: &[String],
) -> Result<(), String> {
    let path = folder.join(format!("t.{}", format.extensions()[0]));
    let refused = schema.fields().iter().find(|field| refuses(format, field.data_type()));
    let sink = Box::new(File::create(&path).unwrap());
    let mut out = match (writer(format, sink, schema), refused) {
        (Ok(out), None) => out,
        (Err(DatasetError::CannotHold { what, remedy, .. }), Some(_)) => {
            return match what.contains("column `c") && !remedy.is_empty() {
                true => Ok(()),
                false => Err(format!("{what}; {remedy}")),
            };
        }
        (Ok(_), Some(field)) => return Err(format!("takes {}", field.data_type())),
        (Err(error), _) => return Err(format!("refuses: {error}")),
    };
    for batch in batches {
        out.write(batch).map_err(|error| error.to_string())?;
    }
    out.finish().map_err(|error| error.to_string())?;
    let found = match format {
        FileFormat::Csv | FileFormat::JsonLines => {
            let content = std::fs::read_to_string(&path).unwrap();
            if content.contains("ERROR") || content.contains("rror:") {
                return Err(content);
            }
            if format == FileFormat::Csv {
                return Ok(());
            }
            let lines = content.lines().map(serde_json::from_str::<serde_json::Value>);
            let lines = lines.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            return match lines.len() == expected.len() {
                true => Ok(()),
                false => Err(format!("{} lines", lines.len())),
            };
        }
        _ => read(&path, &ReadOptions::default()).map_err(|error| format!("reading: {error}"))?,
    };
    match rows(&found) {
        found if found == expected => Ok(()),
        found => {
            let differ = found.iter().zip(expected).find(|(found, expected)| found != expected);
            Err(format!("{} rows of {}, {differ:?}", found.len(), expected.len()))
        }
    }
}

fn batch(dice: &mut Dice, schema: &SchemaRef, rows: usize) -> RecordBatch {
    let columns: Vec<ArrayRef> =
        schema.fields().iter().map(|field| any_array(dice, field.data_type(), rows)).collect();
    RecordBatch::try_new(schema.clone(), columns).unwrap()
}

/// Batches that differ in their dictionaries; one of them is a slice.
fn batches(dice: &mut Dice, schema: &SchemaRef) -> Vec<RecordBatch> {
    let first = batch(dice, schema, 7);
    let second = batch(dice, schema, 9).slice(2, 5);
    vec![first, second, batch(dice, schema, 1)]
}

fn schema(types: impl IntoIterator<Item = DataType>) -> SchemaRef {
    let fields = types.into_iter().enumerate();
    let fields = fields.map(|(at, data_type)| Field::new(format!("c{at}"), data_type, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

#[test]
fn every_type_and_every_nesting_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(14);
    let mut wrong = Vec::new();
    for leaf in leaves() {
        for data_type in std::iter::once(leaf.clone()).chain(nested(&leaf)) {
            let schema = schema([data_type]);
            let batches = batches(&mut dice, &schema);
            wrong.extend(through_every_format(folder.path(), &schema, &batches));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

proptest! {
    // The same types every time: what others find belongs into the lists above.
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(59),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_schemas(seed: u64, columns in 1_usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let mut dice = Dice::new(seed);
        let types: Vec<DataType> = (0..columns).map(|_| any_type(&mut dice, 3)).collect();
        let schema = schema(types);
        let batches = batches(&mut dice, &schema);
        let wrong = through_every_format(folder.path(), &schema, &batches);
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Sorted by a number, the other columns follow, whatever their types.
#[test]
fn an_import_sorts_every_type() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(41);
    let mut wrong = Vec::new();
    for leaf in leaves() {
        for data_type in std::iter::once(leaf.clone()).chain(nested(&leaf)) {
            let schema = schema([DataType::Int32, data_type]);
            let batches = batches(&mut dice, &schema);
            let from = folder.path().join("from.arrows");
            let to = folder.path().join("to.arrow");
            let sink = Box::new(File::create(&from).unwrap());
            let mut out = writer(FileFormat::ArrowStream, sink, &schema).unwrap();
            batches.iter().for_each(|batch| out.write(batch).unwrap());
            out.finish().unwrap();
            let source = Source::open(&from, &ReadOptions::default()).unwrap();
            let options =
                ImportOptions { force: true, sort_by: vec!["c0".to_owned()], ..Default::default() };
            // By the type itself: sorted, or refused before the first row.
            let by_itself = ImportOptions { sort_by: vec!["c1".to_owned()], ..options.clone() };
            match import(ImportFrom::Source(&source), &to, &by_itself) {
                Ok(_) | Err(DatasetError::NoOrder { .. }) => {}
                Err(error) => {
                    wrong.push(format!("by it: {error}: {:?}", schema.fields()[1].data_type()));
                }
            }
            if let Err(error) = import(ImportFrom::Source(&source), &to, &options) {
                wrong.push(format!("{error}: {:?}", schema.fields()[1].data_type()));
                continue;
            }
            let found = read(&to, &ReadOptions::default()).unwrap();
            let mut expected = Vec::new();
            for batch in &batches {
                let keys = arrow::array::AsArray::as_primitive::<arrow::datatypes::Int32Type>(
                    batch.column(0),
                );
                for row in 0..batch.num_rows() {
                    let key = keys.is_valid(row).then(|| keys.value(row));
                    expected.push((key, text(batch.column(1), row)));
                }
            }
            expected.sort_by_key(|(key, _)| *key);
            let mut values = Vec::new();
            for batch in &found {
                values.extend((0..batch.num_rows()).map(|row| text(batch.column(1), row)));
            }
            let expected: Vec<String> = expected.into_iter().map(|(_, value)| value).collect();
            if values != expected {
                wrong.push(format!("{:?}", schema.fields()[1].data_type()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
