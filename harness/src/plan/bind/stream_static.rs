//! One join of the stream with a table, bound to the columns of both.

use arrow::datatypes::DataType;
use streamjoin_kernels::spark::{CastMode, supported};
use streamjoin_kernels::{
    ColumnRef, JoinError, JoinType, NullEquality, OutputColumn, Side, stream_static,
};

use crate::error::{Failure, Result};
use crate::plan::bind::relation::{Origin, schema_of};
use crate::scenario::{DimensionSpec, Scenario, StreamSide};
use streamjoin_sql::{self as sql, BoundExpr, JoinCondition, Scope, ScopeColumn, SqlError};

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
    pub dimension_filter: Option<BoundExpr>,
    /// Over both: pairs that fail it do not match.
    pub residual: Option<Residual>,
    /// The columns of `USING`, if the condition was given so.
    pub using: Option<Vec<String>>,
    /// The joined columns.
    pub output: Scope,
    /// Where each joined column comes from.
    pub sources: Vec<ColumnRef>,
    /// Why this join cannot be run on a stream.
    pub refusal: Option<String>,
}

/// Two expressions that must be equal.
#[derive(Clone, Debug)]
pub struct BoundKey {
    /// Over the stream's columns.
    pub stream: BoundExpr,
    /// Over the table's columns.
    pub dimension: BoundExpr,
    /// How nulls compare.
    pub null_equality: NullEquality,
}

/// A predicate over columns of both sides.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The predicate.
    pub predicate: BoundExpr,
    /// Its columns, in its order.
    pub columns: Vec<ColumnRef>,
}

/// What a join is bound to.
#[derive(Clone, Copy, Debug)]
pub struct JoinInputs<'a> {
    /// The stream's columns, earlier joins included.
    pub stream: &'a Scope,
    /// The table's columns.
    pub dimension: &'a Scope,
    /// Whether no other join precedes it.
    pub first: bool,
    /// ANSI mode or not.
    pub mode: CastMode,
}

impl BoundStreamStatic {
    /// Binds the join that `spec` describes.
    ///
    /// # Errors
    /// A usage failure with its place in the scenario. A join that is refused
    /// on a stream is bound all the same, so that it can be explained.
    pub fn bind(spec: &DimensionSpec, inputs: JoinInputs<'_>, scenario: &Scenario) -> Result<Self> {
        let join_type = spec.r#type.as_ref().map_or(JoinType::Inner, |t| *t.get_ref());
        let stream_side = stream_side(spec, inputs.first, scenario)?;
        let (left, right) = match stream_side {
            Side::Left => (inputs.stream, inputs.dimension),
            Side::Right => (inputs.dimension, inputs.stream),
        };
        let (condition, using) = condition(spec, join_type, left, right, inputs.mode, scenario)?;
        let (keys, stream_filter, dimension_filter) = oriented(&condition, stream_side);
        let residual = condition.residual.map(|predicate| {
            let columns = predicate.columns().iter().map(|&column| {
                if column < left.columns.len() {
                    reference(Side::Left, column, stream_side)
                } else {
                    reference(Side::Right, column - left.columns.len(), stream_side)
                }
            });
            Residual { columns: columns.collect(), predicate }
        });
        let output = joined(join_type, stream_side, inputs, using.as_deref())
            .map_err(|error| Failure::usage(error).at(scenario.place(&spec.name)))?;
        let refusal = supported::stream_static(join_type, stream_side).err().map(|e| e.to_string());
        let (output, sources) = named(&output, inputs);
        let columns = with_nullability(output, &sources, join_type, stream_side);
        let output = Scope { columns };
        Ok(Self {
            join_type,
            stream_side,
            keys,
            stream_filter,
            dimension_filter,
            residual,
            using,
            output,
            sources,
            refusal,
        })
    }

    /// The join with table `name` and its keys, for messages.
    #[must_use]
    pub fn place(&self, name: &str) -> String {
        let keys = self.keys.iter().map(|key| format!("{} = {}", key.stream, key.dimension));
        match keys.collect::<Vec<_>>().join(" AND ") {
            keys if keys.is_empty() => format!("join with `{name}`"),
            keys => format!("join with `{name}` on {keys}"),
        }
    }

    /// Whether stream rows without a match come out null-extended.
    #[must_use]
    pub fn extends_dimension(&self) -> bool {
        self.join_type.extends_with_nulls(self.stream_side.opposite())
    }

    /// The stream columns that the condition looks at.
    pub fn stream_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(|key| key.stream.columns());
        let filter = self.stream_filter.iter().flat_map(BoundExpr::columns);
        let residual = self.residual.iter().flat_map(|residual| &residual.columns);
        let residual = residual.filter_map(|column| match column {
            ColumnRef::Stream(column) => Some(*column),
            ColumnRef::Table(_) => None,
        });
        keys.chain(filter).copied().chain(residual)
    }

    /// The table columns that the condition looks at.
    pub fn dimension_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let keys = self.keys.iter().flat_map(|key| key.dimension.columns());
        let filter = self.dimension_filter.iter().flat_map(BoundExpr::columns);
        let residual = self.residual.iter().flat_map(|residual| &residual.columns);
        let residual = residual.filter_map(|column| match column {
            ColumnRef::Table(column) => Some(*column),
            ColumnRef::Stream(_) => None,
        });
        keys.chain(filter).copied().chain(residual)
    }
}

