//! Which columns prove that a joined row has found a match.

use streamjoin_kernels::{NullEquality, Side, SideColumn};

use super::prepare::Needed;
use crate::plan::bind::BoundStreams;

/// How a joined row shows that one of its sides is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// A column that is emitted anyway is null only then.
    Emitted(usize),
    /// A column that is not emitted is null only then.
    Column(SideColumn),
    /// A column of its own, true in every row of the side.
    True(Side),
}

/// A proof for each side that may be missing.
pub(super) fn proofs(streams: &BoundStreams, needed: &Needed) -> Vec<Proof> {
    let join = &streams.join;
    let sides = Side::BOTH.into_iter().filter(|side| join.join_type.extends_with_nulls(*side));
    let proof = |side: Side| {
        let certain = |column: usize| {
            let stream = &streams.sides[side];
            let of_key = join.keys.iter().any(|key| {
                let expr = if side == Side::Left { &key.left } else { &key.right };
                key.null_equality == NullEquality::NullMatchesNothing
                    && expr.as_column() == Some(column)
            });
            let of_time = stream.time_column == Some(column) && !join.time.interval.is_unbounded();
            of_key || of_time || !stream.relation.scope.columns[column].nullable
        };
        let emitted = needed.positions().position(|position| {
            let source = join.sources[position];
            source.side == side && certain(source.column)
        });
        if let Some(at) = emitted {
            return Proof::Emitted(at);
        }
        let columns = join.columns(side, streams.left_columns());
        match columns.filter(|column| certain(*column)).min() {
            Some(column) => Proof::Column(SideColumn { side, column }),
            None => Proof::True(side),
        }
    };
    sides.map(proof).collect()
}
