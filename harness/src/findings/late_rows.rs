//! More than a few rows that come too late.

use streamjoin_kernels::Side;

use super::finished_run::FinishedRun;
use crate::plan::Plan;
use crate::record::{Finding, Severity};
use crate::text::duration::at_least;
use crate::text::instant::iso_millis;
use crate::text::number::grouped;
use crate::text::percent;

pub(super) fn find(run: &FinishedRun<'_>) -> Vec<Finding> {
    let (Plan::StreamStream(plan), Some(pair)) = (run.plan, &run.evidence().stream_stream) else {
        return Vec::new();
    };
    let sides = [Side::Left, Side::Right].into_iter().zip(&pair.sides);
    let late = sides.filter_map(|(side, found)| {
        let stream = &plan.side(side).stream;
        let declared = stream.watermark?.0 / 1000;
        let seen = found.times.map_or(0, |times| times.rows).max(found.late);
        if found.late == 0 || found.late * 100 <= seen {
            return None;
        }
        let title = format!(
            "{} of the rows of `{}` arrived too late and were dropped",
            percent::part(found.late, seen),
            stream.name
        );
        let mut finding = Finding::new("late-rows", Severity::Warning, title)
            .about(&stream.name)
            .saw(format!(
                "{} of {} rows were at or below the watermark, with a delay of {}",
                grouped(found.late),
                grouped(seen),
                at_least(declared)
            ))
            .with("late", found.late)
            .with("rows", seen)
            .with("delayMs", declared);
        let ahead = pair.sides.iter().zip([Side::Left, Side::Right]);
        let ahead = ahead.filter_map(|(found, side)| found.ahead.map(|row| (row, side))).next();
        if let Some((row, side)) = ahead {
            let of = &plan.side(side).stream;
            return Some(
                finding
                    .saw(format!(
                        "row {} of {} has the event time {} and moved the watermark ahead of all others",
                        row.row,
                        of.feed.file_name(row.file),
                        iso_millis(row.time)
                    ))
                    .remedy(format!(
                        "correct that row, or leave it out with `where` under [stream.{}]; no delay makes up for it",
                        of.name
                    )),
            );
        }
        let mut remedy = String::new();
        if let Some(more) = found.lateness_ms {
            let enough = declared.saturating_add(more);
            finding = finding
                .saw(format!(
                    "the latest of them was {} below the watermark",
                    at_least(more)
                ))
                .with("latenessMs", more)
                .with("delayToKeepAllMs", enough);
            remedy = format!(
                "watermark = \"{}\" under [stream.{}] would have kept them all, if the other stream's delay is raised by as much; ",
                at_least(enough),
                stream.name
            );
        }
        Some(finding.remedy(format!(
            "{remedy}`streamjoin watermark SCENARIO` shows what each delay keeps and what it costs in state"
        )))
    });
    late.collect()
}
