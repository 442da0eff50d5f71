//! Cases as they are read.

use crate::conform::case::{Case, Dimension, Refresh};

#[test]
fn an_unknown_kind_is_kept_as_one() {
    let case = Case::parse(r#"{"case":{"name":"x","kind":"as-of"},"expected":{}}"#).unwrap();
    assert_eq!((case.name(), case.kind()), ("x", "as-of"));
    assert!(case.content.is_none());
    assert!(Case::parse("{}").unwrap_err().contains("case.name"));
    assert!(Case::parse("{").is_err());
}

#[test]
fn versions_follow_the_refresh() {
    let dimension = |refresh, refresh_n| Dimension {
        name: "d".to_owned(),
        schema: vec![],
        versions: vec![vec![]; 4],
        version_for_batch: Some(vec![0, 1, 2, 3]),
        refresh,
        refresh_n,
        version_seen_by_batch: None,
    };
    let seen = |refresh, n| -> Vec<usize> {
        (0..4).map(|batch| dimension(refresh, n).version_seen(batch).unwrap()).collect()
    };
    assert_eq!(seen(Refresh::Fixed, None), [0, 0, 0, 0]);
    assert_eq!(seen(Refresh::PerBatch, None), [0, 1, 2, 3]);
    assert_eq!(seen(Refresh::EveryN, Some(2)), [0, 0, 2, 2]);
    let contradiction =
        Dimension { version_seen_by_batch: Some(vec![1]), ..dimension(Refresh::Fixed, None) };
    assert!(contradiction.version_seen(0).is_err());
}
