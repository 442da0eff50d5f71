//! What a column can be in a job, one function per role. Each answers what came
//! out, and what a nested loop over the rows says must come out.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::Value as Json;
use streamjoin::sink::{SinkSpec, show};
use streamjoin_datasets::{DatasetError, FileFormat, ReadOptions, Source};

use crate::scenario::{Job, Outcome, Rows};
use crate::types::Named;
use crate::value::{Value, read};

/// Rows of values that are compared without regard to their order.
type Answer = Vec<Vec<Value>>;

/// What became of columns in a role.
#[derive(Debug)]
pub(crate) enum Found {
    /// They came out as they must.
    Right,
    /// `check` refused them.
    Refused(String),
    /// No file of the format has such a column.
    NoFile,
    /// They were written as text that is not read as the same type.
    AsText,
}

/// A role of columns: tried with the columns of several types at once.
pub(crate) struct Role {
    /// The caption of its column on the page.
    pub(crate) caption: &'static str,
    /// Whether several columns are tried in one job.
    pub(crate) together: bool,
    pub(crate) run: fn(&Case<'_>) -> Found,
}

pub(crate) const ROLES: &[Role] = &[
    Role { caption: "stream", together: true, run: stream },
    Role { caption: "table", together: true, run: table },
    Role { caption: "key", together: false, run: key },
    Role { caption: "residual", together: false, run: residual },
    Role { caption: "`where`, `select`", together: false, run: expressions },
    Role { caption: "two streams", together: true, run: two_streams },
    Role { caption: "from parquet", together: true, run: from_parquet },
    Role { caption: "from arrow", together: true, run: from_arrow },
    Role { caption: "from arrow-stream", together: true, run: from_arrow_stream },
    Role { caption: "to parquet", together: true, run: to_parquet },
    Role { caption: "to arrow", together: true, run: to_arrow },
    Role { caption: "to arrow-stream", together: true, run: to_arrow_stream },
    Role { caption: "to csv", together: true, run: to_csv },
    Role { caption: "to jsonl", together: true, run: to_jsonl },
    Role { caption: "to the console", together: true, run: to_console },
];

fn columns(types: &[Named], prefix: &str) -> Vec<(String, DataType)> {
    let columns = types.iter().enumerate();
    columns.map(|(at, of)| (format!("{prefix}{at}"), of.data_type.clone())).collect()
}

/// Columns of some types, and how their rows are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) types: &'a [Named],
    /// For files.
    pub(crate) folder: &'a Path,
    pub(crate) shape: Shape,
}

/// How many rows there are, and where batches end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) left: i64,
    pub(crate) right: i64,
    /// Recorded batches of each.
    pub(crate) batches: usize,
    /// Rows of a micro-batch.
    pub(crate) trigger: usize,
}

/// More rows of the table than an index of eight bits can name, two per key.
pub(crate) const SHAPE: Shape = Shape { left: 100, right: 300, batches: 3, trigger: 37 };

impl Case<'_> {
    /// Some rows have no key, some one that nobody else has.
    fn left(&self, types: &[Named]) -> Rows {
        let key = |id: i64| if id % 13 == 5 { -1 } else { (id * 7 % 170) as i32 };
        let rows = (0..self.shape.left).map(|id| (id, key(id))).collect();
        Rows { rows, columns: columns(types, "x"), batches: self.shape.batches }
    }

    fn right(&self, types: &[Named]) -> Rows {
        let key = |id: i64| if id % 29 == 7 { -1 } else { (id % 150) as i32 };
        let rows = (0..self.shape.right).map(|id| (id, key(id))).collect();
        Rows { rows, columns: columns(types, "y"), batches: self.shape.batches }
    }

    fn trigger(&self) -> String {
        format!("[replay]\ntrigger = {{ rows = {} }}\n", self.shape.trigger)
    }
}

