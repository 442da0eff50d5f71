//! The kept columns of a block. Values of a fixed width lie row by row beside
//! the entries; strings end to end, one heap per column; everything else as one
//! byte string per row. All of it is copied: nothing of a batch is kept alive.
//!
//! ```text
//! kept columns   bid BIGINT, url VARCHAR, open BOOLEAN, tags ARRAY
//! slot           entries ... | bid open | bid open | bid open | ...   stride 9 bytes
//! heap of url    ends 7 12 12 ...        bytes "example" "a.com" "" ...
//! encoded heap   ends 5 9 14 ...         one byte string per row: tags
//! valid          one bit per row and column, empty as long as nothing is null
//! ```

mod columns;
mod heap;
mod incoming;
mod plan;

pub(super) use self::columns::Columns;
pub(crate) use self::incoming::Incoming;
pub(crate) use self::plan::PayloadPlan;
pub(super) use self::plan::{FixedColumn, Place};
