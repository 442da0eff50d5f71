//! ON and USING clauses, taken apart: keys, one-sided filters, the rest.

use arrow::datatypes::DataType;
use sqlparser::ast::{BinaryOperator, Expr as Ast};
use streamjoin_kernels::spark::CastMode;
use streamjoin_kernels::time::{TimeCondition, TimeKey};
use streamjoin_kernels::{NullEquality, Side};

use super::bind::{Binder, operands};
use super::error::{Result, SqlError};
use super::event_time::{self, TimeColumns, Times};
use super::expr::{BoundExpr, CompareOp, Expr, Node};
use super::nulls;
use super::parse::{self, Clause};
use super::place::place;
use super::scope::Scope;

/// One equality between the sides.
#[derive(Clone, Debug)]
pub struct KeyExpr {
    /// Over the left scope's positions.
    pub left: BoundExpr,
    /// Over the right scope's positions.
    pub right: BoundExpr,
    /// Whether null equals null (`<=>`).
    pub null_equality: NullEquality,
}

/// What became of one conjunct of an ON clause.
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
    /// Constant and true: it has no effect.
    AlwaysTrue,
}

/// One conjunct of an ON clause.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The conjunct, over left ++ right positions.
    pub expr: BoundExpr,
    /// Where it went.
    pub role: ConjunctRole,
}

/// A join condition, taken apart.
#[derive(Clone, Debug, Default)]
pub struct JoinCondition {
    /// Equalities with one side each; empty means that every pair is a
    /// candidate.
    pub keys: Vec<KeyExpr>,
    /// Conjuncts that read only left columns, over the left scope.
    pub left_filter: Option<BoundExpr>,
    /// Conjuncts that read only right columns, over the right scope.
    pub right_filter: Option<BoundExpr>,
    /// All other conjuncts, over left ++ right positions.
    pub residual: Option<BoundExpr>,
    /// What the condition says about the event times of two streams.
    pub time: TimeCondition,
    /// Columns of the left scope of which a null keeps some conjunct other than
    /// a key from being true; told for two streams only.
    pub left_not_null: Vec<usize>,
    /// The same of the right scope.
    pub right_not_null: Vec<usize>,
    /// Every conjunct in the order of the text.
    pub conjuncts: Vec<Conjunct>,
    /// The names of `USING (a, b)` as they were written; none for an ON condition.
    pub using: Option<Vec<String>>,
}

/// Reads an ON condition or `USING (...)`; `times` is given for two streams.
pub(super) fn condition(
    text: &str,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    times: Option<&TimeColumns>,
) -> Result<JoinCondition> {
    match parse::clause(text)? {
        Clause::Condition(expr) => split(&expr, left, right, mode, times),
        Clause::Using(names) => {
            let mut known: Vec<String> = Vec::new();
            for name in names {
                if known.iter().any(|k| k.to_lowercase() == name.value.to_lowercase()) {
                    let message = format!("USING names `{}` twice", name.value);
                    return Err(SqlError::at(name.span, message));
                }
                for (scope, side) in [(left, "left"), (right, "right")] {
                    scope.resolve(None, &name.value).map_err(|e| {
                        let message = format!("USING, {side} side: {}", e.message());
                        SqlError::at(name.span, message)
                    })?;
                }
                known.push(name.value);
            }
            let condition = using(&known, left, right, mode, times)?;
            Ok(JoinCondition { using: Some(known), ..condition })
        }
    }
}

/// The equalities that `USING` stands for.
fn using(
    names: &[String],
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    times: Option<&TimeColumns>,
) -> Result<JoinCondition> {
    let both = left.join(right);
    let binder = Binder::new(&both, mode);
    let mut parts = Parts::new(left.columns.len(), times);
    for name in names {
        let positions =
            (left.resolve(None, name)?, left.columns.len() + right.resolve(None, name)?);
        let column = |position: usize| {
            let column = &both.columns[position];
            let node = Node::Column { position, slot: 0, name: column.qualified_name() };
            Expr::new(node, column.data_type.clone(), column.nullable)
        };
        let (l, r) = (column(positions.0), column(positions.1));
        let equal = binder.equality(CompareOp::Eq, l.clone(), r.clone())?;
        parts.add(equal, Some((CompareOp::Eq, l, r)))?;
    }
    Ok(parts.finish())
}