/// Pairs of rows with equal keys that satisfy the condition.
pub(crate) fn pairs(
    left: &Rows,
    right: &Rows,
    on: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let rows = |of: &Rows| 0..of.rows.len();
    rows(left).flat_map(|l| rows(right).map(move |r| (l, r))).filter(|&(l, r)| on(l, r)).collect()
}

fn same_key(left: &Rows, right: &Rows) -> impl Fn(usize, usize) -> bool {
    let keys = |of: &Rows| of.rows.iter().map(|(_, key)| *key).collect::<Vec<_>>();
    let (l, r) = (keys(left), keys(right));
    move |a, b| l[a] >= 0 && l[a] == r[b]
}

/// The pairs, with null for the rows of a preserved side without one.
pub(crate) fn extended(
    left: &Rows,
    right: Option<&Rows>,
    pairs: &[(usize, usize)],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut all: Vec<(Option<usize>, Option<usize>)> =
        pairs.iter().map(|&(l, r)| (Some(l), Some(r))).collect();
    let missing = |l: &usize| !pairs.iter().any(|pair| pair.0 == *l);
    all.extend((0..left.rows.len()).filter(missing).map(|l| (Some(l), None)));
    let missing = |r: &usize| !pairs.iter().any(|pair| pair.1 == *r);
    all.extend(
        (0..right.map_or(0, |right| right.rows.len())).filter(missing).map(|r| (None, Some(r))),
    );
    all
}

fn id(rows: &Rows, row: Option<usize>) -> Value {
    row.map_or(Value::Null, |row| Value::Integer(rows.rows[row].0.into()))
}

fn cell(rows: &Rows, row: Option<usize>, column: usize) -> Value {
    row.map_or(Value::Null, |row| rows.value(row, column))
}

/// Compares the columns one by one, so that a difference names one.
fn compare(
    outcome: &Outcome,
    names: &[String],
    expected: &Answer,
    ids: usize,
    of: &[Named],
) -> Found {
    if let Outcome::Refused(message) = outcome {
        return Found::Refused(message.clone());
    }
    for column in ids..names.len() {
        let picked: Vec<&str> =
            names[..ids].iter().chain([&names[column]]).map(String::as_str).collect();
        let pick = |row: &Vec<Value>| [&row[..ids], &row[column..=column]].concat();
        let mut expected: Answer = expected.iter().map(pick).collect();
        expected.sort();
        let found = outcome.values(&picked);
        let of = &of[(column - ids) % of.len()].name;
        assert_eq!(found.len(), expected.len(), "rows with {} ({of})", names[column]);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "column {} ({of})", names[column]);
        }
    }
    Found::Right
}

fn quoted(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("\"{item}\"")).collect::<Vec<_>>().join(", ")
}

const TABLE: &str = "[[dimension]]\nname = \"t\"\ntable = \"right\"\ntype = \"left outer\"\n";

/// Columns of a stream that a join with a table passes on.
fn stream(case: &Case<'_>) -> Found {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r) = (case.left(types), case.right(&[]));
    let text = format!(
        "[stream.s]\nrecording = \"left\"\n{TABLE}on = \"s.k = t.k\"\n{batches}\
         [output]\nselect = [\"s.id AS id\", \"t.id AS tid\", {}]\n",
        quoted(l.columns.iter().map(|(name, _)| name.clone()))
    );
    let job = Job { text, rows: &[("left", &l), ("right", &r)], folder, sink: SinkSpec::None };
    let expected = extended(&l, None, &pairs(&l, &r, same_key(&l, &r)));
    let row = |&(a, b): &(Option<usize>, Option<usize>)| {
        let mut row = vec![id(&l, a), id(&r, b)];
        row.extend((0..types.len()).map(|column| cell(&l, a, column)));
        row
    };
    let mut names = vec!["id".to_owned(), "tid".to_owned()];
    names.extend(l.columns.iter().map(|(name, _)| name.clone()));
    compare(&job.outcome(), &names, &expected.iter().map(row).collect(), 2, types)
}

