use super::*;

#[test]
fn slots_do_not_overlap_and_are_used_again() {
    let mut arena = Arena::new(13);
    let mut slots: Vec<Slot> = (0..100).map(|_| arena.take()).collect();
    for (i, slot) in slots.iter_mut().enumerate() {
        slot.words_mut().fill(i as u64);
    }
    for (i, slot) in slots.iter().enumerate() {
        assert!(slot.words().len() >= 13 && slot.words().iter().all(|&word| word == i as u64));
    }
    let held = arena.slots;
    for slot in slots.drain(50..) {
        arena.give_back(slot);
    }
    slots.extend((0..50).map(|_| arena.take()));
    assert_eq!(arena.slots, held);
    assert_eq!(arena.in_use(), 100);
}

#[test]
fn a_smaller_state_gives_memory_back_and_a_steady_one_does_not() {
    let mut arena = Arena::new(1024);
    let mut slots: Vec<Slot> = (0..3000).map(|_| arena.take()).collect();
    let held = arena.slots;
    for _ in 0..100 {
        for slot in slots.drain(..300) {
            arena.give_back(slot);
        }
        arena.trim();
        slots.extend((0..300).map(|_| arena.take()));
    }
    assert_eq!(arena.slots, held, "nothing is unmapped at a plateau");
    for slot in slots.drain(100..) {
        arena.give_back(slot);
    }
    for _ in 0..100 {
        arena.trim();
    }
    assert!(arena.slots < 800, "{} slots for 100", arena.slots);
    slots.clear();
}

/// Miri sees it if something refers to the whole slab meanwhile.
#[test]
fn a_slot_is_read_and_shown_while_another_of_its_slab_is_written() {
    let mut arena = Arena::new(8);
    let mut slots: Vec<Slot> = (0..200).map(|_| arena.take()).collect();
    let (mut one, other) = (slots.remove(198), slots.remove(198));
    assert_eq!(one.slab, other.slab);
    let words = one.words_mut();
    words[0] = 1;
    assert!(other.words().iter().all(|&word| word == 0));
    assert!(format!("{other:?} {arena:?}").contains("Buffer"));
    words[1] = 2;
    assert_eq!(one.words()[..2], [1, 2]);
}
