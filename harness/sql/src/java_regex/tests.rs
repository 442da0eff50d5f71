//! Patterns that are refused, and what the refusals say. What patterns match is compared
//! with Spark by the recorded expressions (`tests/spark`).

use proptest::prelude::*;

use super::{JavaRegex, Replacement};

#[test]
fn refusals_say_why() {
    for (pattern, reason) in [
        ("a(?=b)", "look-ahead `(?=` is not supported"),
        ("a(?!b)", "negative look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "negative look-behind"),
        ("(a)\\1", "the back reference `\\1`"),
        ("(?<n>a)\\k<n>", "the back reference `\\k`"),
        ("(?>a)", "atomic group"),
        ("a*+", "possessive quantifier `*+`"),
        ("a{2}+", "possessive quantifier `{2}+`"),
        ("a$b", "write it last"),
        ("(a$)*", "write it last"),
        ("(?m)^a", "multi-line"),
        ("(?d)a$", "UNIX lines"),
        ("(?d)a\\Z", "UNIX lines"),
        ("(?U)a", "Unicode classes"),
        ("(?P<n>a)", "not a kind of group"),
        ("(?<1>a)", "letters and digits"),
        ("(?<n>a)(?<n>b)", "two groups"),
        ("(", "not closed"),
        (")", "no matching"),
        ("[a", "not closed"),
        ("*", "nothing precedes"),
        ("a**", "nothing precedes"),
        ("a{", "a count is written"),
        ("{", "where no count can be"),
        ("a{,3}", "a count is written"),
        ("a{3,2}", "ends before it begins"),
        ("[b-a]", "ends before it begins"),
        ("[a-\\d]", "ends in a class"),
        ("[&&a]", "both sides"),
        ("[a&&]", "both sides"),
        ("\\y", "has no meaning"),
        ("[\\b]", "has no meaning"),
        ("\\", "ends with a backslash"),
        ("\\p{Nope}", "not supported"),
        ("\\p{InGreek}", "not supported"),
        ("(?i)\\p{Lu}", "with the flag i"),
        ("\\N{DIGIT ONE}", "by name"),
        ("\\uD83D", "surrogate"),
        ("\\G", "end of the previous match"),
        ("\\X", "grapheme"),
        ("\\b{g}", "use \\b"),
        ("(((a{1000}){1000}){1000})", "too large"),
    ] {
        let found = JavaRegex::parse(pattern).expect_err(pattern);
        assert!(found.contains(reason), "{pattern}: {found}");
    }
    let deep = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(JavaRegex::parse(&deep).unwrap_err().contains("levels deep"));
    let deep = format!("{}a{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(JavaRegex::parse(&deep).unwrap_err().contains("levels deep"));
}

#[test]
fn groups_that_engines_disagree_on() {
    for (pattern, group, clear) in [
        ("(a*)+", 1, false),
        ("(a*)+", 0, true),
        ("(?:(a)|b*)*", 1, false),
        ("(a|)*", 1, false),
        ("(a*)?", 1, true),
        ("(a)+", 1, true),
        ("((?:a|b)*)", 1, true),
        ("(a)(b*)*", 1, true),
        ("(a)(b*)*", 2, false),
    ] {
        let regex = JavaRegex::parse(pattern).unwrap();
        assert_eq!(regex.check_group(group).is_ok(), clear, "{pattern} {group}");
        assert_eq!(Replacement::parse(&format!("${group}"), &regex).is_ok(), clear);
    }
}

#[test]
fn replacements_refer_to_groups() {
    let regex = JavaRegex::parse("(?<one>a)(b)").unwrap();
    for (replacement, reason) in [
        ("$3", "refers to group 3, but the pattern has 2"),
        ("$", "no number follows"),
        ("$x", "no number follows"),
        ("\\", "a backslash ends it"),
        ("${two}", "no group named `two`"),
        ("${one", "is written ${name}"),
    ] {
        let found = Replacement::parse(replacement, &regex).expect_err(replacement);
        assert!(found.contains(reason), "{replacement}: {found}");
    }
    let mut text = String::new();
    let mut matches = regex.matches("xab");
    assert_eq!(matches.advance(), Some((1, 3)));
    Replacement::parse("${one}$20\\$", &regex).unwrap().append(&matches, &mut text);
    assert_eq!(text, "ab0$");
}

const PIECES: [&str; 40] = [
    "a", "b", "Z", "é", "1", " ", ".", "*", "+", "?", "??", "{2}", "{1,}", "{0,2}", "(", ")",
    "(?:", "(?i)", "(?x)", "(?s:", "(?<n>", "|", "[", "]", "[^", "&&", "-", "^", "$", "\\", "\\d",
    "\\W", "\\b", "\\Z", "\\R", "\\Q", "\\E", "\\p{L}", "\\x41", "#",
];

proptest! {
    /// Any pattern is refused or compiled, and matches lie within the text.
    #[test]
    fn patterns_never_panic(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..10),
        text in "[abZé1 \r\n\u{2028}#]{0,12}",
    ) {
        if let Ok(regex) = JavaRegex::parse(&pieces.concat()) {
            let mut matches = regex.matches(&text);
            let mut count = 0;
            let mut last = 0;
            while let Some((start, end)) = matches.advance() {
                prop_assert!(last <= start && start <= end && end <= text.len());
                for group in 0..=regex.groups() {
                    if let Some(part) = matches.group(group) {
                        prop_assert!(text.contains(part));
                    }
                }
                (last, count) = (end, count + 1);
            }
            prop_assert!(count <= text.len() + 1);
            prop_assert_eq!(count > 0, regex.is_match(&text));
        }
    }

    #[test]
    fn random_patterns_never_panic(pattern in "\\PC{0,20}") {
        let _ = JavaRegex::parse(&pattern);
    }
}
