//! A second look at keys that were not found: would they be, if both sides were
//! written alike? Tested against the other side's keys, in bounded time.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::{CastOptions, cast_with_options, concat_batches};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::row::{RowConverter, SortField};
use streamjoin_kernels::spark::{CastMode, comparison_type};

use crate::interrupt;
use crate::sink::cell_text;
use streamjoin_sql::{self as sql, BoundExpr, Scope};

/// The most rows of the other side to read, and the most time.
const MOST_ROWS: u64 = 5_000_000;
const MOST_TIME: Duration = Duration::from_secs(2);

/// How many keys are shown.
const SHOWN: usize = 5;

/// A way to write keys alike.
#[derive(Debug)]
struct Way {
    /// What it does, after "would match".
    name: &'static str,
    /// The key, which stands for `{k}`, in that way.
    sql: &'static str,
    of: Of,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Text,
    /// Text or timestamps, which become another type: both sides or none.
    Times,
    Numbers,
}

/// The plainest first: of ways that find equally many keys, the first is reported.
const WAYS: [Way; 8] = [
    Way { name: "after trim", sql: "trim({k})", of: Of::Text },
    Way { name: "in lower case", sql: "lower({k})", of: Of::Text },
    Way { name: "without leading zeros", sql: "TRIM(LEADING '0' FROM {k})", of: Of::Text },
    Way {
        name: "after a cast to numbers",
        sql: "TRY_CAST({k} AS DECIMAL(38, 9))",
        of: Of::Numbers,
    },
    Way { name: "after a cast to dates", sql: "TRY_CAST({k} AS DATE)", of: Of::Times },
    Way { name: "after trim, in lower case", sql: "lower(trim({k}))", of: Of::Text },
    Way {
        name: "after trim, without leading zeros",
        sql: "TRIM(LEADING '0' FROM trim({k}))",
        of: Of::Text,
    },
    Way {
        name: "after trim, in lower case and without leading zeros",
        sql: "TRIM(LEADING '0' FROM lower(trim({k})))",
        of: Of::Text,
    },
];

/// Which side is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Stream,
    Other,
    Both,
}

const WRITTEN: [Written; 3] = [Written::Stream, Written::Other, Written::Both];

/// What the look found.
#[derive(Debug)]
pub(super) struct KeySearch {
    /// Distinct keys that were looked for.
    pub(super) keys: usize,
    /// Of those, found as they are: other conditions kept their rows apart.
    pub(super) found: usize,
    /// Rows of the other side that were looked at, and whether that is all.
    pub(super) rows: u64,
    pub(super) all_rows: bool,
    /// Some of the keys that were not found.
    pub(super) missing: Vec<String>,
    /// The way that finds the most of them.
    pub(super) fix: Option<Fix>,
}

/// A way to find keys.
#[derive(Debug)]
pub(super) struct Fix {
    /// What it does, after "would match".
    pub(super) name: &'static str,
    /// Keys that it finds.
    pub(super) found: usize,
    /// One of them: the key that was looked for, and the one that was there.
    pub(super) example: (String, String),
    /// For each pair of keys, what to write in their place.
    pub(super) on: Vec<(String, String)>,
}

/// A search for keys among those of another side.
pub(super) struct Search {
    types: Vec<DataType>,
    on: Vec<(String, String)>,
    sample: RecordBatch,
    /// Of the keys as they are, and in each way.
    forms: Vec<Form>,
    started: Instant,
    rows: u64,
    cut: bool,
}

/// Keys written in some way.
struct Form {
    way: Option<&'static Way>,
    /// Of each key column; none where the way is not for it.
    exprs: Vec<Option<BoundExpr>>,
    converter: RowConverter,
    /// The sample in this form: which keys have those bytes.
    sample: HashMap<Box<[u8]>, Vec<usize>>,
    /// By the rewritten key: the key of the other side that each key met.
    hits: [Vec<Option<String>>; 3],
}