fn split(
    expr: &Ast,
    left: &Scope,
    right: &Scope,
    mode: CastMode,
    times: Option<&TimeColumns>,
) -> Result<JoinCondition> {
    let both = left.join(right);
    let mut parts = Parts::new(left.columns.len(), times);
    for conjunct in operands(expr, &BinaryOperator::And) {
        let mut binder = Binder::new(&both, mode);
        // The operands before they are cast: the join casts its keys itself.
        let equality = match equality(conjunct) {
            Some((op, l, r)) => Some((op, binder.bind(l)?, binder.bind(r)?)),
            None => None,
        };
        let bound = match &equality {
            Some((op, l, r)) => {
                binder.equality(*op, l.clone(), r.clone()).map_err(|e| e.or_at(place(conjunct)))?
            }
            None => binder.condition(conjunct)?,
        };
        parts.add(bound, equality).map_err(|e| e.or_at(place(conjunct)))?;
    }
    Ok(parts.finish())
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

/// Which sides an expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    Left,
    Right,
    Both,
}

/// Collects conjuncts by role.
struct Parts<'a> {
    left_columns: usize,
    /// Given for two streams.
    times: Option<&'a TimeColumns>,
    condition: JoinCondition,
    left: Vec<Expr>,
    right: Vec<Expr>,
    residual: Vec<Expr>,
}

impl<'a> Parts<'a> {
    fn new(left_columns: usize, times: Option<&'a TimeColumns>) -> Self {
        Self {
            left_columns,
            times,
            condition: JoinCondition::default(),
            left: Vec::new(),
            right: Vec::new(),
            residual: Vec::new(),
        }
    }

    fn reads(&self, expr: &Expr) -> Reads {
        let positions = expr.positions();
        let left = positions.iter().any(|p| *p < self.left_columns);
        let right = positions.iter().any(|p| *p >= self.left_columns);
        match (left, right) {
            (false, false) => Reads::Nothing,
            (true, false) => Reads::Left,
            (false, true) => Reads::Right,
            (true, true) => Reads::Both,
        }
    }

    fn add(&mut self, conjunct: Expr, equality: Option<(CompareOp, Expr, Expr)>) -> Result<()> {
        if let (Node::And(operands), Some(_)) = (&conjunct.node, self.times) {
            // BETWEEN: its halves may be of different kinds.
            return operands.clone().into_iter().try_for_each(|operand| self.add(operand, None));
        }
        let whole = BoundExpr::new(conjunct.clone());
        let role = self.classify_timed(conjunct, equality)?;
        self.condition.conjuncts.push(Conjunct { expr: whole, role });
        Ok(())
    }

