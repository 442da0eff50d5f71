use super::*;

#[test]
fn columns_of_two_lengths_make_no_pairs() {
    let refused = Pairs::from_columns(vec![1, 2], vec![3]).unwrap_err();
    assert!(matches!(refused, JoinError::UnevenPairs { probe: 2, build: 1 }));
    assert!(refused.to_string().contains("2 probe rows"), "{refused}");
    let pairs = Pairs::from_columns(vec![1, 2], vec![3, NO_ROW]).unwrap();
    assert_eq!(pairs.iter().collect::<Vec<_>>(), [(1, 3), (2, NO_ROW)]);
    assert_eq!(pairs.into_columns(), (vec![1, 2], vec![3, NO_ROW]));
}

#[test]
fn a_mask_of_any_length_keeps_pairs_whole() {
    let pairs = Pairs::from_columns(vec![0, 1, 2, 3], vec![4, 5, 6, 7]).unwrap();
    for (start, keep, expected) in [
        (0, vec![true, false, true, true], vec![(0, 4), (2, 6), (3, 7)]),
        (1, vec![false, true, false], vec![(0, 4), (2, 6)]),
        // Too short, too long, beyond the end.
        (0, vec![false, true], vec![(1, 5)]),
        (3, vec![true; 9], vec![(0, 4), (1, 5), (2, 6), (3, 7)]),
        (9, vec![true; 9], vec![(0, 4), (1, 5), (2, 6), (3, 7)]),
        (usize::MAX, vec![true; 9], vec![(0, 4), (1, 5), (2, 6), (3, 7)]),
    ] {
        let mut kept = pairs.clone();
        kept.retain_from(start, &BooleanBuffer::from(keep));
        assert_eq!(kept.iter().collect::<Vec<_>>(), expected, "from {start}");
    }
}

#[test]
fn what_appends_to_the_columns_leaves_them_equally_long() {
    let mut pairs = Pairs::with_capacity(3);
    pairs.push_run(1, 5..8);
    pairs.extend_from_columns(&[2], &[9]);
    pairs.push_zeros(1).0[0] = 3;
    pairs.retain_if(1, |_, build_row| build_row % 2 == 0);
    assert_eq!(pairs.iter().collect::<Vec<_>>(), [(1, 5), (1, 6), (3, 0)]);
    pairs.reserve(2).probe_rows.push(4);
    assert_eq!(pairs.len(), 3);
    let columns = pairs.reserve(1);
    columns.build_rows.push(7);
    columns.probe_rows.push(8);
    drop(columns);
    assert_eq!(pairs.iter().last(), Some((8, 7)));
}
