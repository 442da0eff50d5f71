//! Which join types a streaming side may have, and why not.
//!
//! A static table is joined with each micro-batch on its own, so nothing is
//! known of the rows that later batches will bring. A join that must emit *unmatched
//! table rows*, or table rows once only, therefore has no answer and is
//! refused (Spark's `UnsupportedOperationChecker`, observed on 4.3.0).
//!
//! ```
//! use streamjoin_kernels::{JoinType, Side};
//! use streamjoin_kernels::spark::supported;
//!
//! assert!(supported::stream_static(JoinType::LeftOuter, Side::Left).is_ok());
//! let refused = supported::stream_static(JoinType::FullOuter, Side::Left).unwrap_err();
//! assert!(refused.to_string().contains("use left-outer"));
//! ```

use crate::error::{JoinError, Result};
use crate::join_type::JoinType;
use crate::output_mode::OutputMode;
use crate::side::{Side, Sides};
use crate::time::{Expiry, Unbounded};

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
            "use left-outer, or put the stream on the right and keep right-outer",
        ),
        (JoinType::LeftOuter, Side::Right) => refuse(
            "with the stream on the right, a left outer join preserves the table, whose unmatched rows a later batch may still match",
            "put the stream on the left and keep left-outer, or use right-outer",
        ),
        (JoinType::LeftSemi, Side::Right) => refuse(
            "with the stream on the right, a left semi join would emit each table row once over the whole stream, which needs state",
            "put the stream on the left",
        ),
        (JoinType::LeftAnti, Side::Right) => refuse(
            "with the stream on the right, a left anti join would emit table rows that no stream row matches, and a later batch may still match them",
            "put the stream on the left",
        ),
    }
}

/// Checks a stream-stream join: `expiry` says when the rows of the left and of
/// the right side leave the state.
///
/// A row that nothing has matched yet can be output as unmatched only once no
/// later row can match it, so each preserved side needs an eviction line (a full
/// outer join at least one); a left semi join needs one so that it ends.
///
/// # Errors
/// [`JoinError::Refused`] with the reason and the nearest form that works.
pub fn stream_stream(
    join_type: JoinType,
    output_mode: OutputMode,
    has_keys: bool,
    expiry: Sides<Expiry>,
) -> Result<()> {
    let refuse = |reason: String, remedy: &str| {
        Err(JoinError::Refused { join_type, reason, remedy: remedy.to_owned() })
    };
    let preserves_a_side = Side::BOTH.into_iter().any(|side| join_type.preserves(side));
    match output_mode {
        OutputMode::Complete => {
            return refuse(
                "in complete output mode each batch outputs the whole result, which a join of streams does not keep".to_owned(),
                "use output mode append",
            );
        }
        OutputMode::Update if preserves_a_side => {
            return refuse(
                "in update output mode an unmatched row would be output before it is known to stay unmatched, and a join cannot take it back".to_owned(),
                "use output mode append",
            );
        }
        _ => {}
    }
    if !has_keys || join_type == JoinType::Cross {
        return refuse(
            "a stream-stream join without equality predicate would compare each row with the whole state".to_owned(),
            "give it a pair of keys that are equal and use inner, or make one side a table",
        );
    }
    let unbounded = match join_type {
        JoinType::Inner | JoinType::Cross => None,
        JoinType::LeftOuter | JoinType::LeftSemi | JoinType::LeftAnti => reason(expiry, Side::Left),
        JoinType::RightOuter => reason(expiry, Side::Right),
        JoinType::FullOuter => reason(expiry, Side::Left).and(reason(expiry, Side::Right)),
    };
    match unbounded {
        None => Ok(()),
        Some((side, why)) => {
            let what = match join_type {
                JoinType::LeftSemi => format!("a {side} row that has no match would wait for ever"),
                _ => format!("a {side} row that has no match could never be output"),
            };
            refuse(format!("{what}, because {why}"), remedy(why, side))
        }
    }
}

fn reason(expiry: Sides<Expiry>, side: Side) -> Option<(Side, Unbounded)> {
    match expiry[side] {
        Expiry::Never(why) => Some((side, why)),
        Expiry::AtWatermark | Expiry::After { .. } => None,
    }
}

fn remedy(why: Unbounded, side: Side) -> &'static str {
    match (why, side) {
        (Unbounded::NoWatermark { side: Side::Left }, _) => "declare a watermark on the left side",
        (Unbounded::NoWatermark { side: Side::Right }, _) => {
            "declare a watermark on the right side"
        }
        (Unbounded::NoWatermarkAtAll, _) => "declare a watermark on at least one side",
        (_, Side::Left) => {
            "limit how long after a left row a right row may match it, such as right - left <= 1 h, with a watermark on the right side, or make the event times a pair of keys"
        }
        (_, Side::Right) => {
            "limit how long after a right row a left row may match it, such as -1 h <= right - left, with a watermark on the left side, or make the event times a pair of keys"
        }
    }
}

/// Refuses a join that reads both the event time of a side and its window.
///
/// # Errors
/// Always [`JoinError::Refused`].
pub fn two_event_times(join_type: JoinType, side: Side) -> Result<()> {
    Err(JoinError::Refused {
        join_type,
        reason: format!(
            "the {side} side has more than one event time column, the event time itself and the window made from it, so it is not clear which decides when a row is late"
        ),
        remedy: "read the window only, or make the event times a pair of keys".to_owned(),
    })
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
