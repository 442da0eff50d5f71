//! `streamjoin data list`.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::json;
use streamjoin_datasets::catalogue::{Catalogue, Recording, find_data_dir};

use super::failure::failure;
use super::printing::{DataFormat, json};
use crate::error::{Failure, Result};
use crate::text::bytes;
use crate::text::number::grouped;

/// Arguments of `data list`.
#[derive(Clone, Debug, Args)]
pub(super) struct ListArgs {
    /// The data folder [default: $STREAMJOIN_DATA, or `datasets` in this folder or one above it]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,

    /// Check sizes and SHA-256 against the sidecars
    #[arg(long)]
    pub(super) verify: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

/// What to print, and whether all files are what they should be.
pub(super) fn run(args: &ListArgs) -> Result<(String, Result<()>)> {
    let folder = find_data_dir(args.data_dir.as_deref()).map_err(failure)?;
    let catalogue = Catalogue::open(&folder).map_err(failure)?;
    let checked: Vec<(&Recording, Option<Result<(), String>>)> = catalogue
        .recordings
        .iter()
        .map(|recording| {
            let verified = args.verify.then(|| recording.verify().map_err(|e| e.to_string()));
            (recording, verified)
        })
        .collect();
    let text = match args.format {
        DataFormat::Human => human(&catalogue, &checked),
        DataFormat::Json => json(&document(&catalogue, &checked)),
    };
    let differing: Vec<&str> = checked
        .iter()
        .filter_map(|(_, verified)| verified.as_ref()?.as_ref().err())
        .map(String::as_str)
        .collect();
    let outcome = match differing.is_empty() {
        true => Ok(()),
        false => Err(Failure::run(differing.join("; "))),
    };
    Ok((text, outcome))
}

type Checked<'a> = (&'a Recording, Option<Result<(), String>>);

fn bytes(recording: &Recording) -> u64 {
    recording.sidecar.files.iter().map(|file| file.bytes).sum()
}

fn status(verified: Option<&Result<(), String>>) -> &'static str {
    match verified {
        None => "not checked",
        Some(Ok(())) => "ok",
        Some(Err(_)) => "DIFFERS",
    }
}

fn human(catalogue: &Catalogue, checked: &[Checked<'_>]) -> String {
    if checked.is_empty() {
        return format!("{}: no recordings\n", catalogue.folder.display());
    }
    let header = "name|rows|size|licence|SHA-256|what a row is";
    let mut table = Table::new();
    table.load_preset(presets::UTF8_BORDERS_ONLY);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_header(header.split('|'));
    for (recording, verified) in checked {
        let sidecar = &recording.sidecar;
        table.add_row([
            sidecar.name.clone(),
            grouped(sidecar.rows),
            bytes::binary(bytes(recording)),
            sidecar.licence.clone().unwrap_or_default(),
            status(verified.as_ref()).to_owned(),
            sidecar.description.clone(),
        ]);
    }
    for column in table.column_iter_mut().filter(|column| matches!(column.index, 1 | 2)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{}\n{table}\n", catalogue.folder.display())
}

fn document(catalogue: &Catalogue, checked: &[Checked<'_>]) -> serde_json::Value {
    let recordings: Vec<_> = checked
        .iter()
        .map(|(recording, verified)| {
            json!({
                "path": recording.path,
                "sidecar": recording.sidecar,
                "bytes": bytes(recording),
                "verified": verified.as_ref().map(Result::is_ok),
            })
        })
        .collect();
    json!({ "folder": catalogue.folder, "recordings": recordings })
}
