//! Warm-up, plateaus and peaks.

use streamjoin_kernels::stream_stream::SideReport;

use super::*;

fn side(rows: u64, removed: u64) -> SideReport {
    let mut side = SideReport::default();
    (side.removed, side.state.rows, side.state.payload) = (removed, rows, rows as usize * 10);
    side
}

fn batch(kind: BatchKind, left: SideReport, right: SideReport) -> BatchReport {
    let mut batch = BatchReport::default();
    (batch.kind, batch.left, batch.right) = (kind, left, right);
    batch
}

fn over(track: &mut StateTrack, rows: &[u64]) {
    for rows in rows {
        track.batch(&batch(BatchKind::Data, side(*rows, 1), side(0, 0)), false);
    }
}

#[test]
fn warm_up_ends_when_each_side_that_can_has_evicted() {
    let mut track = StateTrack::new(Sides { left: true, right: true });
    over(&mut track, &[50, 60]);
    track.batch(&batch(BatchKind::NoData, side(40, 0), side(5, 3)), false);
    assert!(track.warm && track.after_warm_up.is_empty());
    over(&mut track, &[10, 20, 30, 20]);
    track.batch(&batch(BatchKind::NoData, side(1, 1), side(0, 0)), false);
    track.batch(&batch(BatchKind::Data, side(500, 1), side(0, 0)), true);
    track.batch(&batch(BatchKind::End, side(0, 500), side(0, 0)), true);
    let outcome = track.finish();
    assert_eq!(outcome.rows.peak, 500);
    assert_eq!(outcome.rows.plateau, Some(20));
    assert_eq!((outcome.rows.left, outcome.rows.right), (500, 0), "before the end");
    assert_eq!((outcome.bytes.peak, outcome.bytes.payload), (5000, 5000));
    assert_eq!(outcome.bytes_per_live_row, Some(10.0));
    // One side alone can evict: the other one's silence does not matter.
    let mut track = StateTrack::new(Sides { left: true, right: false });
    over(&mut track, &[1, 2, 3]);
    assert_eq!(track.finish().rows.plateau, Some(2));
    let mut track = StateTrack::new(Sides { left: true, right: true });
    over(&mut track, &[1, 2, 3]);
    assert_eq!(track.finish().rows.plateau, None, "the right side never evicted");
}

#[test]
fn growth_is_no_plateau() {
    assert_eq!(plateaus(&[1, 2, 3]), None);
    assert_eq!(plateaus(&[1, 100, 110, 90]), Some(true));
    assert_eq!(plateaus(&[1, 100, 111, 90]), Some(false));
    assert_eq!(plateaus(&[900, 100, 100, 100]), Some(true), "the start does not count");
    assert_eq!(plateaus(&(0..100).collect::<Vec<_>>()), Some(false));
    assert_eq!(plateaus(&[0; 8]), Some(true));
}
