use super::*;
use crate::arch::Isa;

#[test]
fn domains_wrap_in_the_width_of_the_words() {
    let check = |words: &[u64], least, last| {
        let domain = Domain::of(words);
        assert_eq!((domain.least, domain.last), (least, last), "{words:x?}");
        assert!(words.iter().all(|&word| domain.slot(word) <= last));
        domain
    };
    check(&[5, 9], 5, 4);
    let narrow = check(&[u64::from(-2i32 as u32), 3], u64::from(-2i32 as u32), 5);
    // A wider word is none of them, whatever its lower half.
    assert!(narrow.slot(1 << 32 | 3) > 5);
    assert!(narrow.slot(u64::MAX) > 5);
    check(&[0xff, 0], 0xff, 1);
    check(&[0xffff, 1], 0xffff, 2);
    check(&[-7i64 as u64, 2], -7i64 as u64, 9);
    check(&[i64::MIN as u64, i64::MAX as u64], i64::MAX as u64, 1);
    check(&[i64::MIN as u64, i64::MAX as u64, 0], 0, 1 << 63);
    check(&[i64::MIN as u64, u64::MAX, 0, i64::MAX as u64], 0, u64::MAX);
}

#[test]
fn sparse_domains_and_long_keys_fall_back_with_a_reason() {
    let reason = |keys: KeyView<'_>| {
        let hashes = vec![0; keys.len()];
        match Direct::build(&BuildInput::new(keys, &hashes, Isa::Portable).unwrap()) {
            Ok(_) => None,
            Err(NotBuilt::Unfit(why)) => Some(why),
            Err(NotBuilt::Failed(error)) => panic!("{error}"),
        }
    };
    assert_eq!(reason(KeyView::Words(&[0, 65_535])), None);
    assert!(reason(KeyView::Words(&[0, 65_536])).unwrap().contains("65537"));
    let ends = [i64::MIN as u64, u64::MAX, 0, i64::MAX as u64];
    assert!(reason(KeyView::Words(&ends)).unwrap().contains("18446744073709551616"));
    assert!(reason(KeyView::Wide(&[1])).unwrap().contains("one integer"));
    let spread: Vec<u64> = (0..20_000).map(|i| i * 8).collect();
    assert_eq!(reason(KeyView::Words(&spread)), None);
    let sparser: Vec<u64> = (0..20_000).map(|i| i * 9).collect();
    assert!(reason(KeyView::Words(&sparser)).is_some());
}

#[test]
fn what_is_held_follows_the_domain() {
    let bytes = |words: &[u64]| {
        let hashes = vec![0; words.len()];
        let input = BuildInput::new(words, &hashes, Isa::Portable).unwrap();
        let built = Direct::build(&input).unwrap();
        (built.index.bytes(), built.index.positions())
    };
    let words: Vec<u64> = (0..64_000).collect();
    assert_eq!(bytes(&words), (0, 64_000));
    let gaps: Vec<u64> = (0..32_000).map(|i| i * 2).collect();
    // A bit per slot.
    assert_eq!(bytes(&gaps), ((63_999 / 64 * 8 + 8 + 56) & !63, 63_999));
    let wide: Vec<u64> = (0..8_000).map(|i| i * 8).collect();
    let (held, positions) = bytes(&wide);
    assert_eq!(positions, 8_000);
    assert!((63_993 * 4 + 63_993 / 8..63_993 * 4 + 63_993 / 8 + 256).contains(&held), "{held}");
}
