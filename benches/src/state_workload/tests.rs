//! Workloads of two streams: every store gives the same answers.

use streamjoin_kernels::StoreKind;

use super::*;

/// Runs a setting on every store; the answers, and the pairs per row.
fn verify(setting: &Setting) -> f64 {
    let mut expected = None;
    let mut matches = 0.0;
    for kind in StoreKind::ALL {
        let mut load = StoreLoad::empty(setting, kind, 512, 7).unwrap();
        load.check();
        load.run(3 * setting.live / 512);
        let meter = load.run(64);
        let size = load.size();
        let live = size.rows as f64 / 2.0 / setting.live as f64;
        assert!((0.95..1.05).contains(&live), "{setting} {kind}: {live} of the live rows");
        assert!(meter.evicted > 0 && meter.longest_of_all.rows > 0);
        let answers = (meter.answers(), size.rows);
        assert_eq!(*expected.get_or_insert(answers), answers, "{setting} {kind}");
        matches = meter.pairs as f64 / meter.rows as f64;
    }
    matches
}

#[test]
fn every_store_gives_the_same_answers_and_the_matches_that_were_asked_for() {
    let base = Setting { live: 4_000, ..Setting::default() };
    for setting in [
        base,
        Setting { interval: 0.05, left_outer: true, ..base },
        Setting { interval: 0.05, disorder: 0.5, left_outer: true, ..base },
        Setting { interval: 0.1, shift: 0.5, ..base },
        Setting { interval: 0.05, disorder: 0.05, keys: KeyChoice::Matches(30.0), ..base },
    ] {
        let KeyChoice::Matches(asked) = setting.keys else { unreachable!() };
        let found = verify(&setting);
        assert!((0.85..1.15).contains(&(found / asked)), "{setting}: {found}");
    }
    let misses = Setting { keys: KeyChoice::Matches(0.0), left_outer: true, ..base };
    assert_eq!(verify(&misses), 0.0);
    let hot = Setting { keys: KeyChoice::RowsPerKey(400.0), interval: 0.01, shift: 0.5, ..base };
    assert!((3.2..4.8).contains(&verify(&hot)));
    let zipf = Setting { keys: KeyChoice::Zipf { exponent: 1.2, matches: 20.0 }, ..base };
    let found = verify(&zipf);
    assert!((15.0..25.0).contains(&found), "{found}");
}

#[test]
fn the_operator_finds_the_pairs_that_its_stores_do() {
    let base = Setting { live: 2_000, interval: 0.5, ..Setting::default() };
    for setting in [base, Setting { disorder: 0.3, interval: 0.4, late: 0.2, ..base }] {
        let kind = StoreKind::default();
        let mut stores = StoreLoad::empty(&setting, kind, 512, 0).unwrap();
        stores.check();
        let expected = stores.run(40);
        let mut evicted = Vec::new();
        for left_outer in [false, true] {
            for store in StoreKind::ALL {
                let setting = Setting { left_outer, ..setting };
                let mut operator = OperatorLoad::empty(&setting, store, 512, 1).unwrap();
                operator.check();
                let found = operator.run(40);
                assert_eq!(found.pairs, expected.pairs, "{setting} {store}");
                assert_eq!(found.unmatched > 0, left_outer);
                if !left_outer {
                    assert_eq!(found.checksum, expected.checksum, "{setting} {store}");
                }
                // The line is further back: by a millisecond, and by as much as the
                // newest row is late.
                let fewer = expected.evicted - found.evicted;
                assert!((1..=20).contains(&fewer), "{setting} {store}: {fewer}");
                evicted.push((found.evicted, operator.size().rows));
            }
        }
        assert!(evicted.iter().all(|one| *one == evicted[0]), "{evicted:?}");
    }
}

#[test]
fn parts_have_together_what_one_has() {
    let setting = Setting { live: 4_000, ..Setting::default() };
    let mut parts = SideBySide::empty(&setting, StoreKind::default(), 512, 2).unwrap();
    parts.warm_up(&setting);
    let meter = parts.run(4);
    assert_eq!((meter.rows, parts.side_rows()), (4 * 512, 256));
    let live = parts.size().rows as f64 / 2.0;
    assert!((3_900.0..4_100.0).contains(&live), "{live}");
}

#[test]
fn what_cannot_be_is_said() {
    let narrow = Setting {
        interval: 0.001,
        keys: KeyChoice::Matches(30.0),
        live: 10_000,
        ..Setting::default()
    };
    assert!(narrow.shape().unwrap_err().contains("matches"));
    assert!(Setting { shift: 0.5, ..Setting::default() }.shape().is_err());
    assert!(Setting { disorder: 1.5, ..Setting::default() }.shape().is_err());
}

#[test]
fn names_read_well() {
    let setting = Setting { live: 1_000_000, interval: 0.001, shift: 0.5, ..Setting::default() };
    let name = "live-1e6/interval-0.1%-shifted-50%/disorder-0%/matches-1.5/inner";
    assert_eq!(setting.to_string(), name);
}

#[test]
fn threads_beside_each_other_count_once() {
    let time = std::time::Duration::from_millis(3);
    let mut one = Meter { probe: time, rows: 5, ..Meter::default() };
    one.beside(&Meter { probe: time * 2, rows: 7, ..Meter::default() });
    assert_eq!((one.probe, one.rows), (time * 2, 12));
}
