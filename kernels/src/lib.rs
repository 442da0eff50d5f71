//! Join kernels for streams: Arrow arrays or plain slices in, record batches or row pairs out.
//!
//! ```
//! use std::sync::Arc;
//! use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use streamjoin_kernels::stream_static;
//! use streamjoin_kernels::{JoinType, Result};
//!
//! # fn main() -> Result<()> {
//! let orders = RecordBatch::try_from_iter([
//!     ("user", Arc::new(Int64Array::from(vec![2, 7, 1])) as ArrayRef),
//! ])?;
//! let users = RecordBatch::try_from_iter([
//!     ("id", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
//!     ("name", Arc::new(StringArray::from(vec!["Ann", "Bob"])) as ArrayRef),
//! ])?;
//! let keys = [("user", "id")];
//! let spec = stream_static::Spec::on(orders.schema(), users.schema(), JoinType::LeftOuter, keys)?;
//! let join = stream_static::Join::new(spec, stream_static::Options::default())?;
//! join.swap(join.build(&[users], 0)?)?;
//! let mut output = join.push(&orders)?;
//! let rows = output.next_batch()?.expect("every order comes out");
//! assert_eq!(rows.num_rows(), 3);
//! assert_eq!(rows.column(2).null_count(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! A [`stream_static::Join`] joins a stream with a table that may change, a
//! [`stream_stream::Join`] joins two streams within an interval of event time, and a
//! [`table::KeyTable`] joins slices, without Arrow. Answers are Spark's, rule by rule:
//! [`rules`].
//!
//! Programs to start from are in `examples/`: `enrich`, `swap_table`, `mask`,
//! `stream_stream`, `state_limit`, `slices` and `own_index`.
//!
//! # Which function do I call?
//! ## A stream with tables
//! | to | call |
//! | --- | --- |
//! | join micro-batches with a table | [`stream_static::Join::new`], [`build`](stream_static::Join::build), [`swap`](stream_static::Join::swap), [`push`](stream_static::Join::push) |
//! | change the table | `build` a new [`TableSnapshot`], `swap` it in, both from any thread |
//! | join a batch with a version of the table at hand | [`push_with`](stream_static::Join::push_with) |
//! | keep output for later, or read it on another thread | a [`Cursor`](stream_static::Cursor) owns what it needs and is an iterator |
//! | know which rows have a match, without the rows | [`mask`](stream_static::Join::mask) of a left-semi or left-anti join |
//! | know which row of the batch an output row comes from | [`ColumnRef::StreamRow`] in [`Spec::output`](stream_static::Spec::output) |
//! | keep the order of the stream | [`OutputOrder::Stream`](stream_static::OutputOrder::Stream) |
//! | stop a build that takes long | a [`Cancellation`] in [`stream_static::Options`], or in a [`KeyTableBuilder`](table::KeyTableBuilder) |
//! | join with several tables in order | pass the output batches of one join to the next, whose stream schema is the [`output_schema`](stream_static::Join::output_schema) of the one before |
//!
//! ## Two streams
//! | to | call |
//! | --- | --- |
//! | join two streams | [`stream_stream::Join::new`], [`push`](stream_stream::Join::push), [`advance`](stream_stream::Join::advance), [`finish`](stream_stream::Join::finish) |
//! | limit the state of two streams, and go on after a push was refused | [`StateLimit`](stream_stream::StateLimit), [`set_limit`](stream_stream::Join::set_limit) |
//! | say how far apart in time rows may match | a [`time::IntervalCondition`] of [`Duration`](std::time::Duration)s or [`time::TimeDelta`]s |
//! | store the state of a stream yourself | a [`state::StateStore`] from [`StoreKind::build`] |
//!
//! ## Slices and keys
//! | to | call |
//! | --- | --- |
//! | join plain slices, without Arrow | [`KeyTable::new`](table::KeyTable::new), [`pairs`](table::KeyTable::pairs), [`first_matches`](table::KeyTable::first_matches), [`exists`](table::KeyTable::exists); [`key::KeyRows`] lists the types of slices |
//! | choose the index of a table of slices, account for its memory | [`KeyTable::builder`](table::KeyTable::builder) |
//! | number the distinct keys: group ids, dictionary codes | [`table::KeyInterner`] |
//! | list the pairs of slices in bounded steps | [`KeyTable::find`](table::KeyTable::find), [`Matches::next_pairs`](table::Matches::next_pairs) |
//! | lay payload out in the order of the index | [`KeyTable::take_order`](table::KeyTable::take_order) |
//! | look up keys of Arrow columns, with nulls and coercion | [`spark::comparison_type`], [`spark::cast`], [`key::KeyEncoder`], then a [`KeyTable`](table::KeyTable) |
//!
//! ## Conditions, columns and memory
//! | to | call |
//! | --- | --- |
//! | name columns | anything that is a [`ColumnId`]: a name or a position; keys are pairs of them, such as `[("user", "id")]`, or [`KeyPair`]s |
//! | choose and rename the output's columns | `select` of [`stream_static::Spec`](stream_static::Spec::select) and [`stream_stream::Spec`](stream_stream::Spec::select) |
//! | add a condition beyond equality | your own [`Predicate`] and the columns that it reads, in [`with_residual`](stream_static::Spec::with_residual), [`with_stream_filter`](stream_static::Spec::with_stream_filter) and their like |
//! | check whether a join is possible at all | [`spark::supported`] |
//! | know in which type a column comes out | `output_schema` of a join: dictionaries and the like that differ from batch to batch are resolved, see [`form`] |
//! | account for memory | a [`MemoryReservation`] in [`stream_static::Options`] and [`stream_stream::Options`]; [`TableSnapshot::bytes`], [`peak_build_bytes`](TableSnapshot::peak_build_bytes) |
//!
//! ## Speed
//! | to | call |
//! | --- | --- |
//! | choose how a join runs | methods on [`Options::default()`](stream_static::Options), such as [`with_layout`](stream_static::Options::with_layout); [`stream_static::Options`]: [`Layout`](stream_static::Layout), [`IndexChoice`], threads, batch sizes; [`stream_stream::Options`]: [`StoreKind`], threads, limits |
//! | have the index chosen by cost | [`IndexChoice::Auto`] with a [`table::auto::AutoIndex`] that says how many rows will be looked up and how many of them match; figures of your machine as a [`CostModel`](table::auto::CostModel); [`estimates`](stream_static::Join::estimates) shows the expected costs |
//! | name the index | [`IndexChoice::Kind`] with an [`IndexKind`]; [`notes`](TableSnapshot::notes) says whether another one had to be used |
//! | put a Bloom filter in front, for streams that mostly match nothing | [`table::FilteredBuilder`] in [`IndexChoice::Own`] |
//! | use your own index | implement [`table::IndexBuilder`] and [`table::JoinIndex`], and pass it in [`IndexChoice::Own`] |
//! | share one table among all threads | [`Layout::Broadcast`](stream_static::Layout::Broadcast) |
//! | give each thread its own partitions, as a shuffle would | [`Layout::Partitioned`](stream_static::Layout::Partitioned) |
//! | merge sorted sides, without an index | [`Layout::SortMerge`](stream_static::Layout::SortMerge), or [`probe::SortMerge`] as an index |
//! | force an instruction set | an [`Isa`] in the [`KeyHasher`] |
//!
//! # Null keys and watermarks
//! With `=`, null matches nothing: a row with a null key is dropped, or output as unmatched if its
//! side is preserved (left outer, left anti). With `<=>`
//! ([`NullEquality::NullSafe`]), null matches null. In a join of two streams, such a row of a
//! preserved side is stored until its event time passes the eviction line
//! ([rule 31](rules#rule-31)).
//!
//! A watermark is what a join of two streams forgets by: the greatest event time of a side, less
//! its delay; of two sides the smaller counts. It moves at the end of a batch, and late rows move
//! it, too; rows that the condition drops beforehand, null keys among them, do not
//! ([rules 1 to 5](rules#rule-1)). Rows at or before it are late: they are dropped and counted
//! ([rules 9 to 14](rules#rule-9)). A row without event time is never late and never forgotten
//! ([rule 26](rules#rule-26)).
//!
//! # Masks, and the order of output
//! [`mask`](stream_static::Join::mask) says which rows of a batch a left semi or left anti join
//! would output, as a `BooleanBuffer`, without making the rows.
//!
//! Output of a join with a table comes [as it is found](stream_static::OutputOrder::Any), or
//! [by row of the stream](stream_static::OutputOrder::Stream): all matches of a row together, a
//! row without a match in its place. Either way it is the same for the same options, table and
//! batches, whatever the timing of threads. Output of two streams follows the steps of a batch
//! ([rule 15](rules#rule-15)) and depends on the number of partitions, too.
//!
//! # After an error
//! A call that is refused, for a wrong schema, a snapshot of another join or memory that is not
//! granted, changes nothing: go on. Output that fails while it is read, by an error or by a
//! panic that the caller catches, stays failed: what was returned before is right, and from
//! then on there is [`JoinError::Unfinished`], never rows that a condition has not seen. A
//! stream-static join is not affected by a batch that failed; push it again, or the next one. A
//! join of two streams ends with such a batch, since its state is not complete: start it over.
//!
//! # Threads
//! No thread is started: work is done by the caller of a method, and on the `rayon`
//! pool that the options hold, if they do. A [`stream_static::Join`] is `Send` and
//! `Sync` and none of its methods takes `&mut self`: behind an `Arc`, some threads
//! push batches while another builds and swaps in the next version of the table,
//! and each batch meets one version, whole. Cursors are `Send`.
//!
//! # Types of other crates
//! They are part of the public API:
//!
//! | type | where |
//! | --- | --- |
//! | arrow's `RecordBatch`, `Schema`, `SchemaRef` | what joins take and give |
//! | `ArrayRef`, `DataType` | keys ([`key`]), casts ([`spark`]), event times ([`time`]), columns in state ([`state`]), errors |
//! | `BooleanArray` | what a [`Predicate`] returns |
//! | `BooleanBuffer`, `NullBuffer` | masks; which keys can match; null event times |
//! | `ScalarBuffer`, `Buffer` | [`key::Keys`] and [`key::ByteKeys`] |
//! | `ArrowError` | [`JoinError::Arrow`] |
//! | rayon's `ThreadPool` | the options' `pool`, with the feature `rayon` |
//!
//! `arrow` is re-exported as [`arrow`]: of arrow 59, or of arrow 60 with the feature `arrow-60`.
//! A feature for a further major version is a minor release of this crate. Dropping one,
//! changing the default and a new major version of rayon are breaking releases.
//!
//! # The floors
//! Imports point one way. From the bottom up: the vocabulary (`error`,
//! `join_type`, `side`, `null_equality`, `output_mode`, `pairs`, `column`,
//! `column_id`, `key_pair`, `predicate`, `cancellation`, and the macro `named` for enums with names), then [`form`], then [`time`], [`arch`] and [`memory`], then [`spark`], then
//! [`key`] and [`hash`], then [`table`], then [`probe`], then `snapshot` and
//! [`state`], then the operators [`stream_static`] and [`stream_stream`].

