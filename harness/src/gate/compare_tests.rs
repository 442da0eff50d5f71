//! Verdicts of figures that changed.

use super::*;

fn measured(kind: &str, figure: Figure) -> PassFigures {
    let mut measured = PassFigures::default();
    let figures = match kind {
        "answer" => &mut measured.answer,
        "state" => &mut measured.state,
        "bytes" => &mut measured.bytes,
        _ => &mut measured.work,
    };
    figures.insert("x".to_owned(), figure);
    measured
}

#[test]
fn a_small_change_is_not_shown_as_none() {
    for (old, new, text) in [(20_001, 20_000, "< 0.01 %"), (100, 101, "+1.00 %")] {
        let [old, new] = [old, new].map(|n| measured("answer", Figure::Count(n)));
        let differences = compare(&old, &new, Bands::default());
        assert_eq!(differences[0].percent().unwrap(), text);
    }
}

#[test]
fn each_kind_of_figure_has_its_own_meaning() {
    use Verdict::{Better, Inconclusive, Regression, Same, WrongAnswer};
    let count = Figure::Count;
    for (kind, old, new, expected) in [
        ("answer", count(100), count(100), Same),
        ("answer", count(100), count(101), WrongAnswer),
        ("answer", count(100), count(99), WrongAnswer),
        ("answer", Figure::Text("a".into()), Figure::Text("b".into()), WrongAnswer),
        ("answer", Figure::None, count(0), WrongAnswer),
        ("state", count(100), count(101), Regression),
        ("state", count(100), count(99), Regression),
        ("state", Figure::Flag(true), Figure::Flag(false), Regression),
        ("state", Figure::None, count(1), Regression),
        ("bytes", count(1000), count(1010), Same),
        ("bytes", count(1000), count(1011), Regression),
        ("bytes", count(1000), count(990), Same),
        ("bytes", count(1000), count(989), Better),
        ("bytes", count(0), count(1), Regression),
        ("work", count(1000), count(1001), Regression),
        ("work", count(1000), count(999), Better),
        ("work", count(0), count(0), Same),
    ] {
        let bands = Bands { bytes: 0.01 };
        let (old, new) = (measured(kind, old), measured(kind, new));
        let found = compare(&old, &new, bands);
        let verdict = found.first().map_or(Same, |difference| difference.verdict);
        assert_eq!(verdict, expected, "{kind}: {old:?} {new:?}");
        assert!(found.iter().all(|difference| difference.figure == format!("{kind}.x")));
    }
    let gone = compare(&measured("work", count(1)), &PassFigures::default(), Bands::default());
    assert_eq!(gone[0].verdict, Inconclusive);
    let new = measured("work", count(1));
    assert!(compare(&PassFigures::default(), &new, Bands::default()).is_empty());
    assert!(unwatched(&PassFigures::default(), &new).contains("work.x"));
}

#[test]
fn the_worst_comes_first_and_changes_are_shares() {
    let old = PassFigures {
        answer: measured("answer", Figure::Count(5)).answer,
        work: measured("work", Figure::Count(200)).work,
        ..PassFigures::default()
    };
    let new = PassFigures {
        answer: measured("answer", Figure::Count(6)).answer,
        work: measured("work", Figure::Count(150)).work,
        ..PassFigures::default()
    };
    let found = compare(&old, &new, Bands::default());
    let seen: Vec<_> = found.iter().map(|d| (d.figure.as_str(), d.verdict, d.change)).collect();
    assert_eq!(seen[0].0, "answer.x");
    assert_eq!(seen[1], ("work.x", Verdict::Better, Some(-0.25)));
}
