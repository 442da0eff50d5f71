use super::*;

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 16
}

#[test]
fn rows_expire_when_their_time_comes_however_far_apart_they_are() {
    let mut late = LateRows::new(MOST_DAYS);
    let mut state = 7u64;
    let mut rows: Vec<(i64, RowNumber)> = Vec::new();
    let mut line = -(1i64 << 40);
    let mut number = 0;
    for round in 0..400u32 {
        for _ in 0..20 {
            // Near ones, and for some time many far ones.
            let far = random(&mut state).is_multiple_of(16) || (100..200).contains(&round);
            let reach = if far { 1 << 45 } else { 1 << 24 };
            let row = (line + 1 + random(&mut state) as i64 % reach, RowNumber(number));
            number += 1;
            late.push(row.0, row.1);
            rows.push(row);
        }
        if round % 50 == 7 {
            late.retain(|row| row.0 % 3 != 0);
            rows.retain(|row| row.1.0 % 3 != 0);
        }
        line += if round % 10 == 0 { 1 << 30 } else { 1 << 18 };
        let mut found = Vec::new();
        late.expire(line, |time, row| found.push((time, row)));
        let mut expected: Vec<_> = rows.extract_if(.., |row| row.0 <= line).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "round {round}");
        assert_eq!(late.len(), rows.len());
        let (used, allocated) = late.bytes();
        assert!(used <= allocated && used == 16 * rows.len());
    }
    let mut left = 0;
    for time in [i64::MIN, i64::MAX, 0] {
        late.push(time, RowNumber(0));
    }
    late.expire(i64::MAX, |_, _| left += 1);
    assert_eq!(left, rows.len() + 3);
    assert_eq!((late.len(), late.bytes().0), (0, 0));
}

#[test]
fn rows_at_both_ends_of_time() {
    let mut state = 1;
    for first in [i64::MIN, i64::MAX, 0, -1] {
        let mut late = LateRows::new(MOST_DAYS);
        let mut times = vec![first];
        let ends = [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 0, 1 << 40];
        times.extend((0..300).map(|_| {
            let end = ends[random(&mut state) as usize % ends.len()];
            end.saturating_add(random(&mut state) as i64 % 2000)
        }));
        for (row, &time) in (0..).zip(&times) {
            late.push(time, RowNumber(row));
        }
        for line in [i64::MIN, i64::MIN + 100, -5, 0, 1 << 40, i64::MAX - 1, i64::MAX] {
            let mut found = Vec::new();
            late.expire(line, |time, _| found.push(time));
            let mut expected: Vec<i64> = times.extract_if(.., |time| *time <= line).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{line}");
        }
        assert_eq!(late.len(), 0);
    }
}

#[test]
fn no_row_is_looked_at_again_and_again_whatever_lies_far_away() {
    for poison in [None, Some(1i64 << 57)] {
        let mut late = LateRows::new(MOST_DAYS);
        late.push(10, RowNumber(0));
        if let Some(far) = poison {
            late.push(far, RowNumber(1));
            late.push(far / 2, RowNumber(2));
        }
        let (mut state, mut expired, mut pushed) = (3, 0, 1);
        for now in 0..20_000i64 {
            let time = now * 100;
            late.push(time + random(&mut state) as i64 % 200_000 + 1, RowNumber(now as u32));
            pushed += 1;
            late.expire(time, |_, _| expired += 1);
        }
        assert!(expired > 15_000 && late.len() < 2500);
        // Once in its day, once when that has come; some before days are long.
        assert!(late.looked <= 3 * pushed, "{} looks at {pushed} rows", late.looked);
    }
}