// The crate is built against one arrow, whose name here is `arrow` whatever its version.
#[cfg(all(feature = "arrow-59", not(feature = "arrow-60")))]
pub extern crate arrow_59 as arrow;
#[cfg(feature = "arrow-60")]
pub extern crate arrow_60 as arrow;

#[cfg(all(feature = "arrow-59", feature = "arrow-60"))]
compile_error!(
    "the features `arrow-59` and `arrow-60` of streamjoin-kernels are both on, and a build can \
     have only one. `arrow-59` is on by default: whoever wants arrow 60 writes \
     `default-features = false, features = [\"arrow-60\", \"rayon\"]`. \
     `cargo tree -e features -i streamjoin-kernels` shows who turns on which"
);
#[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
compile_error!(
    "turn on a feature of streamjoin-kernels, `arrow-59` or `arrow-60`: the major version of \
     arrow that the rest of the program uses"
);
// Ends the build here: without a name, hundreds of unknown imports would bury the message.
#[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
extern crate arrow_59_or_arrow_60 as arrow;

pub mod arch;
mod cancellation;
mod column;
mod column_id;
mod error;
pub mod form;
pub mod hash;
mod join_type;
pub mod key;
mod key_pair;
pub mod memory;
mod named;
mod null_equality;
mod operator;
mod output_mode;
mod pairs;
mod predicate;
pub mod probe;
mod side;
mod snapshot;
pub mod spark;
pub mod state;
pub mod table;
pub mod time;

pub use arch::isa::Isa;
pub use cancellation::Cancellation;
pub use column::{ColumnRef, OutputColumn, SideColumn};
pub use column_id::ColumnId;
pub use error::{JoinError, Result};
pub use hash::KeyHasher;
pub use join_type::JoinType;
pub use key_pair::KeyPair;
pub use memory::reservation::MemoryReservation;
pub use null_equality::NullEquality;
pub use operator::{stream_static, stream_stream};
pub use output_mode::OutputMode;
pub use pairs::{NO_ROW, Pairs};
pub use predicate::{Filter, Predicate};
pub use side::{Side, Sides};
pub use snapshot::TableSnapshot;
pub use state::kind::StoreKind;
pub use table::choice::IndexChoice;
pub use table::kind::IndexKind;

#[doc = include_str!("../RULES.md")]
pub mod rules {}

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