impl Search {
    /// For `sample`, one column per key. None where keys cannot be compared, or
    /// nothing is there to look for.
    pub(super) fn new(
        sample: &[RecordBatch],
        other_types: &[DataType],
        on: &[(String, String)],
    ) -> Option<Self> {
        let schema = sample.first()?.schema();
        let sample = distinct(&concat_batches(&schema, sample).ok()?)?;
        let types: Vec<DataType> = schema
            .fields()
            .iter()
            .zip(other_types)
            .map(|(field, other)| comparison_type(field.data_type(), other).ok())
            .collect::<Option<_>>()?;
        let ways = WAYS.iter().map(Some);
        let mut forms: Vec<Form> = std::iter::once(None)
            .chain(ways)
            .filter_map(|way| Form::new(way, &types, sample.num_rows()))
            .collect();
        for form in &mut forms {
            let keys = form.rows(&sample, &types)?;
            for (at, key) in keys.into_iter().enumerate() {
                if let Some(key) = key {
                    form.sample.entry(key).or_default().push(at);
                }
            }
        }
        let (rows, cut) = (0, false);
        Some(Self { types, on: on.to_vec(), sample, forms, started: Instant::now(), rows, cut })
    }

    /// Whether some way applies to keys of these types at all.
    pub(super) fn can_help(&self) -> bool {
        self.forms.len() > 1
    }

    /// Looks at some keys of the other side; false when it has had enough.
    pub(super) fn look(&mut self, keys: &RecordBatch) -> bool {
        let enough =
            self.rows >= MOST_ROWS || self.started.elapsed() > MOST_TIME || interrupt::requested();
        if enough {
            self.cut = true;
            return false;
        }
        self.rows += keys.num_rows() as u64;
        let Some((plain, ways)) = self.forms.split_first_mut() else { return false };
        let Some(as_is) = plain.rows(keys, &self.types) else { return false };
        let texts = |row: usize| key_text(keys, row);
        plain.meet(2, None, &as_is, &texts);
        for form in ways {
            let Some(rewritten) = form.rows(keys, &self.types) else { continue };
            if form.keeps_types() {
                // The stream's keys rewritten, the other side's as they are, and so on.
                form.meet(0, None, &as_is, &texts);
                form.meet(1, Some(&plain.sample), &rewritten, &texts);
            }
            form.meet(2, None, &rewritten, &texts);
        }
        true
    }

    /// What was found.
    pub(super) fn finish(self) -> KeySearch {
        let keys = self.sample.num_rows();
        let as_is = self.forms.first().map_or(&[][..], |plain| &plain.hits[2]);
        let is_missing = |at: &usize| as_is.get(*at).is_none_or(Option::is_none);
        let missing: Vec<usize> = (0..keys).filter(is_missing).collect();
        let mut best: Option<Fix> = None;
        for form in &self.forms {
            let Some(way) = form.way else { continue };
            for (at, written) in WRITTEN.into_iter().enumerate() {
                let hits =
                    || missing.iter().filter_map(|&key| Some((key, form.hits[at][key].as_ref()?)));
                let found = hits().count();
                if found <= best.as_ref().map_or(0, |best| best.found) {
                    continue;
                }
                let Some((key, met)) = hits().next() else { continue };
                best = Some(Fix {
                    name: way.name,
                    found,
                    example: (key_text(&self.sample, key), met.clone()),
                    on: form.on(&self.on, written),
                });
            }
        }
        KeySearch {
            keys,
            found: keys - missing.len(),
            rows: self.rows,
            all_rows: !self.cut,
            missing: missing.iter().take(SHOWN).map(|&key| key_text(&self.sample, key)).collect(),
            fix: best,
        }
    }
}

impl Form {
    fn new(way: Option<&'static Way>, types: &[DataType], keys: usize) -> Option<Self> {
        let exprs: Vec<Option<BoundExpr>> =
            types.iter().map(|compared| way?.expr(compared)).collect();
        if way.is_some() && exprs.iter().all(Option::is_none) {
            return None;
        }
        let results = exprs.iter().zip(types);
        let results =
            results.map(|(expr, compared)| expr.as_ref().map_or(compared, BoundExpr::data_type));
        let fields = results.map(|result| SortField::new(result.clone())).collect();
        Some(Self {
            way,
            exprs,
            converter: RowConverter::new(fields).ok()?,
            sample: HashMap::new(),
            hits: std::array::from_fn(|_| vec![None; keys]),
        })
    }

