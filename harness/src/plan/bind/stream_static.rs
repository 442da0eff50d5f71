//! One join of the stream with a table, bound to the columns of both.

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::{self, CastMode, supported};
use streamjoin_kernels::{
    JoinError, JoinType, NullEquality, OutputColumn, Side, SideColumn, Sides,
};

use super::condition::{Written, using_clause, using_failed};
use super::input_column::InputColumn;
use super::relation::{Origin, Relation, schema_of};
use crate::error::Result;
use crate::plan::table::Table;
use crate::scenario::TableJoin;
use streamjoin_sql::{self as sql, BoundExpr, JoinCondition, Scope, ScopeColumn};

/// A table with the join that it takes part in.
#[derive(Clone, Debug)]
pub struct BoundTable {
    /// As the scenario says it.
    pub spec: TableJoin,
    /// Contents over time.
    pub table: Table,
    /// Columns.
    pub relation: Relation,
    /// The join.
    pub join: BoundStreamStatic,
}

impl BoundTable {
    /// Opens the table of `spec` and binds its join with rows of columns `stream`;
    /// `first` where no other join precedes it.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario, a run failure for files that
    /// cannot be read.
    pub(super) fn bind(
        spec: &TableJoin,
        stream: &Scope,
        first: bool,
        mode: CastMode,
    ) -> Result<Self> {
        let table = Table::open(spec)?;
        let relation = Relation::bind(&spec.name, &table.schema(), &spec.clauses, mode)?;
        let inputs = JoinInputs { stream, table: &relation.scope, first, mode };
        let join = BoundStreamStatic::bind(spec, inputs)?;
        Ok(Self { spec: spec.clone(), table, relation, join })
    }
}

/// A join's condition and columns, all positions in the scopes of its inputs.
#[derive(Clone, Debug)]
pub struct BoundStreamStatic {
    /// The join type.
    pub join_type: JoinType,
    /// On which side the stream stands.
    pub stream_side: Side,
    /// Equal keys.
    pub keys: Vec<BoundKey>,
    /// Over stream columns: a row that fails it matches nothing.
    pub stream_filter: Option<BoundExpr>,
    /// Over table columns: rows that fail it are not in the table.
    pub table_filter: Option<BoundExpr>,
    /// Over both: pairs that fail it do not match.
    pub residual: Option<Residual>,
    /// The columns of `USING`, if the condition was given so.
    pub using: Option<Vec<String>>,
    /// The joined columns.
    pub output: Scope,
    /// Where each joined column comes from.
    pub sources: Vec<InputColumn>,
    /// Why this join cannot be run on a stream.
    pub refusal: Option<String>,
}

/// Two expressions that must be equal.
#[derive(Clone, Debug)]
pub struct BoundKey {
    /// Over the stream's columns.
    pub stream: BoundExpr,
    /// Over the table's columns.
    pub table: BoundExpr,
    /// How nulls compare.
    pub null_equality: NullEquality,
}

/// A predicate over columns of both sides.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The predicate.
    pub predicate: BoundExpr,
    /// Its columns, in its order.
    pub columns: Vec<InputColumn>,
}

/// What a join is bound to.
#[derive(Clone, Copy)]
struct JoinInputs<'a> {
    /// The stream's columns, earlier joins included.
    stream: &'a Scope,
    /// The table's columns.
    table: &'a Scope,
    /// Whether no other join precedes it.
    first: bool,
    mode: CastMode,
}

impl BoundStreamStatic {
    /// Binds the join that `spec` describes.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario. A join that is refused
    /// on a stream is bound all the same, so that it can be explained.
    fn bind(spec: &TableJoin, inputs: JoinInputs<'_>) -> Result<Self> {
        let join_type = spec.join_type;
        let stream_side = *spec.stream_side;
        if stream_side == Side::Right && !inputs.first {
            return Err(spec.stream_side.refuse(
                "only the first [[dimension]] may have stream_side = \"right\": the joins before it are on the left",
            ));
        }
        let (left, right) = match stream_side {
            Side::Left => (inputs.stream, inputs.table),
            Side::Right => (inputs.table, inputs.stream),
        };
        let mut condition = condition(spec, left, right, inputs.mode)?;
        let using = condition.using.take();
        let (keys, stream_filter, table_filter) = oriented(&condition, stream_side);
        let residual = condition.residual.map(|predicate| {
            let columns = predicate.columns().iter().map(|&column| {
                if column < left.columns.len() {
                    InputColumn::of(SideColumn::left(column), stream_side)
                } else {
                    let column = column - left.columns.len();
                    InputColumn::of(SideColumn::right(column), stream_side)
                }
            });
            Residual { columns: columns.collect(), predicate }
        });
        let output = joined(join_type, Sides { left, right }, using.as_deref())
            .map_err(|error| spec.name.refuse(error))?;
        let refusal = refusal(join_type, stream_side);
        let (output, sources) = named(&output, stream_side, inputs);
        let columns = with_nullability(output, &sources, join_type, stream_side);
        let output = Scope { columns };
        Ok(Self {
            join_type,
            stream_side,
            keys,
            stream_filter,
            table_filter,
            residual,
            using,
            output,
            sources,
            refusal,
        })
    }

    /// The join with table `name` and its keys, for messages.
    pub fn place(&self, name: &str) -> String {
        let keys = self.keys.iter().map(|key| format!("{} = {}", key.stream, key.table));
        match keys.collect::<Vec<_>>().join(" AND ") {
            keys if keys.is_empty() => format!("join with `{name}`"),
            keys => format!("join with `{name}` on {keys}"),
        }
    }

