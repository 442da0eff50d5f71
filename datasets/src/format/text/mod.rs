//! What CSV and JSON lines share: reading ahead, guessed types, batches of rows
//! that are text, text as columns (`time` has what arrow does not read), and what to declare where a value does not fit.

mod ahead;
mod batches;
mod columns;
mod declare;
mod time;
mod types;

pub(super) use ahead::{AHEAD_BYTES, AHEAD_ROWS, Ahead};
pub(super) use batches::{Misfit, TextBatches, TextRows};
pub(crate) use columns::parse_column;
pub(super) use columns::{can_parse, holds_empty_text, parse_whole_numbers};
pub(super) use declare::{declaration, malformed};
pub(crate) use time::Bare;
pub(super) use time::NUMBER;
pub(super) use types::{is_timestamp, value_type};
pub(crate) use types::{settled, settled_schema, widen};
