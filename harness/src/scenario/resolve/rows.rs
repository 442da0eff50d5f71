//! `[stream.X]` and where rows of streams and tables come from, resolved.

use std::path::PathBuf;

use arrow::datatypes::{Field, Schema, SchemaRef};
use streamjoin_datasets::{FileFormat, Generator, ReadOptions, parse_type};
use toml::Spanned;

use super::context::{Clauses, Context};
use crate::error::{Failure, Result};
use crate::scenario::in_memory::MemoryRows;
use crate::scenario::located::{Located, Place};
use crate::scenario::spec::{CsvSpec, EventTimeSpec, Finished, Ordered, StreamSpec};
use crate::text::duration::Micros;

/// One stream.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Qualifies the stream's columns, and names it in reports.
    pub name: Located<String>,
    /// Where its rows come from; absent unless exactly one source is named.
    pub source: Option<Located<RowSource>>,
    /// How its files are read.
    pub reading: Reading,
    /// The column with the time at which a row happened.
    pub event_time: Option<Located<EventTimeSpec>>,
    /// How late a row may come.
    pub watermark: Option<Located<Micros>>,
    /// What the query sees of its rows.
    pub clauses: Clauses,
    /// The column with the time at which a row arrived.
    pub arrival: Option<Located<String>>,
    /// How long it may be silent, in arrival time, before it leaves the watermark.
    pub idle_timeout: Option<Located<Micros>>,
    /// Whether it leaves the watermark when it has ended.
    pub finished: Located<Finished>,
}

/// Where rows come from.
#[derive(Clone, Debug)]
pub enum RowSource {
    /// A file, a folder or a glob.
    Files(PathBuf),
    /// Generated as they are read.
    Generated(Generator),
    /// Batches in memory.
    Memory(MemoryRows),
}

/// How files are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The reader's options.
    pub options: ReadOptions,
    /// Where it is said how CSV files are written.
    pub csv: Option<Place>,
    /// Where something is said that applies to files only.
    pub files_only: Option<Place>,
}

impl Context<'_> {
    pub(super) fn stream(self, name: Spanned<String>, spec: StreamSpec) -> Result<Stream> {
        let source = match (spec.recording, spec.generator) {
            (Some(recording), None) => Some(self.named_source(&recording)),
            (None, Some(generator)) => Some(self.generated(generator)),
            _ => None,
        };
        Ok(Stream {
            name: self.located(name),
            source,
            reading: self.reading(spec.format, spec.schema, spec.csv)?,
            event_time: self.optional(spec.event_time),
            watermark: self.optional(spec.watermark),
            clauses: self.clauses(spec.select, spec.r#where),
            arrival: self.optional(spec.arrival),
            idle_timeout: self.optional(spec.idle_timeout),
            finished: self.or_default(spec.finished),
        })
    }

    pub(super) fn source(self, name: &str) -> RowSource {
        match self.in_memory.get(name) {
            Some(rows) => RowSource::Memory(rows.clone()),
            None => RowSource::Files(self.text.resolve(name)),
        }
    }

    pub(super) fn named_source(self, name: &Spanned<String>) -> Located<RowSource> {
        self.at(self.source(name.get_ref()), name.span())
    }

    pub(super) fn generated(self, generator: Spanned<Generator>) -> Located<RowSource> {
        let span = generator.span();
        self.at(RowSource::Generated(generator.into_inner()), span)
    }

    /// The reader's options that `format`, `schema` and `csv` result in.
    pub(super) fn reading(
        self,
        format: Option<Spanned<String>>,
        schema: Option<Ordered<Spanned<String>>>,
        csv: Option<Spanned<CsvSpec>>,
    ) -> Result<Reading> {
        let mut options = ReadOptions::default();
        let mut files_only = None;
        if let Some(format) = self.optional(format) {
            let parsed: FileFormat = format.parse().map_err(|error| format.refuse(error))?;
            options.format = Some(parsed);
            files_only = Some(format.place().clone());
        }
        let csv = csv.map(|csv| {
            let place = self.at((), csv.span()).place().clone();
            (csv.into_inner(), place)
        });
        if let Some((CsvSpec { header, delimiter }, place)) = &csv {
            options.header = header.unwrap_or(true);
            if let Some(delimiter) = delimiter {
                options.delimiter = self.delimiter(delimiter)?;
            }
            files_only.get_or_insert_with(|| place.clone());
        }
        if let Some(Ordered(columns)) = schema {
            let mut fields = Vec::with_capacity(columns.len());
            for (name, data_type) in columns {
                let (name, data_type) = (self.located(name), self.located(data_type));
                let parsed = parse_type(&data_type).map_err(|error| data_type.refuse(error))?;
                files_only.get_or_insert_with(|| name.place().clone());
                fields.push(Field::new(name.value, parsed, true));
            }
            options.schema = Some(SchemaRef::new(Schema::new(fields)));
        }
        Ok(Reading { options, csv: csv.map(|(_, place)| place), files_only })
    }

    fn delimiter(self, text: &Spanned<String>) -> Result<u8> {
        match text.get_ref().as_bytes() {
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err(Failure::usage(format!(
                "`delimiter` must be one ASCII character, not `{}`",
                text.get_ref()
            ))
            .at(self.text.place(text.span()))),
        }
    }
}
