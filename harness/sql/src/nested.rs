//! Types of nested columns, and which parts of them an expression uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields};

use crate::lists;

/// The type that is nested, without a dictionary or runs around it.
pub(crate) fn container(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => container(value),
        DataType::RunEndEncoded(_, value) => container(value.data_type()),
        other => other,
    }
}

/// The type of values in runs; others as they are.
pub(crate) fn plain(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::RunEndEncoded(_, value) => plain(value.data_type()),
        other => other,
    }
}

/// The element's field of a list of any layout.
pub(crate) fn list_item(data_type: &DataType) -> Option<&FieldRef> {
    lists::element(container(data_type))
}

/// The fields of a map's keys and values.
pub(crate) fn map_entry(data_type: &DataType) -> Option<(&FieldRef, &FieldRef)> {
    match container(data_type) {
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => match fields.iter().as_slice() {
                [key, value] => Some((key, value)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// A list of the same layout with another element.
pub(crate) fn list_of(data_type: &DataType, item: Field) -> DataType {
    let item = Arc::new(item);
    match container(data_type) {
        DataType::LargeList(_) => DataType::LargeList(item),
        DataType::ListView(_) => DataType::ListView(item),
        DataType::LargeListView(_) => DataType::LargeListView(item),
        DataType::FixedSizeList(_, size) => DataType::FixedSizeList(item, *size),
        _ => DataType::List(item),
    }
}

/// How much of a column is used. Lists and maps have the parts of their elements
/// and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Some fields of structs, by name; none if it only matters what is null.
    Fields(BTreeMap<String, Part>),
}

impl Part {
    /// Only whether it is null.
    pub(crate) fn nullness() -> Self {
        Self::Fields(BTreeMap::new())
    }

    /// A part of one field.
    pub(crate) fn of_field(name: &str, part: Self) -> Self {
        Self::Fields(BTreeMap::from([(name.to_owned(), part)]))
    }

    /// What both use together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fields(mut mine), Self::Fields(other)) => {
                for (name, part) in other {
                    let part = match mine.remove(&name) {
                        Some(own) => own.and(part),
                        None => part,
                    };
                    mine.insert(name, part);
                }
                Self::Fields(mine)
            }
            _ => Self::Whole,
        }
    }

    /// The type of a column of type `data_type` that has this part and no more,
    /// as far as fields can be left out.
    pub fn of_type(&self, data_type: &DataType) -> DataType {
        let Self::Fields(used) = self else { return data_type.clone() };
        let part = |field: &FieldRef| -> FieldRef {
            Arc::new(field.as_ref().clone().with_data_type(self.of_type(field.data_type())))
        };
        match data_type {
            DataType::Struct(fields) => {
                let mut kept: Vec<FieldRef> = fields
                    .iter()
                    .filter_map(|field| {
                        let narrow = used.get(field.name())?.of_type(field.data_type());
                        Some(Arc::new(field.as_ref().clone().with_data_type(narrow)))
                    })
                    .collect();
                if kept.is_empty() {
                    // Rows and nulls are counted by some field.
                    let flat = |field: &&FieldRef| !field.data_type().is_nested();
                    kept.extend(fields.iter().find(flat).or(fields.first()).map(part));
                }
                DataType::Struct(Fields::from(kept))
            }
            DataType::List(item) => DataType::List(part(item)),
            DataType::LargeList(item) => DataType::LargeList(part(item)),
            DataType::ListView(item) => DataType::ListView(part(item)),
            DataType::LargeListView(item) => DataType::LargeListView(part(item)),
            DataType::FixedSizeList(item, size) => DataType::FixedSizeList(part(item), *size),
            DataType::Map(entries, ordered) => {
                let DataType::Struct(fields) = entries.data_type() else {
                    return data_type.clone();
                };
                let [key, value] = fields.iter().as_slice() else { return data_type.clone() };
                let fields = Fields::from(vec![key.clone(), part(value)]);
                let entries = entries.as_ref().clone().with_data_type(DataType::Struct(fields));
                DataType::Map(Arc::new(entries), *ordered)
            }
            // Of dictionaries and runs, fields are left out once they are unpacked.
            other => other.clone(),
        }
    }
}

/// Whether `part` is `whole`, or `whole` without some fields of structs.
pub(crate) fn is_part(part: &DataType, whole: &DataType) -> bool {
    let item = |a: &FieldRef, b: &FieldRef| is_part(a.data_type(), b.data_type());
    match (part, whole) {
        (part, whole) if part == whole => true,
        (DataType::Struct(some), DataType::Struct(all)) => some
            .iter()
            .all(|field| all.find(field.name()).is_some_and(|(_, whole)| item(field, whole))),
        (DataType::List(a), DataType::List(b))
        | (DataType::LargeList(a), DataType::LargeList(b))
        | (DataType::ListView(a), DataType::ListView(b))
        | (DataType::LargeListView(a), DataType::LargeListView(b))
        | (DataType::Map(a, _), DataType::Map(b, _)) => item(a, b),
        (DataType::FixedSizeList(a, n), DataType::FixedSizeList(b, m)) => n == m && item(a, b),
        _ => false,
    }
}