    /// Keys in this form; a null in one matches nothing.
    fn rows(&self, keys: &RecordBatch, types: &[DataType]) -> Option<Vec<Option<Box<[u8]>>>> {
        let safe = CastOptions { safe: true, ..CastOptions::default() };
        let columns = keys.columns().iter().zip(types).zip(&self.exprs);
        let columns: Vec<ArrayRef> = columns
            .map(|((column, compared), expr)| {
                let column = cast_with_options(column, compared, &safe).ok()?;
                match expr {
                    None => Some(column),
                    Some(expr) => expr.evaluate(&[column], keys.num_rows()).ok(),
                }
            })
            .collect::<Option<_>>()?;
        let rows = self.converter.convert_columns(&columns).ok()?;
        let is_null = |row: usize| columns.iter().any(|column| column.is_null(row));
        Some(
            (0..keys.num_rows())
                .map(|row| (!is_null(row)).then(|| rows.row(row).data().into()))
                .collect(),
        )
    }

    fn keeps_types(&self) -> bool {
        self.way.is_some_and(|way| way.of == Of::Text)
    }

    /// Notes which keys of the sample, in this form or that of `other`, are among
    /// these.
    fn meet(
        &mut self,
        hits: usize,
        other: Option<&HashMap<Box<[u8]>, Vec<usize>>>,
        keys: &[Option<Box<[u8]>>],
        text: &dyn Fn(usize) -> String,
    ) {
        let sample = other.unwrap_or(&self.sample);
        for (row, key) in keys.iter().enumerate() {
            let Some(found) = key.as_ref().and_then(|key| sample.get(key)) else { continue };
            for &at in found {
                self.hits[hits][at].get_or_insert_with(|| text(row));
            }
        }
    }

    /// What to write in place of each pair of keys.
    fn on(&self, on: &[(String, String)], written: Written) -> Vec<(String, String)> {
        let sql = self.way.map_or("{k}", |way| way.sql);
        let rewritten = |key: &str| sql.replace("{k}", key);
        on.iter()
            .zip(&self.exprs)
            .map(|((stream, other), expr)| match (expr, written) {
                (None, _) => (stream.clone(), other.clone()),
                (Some(_), Written::Stream) => (rewritten(stream), other.clone()),
                (Some(_), Written::Other) => (stream.clone(), rewritten(other)),
                (Some(_), Written::Both) => (rewritten(stream), rewritten(other)),
            })
            .collect()
    }
}

impl Way {
    /// The key in this way, over one column of the type that keys are compared as.
    fn expr(&self, compared: &DataType) -> Option<BoundExpr> {
        let text = matches!(compared, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let applies = match self.of {
            Of::Text | Of::Numbers => text,
            Of::Times => text || matches!(compared, DataType::Timestamp(..)),
        };
        if !applies {
            return None;
        }
        let schema = Schema::new(vec![Field::new("k", compared.clone(), true)]);
        sql::expression(
            &self.sql.replace("{k}", "k"),
            &Scope::of_schema("key", &schema),
            CastMode::Ansi,
        )
        .ok()
    }
}

/// The distinct rows, those with a null left out.
fn distinct(batch: &RecordBatch) -> Option<RecordBatch> {
    let fields =
        batch.schema().fields().iter().map(|f| SortField::new(f.data_type().clone())).collect();
    let rows = RowConverter::new(fields).ok()?.convert_columns(batch.columns()).ok()?;
    let mut seen = std::collections::HashSet::new();
    let kept = (0..batch.num_rows()).filter(|&row| {
        batch.columns().iter().all(|column| column.is_valid(row)) && seen.insert(rows.row(row))
    });
    let kept: arrow::array::UInt32Array = kept.map(|row| row as u32).collect::<Vec<_>>().into();
    let kept = arrow::compute::take_record_batch(batch, &kept).ok()?;
    (kept.num_rows() > 0).then_some(kept)
}

/// A key for people: text in quotes, so that blanks are seen.
fn key_text(keys: &RecordBatch, row: usize) -> String {
    let parts = keys.columns().iter().map(|column| {
        let text = cell_text(column, row).unwrap_or_else(|_| "?".to_owned());
        match column.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => format!("'{text}'"),
            _ => text,
        }
    });
    match parts.collect::<Vec<_>>() {
        parts if parts.len() == 1 => parts.concat(),
        parts => format!("({})", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_can_be_written_in_a_scenario() {
        for way in &WAYS {
            assert!(way.expr(&DataType::Utf8).is_some(), "{way:?}");
        }
    }
}
