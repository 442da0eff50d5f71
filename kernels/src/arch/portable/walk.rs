use std::ops::Range;

use crate::arch::generic::walk::walk_rounds;
use crate::arch::prefetch_address;
use crate::arch::walk::{Active, Blocks, Chains, LinkTime, Lists, WALK_ROWS};
use crate::pairs::Pairs;

/// # Safety
/// What [`walk_chains`](crate::arch::walk_chains) asks for.
pub(crate) unsafe fn walk_chains<C: Chains>(
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    pairs: &mut Pairs,
    limit: usize,
) -> u64 {
    walk_rounds(
        chains,
        active,
        pairs,
        limit,
        |active| advance(blocks, C::ENTRY_WORDS, active),
        // SAFETY: the caller's promise.
        |active, lists| unsafe {
            let all = 0..active.len;
            read(chains, blocks, active, all, lists, |entry| entry);
        },
    )
}

#[inline]
fn advance(blocks: Blocks<'_>, entry_words: usize, active: &mut Active) {
    let Blocks { heads, shift, mask, next, span, .. } = blocks;
    let offsets = (1u32 << shift) - 1;
    assert!(heads.len().is_power_of_two());
    let places = heads.len() - 1;
    let n = active.len;
    assert!(n <= WALK_ROWS);
    let mut kept = 0;
    for i in 0..n {
        // SAFETY: `kept <= i < n <= WALK_ROWS`, the length of each column;
        // `places` masks an index of `heads`.
        unsafe {
            let candidate = *active.candidates.get_unchecked(i);
            let from = *active.from.get_unchecked(i);
            let to = *active.to.get_unchecked(i);
            let head = heads.get_unchecked((candidate >> shift) as usize & places);
            let at = (candidate & offsets) as usize * entry_words;
            let entry = if head.entries.is_null() {
                std::ptr::null()
            } else {
                head.entries.wrapping_add(at)
            };
            prefetch_address(entry);
            let age = next.wrapping_sub(candidate).wrapping_sub(1) & mask;
            let goes_on = (age < span) & (head.greatest >= from) & (from <= to);
            *active.rows.get_unchecked_mut(kept) = *active.rows.get_unchecked(i);
            *active.candidates.get_unchecked_mut(kept) = candidate;
            *active.entries.get_unchecked_mut(kept) = entry;
            *active.bases.get_unchecked_mut(kept) = head.base;
            *active.floors.get_unchecked_mut(kept) = head.floor;
            *active.from.get_unchecked_mut(kept) = from;
            *active.to.get_unchecked_mut(kept) = to;
            kept += usize::from(goes_on);
        }
    }
    active.len = kept;
}

/// Reads a range of the rows. `pointer` gives the entry of a row as a pointer that can
/// be read through, where a level keeps only its address.
///
/// # Safety
/// What [`walk_chains`](crate::arch::walk_chains) asks for.
#[inline(always)]
pub(crate) unsafe fn read<C: Chains>(
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    range: Range<usize>,
    lists: &mut Lists<'_>,
    pointer: impl Fn(*const u64) -> *const u64,
) {
    assert!(range.end <= WALK_ROWS && lists.len + range.len() <= lists.probe.len());
    assert_eq!(lists.probe.len(), lists.stored.len());
    for i in range {
        // SAFETY: `i < WALK_ROWS`, at most the length of the columns; the lists
        // have room for a pair of each row of the range. Rows are below the
        // number of keys, and entries that are not null can be read, as the
        // caller promises: offsets are cut to the rows of a block.
        unsafe {
            let row = *active.rows.get_unchecked(i);
            let candidate = *active.candidates.get_unchecked(i);
            let entry = *active.entries.get_unchecked(i);
            let (from, to) = (*active.from.get_unchecked(i), *active.to.get_unchecked(i));
            let (last, time, same_key);
            if entry.is_null() {
                (last, time, same_key) = chains.look_closer(candidate, row);
            } else {
                let entry = std::slice::from_raw_parts(pointer(entry), C::ENTRY_WORDS);
                last = LinkTime(*entry.get_unchecked(C::ENTRY_WORDS - 1));
                same_key = chains.has_key(entry, candidate, row);
                time = *active.bases.get_unchecked(i) + last.after_base();
            }
            // A row that is not late is as new as any before it in its block.
            let floor = *active.floors.get_unchecked(i);
            let ends = !last.is_late() & (time < from) & (floor < from);
            let mut next = if ends { blocks.none } else { last.link() };
            *lists.probe.get_unchecked_mut(lists.len) = row;
            *lists.stored.get_unchecked_mut(lists.len) = candidate | blocks.tag;
            lists.len += usize::from(same_key & (from <= time) & (time <= to));
            if same_key & (time > to) {
                next = chains.skip(row, next, to);
            }
            *active.candidates.get_unchecked_mut(i) = next;
        }
    }
}
