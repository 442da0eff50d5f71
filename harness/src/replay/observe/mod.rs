//! What is noticed while a pass runs, outside its measured time.

mod event_time;
mod evidence;
mod listener;
mod observers;
mod outlier;
mod state_track;
mod stream_stream;
mod table_joins;

pub use evidence::{
    Ahead, Evidence, Held, SideEvidence, StatePoint, StreamStreamEvidence, TableJoinEvidence,
    TableSeen, TimesSeen,
};
pub use listener::{ProgressListener, Started, Terminated};
pub use observers::Counted;
pub use state_track::{StateOutcome, plateaus};

pub(crate) use event_time::Watermark;
pub(crate) use observers::Observers;
pub(crate) use outlier::Outliers;
pub(crate) use state_track::StateTrack;
pub(crate) use stream_stream::StreamStreamObserver;
pub(crate) use table_joins::TableJoinsObserver;