/// Columns of a table, found and not found, also after another join.
fn table(case: &Case<'_>) -> Found {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r, more) = (case.left(&[]), case.right(types), case.right(types));
    let text = format!(
        "[stream.s]\nrecording = \"left\"\n{TABLE}on = \"s.k = t.k\"\n\
         [[dimension]]\nname = \"u\"\ntable = \"more\"\ntype = \"left outer\"\n\
         on = \"s.id = u.id AND s.k < 100\"\n{batches}\
         [output]\nselect = [\"s.id AS id\", \"t.id AS tid\", {}]\n\
         [strategies.broadcast]\nlayout = \"broadcast\"\n\
         [strategies.partitioned]\nlayout = \"partitioned\"\n\
         [strategies.sorted]\nlayout = \"sort-merge\"\n",
        quoted(r.columns.iter().flat_map(|(name, _)| {
            [format!("t.{name} AS {name}"), format!("u.{name} AS u{name}")]
        }))
    );
    let rows: &[(&str, &Rows)] = &[("left", &l), ("right", &r), ("more", &more)];
    let job = Job { text, rows, folder, sink: SinkSpec::None };
    let expected = extended(&l, None, &pairs(&l, &r, same_key(&l, &r)));
    let row = |&(a, b): &(Option<usize>, Option<usize>)| {
        let mut row = vec![id(&l, a), id(&r, b)];
        let found = a.filter(|&a| (0..100).contains(&l.rows[a].1) && a < more.rows.len());
        row.extend(
            (0..types.len()).flat_map(|column| [cell(&r, b, column), cell(&more, found, column)]),
        );
        row
    };
    let mut names = vec!["id".to_owned(), "tid".to_owned()];
    names.extend(r.columns.iter().flat_map(|(name, _)| [name.clone(), format!("u{name}")]));
    let twice: Vec<Named> = types.iter().flat_map(|of| [of.clone(), of.clone()]).collect();
    compare(&job.outcome(), &names, &expected.iter().map(row).collect(), 2, &twice)
}

/// The pairs by their ids.
fn compare_pairs(
    outcome: &Outcome,
    l: &Rows,
    r: &Rows,
    pairs: &[(usize, usize)],
    of: &Named,
) -> Found {
    if let Outcome::Refused(message) = outcome {
        return Found::Refused(message.clone());
    }
    let row = |&(a, b): &(usize, usize)| vec![id(l, Some(a)), id(r, Some(b))];
    let mut expected: Answer = pairs.iter().map(row).collect();
    expected.sort();
    assert_eq!(outcome.values(&["id", "tid"]), expected, "pairs by {}", of.name);
    Found::Right
}

const EVENTS: &str = "[stream.s]\nrecording = \"left\"\nevent_time = \"at\"\nwatermark = \"1 day\"\n\
    [stream.t]\nrecording = \"right\"\nevent_time = \"at\"\nwatermark = \"1 day\"\n\
    [join]\nleft = \"s\"\nright = \"t\"\n";
const STORES: &str = "[strategies.blocks]\nstate = \"time-blocks\"\n\
    [strategies.map]\nstate = \"ordered-map\"\n\
    [strategies.scan]\nstate = \"full-scan\"\n";
const WITHIN: &str = "t.at BETWEEN s.at - INTERVAL 1 HOUR AND s.at + INTERVAL 1 HOUR";

/// A row with its first column.
struct Row {
    id: i64,
    key: i32,
    value: Value,
}

fn row_values(of: &Rows) -> Vec<Row> {
    let rows = of.rows.iter().enumerate();
    rows.map(|(row, &(id, key))| Row { id, key, value: of.value(row, 0) }).collect()
}

