use super::*;

#[test]
fn reads_every_spelling_that_spark_reads() {
    for (spellings, join_type) in [
        (&["inner", "INNER", "Inner"][..], JoinType::Inner),
        (&["cross"], JoinType::Cross),
        (
            &["left", "left outer", "LEFT OUTER", "left_outer", "leftouter", "left-outer"],
            JoinType::LeftOuter,
        ),
        (&["right", "right_outer", "rightouter"], JoinType::RightOuter),
        (&["full", "outer", "full outer", "full_outer", "fullouter"], JoinType::FullOuter),
        (&["semi", "left semi", "left_semi", "leftsemi"], JoinType::LeftSemi),
        (&["anti", "left anti", "left_anti", "leftanti"], JoinType::LeftAnti),
    ] {
        for spelling in spellings {
            assert_eq!(spelling.parse::<JoinType>().unwrap(), join_type, "{spelling}");
        }
        assert_eq!(join_type.name().parse::<JoinType>().unwrap(), join_type);
    }
}

#[test]
fn an_unknown_spelling_names_the_known_ones() {
    let error = "lefft".parse::<JoinType>().unwrap_err().to_string();
    assert!(error.contains("lefft") && error.contains("left-outer"), "{error}");
}
