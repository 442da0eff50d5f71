//! `streamjoin data inspect`.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use streamjoin_datasets::{FileFormat, ReadOptions, Sidecar, Source, type_text};

use super::failure::failure;
use super::printing::{DataFormat, json};
use super::reading::ReadingArgs;
use super::statistics::ColumnStatistics;
use crate::error::{Failure, Result};
use crate::sink::show_all;
use crate::text::bytes;
use crate::text::number::grouped;

/// Arguments of `data inspect`.
#[derive(Clone, Debug, Args)]
pub(super) struct InspectArgs {
    /// File, folder or glob
    #[arg(value_name = "PATH")]
    pub(super) path: PathBuf,

    /// Its format, if the extension does not say
    #[arg(long, value_name = "FORMAT")]
    pub(super) input_format: Option<String>,

    /// How it is read.
    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// First rows to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(super) rows: usize,

    /// Read at most this many rows; all by default
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

pub(super) fn run(args: &InspectArgs) -> Result<String> {
    let format: Option<FileFormat> =
        args.input_format.as_deref().map(str::parse).transpose().map_err(failure)?;
    let options = ReadOptions { format, ..args.reading.options()? };
    let source = Source::open(&args.path, &options).map_err(failure)?;
    let found = read(&source, args)?;
    Ok(match args.format {
        DataFormat::Human => human(&source, &found, args)?,
        DataFormat::Json => json(&document(&source, &found)),
    })
}

struct Found {
    rows: u64,
    /// Whether `--limit` cut the reading short.
    cut: bool,
    columns: Vec<ColumnStatistics>,
    /// The first rows.
    first: Vec<RecordBatch>,
}

fn read(source: &Source, args: &InspectArgs) -> Result<Found> {
    let schema = source.schema();
    let mut columns: Vec<ColumnStatistics> =
        schema.fields().iter().map(|field| ColumnStatistics::new(field.data_type())).collect();
    let (mut rows, mut cut) = (0, false);
    let mut first = Vec::new();
    let mut wanted = args.rows;
    for batch in source.read(None).map_err(failure)? {
        let batch = batch.map_err(failure)?.batch;
        let left = args.limit.map_or(u64::MAX, |limit| limit - rows);
        let taken = left.min(batch.num_rows() as u64) as usize;
        cut |= taken < batch.num_rows();
        let batch = batch.slice(0, taken);
        for (statistics, column) in columns.iter_mut().zip(batch.columns()) {
            statistics.add(column).map_err(Failure::run)?;
        }
        if wanted > 0 {
            let shown = batch.slice(0, wanted.min(taken));
            wanted -= shown.num_rows();
            first.push(shown);
        }
        rows += taken as u64;
        if cut {
            break;
        }
    }
    Ok(Found { rows, cut, columns, first })
}

fn human(source: &Source, found: &Found, args: &InspectArgs) -> Result<String> {
    let files = source.files();
    let bytes = file_bytes(source);
    let mut text = format!(
        "{}: {}, {}, {}\n",
        source.origin().display(),
        source.format(),
        match files.len() {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        },
        bytes::binary(bytes)
    );
    let read = if found.cut { " read (more follow)" } else { "" };
    text += &format!("{} rows{read}, {} columns\n", grouped(found.rows), found.columns.len());
    if let Some(sidecar) = Sidecar::of(source.origin()).map_err(failure)? {
        text += &about(&sidecar);
    }
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_BORDERS_ONLY)
        .set_header(["column", "type", "nulls", "distinct", "min", "max"]);
    for (field, statistics) in source.schema().fields().iter().zip(&found.columns) {
        let (min, max) = statistics.range();
        let about = if statistics.distinct_is_exact() { "" } else { "~" };
        table.add_row([
            field.name().clone(),
            type_text(field.data_type()),
            grouped(statistics.nulls()),
            format!("{about}{}", grouped(statistics.distinct())),
            min.as_deref().map(shorten).unwrap_or_default(),
            max.as_deref().map(shorten).unwrap_or_default(),
        ]);
    }
    for column in table.column_iter_mut().filter(|column| matches!(column.index, 2 | 3)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    text += &format!("{table}\n");
    if args.rows > 0 {
        text += &show_all(source.schema(), &found.first, args.rows)?;
    }
    Ok(text)
}

/// What the sidecar says of the rows and where they are from.
fn about(sidecar: &Sidecar) -> String {
    let known = [Some(&sidecar.description), sidecar.source.as_ref()];
    let known = known.into_iter().flatten().filter(|text| !text.is_empty()).map(String::as_str);
    let known: Vec<&str> = known.collect();
    let licence = sidecar.licence.as_deref().unwrap_or("licence not recorded");
    match known.is_empty() {
        true => format!("{licence}\n"),
        false => format!("{} ({licence})\n", known.join("; ")),
    }
}

fn file_bytes(source: &Source) -> u64 {
    source.files().iter().filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(30) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text.to_owned(),
    }
}

fn document(source: &Source, found: &Found) -> serde_json::Value {
    let columns: Vec<_> = source
        .schema()
        .fields()
        .iter()
        .zip(&found.columns)
        .map(|(field, statistics)| {
            let (min, max) = statistics.range();
            json!({
                "name": field.name(),
                "type": type_text(field.data_type()),
                "nullable": field.is_nullable(),
                "nulls": statistics.nulls(),
                "distinct": statistics.distinct(),
                "distinctIsExact": statistics.distinct_is_exact(),
                "min": min,
                "max": max,
            })
        })
        .collect();
    json!({
        "path": source.origin(),
        "format": source.format().to_string(),
        "files": source.files(),
        "bytes": file_bytes(source),
        "rows": found.rows,
        "complete": !found.cut,
        "columns": columns,
    })
}