/// Both kinds of joins on a condition over columns of one type.
fn both_joins(case: &Case<'_>, condition: &str, on: impl Fn(&Row, &Row) -> bool) -> Found {
    let Case { folder, .. } = *case;
    let of = &case.types[0];
    let batches = case.trigger();
    let (l, r) = (case.left(std::slice::from_ref(of)), case.right(std::slice::from_ref(of)));
    let (of_left, of_right) = (row_values(&l), row_values(&r));
    let expected = pairs(&l, &r, |a, b| on(&of_left[a], &of_right[b]));
    let select = "[output]\nselect = [\"s.id AS id\", \"t.id AS tid\"]\n";
    let with_table = format!(
        "[stream.s]\nrecording = \"left\"\n[[dimension]]\nname = \"t\"\ntable = \"right\"\n\
         on = \"{condition}\"\n{batches}{select}"
    );
    let with_stream =
        format!("{EVENTS}on = \"{condition} AND {WITHIN}\"\n{batches}{select}{STORES}");
    let found = [with_table, with_stream].map(|text| {
        let rows: &[(&str, &Rows)] = &[("left", &l), ("right", &r)];
        let job = Job { text, rows, folder, sink: SinkSpec::None };
        compare_pairs(&job.outcome(), &l, &r, &expected, of)
    });
    match found {
        [Found::Right, Found::Right] => Found::Right,
        [Found::Refused(message), Found::Refused(_)] => Found::Refused(message),
        other => panic!("{}: {other:?}", of.name),
    }
}

fn key(case: &Case<'_>) -> Found {
    both_joins(case, "s.x0 = t.y0", |l, r| l.value != Value::Null && l.value == r.value)
}

fn is_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Union(_, of) => is_null(of),
        _ => false,
    }
}

/// A column of each side in a condition that pairs of rows are tried with.
fn residual(case: &Case<'_>) -> Found {
    let condition = "s.k = t.k AND (s.x0 IS NULL OR t.y0 IS NOT NULL OR s.id + t.id < 90)";
    both_joins(case, condition, |l, r| {
        let passes = is_null(&l.value) || !is_null(&r.value) || l.id + r.id < 90;
        l.key >= 0 && l.key == r.key && passes
    })
}

/// A column in `where` and `select` of a stream, a table and the output.
fn expressions(case: &Case<'_>) -> Found {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r) = (case.left(types), case.right(types));
    let text = format!(
        "[stream.s]\nrecording = \"left\"\nwhere = \"x0 IS NOT NULL OR id < 20\"\n\
         {TABLE}on = \"s.k = t.k\"\nwhere = \"y0 IS NOT NULL OR id > 40\"\n\
         select = [\"id\", \"k\", \"CASE WHEN id % 3 > 0 THEN y0 END AS y0\"]\n{batches}\
         [output]\nwhere = \"x0 IS NOT NULL OR y0 IS NULL\"\n\
         select = [\"s.id AS id\", \"t.id AS tid\", \"coalesce(y0, x0) AS c\", \
         \"CASE WHEN s.id % 2 = 0 THEN x0 ELSE y0 END AS d\", \"y0 IS NULL AS e\"]\n"
    );
    let job = Job { text, rows: &[("left", &l), ("right", &r)], folder, sink: SinkSpec::None };
    let outcome = job.outcome();
    if let Outcome::Refused(message) = outcome {
        return Found::Refused(message);
    }
    let in_table = |b: usize| !is_null(&r.value(b, 0)) || r.rows[b].0 > 40;
    let on = same_key(&l, &r);
    let found = pairs(&l, &r, |a, b| on(a, b) && in_table(b));
    let all = extended(&l, None, &found);
    let row = |&(a, b): &(Option<usize>, Option<usize>)| {
        let x = cell(&l, a, 0);
        let y = match b {
            Some(b) if r.rows[b].0 % 3 > 0 => r.value(b, 0),
            _ => Value::Null,
        };
        let left_id = a.map_or(0, |a| l.rows[a].0);
        if is_null(&x) && (left_id >= 20 || !is_null(&y)) {
            return None;
        }
        let c = if is_null(&y) { x.clone() } else { y.clone() };
        let d = if left_id % 2 == 0 { x } else { y.clone() };
        Some(vec![id(&l, a), id(&r, b), c, d, Value::Boolean(is_null(&y))])
    };
    let expected: Answer = all.iter().filter_map(row).collect();
    let names = ["id", "tid", "c", "d", "e"].map(str::to_owned);
    compare(&outcome, &names, &expected, 2, types)
}

