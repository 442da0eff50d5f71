//! Which join types a streaming side may have, and why not.
//!
//! A static table is read afresh for each micro-batch, so nothing is known of
//! the rows that later batches will bring. A join that must emit *unmatched
//! table rows*, or table rows once only, can therefore never answer: that is
//! what is refused (Spark's `UnsupportedOperationChecker`, observed on 4.3.0).

use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::side::Side;

/// Checks a stream-static join with the stream on `stream_side`.
///
/// # Errors
/// [`JoinError::Refused`] with the reason and the nearest form that works.
pub fn stream_static(join_type: JoinType, stream_side: Side) -> Result<()> {
    let refuse = |reason: &str, remedy: &str| {
        Err(JoinError::Refused { join_type, reason: reason.to_owned(), remedy: remedy.to_owned() })
    };
    match (join_type, stream_side) {
        (JoinType::Inner | JoinType::Cross, _)
        | (JoinType::LeftOuter | JoinType::LeftSemi | JoinType::LeftAnti, Side::Left)
        | (JoinType::RightOuter, Side::Right) => Ok(()),
        (JoinType::FullOuter, Side::Left) => refuse(
            "a full outer join would emit table rows that no stream row matches, and a later batch may still match them",
            "use left-outer to keep every stream row",
        ),
        (JoinType::FullOuter, Side::Right) => refuse(
            "a full outer join would emit table rows that no stream row matches, and a later batch may still match them",
            "use right-outer to keep every stream row",
        ),
        (JoinType::RightOuter, Side::Left) => refuse(
            "with the stream on the left, a right outer join preserves the table, whose unmatched rows a later batch may still match",
            "use left-outer, or put the stream on the right (stream_side = \"right\") and keep right-outer",
        ),
        (JoinType::LeftOuter, Side::Right) => refuse(
            "with the stream on the right, a left outer join preserves the table, whose unmatched rows a later batch may still match",
            "flip it: stream on the left with left-outer, or keep the stream on the right with right-outer",
        ),
        (JoinType::LeftSemi, Side::Right) => refuse(
            "with the stream on the right, a left semi join would emit each table row once over the whole stream, which needs state",
            "flip it: put the stream on the left (stream_side = \"left\")",
        ),
        (JoinType::LeftAnti, Side::Right) => refuse(
            "with the stream on the right, a left anti join would emit table rows that no stream row matches, and a later batch may still match them",
            "flip it: put the stream on the left (stream_side = \"left\")",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_rule_34() {
        for join_type in JoinType::ALL {
            let left = matches!(
                join_type,
                JoinType::Inner
                    | JoinType::LeftOuter
                    | JoinType::LeftSemi
                    | JoinType::LeftAnti
                    | JoinType::Cross
            );
            let right =
                matches!(join_type, JoinType::Inner | JoinType::RightOuter | JoinType::Cross);
            assert_eq!(stream_static(join_type, Side::Left).is_ok(), left, "{join_type} left");
            assert_eq!(stream_static(join_type, Side::Right).is_ok(), right, "{join_type} right");
        }
    }

    #[test]
    fn a_refusal_names_what_works() {
        let error = stream_static(JoinType::LeftOuter, Side::Right).unwrap_err().to_string();
        assert!(error.contains("right-outer"), "{error}");
        let error = stream_static(JoinType::RightOuter, Side::Left).unwrap_err().to_string();
        assert!(error.contains("left-outer"), "{error}");
    }
}
