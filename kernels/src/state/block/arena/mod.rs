//! Memory of blocks: slots of one size, cut from slabs that grow with the
//! state, so that large states lie on huge pages and small ones stay small.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::memory::Buffer;
use crate::state::capacity;

/// The size of a huge page, of which large slabs are made.
const HUGE_PAGE: usize = 2 << 20;
/// The largest slab. Not measured.
const LARGEST_SLAB: usize = 8 * HUGE_PAGE;

/// Slots of one size. Returned ones are handed out again, those of the
/// oldest slabs first, so that the others empty when the state shrinks.
#[derive(Debug)]
pub(crate) struct Arena {
    slot_words: usize,
    slabs: Vec<Option<Slab>>,
    /// Slots that were returned or never used, by slab and position in it.
    free: BinaryHeap<Reverse<(u32, u32)>>,
    slots: usize,
}

#[derive(Debug)]
struct Slab {
    memory: Arc<Memory>,
    slots: u32,
    free: u32,
}

/// What a slab's slots share: it lives as long as any of them.
struct Memory {
    /// All words, reached by pointer only: a reference to all of them would
    /// overlap those of slots.
    words: NonNull<[u64]>,
    /// Holds them; not read while there are slots.
    buffer: Buffer<u64>,
}

// SAFETY: the words are only reached through slots, each of which covers a part
// of its own (`Arena::take` hands a slot out once until it comes back) and
// follows the rules of references; `Buffer` itself is `Send` and `Sync`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

/// A piece of memory for a block.
#[derive(Debug)]
pub(crate) struct Slot {
    memory: Arc<Memory>,
    slab: u32,
    number: u32,
    from: usize,
    len: usize,
}

impl Slot {
    pub(super) fn as_ptr(&self) -> *mut u64 {
        let words = self.memory.words;
        debug_assert!(self.from + self.len <= words.len());
        // SAFETY: `Arena::take` keeps `from + len` within the words.
        unsafe { words.as_ptr().cast::<u64>().add(self.from) }
    }

    pub(super) fn words(&self) -> &[u64] {
        // SAFETY: the slot covers `len` words that were zeroed when the slab
        // was made; it is the only one that covers them, so that a shared
        // borrow of it allows no writes.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `words`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.len) }
    }
}

impl Arena {
    /// An arena of slots of `slot_words` words.
    pub(crate) fn new(slot_words: usize) -> Self {
        let slot_words = slot_words.next_multiple_of(8);
        Self { slot_words, slabs: Vec::new(), free: BinaryHeap::new(), slots: 0 }
    }

    /// A slot, with arbitrary content.
    pub(crate) fn take(&mut self) -> Slot {
        if self.free.is_empty() {
            self.grow();
        }
        let Reverse((at, number)) = self.free.pop().expect("there is a slot after growth");
        let slab = self.slabs[at as usize].as_mut().expect("free slots are of a slab that is held");
        slab.free -= 1;
        let from = number as usize * self.slot_words;
        Slot { memory: Arc::clone(&slab.memory), slab: at, number, from, len: self.slot_words }
    }

    /// Takes a slot back.
    pub(crate) fn give_back(&mut self, slot: Slot) {
        let Slot { memory, slab: at, number, .. } = slot;
        let slab = self.slabs[at as usize].as_mut().expect("a slab with a slot is held");
        // Or else it would be handed out twice.
        assert!(Arc::ptr_eq(&slab.memory, &memory), "a slot of another arena");
        slab.free += 1;
        self.free.push(Reverse((at, number)));
    }

    /// Returns one slab to the system, if one is empty and more than half as
    /// much as is in use would stay free without it.
    pub(crate) fn trim(&mut self) {
        let spare = |slab: &Option<Slab>| slab.as_ref().is_some_and(|slab| slab.free == slab.slots);
        let Some(at) = self.slabs.iter().rposition(spare) else { return };
        let slots = self.slabs[at].as_ref().map_or(0, |slab| slab.slots as usize);
        if self.free.len() - slots > self.in_use() / 2 {
            self.slabs[at] = None;
            self.slots -= slots;
            self.free.retain(|&Reverse((slab, _))| slab as usize != at);
            while self.slabs.pop_if(|slab| slab.is_none()).is_some() {}
        }
    }

    /// Whether it holds no memory at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots == 0
    }

    fn in_use(&self) -> usize {
        self.slots - self.free.len()
    }

    /// Bytes of slots that are free.
    pub(crate) fn free_bytes(&self) -> usize {
        self.free.len() * self.slot_words * size_of::<u64>()
    }

    /// Bytes of the arena's own lists.
    pub(crate) fn book_bytes(&self) -> usize {
        self.free.capacity() * size_of::<(u32, u32)>()
            + self.slabs.capacity() * size_of::<Option<Slab>>()
    }

    /// The most bytes that taking this many slots adds.
    pub(crate) fn growth(&self, slots: usize) -> usize {
        let (mut more, mut slabs) = (0, 0);
        while self.free.len() + more < slots {
            more += self.next_slab(self.slots + more).0;
            slabs += 1;
        }
        // The free slots that there are were pushed before.
        let (free, room) = (self.free.len(), self.free.capacity());
        more * self.slot_words * size_of::<u64>()
            + capacity::of_vec::<(u32, u32)>(free, room, more)
            + capacity::of_vec::<Option<Slab>>(self.slabs.len(), self.slabs.capacity(), slabs)
    }

    /// Slots and bytes of the slab that follows `held` slots: a quarter of what is held while that is little, then
    /// huge pages, an eighth of what is held.
    fn next_slab(&self, held: usize) -> (usize, usize) {
        let slot = self.slot_words * size_of::<u64>();
        let held = held * slot;
        let bytes = match held / 8 {
            eighth if eighth >= HUGE_PAGE => (eighth / HUGE_PAGE * HUGE_PAGE).min(LARGEST_SLAB),
            eighth if eighth * 4 >= HUGE_PAGE => HUGE_PAGE,
            eighth => eighth * 2,
        };
        let slots = (bytes / slot).max(1);
        (slots, (slots * slot).max(bytes))
    }

    fn grow(&mut self) {
        let (slots, bytes) = self.next_slab(self.slots);
        let mut buffer = Buffer::zeroed(bytes / size_of::<u64>());
        let words = NonNull::from(&mut buffer[..]);
        let slab = Slab {
            memory: Arc::new(Memory { words, buffer }),
            slots: slots as u32,
            free: slots as u32,
        };
        let at = self.slabs.iter().position(Option::is_none).unwrap_or(self.slabs.len());
        if at == self.slabs.len() {
            self.slabs.push(None);
        }
        self.slabs[at] = Some(slab);
        self.slots += slots;
        self.free.extend((0..slots as u32).map(|number| Reverse((at as u32, number))));
    }
}
