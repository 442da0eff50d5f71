//! From a scenario to something that can run.
//!
//! * `bind` is logical: it opens sources and binds names to columns, as far as it
//!   can, so that `explain` has something to say about a scenario that is refused.
//! * `physical` is what runs: the joins as the kernels take them, and no column
//!   that nobody needs. Everything that can be refused before the first row is
//!   refused here.
//! * [`explain`] is both as text.
//!
//! Each has a file for either join, `stream_static` and `stream_stream`.

mod bind;
mod computed;
mod event_time;
pub mod explain;
mod feed;
mod physical;
mod projector;
mod strategy;
mod table;
mod threads;
mod timing;

#[cfg(test)]
mod tests;

pub(crate) use bind::timestamp_sql;
pub use bind::{
    Bound, BoundInput, BoundKey, BoundStream, BoundStreamStatic, BoundStreamStream, BoundStreams,
    BoundTable, BoundTime, InputColumn, Origin, Relation, Residual, Selected, Selection, bind,
};
pub use computed::{Computed, Value, keep_where};
pub use event_time::EventTime;
pub use feed::{Feed, FeedBatches, FeedRows, Form};
pub(crate) use physical::TYPES_OF;
pub use physical::{
    Carried, FilterOnly, JoinedRows, KernelJoin, Needed, OutputPlan, Plan, Prepare, SidePlan,
    StreamPlan, StreamStaticPlan, StreamStreamPlan, TableColumns, TableJoinPlan, Unmatched, Uses,
    blame_table, plan, plan_bound, plan_carrying, read_table, scan_table,
};
pub use projector::{Item, Projector};
pub use strategy::{Footing, Grain, Resolved, Strategy, default_isa, strategies};
pub use table::{Fingerprint, Table, TableVersion};
pub use threads::{pool, pool_with_caller};
pub use timing::Timing;
pub(crate) use timing::rows_due;
