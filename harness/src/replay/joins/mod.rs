//! What joins the rows of a pass: one file for each of the two joins, and the
//! table joins that both may have.

mod background_build;
mod checkpoint;
mod execution;
mod joined_rows;
mod live_table;
mod participation;
mod state_progress;
pub(crate) mod stream_static;
pub(crate) mod stream_stream;
mod table_joins;

pub(crate) use execution::Resources;
pub(crate) use participation::Participation;
