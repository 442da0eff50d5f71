use std::arch::x86_64::*;
use std::ops::Range;

use crate::arch::generic::walk::walk_rounds;
use crate::arch::walk::{
    Active, BlockHead, Blocks, Chains, LANES, LinkTime, Lists, ROOM, WALK_ROWS,
};
use crate::arch::{portable, prefetch_address};
use crate::pairs::Pairs;

// Heads are gathered word by word.
const _: () = assert!(size_of::<BlockHead>() == 4 * size_of::<u64>());
const _: () = assert!(std::mem::offset_of!(BlockHead, entries) == 0);
const _: () = assert!(std::mem::offset_of!(BlockHead, base) == 8);
const _: () = assert!(std::mem::offset_of!(BlockHead, greatest) == 16);
const _: () = assert!(std::mem::offset_of!(BlockHead, floor) == 24);

/// # Safety
/// What [`walk_chains`](crate::arch::walk_chains) asks for.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
        // SAFETY: this function has the level, and the caller's promise.
        |active| unsafe { advance(blocks, C::ENTRY_WORDS, active) },
        // SAFETY: as above.
        |active, lists| unsafe { read_all(chains, blocks, active, lists) },
    )
}

/// Reads the candidates, eight at a time where vectors can compare keys.
///
/// # Safety
/// The CPU has AVX-512 F, BW, DQ and VL; what
/// [`walk_chains`](crate::arch::walk_chains) asks for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn read_all<C: Chains>(
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    lists: &mut Lists<'_>,
) {
    let n = active.len;
    let Some(keys) = chains.words() else {
        // SAFETY: the caller's promise.
        unsafe { read_one_by_one(chains, blocks, active, 0..n, lists) };
        return;
    };
    for from in (0..n).step_by(LANES) {
        // SAFETY: the caller's promise.
        match unsafe { read(active, from, keys, blocks, lists) } {
            Some(newer) => skip(chains, active, from, newer),
            None => {
                let range = from..n.min(from + LANES);
                // SAFETY: as above.
                unsafe { read_one_by_one(chains, blocks, active, range, lists) };
            }
        }
    }
}

/// The portable twin, once for each store: it is large.
///
/// # Safety
/// What [`walk_chains`](crate::arch::walk_chains) asks for.
#[inline(never)]
unsafe fn read_one_by_one<C: Chains>(
    chains: &C,
    blocks: Blocks<'_>,
    active: &mut Active,
    range: Range<usize>,
    lists: &mut Lists<'_>,
) {
    let pointer = |entry: *const u64| std::ptr::with_exposed_provenance(entry.addr());
    // SAFETY: the caller's promise; `advance` made entries from addresses, whose
    // provenance is exposed.
    unsafe { portable::walk::read(chains, blocks, active, range, lists, pointer) };
}

/// Asks for another next candidate for those of eight rows from `from` on whose
/// bit is set in `newer`.
#[inline(always)]
fn skip<C: Chains>(chains: &C, active: &mut Active, from: usize, mut newer: u8) {
    while newer != 0 {
        let i = from + newer.trailing_zeros() as usize;
        newer &= newer - 1;
        active.candidates[i] = chains.skip(active.rows[i], active.candidates[i], active.to[i]);
    }
}

/// The lanes that `left` rows fill.
#[inline(always)]
fn lanes(left: usize) -> u8 {
    if left >= LANES { u8::MAX } else { (1 << left) - 1 }
}

/// See [`walk_rounds`]; entries have `entry_words` words.
///
/// # Safety
/// The CPU has AVX-512 F, BW, DQ and VL.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn advance(blocks: Blocks<'_>, entry_words: usize, active: &mut Active) {
    let n = active.len;
    let heads = blocks.heads;
    assert!(n <= WALK_ROWS && heads.len().is_power_of_two() && heads.len() <= 1 << 28);
    let words: *const i64 = heads.as_ptr().cast();
    let shift = _mm_cvtsi32_si128(blocks.shift as i32);
    let places = _mm256_set1_epi32((heads.len() - 1) as i32);
    let offsets = _mm256_set1_epi32(((1u32 << blocks.shift) - 1) as i32);
    let newest = _mm256_set1_epi32(blocks.next.wrapping_sub(1) as i32);
    let mask = _mm256_set1_epi32(blocks.mask as i32);
    let span = _mm256_set1_epi32(blocks.span as i32);
    let entry_bytes = _mm512_set1_epi64((entry_words * size_of::<u64>()) as i64);
    let mut kept = 0;
    for i in (0..n).step_by(LANES) {
        // SAFETY: `kept <= i < WALK_ROWS`, so that eight from either are within the
        // columns' `ROOM`; what is stored at `kept` does not reach the rows from
        // `i + LANES` on, which are still to be read. `places` masks an index of
        // `heads`, of which four words are read.
        unsafe {
            let candidates = _mm256_loadu_si256(active.candidates.as_ptr().add(i).cast());
            let rows = _mm256_loadu_si256(active.rows.as_ptr().add(i).cast());
            let from = _mm512_loadu_si512(active.from.as_ptr().add(i).cast());
            let to = _mm512_loadu_si512(active.to.as_ptr().add(i).cast());
            let place = _mm256_and_si256(_mm256_srl_epi32(candidates, shift), places);
            let word = _mm256_slli_epi32::<2>(place);
            let entries = _mm512_i32gather_epi64::<8>(word, words);
            let bases = _mm512_i32gather_epi64::<8>(word, words.add(1));
            let greatest = _mm512_i32gather_epi64::<8>(word, words.add(2));
            let floors = _mm512_i32gather_epi64::<8>(word, words.add(3));
            let held = _mm512_test_epi64_mask(entries, entries);
            let offset = _mm512_cvtepu32_epi64(_mm256_and_si256(candidates, offsets));
            let offset = _mm512_mul_epu32(offset, entry_bytes);
            let entries = _mm512_mask_add_epi64(entries, held, entries, offset);
            let age = _mm256_and_si256(_mm256_sub_epi32(newest, candidates), mask);
            let goes_on = lanes(n - i)
                & _mm256_cmplt_epu32_mask(age, span)
                & _mm512_cmpge_epi64_mask(greatest, from)
                & _mm512_cmple_epi64_mask(from, to);
            let column = _mm256_maskz_compress_epi32(goes_on, rows);
            _mm256_storeu_si256(active.rows.as_mut_ptr().add(kept).cast(), column);
            let column = _mm256_maskz_compress_epi32(goes_on, candidates);
            _mm256_storeu_si256(active.candidates.as_mut_ptr().add(kept).cast(), column);
            let column = _mm512_maskz_compress_epi64(goes_on, entries);
            _mm512_storeu_si512(active.entries.as_mut_ptr().add(kept).cast(), column);
            let column = _mm512_maskz_compress_epi64(goes_on, bases);
            _mm512_storeu_si512(active.bases.as_mut_ptr().add(kept).cast(), column);
            let column = _mm512_maskz_compress_epi64(goes_on, floors);
            _mm512_storeu_si512(active.floors.as_mut_ptr().add(kept).cast(), column);
            let column = _mm512_maskz_compress_epi64(goes_on, from);
            _mm512_storeu_si512(active.from.as_mut_ptr().add(kept).cast(), column);
            let column = _mm512_maskz_compress_epi64(goes_on, to);
            _mm512_storeu_si512(active.to.as_mut_ptr().add(kept).cast(), column);
            let more = goes_on.count_ones() as usize;
            for &entry in active.entries.get_unchecked(kept..kept + more) {
                prefetch_address(entry);
            }
            kept += more;
        }
    }
    debug_assert!(kept + LANES <= ROOM);
    active.len = kept;
}

