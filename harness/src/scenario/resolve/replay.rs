//! `[replay]`, resolved.

use super::context::Context;
use crate::scenario::located::Located;
use crate::scenario::spec::{DisorderSpec, End, Merge, Pace, ReplaySpec, Trigger};
use crate::text::duration::Micros;

/// How the recording is cut into batches, and how fast they come.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Where one batch ends.
    pub trigger: Located<Trigger>,
    /// How fast rows come.
    pub pace: Located<Pace>,
    /// The most stream rows to read.
    pub limit: Option<u64>,
    /// The longest time to replay; then the stream counts as ended.
    pub duration: Option<Located<Micros>>,
    /// What happens to state at the end.
    pub end: End,
    /// How two streams are merged.
    pub merge: Located<Merge>,
    /// How rows are moved out of order.
    pub disorder: Option<Located<DisorderSpec>>,
}

impl Context<'_> {
    pub(super) fn replay(self, spec: ReplaySpec) -> Replay {
        Replay {
            trigger: self.or_default(spec.trigger),
            pace: self.or_default(spec.pace),
            limit: spec.limit,
            duration: self.optional(spec.duration),
            end: spec.end.unwrap_or_default(),
            merge: self.or_default(spec.merge),
            disorder: self.optional(spec.disorder),
        }
    }
}
