//! One pass over a recording: cut into batches, joined, given out, timed.

mod behind;
mod carried;
mod clock;
mod course;
mod dimension;
mod disorder;
mod evidence;
mod give_out;
mod listener;
mod mark;
mod one_stream;
mod pass;
mod piece;
mod pipeline;
mod read_through;
mod reader;
mod schedule;
mod source_rows;
mod state_track;
mod streams;
mod timeline;
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
pub use listener::{ProgressListener, Started, Terminated};
pub use pass::{Counted, Pass, PassOutcome};
pub use read_through::read_through;
pub use schedule::Kept;
pub use state_track::{StateOutcome, plateaus};
pub use streams::{CurvePoint, Delays, Lateness, SideRows, Vary, lateness, watermark_curve};
pub use timeline::{Clock, system_clock};
pub use trigger::{CutInput, Cutter};
