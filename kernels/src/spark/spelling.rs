//! Spark's spellings of the join types.

use std::str::FromStr;

use crate::error::JoinError;
use crate::join_type::JoinType;

impl FromStr for JoinType {
    type Err = JoinError;

    /// Reads Spark's spellings: case, spaces, underscores and hyphens do not
    /// count, so `left outer`, `LEFT_OUTER`, `leftouter` and `left` are one.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let folded: String = text
            .chars()
            .filter(|c| !matches!(c, ' ' | '_' | '-'))
            .flat_map(char::to_lowercase)
            .collect();
        Ok(match folded.as_str() {
            "inner" => Self::Inner,
            "cross" => Self::Cross,
            "left" | "leftouter" => Self::LeftOuter,
            "right" | "rightouter" => Self::RightOuter,
            "full" | "outer" | "fullouter" => Self::FullOuter,
            "semi" | "leftsemi" => Self::LeftSemi,
            "anti" | "leftanti" => Self::LeftAnti,
            _ => {
                return Err(JoinError::UnknownName {
                    what: "join type",
                    name: text.to_owned(),
                    known:
                        "inner, cross, left-outer, right-outer, full-outer, left-semi, left-anti"
                            .to_owned(),
                });
            }
        })
    }
}