/// Columns of both sides in the state of each store, matched and not.
fn two_streams(case: &Case<'_>) -> Found {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r) = (case.left(types), case.right(types));
    let both = || l.columns.iter().chain(&r.columns).map(|(name, _)| name.clone());
    let text = format!(
        "{EVENTS}type = \"full outer\"\non = \"s.k = t.k AND {WITHIN}\"\n\
         [[dimension]]\nname = \"u\"\ntable = \"more\"\ntype = \"left outer\"\non = \"s.id = u.k\"\n\
         {batches}end = \"flush\"\n\
         [output]\nselect = [\"s.id AS id\", \"t.id AS tid\", {}]\n{STORES}",
        quoted(both())
    );
    let more = Rows { rows: vec![(1, 500)], columns: Vec::new(), batches: 1 };
    let rows: &[(&str, &Rows)] = &[("left", &l), ("right", &r), ("more", &more)];
    let job = Job { text, rows, folder, sink: SinkSpec::None };
    let expected = extended(&l, Some(&r), &pairs(&l, &r, same_key(&l, &r)));
    let row = |&(a, b): &(Option<usize>, Option<usize>)| {
        let mut row = vec![id(&l, a), id(&r, b)];
        row.extend((0..types.len()).map(|column| cell(&l, a, column)));
        row.extend((0..types.len()).map(|column| cell(&r, b, column)));
        row
    };
    let names: Vec<String> = ["id", "tid"].map(str::to_owned).into_iter().chain(both()).collect();
    compare(&job.outcome(), &names, &expected.iter().map(row).collect(), 2, types)
}

fn from_parquet(case: &Case<'_>) -> Found {
    from_files(case, "parquet", |path, batch| {
        // Arrow's writer takes wrong values of these; see the recorded file.
        let mut columns = batch.schema_ref().fields().iter();
        if columns.any(|field| is_dictionary_of_fixed(field.data_type())) {
            return Err("a dictionary of fixed-size binaries".into());
        }
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(40));
        let file = File::create(path)?;
        let writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build()));
        let mut writer = writer?;
        writer.write(batch)?;
        writer.close()?;
        Ok(())
    })
}

fn is_dictionary_of_fixed(data_type: &DataType) -> bool {
    let DataType::Dictionary(_, of) = data_type else { return false };
    matches!(of.as_ref(), DataType::FixedSizeBinary(_))
}

fn from_arrow(case: &Case<'_>) -> Found {
    from_files(case, "arrow", |path, batch| {
        let mut writer = FileWriter::try_new(File::create(path)?, &batch.schema())?;
        writer.write(batch)?;
        Ok(writer.finish()?)
    })
}

fn from_arrow_stream(case: &Case<'_>) -> Found {
    from_files(case, "arrows", |path, batch| {
        let mut writer = StreamWriter::try_new(File::create(path)?, &batch.schema())?;
        writer.write(batch)?;
        Ok(writer.finish()?)
    })
}

/// Writes one file, as others write it.
type Write = fn(&Path, &RecordBatch) -> Result<(), Box<dyn Error>>;