    /// Whether stream rows without a match are emitted, null-extended.
    pub fn emits_unmatched(&self) -> bool {
        self.join_type.extends_with_nulls(self.stream_side.opposite())
    }

    /// The stream columns that the condition uses.
    pub fn stream_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(|key| key.stream.columns());
        let filter = self.stream_filter.iter().flat_map(BoundExpr::columns);
        let residual = self.residual.iter().flat_map(|residual| &residual.columns);
        let residual = residual.filter_map(|column| match column {
            InputColumn::Stream(column) => Some(*column),
            InputColumn::Table(_) => None,
        });
        keys.chain(filter).copied().chain(residual)
    }

    /// The table columns that the condition uses.
    pub fn table_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(|key| key.table.columns());
        let filter = self.table_filter.iter().flat_map(BoundExpr::columns);
        let residual = self.residual.iter().flat_map(|residual| &residual.columns);
        let residual = residual.filter_map(|column| match column {
            InputColumn::Table(column) => Some(*column),
            InputColumn::Stream(_) => None,
        });
        keys.chain(filter).copied().chain(residual)
    }
}

fn condition(
    spec: &TableJoin,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
) -> Result<JoinCondition> {
    let bind = |text: &str| sql::stream_static_condition(text, left, right, mode);
    match Written::of(&spec.condition, "a dimension")? {
        Written::On(on) => bind(on).map_err(|error| on.refuse(format!("`on`: {error}"))),
        Written::Using(using) if using.is_empty() => Err(using.refuse(
            "`using` is empty: name the key columns, or say type = \"cross\" to join every row with every row",
        )),
        Written::Using(using) => bind(&using_clause(using)).map_err(|error| using_failed(using, &error)),
        Written::Nothing if spec.join_type == JoinType::Cross => {
            Ok(JoinCondition::default())
        }
        Written::Nothing => Err(spec.name.refuse(format!(
            "dimension `{}` has no condition: add `on = \"...\"` or `using = [...]`, or say type = \"cross\" to join every row with every row",
            spec.name.value
        ))),
    }
}

type Oriented = (Vec<BoundKey>, Option<BoundExpr>, Option<BoundExpr>);

/// The condition's left and right as stream and table.
fn oriented(condition: &JoinCondition, stream_side: Side) -> Oriented {
    let swap = stream_side == Side::Right;
    let keys = condition.keys.iter().map(|key| {
        let (stream, table) = if swap { (&key.right, &key.left) } else { (&key.left, &key.right) };
        BoundKey { stream: stream.clone(), table: table.clone(), null_equality: key.null_equality }
    });
    let (left, right) = (condition.left_filter.clone(), condition.right_filter.clone());
    let (stream, table) = if swap { (right, left) } else { (left, right) };
    (keys.collect(), stream, table)
}

/// Why the join cannot run, and what to write instead.
fn refusal(join_type: JoinType, stream_side: Side) -> Option<String> {
    let error = supported::stream_static(join_type, stream_side).err()?;
    let other = stream_side.opposite();
    Some(match supported::stream_static(join_type, other) {
        Ok(()) => format!("{error}; `stream_side = \"{other}\"` puts it there"),
        Err(_) => error.to_string(),
    })
}

fn joined(
    join_type: JoinType,
    inputs: Sides<&Scope>,
    using: Option<&[String]>,
) -> std::result::Result<Vec<OutputColumn<SideColumn>>, JoinError> {
    let schemas = Sides::new(|side| schema_of(inputs[side]));
    let schemas = Sides { left: &*schemas.left, right: &*schemas.right };
    match using {
        Some(names) => spark::output_using(join_type, schemas, names),
        None => Ok(spark::output_on(join_type, schemas)),
    }
}

/// The joined columns with the qualifiers that they have on their sides.
fn named(
    output: &[OutputColumn<SideColumn>],
    stream_side: Side,
    inputs: JoinInputs<'_>,
) -> (Vec<ScopeColumn>, Vec<InputColumn>) {
    let columns = output.iter().map(|column| {
        let source = InputColumn::of(column.source, stream_side);
        let from = match source {
            InputColumn::Stream(at) => &inputs.stream.columns[at],
            InputColumn::Table(at) => &inputs.table.columns[at],
        };
        (ScopeColumn { name: column.name.clone(), ..from.clone() }, source)
    });
    columns.unzip()
}

fn with_nullability(
    columns: Vec<ScopeColumn>,
    sources: &[InputColumn],
    join_type: JoinType,
    stream_side: Side,
) -> Vec<ScopeColumn> {
    let extended = |source: &InputColumn| match source {
        InputColumn::Stream(_) => join_type.extends_with_nulls(stream_side),
        InputColumn::Table(_) => join_type.extends_with_nulls(stream_side.opposite()),
    };
    let columns = columns.into_iter().zip(sources);
    columns
        .map(|(c, source)| ScopeColumn { nullable: c.nullable || extended(source), ..c })
        .collect()
}

impl BoundKey {
    /// The types of both sides before coercion.
    pub fn types(&self) -> (&DataType, &DataType) {
        (self.stream.data_type(), self.table.data_type())
    }

    /// Whether the table side is never null in a matching row and a bare column.
    pub fn proves_match(&self) -> Option<usize> {
        match (self.null_equality, Origin::of(self.table.clone())) {
            (NullEquality::NullMatchesNothing, Origin::Column(column)) => Some(column),
            _ => None,
        }
    }
}
