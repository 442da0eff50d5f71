//! Bound expressions: names and types are resolved.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use streamjoin_kernels::spark::CastMode;

use crate::functions::{Function, Returns};
use crate::json::{Reader, Writer};
use crate::nested::container;
use crate::operators::{ArithmeticOp, CompareOp, Truth};
use crate::scope::Scope;
use crate::types::value_type;
use crate::uuid::{self, UUID_STORAGE};

/// One operation. Its operands already have the required types: all casts are
/// explicit nodes.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Column {
        /// Position in the scope.
        position: usize,
        /// Position among the columns that the whole expression reads.
        slot: usize,
        name: String,
        /// Whether its values are UUIDs.
        uuid: bool,
    },
    /// An array of one row.
    Literal(ArrayRef),
    Cast {
        expr: Box<Expr>,
        mode: CastMode,
    },
    Compare {
        op: CompareOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// `IS NULL`, `IS TRUE`, ... and their negations.
    Is {
        expr: Box<Expr>,
        what: Truth,
        negated: bool,
    },
    Like {
        expr: Box<Expr>,
        /// Backslash is the escape character.
        pattern: Box<Expr>,
        ignore_case: bool,
    },
    Arithmetic {
        op: ArithmeticOp,
        left: Box<Expr>,
        right: Box<Expr>,
        mode: CastMode,
    },
    Negate {
        expr: Box<Expr>,
        mode: CastMode,
    },
    /// A timestamp or interval plus or minus an interval of microseconds.
    AddInterval {
        time: Box<Expr>,
        interval: Box<Expr>,
        subtract: bool,
        mode: CastMode,
    },
    /// A timestamp minus a timestamp.
    TimeDifference {
        left: Box<Expr>,
        right: Box<Expr>,
        mode: CastMode,
    },
    /// A field of a struct, or of each struct in a list.
    Field {
        expr: Box<Expr>,
        name: String,
    },
    /// The element of a list at an index from 0, a BIGINT.
    Element {
        expr: Box<Expr>,
        index: Box<Expr>,
        mode: CastMode,
    },
    /// The value of a key of a map.
    MapValue {
        expr: Box<Expr>,
        key: Box<Expr>,
    },
    /// A struct, or something nested, without the fields that its type lacks.
    Narrow(Box<Expr>),
    /// JSON text as a value; the schema and options as they are shown.
    FromJson {
        expr: Box<Expr>,
        reader: Arc<Reader>,
        how: String,
    },
    /// A nested value as JSON text; the options as they are shown.
    ToJson {
        expr: Box<Expr>,
        writer: Writer,
        how: String,
    },
    /// A struct of these values.
    Struct(Vec<Expr>),
    /// The first branch whose condition is true.
    Case {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// The first operand that is not null.
    Coalesce(Vec<Expr>),
    Call {
        function: &'static Function,
        arguments: Vec<Expr>,
        mode: CastMode,
    },
}

/// The operands of a node, shared or mutable.
macro_rules! operands {
    ($node:expr, $iter:ident, $as_deref:ident) => {
        match $node {
            Node::Column { .. } | Node::Literal(_) => vec![],
            Node::Cast { expr, .. }
            | Node::Field { expr, .. }
            | Node::Narrow(expr)
            | Node::FromJson { expr, .. }
            | Node::ToJson { expr, .. }
            | Node::Not(expr)
            | Node::Is { expr, .. }
            | Node::Negate { expr, .. } => vec![expr],
            Node::Compare { left, right, .. }
            | Node::Arithmetic { left, right, .. }
            | Node::TimeDifference { left, right, .. } => vec![left, right],
            Node::AddInterval { time, interval, .. } => vec![time, interval],
            Node::Like { expr, pattern, .. } => vec![expr, pattern],
            Node::Element { expr, index, .. } => vec![expr, index],
            Node::MapValue { expr, key } => vec![expr, key],
            Node::And(all) | Node::Or(all) | Node::Coalesce(all) | Node::Struct(all) => {
                all.$iter().collect()
            }
            Node::Call { arguments, .. } => arguments.$iter().collect(),
            Node::Case { branches, otherwise } => branches
                .$iter()
                .flat_map(|(when, then)| [when, then])
                .chain(otherwise.$as_deref())
                .collect(),
        }
    };
}

/// A node with the type of its result.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) data_type: DataType,
    pub(crate) nullable: bool,
}

impl Expr {
    pub(crate) fn new(node: Node, data_type: DataType, nullable: bool) -> Self {
        Self { node, data_type, nullable }
    }

