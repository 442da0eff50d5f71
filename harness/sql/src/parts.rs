//! Which parts of nested columns expressions use, and expressions over columns
//! that hold just those parts.

use std::collections::BTreeMap;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use streamjoin_kernels::Result;

use crate::compute::narrowed;
use crate::condition::needed;
use crate::expr::{BoundExpr, Expr, Node};
use crate::nested::{Part, list_item, map_entry, plain};
use crate::operators::Truth;
use crate::scope::Scope;

impl Part {
    /// The fields that it has of a column, down to those that are used whole; `None`
    /// for all.
    pub fn fields_of(&self, data_type: &DataType) -> Option<Vec<String>> {
        if self.of_type(data_type) == *data_type {
            return None;
        }
        let Self::Fields(fields) = self else { return None };
        if fields.is_empty() {
            return Some(vec!["whether it is null".to_owned()]);
        }
        let mut paths = Vec::new();
        let mut open: Vec<(String, &Self)> =
            fields.iter().rev().map(|(name, part)| (name.clone(), part)).collect();
        while let Some((path, part)) = open.pop() {
            match part {
                Self::Fields(fields) if !fields.is_empty() => {
                    let inner = fields.iter().rev();
                    open.extend(inner.map(|(name, part)| (format!("{path}.{name}"), part)));
                }
                _ => paths.push(path),
            }
        }
        Some(paths)
    }

    /// This part of a column, as far as the fields that it leaves out are there.
    ///
    /// # Errors
    /// A column without a field that is used.
    pub fn take(&self, column: &ArrayRef) -> Result<ArrayRef> {
        narrowed(column, &self.of_type(column.data_type()))
    }
}

impl BoundExpr {
    /// The column at a position of a scope.
    pub fn column(scope: &Scope, position: usize) -> Self {
        Self::new(Expr::column(scope, position))
    }

    /// How much it uses of each of its [`columns`](Self::columns), in their order.
    pub fn parts(&self) -> Vec<Part> {
        let mut found = BTreeMap::new();
        collect(self.root(), Part::Whole, &mut found);
        found.into_values().collect()
    }

    /// Whether it is a column, or a field or a value within one.
    pub fn is_access(&self) -> bool {
        within(self.root())
    }

    /// The expression over other positions of the same columns.
    #[must_use]
    pub fn moved(&self, to: impl Fn(usize) -> usize) -> Self {
        let mut root = self.root().clone();
        root.replace_columns(&mut |column| {
            if let Node::Column { position, .. } = &mut column.node {
                *position = to(*position);
            }
        });
        Self::new(root)
    }

    /// The expression over what its columns are made of.
    #[must_use]
    pub fn over(&self, of: &Self) -> Self {
        let mut root = self.root().clone();
        root.replace_columns(&mut |column| *column = of.root().clone());
        Self::new(root)
    }

    /// Positions of columns in which a null keeps it, a condition, from being true.
    /// Some may be missed.
    pub fn needs_not_null(&self) -> Vec<usize> {
        needed(self.root()).into_iter().collect()
    }

    /// The expression with the parts of nested columns that it uses as columns of
    /// their own: `place` is asked for the position of each, and says `None` to leave
    /// it as it is. What may fail, such as an element of an array, stays.
    #[must_use]
    pub fn over_parts(&self, place: &mut dyn FnMut(Self) -> Option<usize>) -> Self {
        let mut root = self.root().clone();
        over_parts(&mut root, &Part::Whole, place);
        Self::new(root)
    }
}

/// The value of a column, or what can be taken from it for every row.
fn within(expr: &Expr) -> bool {
    match &expr.node {
        Node::Column { .. } => true,
        Node::Field { expr, .. } | Node::Narrow(expr) => within(expr),
        Node::MapValue { expr, key } => within(expr) && key.literal().is_some(),
        _ => false,
    }
}

fn collect(expr: &Expr, part: Part, found: &mut BTreeMap<usize, Part>) {
    match &expr.node {
        Node::Column { position, .. } => {
            let part = match found.remove(position) {
                Some(known) => known.and(part),
                None => part,
            };
            found.insert(*position, part);
        }
        Node::Field { expr, name } => collect(expr, Part::of_field(name, part), found),
        Node::Narrow(expr) => collect(expr, part, found),
        Node::Element { expr, index: at, .. } | Node::MapValue { expr, key: at } => {
            collect(expr, part, found);
            collect(at, Part::Whole, found);
        }
        Node::Is { expr, what: Truth::Null, .. } => collect(expr, Part::nullness(), found),
        _ => expr.operands().into_iter().for_each(|operand| collect(operand, Part::Whole, found)),
    }
}

/// Replaces parts by columns; `part` of the value is used.
fn over_parts(expr: &mut Expr, part: &Part, place: &mut dyn FnMut(BoundExpr) -> Option<usize>) {
    let narrow = part.of_type(&expr.data_type);
    if within(expr) {
        let column = matches!(expr.node, Node::Column { .. });
        let whole = narrow == expr.data_type;
        if column && whole {
            return;
        }
        let used = match whole {
            true => expr.clone(),
            false => Expr::new(Node::Narrow(Box::new(expr.clone())), narrow.clone(), expr.nullable),
        };
        let (name, uuid) = (used.to_string(), used.is_uuid());
        if let Some(position) = place(BoundExpr::new(used)) {
            expr.node = Node::Column { position, slot: 0, name, uuid };
            expr.data_type = narrow;
        }
        return;
    }
    match &mut expr.node {
        Node::Field { expr: inner, name } => {
            over_parts(inner, &Part::of_field(name, part.clone()), place);
        }
        Node::Element { expr: list, index, .. } => {
            over_parts(list, part, place);
            over_parts(index, &Part::Whole, place);
            if let Some(item) = list_item(&list.data_type) {
                expr.data_type = plain(item.data_type()).clone();
            }
        }
        Node::MapValue { expr: map, key } => {
            over_parts(map, part, place);
            over_parts(key, &Part::Whole, place);
            if let Some((_, value)) = map_entry(&map.data_type) {
                expr.data_type = plain(value.data_type()).clone();
            }
        }
        Node::Is { expr: inner, what: Truth::Null, .. } => {
            over_parts(inner, &Part::nullness(), place);
        }
        _ => {
            for operand in expr.operands_mut() {
                over_parts(operand, &Part::Whole, place);
            }
        }
    }
}
