//! The search against engines whose capacity is known.

use super::*;
use crate::record::Quantiles;

/// An engine that holds rates up to a limit.
fn engine(limit: f64) -> impl FnMut(f64) -> Result<Trial> {
    move |rate| {
        Ok(trial(rate, if rate <= limit { TrialOutcome::Sustained } else { TrialOutcome::Late }))
    }
}

fn trial(rate: f64, outcome: TrialOutcome) -> Trial {
    Trial {
        rows_per_second: rate,
        seconds: 5.0,
        rows_in: 1,
        batches: 50,
        latency_ms: Some(Quantiles { p50: 100.0, p99: 100.0, max: 100.0 }),
        most_behind_ms: 90.0,
        falling_behind: 0.0,
        outcome,
    }
}

#[track_caller]
fn close(found: &Found, limit: f64) {
    let (low, high) = (found.rows_per_second.unwrap(), found.fails_at.unwrap());
    assert!(low <= limit && limit < high && high / low <= FINE, "{low} {limit} {high}");
    assert_eq!((&found.inconclusive, &found.note), (&None, &None));
}

#[test]
fn the_limit_is_found_wherever_it_lies() {
    for limit in [5e3, 5e4, 3e5, 6.99e5, 7e5, 8e5, 9.9e5, 1.2e6, 3e6] {
        let found = search(1e6, true, engine(limit)).unwrap();
        close(&found, limit);
        assert!(found.trials.len() < 30, "{} for {limit}", found.trials.len());
        // Both ends rest on two trials.
        for end in [found.rows_per_second.unwrap(), found.fails_at.unwrap()] {
            let votes = found.trials.iter().filter(|trial| trial.rows_per_second == end).count();
            assert_eq!(votes, 2, "{end}");
        }
    }
}

#[test]
fn one_hiccup_does_not_decide() {
    let limit = 8e5;
    let trials = search(1e6, true, engine(limit)).unwrap().trials.len();
    for hiccup in 0..trials {
        let (mut asked, mut honest) = (0, engine(limit));
        let found = search(1e6, true, |rate| {
            asked += 1;
            let honest = honest(rate)?;
            Ok(if asked - 1 == hiccup { trial(rate, TrialOutcome::FallingBehind) } else { honest })
        });
        let found = found.unwrap();
        let low = found.rows_per_second.unwrap();
        assert!(low <= limit && low * FINE * FINE > limit, "{low} after a hiccup in {hiccup}");
    }
}

#[test]
fn what_holds_no_rate_is_told() {
    let found = search(1e6, true, engine(1.0)).unwrap();
    assert_eq!((found.rows_per_second, found.inconclusive.as_ref()), (None, None));
    assert!(found.fails_at.unwrap() < 1e6 * LOWEST);
    // Batches that take too long by themselves take no shorter at a lower rate.
    let slow = |rate| Ok(Trial { most_behind_ms: 1.0, ..trial(rate, TrialOutcome::Late) });
    let found = search(1e6, true, slow).unwrap();
    assert_eq!((found.rows_per_second, found.trials.len()), (None, 1));
    assert!(found.note.unwrap().contains("smaller batches"));
    // With ticks they do.
    let found = search(1e6, false, |rate| {
        let limit = engine(1e5)(rate)?;
        Ok(Trial { most_behind_ms: 1.0, ..limit })
    });
    close(&found.unwrap(), 1e5);
}

#[test]
fn what_cannot_be_told_is_inconclusive() {
    // A recording that lasts a second at 4e5 rows/s.
    let found = search(1e6, true, |rate| {
        Ok(trial(rate, if rate > 4e5 { TrialOutcome::TooShort } else { TrialOutcome::Sustained }))
    });
    let found = found.unwrap();
    let low = found.rows_per_second.unwrap();
    assert!(low <= 4e5 && low * FINE > 4e5);
    assert!(found.inconclusive.unwrap().contains("over too soon"));
    // Batches become rare before any rate holds.
    let found = search(1e6, true, |rate| {
        Ok(trial(rate, if rate < 4e5 { TrialOutcome::TooFewBatches } else { TrialOutcome::Late }))
    });
    let found = found.unwrap();
    assert_eq!(found.rows_per_second, None);
    assert!(found.inconclusive.unwrap().contains("too few batches"));
    assert!(found.trials.len() < 20, "{}", found.trials.len());
    // Or at the rate at which the search begins: those above have more.
    let found = search(1e5, true, |rate| {
        Ok(if rate < 3e5 { trial(rate, TrialOutcome::TooFewBatches) } else { engine(8e5)(rate)? })
    });
    close(&found.unwrap(), 8e5);
    let found = search(1e6, true, |rate| Ok(trial(rate, TrialOutcome::TooFewBatches))).unwrap();
    assert!(found.rows_per_second.is_none() && found.inconclusive.is_some());
    // What is too short above a limit of its own does not hide it.
    let found = search(1e6, true, |rate| {
        Ok(if rate > 4e5 { trial(rate, TrialOutcome::TooShort) } else { engine(1e5)(rate)? })
    });
    close(&found.unwrap(), 1e5);
}