/// Columns of a stream and of a table that are read from several files, whose
/// dictionaries differ.
fn from_files(case: &Case<'_>, extension: &str, write: Write) -> Found {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r) = (case.left(types), case.right(types));
    for (name, rows) in [("left", &l), ("right", &r)] {
        let folder = folder.join(format!("{name}-{extension}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        let none = RecordBatch::new_empty(rows.schema());
        let recorded = rows.batches();
        for (number, batch) in recorded.iter().chain([&none]).enumerate() {
            let path = folder.join(format!("{number}.{extension}"));
            let written = catch_unwind(AssertUnwindSafe(|| write(&path, batch).is_ok()));
            if !written.unwrap_or(false) {
                return Found::NoFile;
            }
        }
    }
    let text = format!(
        "[stream.s]\nrecording = \"left-{extension}\"\n\
         [[dimension]]\nname = \"t\"\ntable = \"right-{extension}\"\n\
         type = \"left outer\"\non = \"s.k = t.k\"\n{batches}\
         [output]\nselect = [\"s.id AS id\", \"t.id AS tid\", {}]\n",
        quoted(l.columns.iter().chain(&r.columns).map(|(name, _)| name.clone()))
    );
    let job = Job { text, rows: &[], folder, sink: SinkSpec::None };
    let expected = extended(&l, None, &pairs(&l, &r, same_key(&l, &r)));
    let row = |&(a, b): &(Option<usize>, Option<usize>)| {
        let mut row = vec![id(&l, a), id(&r, b)];
        row.extend((0..types.len()).map(|column| cell(&l, a, column)));
        row.extend((0..types.len()).map(|column| cell(&r, b, column)));
        row
    };
    let mut names = vec!["id".to_owned(), "tid".to_owned()];
    names.extend(l.columns.iter().chain(&r.columns).map(|(name, _)| name.clone()));
    compare(&job.outcome(), &names, &expected.iter().map(row).collect(), 2, types)
}

/// What a sink was given, and the job that gave it.
fn written(case: &Case<'_>, sink: SinkSpec) -> (Outcome, Rows) {
    let Case { types, folder, .. } = *case;
    let batches = case.trigger();
    let (l, r) = (case.left(types), case.right(&[]));
    let text = format!(
        "[stream.s]\nrecording = \"left\"\n[[dimension]]\nname = \"t\"\ntable = \"right\"\n\
         type = \"left anti\"\non = \"s.id + 1000 = t.id\"\n{batches}"
    );
    let job = Job { text, rows: &[("left", &l), ("right", &r)], folder, sink };
    (job.outcome(), l)
}

fn to_console(case: &Case<'_>) -> Found {
    // What the console shows has tests of its own: here it must show all.
    let (outcome, _) = written(case, SinkSpec::None);
    let Outcome::Rows(rows) = outcome else { panic!("{outcome:?}") };
    for batch in rows {
        let shown = show(&batch, 50);
        assert!(shown.is_ok_and(|text| !text.contains("ERROR")), "{}", case.types[0].name);
    }
    Found::Right
}

fn to_parquet(case: &Case<'_>) -> Found {
    to_file(case, FileFormat::Parquet)
}

fn to_arrow(case: &Case<'_>) -> Found {
    to_file(case, FileFormat::ArrowFile)
}

fn to_arrow_stream(case: &Case<'_>) -> Found {
    to_file(case, FileFormat::ArrowStream)
}

fn to_csv(case: &Case<'_>) -> Found {
    to_file(case, FileFormat::Csv)
}

fn to_jsonl(case: &Case<'_>) -> Found {
    to_file(case, FileFormat::JsonLines)
}

fn read_back(path: &Path, options: &ReadOptions) -> Result<Vec<RecordBatch>, String> {
    let text = |error: DatasetError| error.to_string();
    let source = Source::open(path, options).map_err(text)?;
    let batches = source.read(None).map_err(text)?;
    batches.map(|batch| Ok(batch.map_err(text)?.batch)).collect()
}

/// The value without the members that values of unions are of: text does not say.
fn of_members(value: Value) -> Value {
    let all = |values: Vec<Value>| values.into_iter().map(of_members).collect();
    match value {
        Value::Union(_, of) => of_members(*of),
        Value::List(values) => Value::List(all(values)),
        Value::Struct(values) => Value::Struct(all(values)),
        Value::Map(entries) => {
            let entries = entries.into_iter();
            Value::Map(entries.map(|(key, of)| (key, of_members(of))).collect())
        }
        other => other,
    }
}

/// Columns that a reader of text cannot be asked for: null is null, and other
/// values have texts that differ where the values do.
fn as_text(path: &Path, format: FileFormat, l: &Rows, types: &[Named]) -> Found {
    let text = fs::read_to_string(path).expect("a text file");
    assert!(!text.contains("ERROR"), "{}", types[0].name);
    let mut rows: Vec<(i64, Vec<Option<String>>)> = Vec::new();
    if format == FileFormat::JsonLines {
        for line in text.lines() {
            let line: Json = serde_json::from_str(line).expect("an object");
            let of = |(name, _): &(String, DataType)| match &line[name] {
                Json::Null => None,
                value => Some(value.to_string()),
            };
            let id = line["id"].as_i64().expect("a number");
            rows.push((id, l.columns.iter().map(of).collect()));
        }
    } else {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.expect("a record");
            let of = |field: &str| (!field.is_empty()).then(|| field.to_owned());
            let id = record[0].parse().expect("a number");
            rows.push((id, record.iter().skip(3).map(of).collect()));
        }
    }
    assert_eq!(rows.len(), l.rows.len());
    rows.sort();
    for (column, of) in types.iter().enumerate() {
        let mut known: BTreeMap<Value, String> = BTreeMap::new();
        for (row, (_, texts)) in rows.iter().enumerate() {
            let value = l.value(row, column);
            let Some(text) = &texts[column] else {
                // In CSV an empty text and a null look alike.
                let empty = format == FileFormat::Csv && value == Value::Binary(Vec::new());
                assert!(is_null(&value) || empty, "{} {value:?}", of.name);
                continue;
            };
            assert!(!is_null(&value), "{} {text}", of.name);
            let first = known.entry(of_members(value)).or_insert_with(|| text.clone());
            assert_eq!(first, text, "{}", of.name);
        }
        let mut texts: Vec<&String> = known.values().collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), known.len(), "two values of {} have one text", of.name);
    }
    Found::AsText
}

