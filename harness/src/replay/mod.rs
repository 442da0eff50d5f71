//! One pass over a recording: cut into batches, joined, given out, timed.

mod behind;
mod clock;
mod dimension;
mod evidence;
mod give_out;
mod listener;
mod mark;
mod pass;
mod pipeline;
mod read_through;
mod source_rows;
mod state_track;
mod streams;
mod trigger;
mod watermark;
mod witness;

#[cfg(test)]
mod tests;

pub use clock::{BatchClock, Phase};
pub use evidence::{
    Ahead, Backlog, Evidence, Held, JoinEvidence, PairEvidence, SideEvidence, StatePoint,
    TableSeen, TimesSeen,
};
pub use listener::{Idle, ProgressListener, Started, Terminated};
pub use pass::{Counted, Pass, PassOutcome};
pub use read_through::read_through;
pub use state_track::{StateOutcome, plateaus};
pub use streams::{CurvePoint, Delays, Lateness, SideRows, Vary, lateness, watermark_curve};
pub use trigger::{CutInput, Cutter};
