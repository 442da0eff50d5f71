//! `stream_stream::Join` against a naive engine written from the rules, batch by
//! batch, through the public API.

#[path = "../stream_static/columns.rs"]
mod columns;
mod driver;
mod exact_times;
mod failures;
mod memory;
mod oracle;
mod query;
mod random;
mod refusals;
mod refused;
mod rules;
mod side_by_side;
mod threads;
mod times;
mod traps;
mod work;
