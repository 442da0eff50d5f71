use crate::arch::walk::{Active, Blocks, Chains, LANES, Lists};
use crate::pairs::Pairs;

/// The two passes of a round.
pub(in crate::arch) trait Passes {
    /// Finds out where the candidates are and prefetches them; drops the rows
    /// that have none that is worth reading.
    ///
    /// # Safety
    /// The CPU has the level. The number of heads is a power of two up to 2^28.
    unsafe fn advance<C: Chains>(blocks: Blocks<'_>, active: &mut Active);

    /// Reads the candidates: a pair for each that matches; then the next ones
    /// stand in their place.
    ///
    /// # Safety
    /// The CPU has the level; what [`walk_chains`](crate::arch::walk_chains)
    /// asks for.
    unsafe fn read<C: Chains>(
        chains: &C,
        blocks: Blocks<'_>,
        active: &mut Active,
        lists: &mut Lists<'_>,
    );
}

/// # Safety
/// The CPU has the level; what [`walk_chains`](crate::arch::walk_chains) asks for.
#[inline(always)]
pub(in crate::arch) unsafe fn walk_chains<P: Passes, C: Chains>(
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    pairs: &mut Pairs,
    limit: usize,
) -> u64 {
    let mut walked = 0;
    // SAFETY: the caller's promise.
    unsafe { P::advance::<C>(blocks, active) };
    while active.len > 0 {
        let (n, held) = (active.len, pairs.len());
        if held > 0 && held + n > limit {
            break;
        }
        walked += n as u64;
        pairs.probe_rows.resize(held + n + LANES, 0);
        pairs.build_rows.resize(held + n + LANES, 0);
        let mut lists = Lists {
            probe: &mut pairs.probe_rows[held..],
            stored: &mut pairs.build_rows[held..],
            len: 0,
        };
        // SAFETY: the caller's promise.
        unsafe { P::read(chains, blocks, active, &mut lists) };
        let found = lists.len;
        pairs.probe_rows.truncate(held + found);
        pairs.build_rows.truncate(held + found);
        chains.drop_dead(pairs, held);
        // SAFETY: the caller's promise.
        unsafe { P::advance::<C>(blocks, active) };
    }
    walked
}
