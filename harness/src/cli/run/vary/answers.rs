//! Whether combinations that must give the same rows do.

use super::run::{Run, text};
use crate::cli::run::axis::{Axis, Setting};
use crate::error::Result;
use crate::measure;
use crate::record::RunRecord;
use crate::scenario::{Refresh, Scenario};

/// Of each varied key, whether another value may give other rows.
pub(super) fn may_change(axes: &[Axis], scenario: &Scenario) -> Vec<bool> {
    let by_batch = depends_on_batches(scenario);
    axes.iter()
        .map(|axis| {
            let path = axis.path();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            match path.as_slice() {
                ["strategies" | "description", ..]
                | ["dimension", _, "layout" | "index"]
                | ["stream", _, "mmap"]
                | ["output", "path" | "format"] => false,
                ["replay", "trigger" | "pace", ..] => by_batch,
                _ => true,
            }
        })
        .collect()
}

/// Whether the rows that come out depend on how the stream is cut: late rows of
/// two streams do, and the tables that a batch sees if they change.
fn depends_on_batches(scenario: &Scenario) -> bool {
    scenario.join.is_some()
        || scenario.tables.iter().any(|table| {
            let versions = table.versions.iter().flatten();
            table.refresh == Refresh::EveryBatch || versions.into_iter().any(|v| v.from.is_some())
        })
}

/// Checks that runs gave the same rows if nothing differs that may change them.
///
/// # Errors
/// A wrong-result failure that says who gave what.
pub(super) fn verify(runs: &[Run], may_change: &[bool]) -> Result<()> {
    let mut groups: Vec<(Vec<&Setting>, Vec<RunRecord>)> = Vec::new();
    for run in runs {
        let decisive: Vec<&Setting> =
            run.settings.iter().zip(may_change).filter(|(_, may)| **may).map(|(s, _)| s).collect();
        let record = RunRecord {
            strategy: format!("{} with {}", run.record.strategy, text(&run.settings)),
            summary: run.record.summary.clone(),
            progress: Vec::new(),
            warnings: Vec::new(),
            findings: Vec::new(),
        };
        match groups.iter_mut().find(|(known, _)| *known == decisive) {
            Some((_, group)) => group.push(record),
            None => groups.push((decisive, vec![record])),
        }
    }
    groups.iter().try_for_each(|(_, group)| measure::verify(group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::axis::axis;
    use crate::error::FailureKind;
    use crate::record::Summary;
    use crate::scenario::{SourceText, parse};

    fn scenario(more: &str) -> Scenario {
        let text = format!("[stream.s]\nrecording = \"s.csv\"\n{more}");
        parse(SourceText::new("x.toml", text), "x").unwrap()
    }

    #[test]
    fn some_keys_cannot_change_the_rows() {
        let table = "[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\non = \"s.k = d.k\"\n";
        let may = |key: &str, scenario: &Scenario| {
            may_change(&[axis(&format!("{key}=1,2")).unwrap()], scenario)[0]
        };
        let plain = scenario(table);
        for key in ["strategies.a.threads", "dimension.d.index", "replay.trigger.rows"] {
            assert!(!may(key, &plain), "{key}");
        }
        for key in ["replay.limit", "dimension.d.type", "stream.s.recording", "ansi"] {
            assert!(may(key, &plain), "{key}");
        }
        let changing = scenario(&format!("{table}refresh = \"every-batch\"\n"));
        assert!(may("replay.trigger.rows", &changing));
        let two = scenario(
            "[stream.t]\nrecording = \"t.csv\"\n[join]\nleft = \"s\"\nright = \"t\"\non = \"s.k = t.k\"\n",
        );
        assert!(may("replay.trigger.rows", &two));
        assert!(!may("strategies.a.state", &two));
    }

    #[test]
    fn rows_must_agree_where_nothing_decisive_differs() {
        let run = |rows: &str, limit: &str, rows_out| Run {
            settings: [("replay.trigger.rows", rows), ("replay.limit", limit)]
                .map(|(key, value)| Setting { key: key.to_owned(), value: value.to_owned() })
                .to_vec(),
            elsewhere: vec![false, false],
            record: RunRecord {
                strategy: "a".to_owned(),
                summary: Summary { rows_out, ..Summary::default() },
                progress: Vec::new(),
                warnings: Vec::new(),
                findings: Vec::new(),
            },
        };
        let may = [false, true];
        assert!(verify(&[run("1", "5", 5), run("2", "5", 5), run("1", "6", 6)], &may).is_ok());
        let failure = verify(&[run("1", "5", 5), run("2", "5", 4)], &may).unwrap_err();
        assert_eq!(failure.kind, FailureKind::WrongResult);
        assert!(
            failure.message.contains("a with replay.trigger.rows=2, replay.limit=5: 4 rows"),
            "{failure}"
        );
    }
}
