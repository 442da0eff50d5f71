//! What runs: from what was bound to the joins as the kernels take them.

mod carry;
mod data_hash;
mod parts;
mod plan;
mod prepare;
mod proof;
mod query;
mod side;
mod stream;
mod stream_static;
mod stream_stream;
mod table_join;
mod table_joins;
mod table_rows;
mod uses;
mod width;

pub use carry::Carried;
pub(crate) use data_hash::TYPES_OF;
pub use plan::{Plan, plan, plan_bound, plan_carrying};
pub use prepare::{Needed, Prepare};
pub use side::SidePlan;
pub use stream::StreamPlan;
pub use stream_static::StreamStaticPlan;
pub use stream_stream::{JoinedRows, StreamStreamPlan};
pub use table_join::TableJoinPlan;
pub use table_joins::{KernelJoin, OutputPlan, Unmatched};
pub use table_rows::{TableColumns, blame_table, read_table, scan_table};
pub use uses::{FilterOnly, Uses};
pub(super) use width::row_bytes;