fn stream_side(spec: &DimensionSpec, first: bool, scenario: &Scenario) -> Result<Side> {
    match &spec.stream_side {
        Some(side) if *side.get_ref() == StreamSide::Right => {
            if first {
                Ok(Side::Right)
            } else {
                Err(Failure::usage(
                    "only the first [[dimension]] may have stream_side = \"right\": the joins before it are on the left",
                )
                .at(scenario.place(side)))
            }
        }
        _ => Ok(Side::Left),
    }
}

fn condition(
    spec: &DimensionSpec,
    join_type: JoinType,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    scenario: &Scenario,
) -> Result<(JoinCondition, Option<Vec<String>>)> {
    match (&spec.on, &spec.using) {
        (Some(_), Some(using)) => Err(Failure::usage(
            "a dimension takes `on` or `using`, not both: remove one of them",
        )
        .at(scenario.place(using))),
        (Some(on), None) => clause(on.get_ref(), left, right, mode)
            .map_err(|error| Failure::usage(format!("`on`: {error}")).at(scenario.place(on))),
        (None, Some(using)) if using.get_ref().is_empty() => Err(Failure::usage(
            "`using` is empty: name the key columns, or say type = \"cross\" to join every row with every row",
        )
        .at(scenario.place(using))),
        (None, Some(using)) => {
            let names = using.get_ref().iter().map(|name| format!("`{}`", name.replace('`', "``")));
            let text = format!("USING ({})", names.collect::<Vec<_>>().join(", "));
            clause(&text, left, right, mode).map_err(|error| {
                Failure::usage(format!("`using`: {}", error.message())).at(scenario.place(using))
            })
        }
        (None, None) if join_type == JoinType::Cross => Ok((JoinCondition::default(), None)),
        (None, None) => Err(Failure::usage(format!(
            "dimension `{}` has no condition: add `on = \"...\"` or `using = [...]`, or say type = \"cross\" to join every row with every row",
            spec.name.get_ref()
        ))
        .at(scenario.place(&spec.name))),
    }
}

/// A condition or `USING (...)`, with the names of the latter.
fn clause(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
) -> std::result::Result<(JoinCondition, Option<Vec<String>>), SqlError> {
    let mut condition = sql::stream_static_condition(text, left, right, mode)?;
    let using = condition.using.take();
    Ok((condition, using))
}

type Oriented = (Vec<BoundKey>, Option<BoundExpr>, Option<BoundExpr>);

/// The condition's left and right as stream and dimension.
fn oriented(condition: &JoinCondition, stream_side: Side) -> Oriented {
    let swap = stream_side == Side::Right;
    let keys = condition.keys.iter().map(|key| {
        let (stream, dimension) =
            if swap { (&key.right, &key.left) } else { (&key.left, &key.right) };
        BoundKey {
            stream: stream.clone(),
            dimension: dimension.clone(),
            null_equality: key.null_equality,
        }
    });
    let (left, right) = (condition.left_filter.clone(), condition.right_filter.clone());
    let (stream, dimension) = if swap { (right, left) } else { (left, right) };
    (keys.collect(), stream, dimension)
}

fn reference(side: Side, column: usize, stream_side: Side) -> ColumnRef {
    if side == stream_side { ColumnRef::Stream(column) } else { ColumnRef::Table(column) }
}

fn joined(
    join_type: JoinType,
    stream_side: Side,
    inputs: JoinInputs<'_>,
    using: Option<&[String]>,
) -> std::result::Result<Vec<OutputColumn>, JoinError> {
    let (stream, dimension) = (schema_of(inputs.stream), schema_of(inputs.dimension));
    match using {
        Some(names) => {
            stream_static::output_using(join_type, stream_side, &stream, &dimension, names)
        }
        None => Ok(stream_static::output_on(join_type, stream_side, &stream, &dimension)),
    }
}

/// The joined columns with the qualifiers that they have on their sides.
fn named(output: &[OutputColumn], inputs: JoinInputs<'_>) -> (Vec<ScopeColumn>, Vec<ColumnRef>) {
    let columns = output.iter().map(|column| {
        let from = match column.source {
            ColumnRef::Stream(at) => &inputs.stream.columns[at],
            ColumnRef::Table(at) => &inputs.dimension.columns[at],
        };
        (ScopeColumn { name: column.name.clone(), ..from.clone() }, column.source)
    });
    columns.unzip()
}

fn with_nullability(
    columns: Vec<ScopeColumn>,
    sources: &[ColumnRef],
    join_type: JoinType,
    stream_side: Side,
) -> Vec<ScopeColumn> {
    let extended = |source: &ColumnRef| match source {
        ColumnRef::Stream(_) => join_type.extends_with_nulls(stream_side),
        ColumnRef::Table(_) => join_type.extends_with_nulls(stream_side.opposite()),
    };
    let columns = columns.into_iter().zip(sources);
    columns
        .map(|(c, source)| ScopeColumn { nullable: c.nullable || extended(source), ..c })
        .collect()
}

impl BoundKey {
    /// The types of both sides before coercion.
    #[must_use]
    pub fn types(&self) -> (&DataType, &DataType) {
        (self.stream.data_type(), self.dimension.data_type())
    }

    /// Whether the table side is never null in a matching row and a bare column.
    #[must_use]
    pub fn proves_match(&self) -> Option<usize> {
        match (self.null_equality, Origin::of(self.dimension.clone())) {
            (NullEquality::NullMatchesNothing, Origin::Column(column)) => Some(column),
            _ => None,
        }
    }
}