/// Writes columns and reads them back.
fn to_file(case: &Case<'_>, format: FileFormat) -> Found {
    let Case { types, folder, .. } = *case;
    let extension = match format {
        FileFormat::Parquet => "parquet",
        FileFormat::ArrowFile => "arrow",
        FileFormat::ArrowStream => "arrows",
        FileFormat::Csv => "csv",
        _ => "jsonl",
    };
    let path = folder.join(format!("out.{extension}"));
    let sink = SinkSpec::File { path: path.clone(), format, force: true };
    let (outcome, l) = written(case, sink);
    let Outcome::Rows(rows) = &outcome else {
        let Outcome::Refused(message) = outcome else { unreachable!("rows or a refusal") };
        return Found::Refused(message);
    };
    let mut options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    if matches!(format, FileFormat::Csv | FileFormat::JsonLines) {
        let Some(first) = rows.first() else { return Found::Right };
        options.schema = Some(first.schema());
    }
    let back = match read_back(&path, &options) {
        Ok(back) => back,
        Err(_) if options.schema.is_some() => return as_text(&path, format, &l, types),
        Err(message) => panic!("{}: {message}", types[0].name),
    };
    let mut expected: Answer = (0..l.rows.len())
        .map(|row| {
            let mut values = vec![id(&l, Some(row))];
            values.extend((0..types.len()).map(|column| l.value(row, column)));
            values
        })
        .collect();
    expected.sort();
    let mut found: Answer = Vec::new();
    for batch in &back {
        for row in 0..batch.num_rows() {
            let mut values = vec![read(batch.column(0), row)];
            values.extend((0..types.len()).map(|column| read(batch.column(3 + column), row)));
            found.push(values);
        }
    }
    found.sort();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        for (column, of) in types.iter().enumerate() {
            let (found, expected) = (&found[column + 1], &expected[column + 1]);
            assert_eq!(found, expected, "{} through {format}", of.name);
        }
    }
    Found::Right
}
