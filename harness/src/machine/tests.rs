use std::collections::HashSet;
use std::time::Duration;

use super::*;

fn quick() -> MachineOptions {
    MachineOptions { max_bytes: 1 << 20, repetitions: 2, slice: Duration::from_micros(200) }
}

#[test]
fn the_report_is_well_formed() {
    let report = measure(&quick());
    let json = serde_json::to_value(&report).unwrap();
    for pointer in [
        "/schemaVersion",
        "/machine/caches/l1dBytes",
        "/hugePageBytesGranted",
        "/sequentialBytesPerSecond/huge/median",
        "/sizes/0/touchesPerSecond/small/spread",
        "/sizes/0/loadLatencyNs/huge/median",
    ] {
        assert!(json.pointer(pointer).is_some(), "{pointer} in {json}");
    }
    assert_eq!(serde_json::from_value::<MachineReport>(json).unwrap(), report);
    assert!(report.sizes.is_sorted_by_key(|size| size.bytes));
    assert!(report.sizes.iter().all(|size| {
        let touches = size.touches_per_second;
        touches.huge.median > 0.0
            && touches.small.median > 0.0
            && size.load_latency_ns.huge.median > 0.0
    }));
    let text = report.human();
    assert!(text.contains("sequential read") && text.contains("1 MB"), "{text}");
}

#[test]
fn arrays_are_bounded_by_free_memory() {
    assert_eq!(largest(2 << 30, Some(64 << 30)), 2 << 30);
    assert_eq!(largest(2 << 30, Some(5 << 30)), 1 << 30);
    assert_eq!(largest(3 << 30, None), 2 << 30);
    assert_eq!(largest(0, Some(0)), LEAST_BYTES);
    assert_eq!(*sizes(Caches::default(), 64 << 20).last().unwrap(), 64 << 20);
}

#[test]
fn following_the_links_visits_every_line() {
    for lines in [16_usize, 1024] {
        let mut bytes = vec![0; lines * 64];
        touch::link(&mut bytes);
        let mut seen = HashSet::new();
        let mut line = 0_usize;
        while seen.insert(line) {
            let word: [u8; 8] = bytes[line * 64..line * 64 + 8].try_into().unwrap();
            line = u64::from_le_bytes(word) as usize;
        }
        assert_eq!(seen.len(), lines);
    }
}

#[test]
fn medians_and_spreads() {
    assert_eq!(Repeated::of(&[3.0, 1.0, 2.0]), Repeated { median: 2.0, spread: 1.0 });
    assert_eq!(Repeated::of(&[1.0, 3.0]), Repeated { median: 2.0, spread: 1.0 });
}

#[test]
fn the_limit_of_a_probe_is_the_sum_of_its_touches() {
    let mut report = measure(&quick());
    for (size, rate) in report.sizes.iter_mut().zip([4e9, 2e9, 1e9]) {
        size.touches_per_second.huge.median = rate;
    }
    let first = report.sizes[0].bytes;
    assert_eq!(report.touches_per_second(1), Some(4e9));
    let both = report.probes_per_second(&[first, first]).unwrap();
    assert!((both - 2e9).abs() < 1.0, "{both}");
    assert_eq!(report.probes_per_second(&[]), None);
}
