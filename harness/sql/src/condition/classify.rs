//! Sorts conjuncts by role: keys, one-sided filters, the interval, the rest.

use arrow::datatypes::DataType;
use streamjoin_kernels::time::{TimeDelta, TimeKey};
use streamjoin_kernels::{NullEquality, Side};

use super::event_time::{self, TimeColumns, Times};
use super::{Conjunct, ConjunctRole, JoinCondition, KeyExpr, not_null};
use crate::error::Result;
use crate::expr::{BoundExpr, Expr, Node};
use crate::operators::CompareOp;

/// Which sides an expression reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    Left,
    Right,
    Both,
}

/// Collects conjuncts by role.
pub(super) struct Classifier<'a> {
    left_columns: usize,
    /// Given for two streams.
    times: Option<&'a TimeColumns>,
    condition: JoinCondition,
    left: Vec<Expr>,
    right: Vec<Expr>,
    residual: Vec<Expr>,
}

impl<'a> Classifier<'a> {
    pub(super) fn new(left_columns: usize, times: Option<&'a TimeColumns>) -> Self {
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

    pub(super) fn add(
        &mut self,
        conjunct: Expr,
        equality: Option<(CompareOp, Expr, Expr)>,
    ) -> Result<()> {
        if let (Node::And(operands), Some(_)) = (&conjunct.node, self.times) {
            // The halves of BETWEEN may have different roles.
            return operands.clone().into_iter().try_for_each(|operand| self.add(operand, None));
        }
        let whole = BoundExpr::new(conjunct.clone());
        let role = self.classify_timed(conjunct, equality)?;
        self.condition.conjuncts.push(Conjunct { expr: whole, role });
        Ok(())
    }

    /// Classifies the conjuncts that concern the event times of two streams, then
    /// the others as for any join.
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
        let needed = not_null::needed(&conjunct);
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
                time.key = Some(TimeKey::Window { width: TimeDelta::from_micros(windows.width) });
            } else if pair == (columns.left, columns.right) && pair.0.is_some() {
                time.key = time.key.or(Some(TimeKey::EventTime));
            } else if let Some(interval) = interval {
                // Equal up to an offset: a key, and an interval of a single point.
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
            // A constant that is not true: no pair passes. As a residual it means
            // the same for every join type.
            Reads::Nothing | Reads::Both => {
                self.residual.push(conjunct);
                ConjunctRole::Residual
            }
        }
    }

    pub(super) fn finish(self) -> JoinCondition {
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

/// The conjunction of the conjuncts, if there are any.
fn all_of(mut conjuncts: Vec<Expr>) -> Option<Expr> {
    if conjuncts.len() > 1 {
        let nullable = conjuncts.iter().any(|c| c.nullable);
        let node = Node::And(conjuncts);
        return Some(Expr::new(node, DataType::Boolean, nullable));
    }
    conjuncts.pop()
}
