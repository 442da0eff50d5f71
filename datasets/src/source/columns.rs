//! The columns of several files as one list of columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::common_type::{common_field, nullable};
use super::conform::can_conform;
use crate::column_name::{matching, position_of};
use crate::error::{DatasetError, Result};
use crate::format::settled;
use crate::type_text::type_text;

/// The columns of one file among those of all.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    /// The file's columns, as its reader takes them.
    pub(super) schema: SchemaRef,
    /// For each column of all, where it stands in the file.
    pub(super) places: Vec<Option<usize>>,
}

/// Why a column cannot be read of all files.
#[derive(Debug)]
struct Conflict {
    path: PathBuf,
    first: PathBuf,
    message: String,
}

/// Files with the same columns, the first of which is named in messages.
#[derive(Clone)]
pub(super) struct Group {
    pub(super) schema: SchemaRef,
    pub(super) path: PathBuf,
}

/// The columns of all files, as far as they can be joined up.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) fields: Vec<FieldRef>,
    /// Of each group, where each column stands in its files.
    places: Vec<Vec<Option<usize>>>,
    conflicts: Vec<Option<Conflict>>,
}

impl Columns {
    /// Joins up the columns of `groups` by name; each is of the first type that holds its
    /// values in all of them, and nullable if it is so in one, or missing there.
    pub(super) fn join(groups: &[Group], inferred: bool) -> Columns {
        let mut columns = Columns { fields: Vec::new(), places: Vec::new(), conflicts: Vec::new() };
        let mut first: Vec<&Path> = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let fields = group.schema.fields();
            let mut places = vec![None; columns.fields.len()];
            let matched = matching(&columns.fields, fields);
            for (at, (field, place)) in fields.iter().zip(matched).enumerate() {
                let Some(place) = place else {
                    let field = if number == 0 { field.clone() } else { nullable(field) };
                    columns.fields.push(field);
                    columns.conflicts.push(None);
                    first.push(&group.path);
                    places.push(Some(at));
                    continue;
                };
                places[place] = Some(at);
                let old = &columns.fields[place];
                match common_field(old, field, inferred) {
                    Some(common) => columns.fields[place] = common,
                    None if columns.conflicts[place].is_none() => {
                        let conflict = Conflict {
                            path: group.path.clone(),
                            first: first[place].to_owned(),
                            message: differs(old, field),
                        };
                        columns.conflicts[place] = Some(conflict);
                    }
                    None => {}
                }
            }
            for (field, _) in
                columns.fields.iter_mut().zip(&places).filter(|(_, place)| place.is_none())
            {
                *field = nullable(field);
            }
            columns.places.push(places);
        }
        columns
    }

    /// Gives columns the types that are declared for them; the others keep theirs.
    ///
    /// # Errors
    /// A declared column that no file has, or has in a type that cannot become the
    /// declared one.
    pub(super) fn declare(
        &mut self,
        declared: &Schema,
        groups: &[Group],
        origin: &Path,
    ) -> Result<()> {
        for field in declared.fields() {
            let names = || self.fields.iter().map(|known| known.name().as_str());
            let at = position_of(field.name(), names()).ok_or_else(|| {
                DatasetError::unknown_column(origin.display(), field.name(), names())
            })?;
            let to = field.data_type();
            for (group, places) in groups.iter().zip(&self.places) {
                let Some(place) = places.get(at).copied().flatten() else { continue };
                let from = group.schema.field(place).data_type();
                if !can_conform(from, to) {
                    return Err(DatasetError::SchemaMismatch {
                        path: group.path.clone(),
                        first: "the declaration".into(),
                        column: field.name().clone(),
                        message: format!(
                            "is {}, which cannot be read as {}: declare another type, or leave it out",
                            type_text(from),
                            type_text(to)
                        ),
                    });
                }
            }
            let old = &self.fields[at];
            let field = Field::new(old.name(), to.clone(), old.is_nullable());
            self.fields[at] = Arc::new(field);
            self.conflicts[at] = None;
        }
        Ok(())
    }

    /// Where the files of a group have a column, if they do.
    pub(super) fn place(&self, group: usize, column: usize) -> Option<usize> {
        self.places[group].get(column).copied().flatten()
    }

    /// The columns that cannot be joined up.
    pub(super) fn differing(&self) -> impl Iterator<Item = usize> {
        let conflicts = self.conflicts.iter().enumerate();
        conflicts.filter(|(_, conflict)| conflict.is_some()).map(|(column, _)| column)
    }

    /// Makes types of guesses.
    pub(super) fn settle(&mut self) {
        for field in &mut self.fields {
            *field = Arc::new(field.as_ref().clone().with_data_type(settled(field.data_type())));
        }
    }

    /// The layout of each group's files. Text is read in the common types, so that a
    /// value keeps the digits and the spelling that the file has; `lists_all` = rows of a
    /// file may have any column, as in JSON lines.
    pub(super) fn layouts(
        &self,
        groups: &[Group],
        inferred: bool,
        lists_all: bool,
    ) -> Vec<Arc<Layout>> {
        let layouts = groups.iter().zip(&self.places).map(|(group, places)| {
            let mut places = places.clone();
            places.resize(self.fields.len(), None);
            if !inferred {
                return Layout { schema: group.schema.clone(), places };
            }
            let mut own: Vec<FieldRef> = group.schema.fields().to_vec();
            for (place, field) in places.iter_mut().zip(&self.fields) {
                match *place {
                    Some(at) => {
                        own[at] = Arc::new(field.as_ref().clone().with_name(own[at].name()));
                    }
                    None if lists_all => {
                        *place = Some(own.len());
                        own.push(field.clone());
                    }
                    None => {}
                }
            }
            let metadata = group.schema.metadata().clone();
            Layout { schema: Arc::new(Schema::new_with_metadata(own, metadata)), places }
        });
        layouts.map(Arc::new).collect()
    }

    /// Columns that cannot be joined up, and why.
    pub(super) fn conflicts(self) -> Conflicts {
        let fields = self.fields.into_iter().zip(self.conflicts);
        Conflicts(fields.map(|(field, conflict)| Some((field.name().clone(), conflict?))).collect())
    }
}

/// For each column, its name and why it cannot be read, if so.
#[derive(Debug)]
pub(super) struct Conflicts(Vec<Option<(String, Conflict)>>);

impl Conflicts {
    /// Refuses to read a column that differs between files.
    pub(super) fn check(&self, column: usize) -> Result<()> {
        match self.0.get(column) {
            Some(Some((name, Conflict { path, first, message }))) => {
                Err(DatasetError::SchemaMismatch {
                    path: path.clone(),
                    first: first.clone(),
                    column: name.clone(),
                    message: message.clone(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// How a column differs, and the declaration that helps.
fn differs(old: &FieldRef, new: &FieldRef) -> String {
    let (a, b) = (old.data_type(), new.data_type());
    let both = |to: &DataType| can_conform(a, to) && can_conform(b, to);
    let numbers = DataType::Float64;
    let times = [crate::type_text::timestamp_utc(), DataType::Utf8];
    let remedy = match [numbers].iter().chain(&times).find(|to| both(to)) {
        Some(to) => format!(
            "declare what it is to be read as: schema = {{ {} = \"{}\" }}",
            toml_key(old.name()),
            type_text(to)
        ),
        None => "write the files again with one type, or leave the column out".to_owned(),
    };
    format!("is {}, but {} is expected; {remedy}", type_text(b), type_text(a))
}

fn toml_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => serde_json::Value::from(name).to_string(),
    }
}
