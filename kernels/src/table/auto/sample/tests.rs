use super::*;

#[test]
fn a_sample_tells_how_many_rows_per_key_has() {
    for rows in [2u64, 100, 10_000, 300_000] {
        for duplicates in [1, 2, 10, 100] {
            if duplicates > rows {
                continue;
            }
            let hashes: Vec<u64> = (0..rows).map(|i| mix(mix(i) % (rows / duplicates))).collect();
            let found = rows_per_key(&hashes);
            // Keys drawn at random have one row more, weighted by rows.
            let wanted = duplicates as f64 + 1.0;
            assert!(
                found > wanted * 0.4 - 0.5 && found < wanted * 1.8 + 0.5,
                "{rows} rows, {duplicates} a key: {found}"
            );
            // Side by side, as in a table that is sorted.
            let sorted: Vec<u64> = (0..rows).map(|i| mix(i / duplicates)).collect();
            let found = rows_per_key(&sorted);
            let wanted = duplicates as f64;
            assert!(
                found > wanted * 0.4 - 0.5 && found < wanted * 1.8 + 0.5,
                "{rows} sorted rows, {duplicates} a key: {found}"
            );
            let distinct: Vec<u64> = (0..rows).map(mix).collect();
            assert_eq!(rows_per_key(&distinct), 1.0);
        }
    }
    assert_eq!(rows_per_key(&[]), 1.0);
    assert_eq!(rows_per_key(&[5; 1000]), 1000.0);
}