    /// The classifier of two streams, before the one of all joins.
    fn classify_timed(
        &mut self,
        conjunct: Expr,
        equality: Option<(CompareOp, Expr, Expr)>,
    ) -> Result<ConjunctRole> {
        let Some(columns) = self.times else { return Ok(self.classify(conjunct, equality)) };
        let right = |column: Option<usize>| column.map(|column| column + self.left_columns);
        let times = Times { left: columns.left, right: right(columns.right) };
        let interval = match &equality {
            Some((op, l, r)) => event_time::distance(*op, l, r, times)?,
            None => event_time::interval(&conjunct, times)?,
        };
        let needed = nulls::needed(&conjunct);
        let (keys, reads) = (self.condition.keys.len(), self.reads(&conjunct));
        let role = match interval {
            Some(interval) if equality.is_none() => {
                self.condition.time.interval = self.condition.time.interval.and(interval);
                ConjunctRole::Interval
            }
            _ => self.classify(conjunct, equality),
        };
        if let Some(key) = self.condition.keys.get(keys) {
            let pair = (key.left.as_column(), key.right.as_column());
            let time = &mut self.condition.time;
            let windows = columns.windows.filter(|w| pair == (Some(w.left), Some(w.right)));
            if let Some(windows) = windows {
                time.key = Some(TimeKey::Window { width: windows.width });
            } else if pair == (columns.left, columns.right) && pair.0.is_some() {
                time.key = time.key.or(Some(TimeKey::EventTime));
            } else if let Some(interval) = interval {
                // Equal but for an offset: a key, and an interval of one point.
                time.interval = time.interval.and(interval);
            }
        } else if reads != Reads::Nothing {
            let (left, right): (Vec<usize>, Vec<usize>) =
                needed.into_iter().partition(|&position| position < self.left_columns);
            self.condition.left_not_null.extend(left);
            let shift = self.left_columns;
            self.condition.right_not_null.extend(right.into_iter().map(|p| p - shift));
        }
        Ok(role)
    }

    fn classify(
        &mut self,
        conjunct: Expr,
        equality: Option<(CompareOp, Expr, Expr)>,
    ) -> ConjunctRole {
        if let Some((op, a, b)) = equality {
            let sides = match (self.reads(&a), self.reads(&b)) {
                (Reads::Left, Reads::Right) => Some((a, b)),
                (Reads::Right, Reads::Left) => Some((b, a)),
                _ => None,
            };
            if let Some((left, right)) = sides {
                self.condition.keys.push(KeyExpr {
                    left: BoundExpr::new(left),
                    right: BoundExpr::shifted(right, self.left_columns),
                    null_equality: if op == CompareOp::NullSafeEq {
                        NullEquality::NullSafe
                    } else {
                        NullEquality::NullMatchesNothing
                    },
                });
                return ConjunctRole::Key(self.condition.keys.len() - 1);
            }
        }
        match self.reads(&conjunct) {
            Reads::Left => {
                self.left.push(conjunct);
                ConjunctRole::Filter(Side::Left)
            }
            Reads::Right => {
                self.right.push(conjunct);
                ConjunctRole::Filter(Side::Right)
            }
            Reads::Nothing if always_true(&conjunct) => ConjunctRole::AlwaysTrue,
            // A constant that is not true: no pair passes. Said on pairs, it
            // means the same for every join type.
            Reads::Nothing | Reads::Both => {
                self.residual.push(conjunct);
                ConjunctRole::Residual
            }
        }
    }

    fn finish(self) -> JoinCondition {
        let mut condition = self.condition;
        for columns in [&mut condition.left_not_null, &mut condition.right_not_null] {
            columns.sort_unstable();
            columns.dedup();
        }
        condition.left_filter = all_of(self.left).map(BoundExpr::new);
        condition.right_filter =
            all_of(self.right).map(|expr| BoundExpr::shifted(expr, self.left_columns));
        condition.residual = all_of(self.residual).map(BoundExpr::new);
        condition
    }
}

fn always_true(constant: &Expr) -> bool {
    use arrow::array::{Array, AsArray};
    constant.is_true()
        || BoundExpr::new(constant.clone())
            .evaluate(&[], 1)
            .is_ok_and(|v| v.as_boolean_opt().is_some_and(|b| b.is_valid(0) && b.value(0)))
}

/// The conjunction, if there is anything to join.
fn all_of(mut conjuncts: Vec<Expr>) -> Option<Expr> {
    if conjuncts.len() > 1 {
        let nullable = conjuncts.iter().any(|c| c.nullable);
        let node = Node::And(conjuncts);
        return Some(Expr::new(node, DataType::Boolean, nullable));
    }
    conjuncts.pop()
}
