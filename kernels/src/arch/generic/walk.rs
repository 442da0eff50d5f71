use crate::arch::walk::{Active, Chains, LANES, Lists};
use crate::pairs::Pairs;

/// The rounds of a walk. `advance` finds out where the candidates are, prefetches
/// them and drops the rows that have none that is worth reading; `read` reads them:
/// a pair for each that matches, and the next ones take their place.
#[inline(always)]
pub(crate) fn walk_rounds<C: Chains>(
    chains: &C,
    active: &mut Active,
    pairs: &mut Pairs,
    limit: usize,
    advance: impl Fn(&mut Active),
    read: impl Fn(&mut Active, &mut Lists<'_>),
) -> u64 {
    let mut walked = 0;
    advance(active);
    while active.len > 0 {
        let (n, held) = (active.len, pairs.len());
        if held > 0 && held + n > limit {
            break;
        }
        walked += n as u64;
        let (probe, stored) = pairs.push_zeros(n + LANES);
        let mut lists = Lists { probe, stored, len: 0 };
        read(active, &mut lists);
        let found = lists.len;
        pairs.truncate(held + found);
        chains.drop_dead(pairs, held);
        advance(active);
    }
    walked
}