/// Reads the eight rows from `from` on, or as many as are left. Returns
/// a bit for each row that met a row of its key that is newer than its
/// window; `None`, and nothing is done, if an entry takes a closer look.
///
/// # Safety
/// The CPU has AVX-512 F, BW, DQ and VL. Rows are below the number of keys;
/// entries are null or of two words that can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn read(
    active: &mut Active,
    from: usize,
    keys: &[u64],
    blocks: Blocks<'_>,
    lists: &mut Lists<'_>,
) -> Option<u8> {
    assert!(from < active.len && active.len <= WALK_ROWS);
    assert!(lists.len + LANES <= lists.probe.len() && lists.probe.len() == lists.stored.len());
    let lanes = lanes(active.len - from);
    // SAFETY: `from < WALK_ROWS`, so that eight from there are within the columns'
    // `ROOM`; the lists have room for eight more, asserted. Gathers read the
    // lanes in use only: entries that are not null, of which two words can be
    // read at their addresses, whose provenance is exposed, and keys of rows that
    // there are, as the caller promises.
    unsafe {
        let entries = _mm512_loadu_si512(active.entries.as_ptr().add(from).cast());
        if _mm512_mask_test_epi64_mask(lanes, entries, entries) != lanes {
            return None;
        }
        let candidates = _mm256_loadu_si256(active.candidates.as_ptr().add(from).cast());
        let rows = _mm256_loadu_si256(active.rows.as_ptr().add(from).cast());
        let zero = _mm512_setzero_si512();
        let exposed: *const i64 = std::ptr::with_exposed_provenance(0);
        let stored = _mm512_mask_i64gather_epi64::<1>(zero, lanes, entries, exposed);
        let last = _mm512_mask_i64gather_epi64::<1>(zero, lanes, entries, exposed.wrapping_add(1));
        let keys = _mm512_mask_i32gather_epi64::<8>(zero, lanes, rows, keys.as_ptr().cast());
        let same_key = _mm512_mask_cmpeq_epi64_mask(lanes, stored, keys);
        let bases = _mm512_loadu_si512(active.bases.as_ptr().add(from).cast());
        let after =
            _mm512_and_si512(_mm512_srli_epi64::<32>(last), _mm512_set1_epi64(LinkTime::REACH));
        let time = _mm512_add_epi64(bases, after);
        let first = _mm512_loadu_si512(active.from.as_ptr().add(from).cast());
        let to = _mm512_loadu_si512(active.to.as_ptr().add(from).cast());
        let is_newer = _mm512_mask_cmpgt_epi64_mask(same_key, time, to);
        let matches = _mm512_mask_cmpge_epi64_mask(same_key & !is_newer, time, first);
        let column = _mm256_maskz_compress_epi32(matches, rows);
        _mm256_storeu_si256(lists.probe.as_mut_ptr().add(lists.len).cast(), column);
        let tagged = _mm256_or_si256(candidates, _mm256_set1_epi32(blocks.tag as i32));
        let column = _mm256_maskz_compress_epi32(matches, tagged);
        _mm256_storeu_si256(lists.stored.as_mut_ptr().add(lists.len).cast(), column);
        lists.len += matches.count_ones() as usize;
        // A row that is not late is as new as any before it in its block.
        let floors = _mm512_loadu_si512(active.floors.as_ptr().add(from).cast());
        let ends = !_mm512_movepi64_mask(last)
            & _mm512_cmplt_epi64_mask(time, first)
            & _mm512_cmplt_epi64_mask(floors, first);
        let none = _mm256_set1_epi32(blocks.none as i32);
        let next = _mm256_mask_blend_epi32(ends, _mm512_cvtepi64_epi32(last), none);
        _mm256_storeu_si256(active.candidates.as_mut_ptr().add(from).cast(), next);
        Some(is_newer)
    }
}
