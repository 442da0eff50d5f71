//! Splits ON and USING clauses into keys, one-sided filters and the rest.

mod classify;
mod event_time;
mod not_null;

use sqlparser::ast::{BinaryOperator, Expr as Ast};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::TimeCondition;
use streamjoin_kernels::{NullEquality, Side};

use crate::bind::{Binder, operands};
use crate::error::{Result, SqlError};
use crate::expr::{BoundExpr, Expr};
use crate::operators::CompareOp;
use crate::parse::{self, Clause, place};
use crate::scope::Scope;
use classify::Classifier;
pub(crate) use not_null::needed;

pub use event_time::{TimeColumns, WindowColumns};

/// One equality between the sides.
#[derive(Clone, Debug)]
pub struct KeyExpr {
    /// Over positions in the left scope.
    pub left: BoundExpr,
    /// Over positions in the right scope.
    pub right: BoundExpr,
    /// Whether null equals null (`<=>`).
    pub null_equality: NullEquality,
}

/// The role of one conjunct of an ON clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConjunctRole {
    /// The key of this index in [`JoinCondition::keys`].
    Key(usize),
    /// Part of the filter of one side.
    Filter(Side),
    /// Evaluated on candidate pairs.
    Residual,
    /// Bounds the distance between the event times of two streams.
    Interval,
    /// Constant and true, so without effect.
    AlwaysTrue,
}

/// One conjunct of an ON clause.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The conjunct, over positions in left ++ right.
    pub expr: BoundExpr,
    /// Its role.
    pub role: ConjunctRole,
}

/// A join condition, split into its parts.
#[derive(Clone, Debug, Default)]
pub struct JoinCondition {
    /// Equalities of an expression over the left side and one over the right;
    /// empty means that every pair is a candidate.
    pub keys: Vec<KeyExpr>,
    /// Conjuncts that read only left columns, over the left scope.
    pub left_filter: Option<BoundExpr>,
    /// Conjuncts that read only right columns, over the right scope.
    pub right_filter: Option<BoundExpr>,
    /// All other conjuncts, over positions in left ++ right.
    pub residual: Option<BoundExpr>,
    /// How the condition bounds the event times of two streams.
    pub time: TimeCondition,
    /// Columns of the left scope in which a null keeps some conjunct other than
    /// a key from being true; for joins of two streams only.
    pub left_not_null: Vec<usize>,
    /// The same for the right scope.
    pub right_not_null: Vec<usize>,
    /// Every conjunct in the order of the text.
    pub conjuncts: Vec<Conjunct>,
    /// The names of `USING (a, b)` as written; `None` for an ON condition.
    pub using: Option<Vec<String>>,
}

/// Binds the condition of a join with a table, an ON condition or `USING (a, b)`,
/// and splits it into its parts.
///
/// # Errors
/// As [`filter`](crate::filter); for `USING`, a name that one side lacks or that
/// occurs twice.
pub fn stream_static_condition(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
) -> Result<JoinCondition> {
    Sides { left, right, mode, times: None }.condition(text)
}

/// Binds the condition of a join of two streams, whose event times are at
/// `times`, and splits it into its parts: comparisons of the two event times, in
/// any spelling, become [`JoinCondition::time`].
///
/// # Errors
/// As [`stream_static_condition`]; an interval of months between the event times.
pub fn stream_stream_condition(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    times: &TimeColumns,
) -> Result<JoinCondition> {
    Sides { left, right, mode, times: Some(times) }.condition(text)
}

/// What a condition is bound to: both sides, and their event times.
#[derive(Clone, Copy)]
struct Sides<'a> {
    left: &'a Scope,
    right: &'a Scope,
    mode: CastMode,
    times: Option<&'a TimeColumns>,
}

impl Sides<'_> {
    fn condition(self, text: &str) -> Result<JoinCondition> {
        match parse::clause(text)? {
            Clause::Condition(expr) => self.split(&expr),
            Clause::Using(names) => {
                let mut known: Vec<String> = Vec::new();
                for name in names {
                    if known.iter().any(|k| k.to_lowercase() == name.value.to_lowercase()) {
                        let message = format!("USING names `{}` twice", name.value);
                        return Err(SqlError::at(name.span, message));
                    }
                    for (scope, side) in [(self.left, "left"), (self.right, "right")] {
                        scope.resolve(None, &name.value).map_err(|e| {
                            let message = format!("USING, {side} side: {}", e.message());
                            SqlError::at(name.span, message)
                        })?;
                    }
                    known.push(name.value);
                }
                let condition = self.using(&known)?;
                Ok(JoinCondition { using: Some(known), ..condition })
            }
        }
    }

    /// Binds the equalities that `USING` stands for.
    fn using(self, names: &[String]) -> Result<JoinCondition> {
        let Self { left, right, mode, times } = self;
        let both = left.join(right);
        let binder = Binder::new(&both, mode);
        let mut classifier = Classifier::new(left.columns.len(), times);
        for name in names {
            let positions =
                (left.resolve(None, name)?, left.columns.len() + right.resolve(None, name)?);
            let (l, r) = (Expr::column(&both, positions.0), Expr::column(&both, positions.1));
            let equal = binder.compare(CompareOp::Eq, l.clone(), r.clone())?;
            classifier.add(equal, Some((CompareOp::Eq, l, r)))?;
        }
        Ok(classifier.finish())
    }

    fn split(self, expr: &Ast) -> Result<JoinCondition> {
        let both = self.left.join(self.right);
        let mut classifier = Classifier::new(self.left.columns.len(), self.times);
        for conjunct in operands(expr, &BinaryOperator::And) {
            let mut binder = Binder::new(&both, self.mode);
            // Keys keep their operands uncast: the join casts its keys itself.
            let equality = match equality(conjunct) {
                Some((op, l, r)) => Some((op, binder.bind(l)?, binder.bind(r)?)),
                None => None,
            };
            let bound = match &equality {
                Some((op, l, r)) => binder
                    .compare(*op, l.clone(), r.clone())
                    .map_err(|e| e.or_at(place(conjunct)))?,
                None => binder.condition(conjunct)?,
            };
            classifier.add(bound, equality).map_err(|e| e.or_at(place(conjunct)))?;
        }
        Ok(classifier.finish())
    }
}

/// The operands of `=`, `<=>` and `IS NOT DISTINCT FROM`.
fn equality(expr: &Ast) -> Option<(CompareOp, &Ast, &Ast)> {
    match expr {
        Ast::Nested(inner) => equality(inner),
        Ast::BinaryOp { left, op, right } => match op {
            BinaryOperator::Eq => Some((CompareOp::Eq, left, right)),
            BinaryOperator::Spaceship => Some((CompareOp::NullSafeEq, left, right)),
            _ => None,
        },
        Ast::IsNotDistinctFrom(left, right) => Some((CompareOp::NullSafeEq, left, right)),
        _ => None,
    }
}
