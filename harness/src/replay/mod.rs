//! One pass over recorded streams: read, cut into batches, joined, written,
//! timed.
//!
//! `source` says where rows come from, `clock` when, `joins` what joins
//! them, `observe` what is noticed on the way.

mod clock;
mod joins;
mod observe;
mod outcome;
mod output;
mod pass;
mod ready;
mod source;

pub use clock::{Backlog, Clock, Latencies, PaceOutcome, system_clock};
pub use observe::{
    Ahead, Counted, Evidence, Held, ProgressListener, SideEvidence, Started, StateOutcome,
    StatePoint, StreamStreamEvidence, TableJoinEvidence, TableSeen, Terminated, TimesSeen,
    plateaus,
};
pub use outcome::PassOutcome;
pub use pass::Pass;
pub use ready::ready;
pub use source::read_through;

pub(crate) use clock::{Schedule, waited};
pub(crate) use joins::Participation;
pub(crate) use observe::StateTrack;
pub(crate) use source::MergedBatches;
