//! Random streams: the calls of the operator, in its order.

use super::super::{AHEAD, MAIN, OVERDUE, UNTIMED};
use super::draw::Draw;
use super::profile::Profile;
use super::twin::{Looking, TestKey, Twin, plan};
use crate::hash::KeyHasher;
use crate::state::block::RowNumber;
use crate::state::block::{BytesEntry, WideEntry, WordEntry};

/// What happened, in numbers: a test of paths that no stream takes tests
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    pairs: usize,
    wrapped: usize,
    resizing: usize,
    grown: usize,
    shrunk: usize,
    moved: usize,
    holes: usize,
    overdue: usize,
    ahead: usize,
    caught_up: usize,
    parted: usize,
    untimed: usize,
    emptied: usize,
    unmatched: usize,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.wrapped += other.wrapped;
        self.resizing += other.resizing;
        self.grown += other.grown;
        self.shrunk += other.shrunk;
        self.moved += other.moved;
        self.holes += other.holes;
        self.overdue += other.overdue;
        self.ahead += other.ahead;
        self.caught_up += other.caught_up;
        self.parted += other.parted;
        self.untimed += other.untimed;
        self.emptied += other.emptied;
        self.unmatched += other.unmatched;
    }

    fn all(&self) -> [usize; 14] {
        let Self { pairs, wrapped, resizing, grown, shrunk, moved, holes, .. } = *self;
        let Self { overdue, ahead, caught_up, parted, untimed, emptied, unmatched, .. } = *self;
        [
            pairs, wrapped, resizing, grown, shrunk, moved, holes, overdue, ahead, caught_up,
            parted, untimed, emptied, unmatched,
        ]
    }
}

fn look<E: TestKey>(twin: &mut Twin<E>, profile: &Profile, draw: &mut Draw, seen: &mut Seen) {
    let looking = profile.looking(draw);
    seen.resizing += usize::from(twin.fast.rings[MAIN].heads.next_move(0).is_some());
    match draw.below(100) {
        n if n < profile.removal / 2 => {
            twin.find_and_remove(&looking);
        }
        n if n < profile.removal => {
            let mut found = twin.find(&looking);
            found.sort_unstable_by_key(|found| found.number);
            found.dedup_by_key(|found| found.number);
            twin.remove(&found);
        }
        n if n % 4 == 0 => {
            twin.find_first(&looking);
        }
        _ => {
            let found = twin.find(&looking);
            seen.pairs += found.len();
            if profile.tracks && draw.percent(50) {
                twin.set_matched(&found);
            }
        }
    }
}

fn run<E: TestKey>(seed: u64) -> Seen {
    let draw = &mut Draw::new(seed);
    let mut profile = Profile::draw(draw);
    let mut plan = plan(E::SHAPE, profile.block, profile.first_row);
    (plan.tracks_matches, plan.timed) = (profile.tracks, profile.timed);
    plan.hasher = KeyHasher::with_seed(profile.isa, seed);
    if profile.constant {
        plan.hasher = KeyHasher::constant();
    }
    let bits = profile.bits();
    let twin = &mut Twin::<E>::with(&plan, bits, bits);
    let mut seen = Seen::default();
    for batch in 0..profile.batches {
        let next = twin.fast.rings[MAIN].directory.numbers.next();
        let heads = twin.fast.rings[MAIN].heads.bytes();
        look(twin, &profile, draw, &mut seen);
        let rows = profile.rows(draw);
        twin.insert(&rows);
        seen.overdue += twin.fast.rings[OVERDUE].live;
        seen.ahead += twin.fast.rings[AHEAD].live;
        seen.untimed += twin.fast.rings[UNTIMED].live;
        look(twin, &profile, draw, &mut seen);
        if let Some(line) = profile.next_line(draw) {
            let unmatched = profile.tracks && draw.percent(70);
            seen.unmatched += twin.evict(line, unmatched).len();
        }
        if twin.rows() as i64 > 3 * profile.live + 2 * profile.batch {
            twin.drain();
        }
        if draw.percent(90) {
            let before = twin.fast.rings[MAIN].directory.numbers.next();
            let ahead = twin.fast.rings[AHEAD].live;
            twin.reclaim();
            let main = &twin.fast.rings[MAIN];
            seen.moved += usize::from(main.held > 0 && main.directory.numbers.next() != before);
            let now = twin.fast.rings[AHEAD].live;
            seen.caught_up += ahead.saturating_sub(now);
            seen.parted += usize::from(now > ahead);
        }
        let main = &twin.fast.rings[MAIN];
        let is_hole = |&first: &RowNumber| main.directory.block(first).is_none();
        seen.holes += main.directory.numbers.firsts().filter(is_hole).count();
        seen.wrapped += usize::from(main.directory.numbers.next() < next);
        seen.grown += usize::from(main.heads.bytes() > heads);
        seen.shrunk += usize::from(main.heads.bytes() < heads);
        seen.emptied += usize::from(batch > 0 && twin.rows() == 0);
        if batch % 8 == 0 {
            twin.check_all(profile.keys());
        }
    }
    twin.drain();
    twin.reclaim();
    assert!(twin.find(&Looking::keys(profile.keys())).is_empty());
    seen
}

#[test]
fn random_streams() {
    let mut seen = Seen::default();
    for seed in 0..super::cases(30) {
        seen.add(run::<WordEntry>(3 * seed));
        seen.add(run::<WideEntry>(3 * seed + 1));
        seen.add(run::<BytesEntry>(3 * seed + 2));
    }
    assert!(seen.all().iter().all(|&times| times > 5), "{seen:?}");
}