    /// The column at a position of a scope.
    pub(crate) fn column(scope: &Scope, position: usize) -> Self {
        let column = &scope.columns[position];
        let (name, uuid) = (column.qualified_name(), column.uuid);
        let node = Node::Column { position, slot: 0, name, uuid };
        Self::new(node, column.data_type.clone(), column.nullable)
    }

    /// A truth value.
    pub(crate) fn boolean(node: Node, nullable: bool) -> Self {
        Self::new(node, DataType::Boolean, nullable)
    }

    pub(crate) fn literal(&self) -> Option<&ArrayRef> {
        match &self.node {
            Node::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Whether its values are UUIDs, in 16 bytes.
    pub(crate) fn is_uuid(&self) -> bool {
        fn all<'e>(mut values: impl Iterator<Item = &'e Expr>) -> bool {
            values.all(|value| value.is_uuid() || value.is_null())
        }
        if *value_type(&self.data_type) != UUID_STORAGE {
            return false;
        }
        match &self.node {
            Node::Column { uuid, .. } => *uuid,
            Node::Coalesce(values) => all(values.iter()),
            Node::Case { branches, otherwise } => {
                all(branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()))
            }
            Node::Call { function, arguments, .. } => {
                matches!(function.returns, Returns::First) && all(arguments.iter())
            }
            // A dictionary by its values.
            Node::Cast { expr, .. } => expr.is_uuid(),
            Node::Field { expr, name } => match container(&expr.data_type) {
                DataType::Struct(fields) => {
                    fields.find(name).is_some_and(|(_, field)| uuid::is_uuid(field))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether it is a literal null.
    fn is_null(&self) -> bool {
        use arrow::array::Array;
        self.literal().is_some_and(|value| value.logical_null_count() > 0)
    }

    /// Whether it is the literal `true`.
    pub(crate) fn is_true(&self) -> bool {
        use arrow::array::{Array, AsArray};
        self.literal().is_some_and(|value| {
            value.as_boolean_opt().is_some_and(|b| b.is_valid(0) && b.value(0))
        })
    }

    /// The operands, in order.
    pub(crate) fn operands(&self) -> Vec<&Self> {
        operands!(&self.node, iter, as_deref)
    }

    pub(crate) fn operands_mut(&mut self) -> Vec<&mut Self> {
        operands!(&mut self.node, iter_mut, as_deref_mut)
    }

    /// Scope positions that the expression reads, sorted, each once.
    pub(crate) fn positions(&self) -> Vec<usize> {
        fn collect(expr: &Expr, found: &mut Vec<usize>) {
            if let Node::Column { position, .. } = &expr.node {
                found.push(*position);
            }
            for operand in expr.operands() {
                collect(operand, found);
            }
        }
        let mut found = Vec::new();
        collect(self, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Changes each column.
    pub(crate) fn replace_columns(&mut self, change: &mut impl FnMut(&mut Self)) {
        if matches!(self.node, Node::Column { .. }) {
            return change(self);
        }
        for operand in self.operands_mut() {
            operand.replace_columns(change);
        }
    }

    /// Subtracts `offset` from all positions and assigns the slots.
    fn place(&mut self, offset: usize, columns: &[usize]) {
        if let Node::Column { position, slot, .. } = &mut self.node {
            *position -= offset;
            *slot = columns.binary_search(position).unwrap_or(0);
        }
        for operand in self.operands_mut() {
            operand.place(offset, columns);
        }
    }
}

/// An expression over the columns of a scope, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct BoundExpr {
    root: Arc<Expr>,
    columns: Arc<[usize]>,
}

impl BoundExpr {
    pub(crate) fn new(root: Expr) -> Self {
        Self::shifted(root, 0)
    }

    /// The expression over a scope that begins `offset` columns later; it must
    /// not read a column before that.
    pub(crate) fn shifted(mut root: Expr, offset: usize) -> Self {
        let mut columns = root.positions();
        for position in &mut columns {
            *position -= offset;
        }
        root.place(offset, &columns);
        Self { root: Arc::new(root), columns: columns.into() }
    }

    pub(crate) fn root(&self) -> &Expr {
        &self.root
    }

    /// The type of the result.
    pub fn data_type(&self) -> &DataType {
        &self.root.data_type
    }

    /// Whether the result may hold nulls.
    pub fn nullable(&self) -> bool {
        self.root.nullable
    }

    /// Whether its values are UUIDs, in 16 bytes.
    pub fn is_uuid(&self) -> bool {
        self.root.is_uuid()
    }

    /// Positions in the scope of the columns that it reads: sorted, each once.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The position of the column, if the expression is nothing but a column.
    pub fn as_column(&self) -> Option<usize> {
        match self.root.node {
            Node::Column { position, .. } => Some(position),
            _ => None,
        }
    }
}
