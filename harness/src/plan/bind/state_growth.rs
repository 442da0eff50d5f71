//! Why a stream's rows never leave the state of a join.

use streamjoin_kernels::Side;
use streamjoin_kernels::time::{DeclaredWatermarks, Expiry, Unbounded};

use super::stream_stream::BoundStreams;

impl BoundStreams {
    /// Which sides declare a watermark.
    pub(in crate::plan) fn declared(&self) -> DeclaredWatermarks {
        let declared = self.sides.as_ref().map(|stream| stream.spec.watermark.is_some());
        DeclaredWatermarks { left: declared.left, right: declared.right }
    }

    /// Why rows of a side never leave.
    pub(in crate::plan) fn reason(&self, why: Unbounded) -> String {
        let name = |side: Side| &self.sides[side].relation.name;
        match why {
            Unbounded::NoTimeCondition => {
                "no condition relates the event times of the two streams".to_owned()
            }
            Unbounded::OpenInterval { side } => format!(
                "the condition does not limit how much later than a row of {} its matches may be",
                name(side)
            ),
            Unbounded::NoWatermark { side } => format!(
                "stream {} declares no watermark: add `watermark = \"...\"` to it",
                name(side)
            ),
            Unbounded::NoWatermarkAtAll => {
                "neither stream declares a watermark: add `watermark = \"...\"` to one".to_owned()
            }
            other => other.to_string(),
        }
    }

    /// The streams whose rows never leave the state, each with the reason.
    pub(in crate::plan) fn unbounded(&self) -> Vec<String> {
        let sides = self.sides.iter().filter_map(|(side, stream)| {
            let Expiry::Never(why) = self.join.time.expiry(side, self.declared()) else {
                return None;
            };
            let name = &stream.relation.name;
            Some(format!("the state of stream `{name}` only grows: {}", self.reason(why)))
        });
        sides.collect()
    }
}
