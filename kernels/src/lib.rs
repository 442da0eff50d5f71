//! Join kernels for streams: Arrow arrays in, row pairs or record batches out.
//!
//! # Which function do I call?
//!
//! | to | call |
//! | --- | --- |
//! | join micro-batches with a table | [`StreamStaticJoin::new`], [`build`](StreamStaticJoin::build), [`swap`](StreamStaticJoin::swap), [`push`](StreamStaticJoin::push) |
//! | change the table | `build` a new [`DimensionSnapshot`], `swap` it in between batches |
//! | chain joins | feed one join's output batches to the next, whose stream schema is the first one's [`output_schema`](StreamStaticJoin::output_schema) |
//! | join two streams | [`StreamStreamJoin::new`], [`push`](StreamStreamJoin::push), [`advance`](StreamStreamJoin::advance), [`finish`](StreamStreamJoin::finish) |
//! | say how far apart in time they match | [`time::IntervalCondition`], [`time::TimeCondition`] |
//! | add a condition beyond equality | a [`Filter`] with a [`Predicate`] of your own |
//! | ask whether a join can be had at all | [`support::stream_static`], [`support::stream_stream`] |
//! | choose how it is done | [`JoinOptions`]: [`Layout`], [`IndexChoice`], threads, batch sizes; [`StreamOptions`]: [`StoreKind`], threads, limits |
//! | have the index chosen by cost | [`IndexChoice::Auto`] with an [`AutoIndex`]: tell it how many rows will be looked up and how many of them match; figures of your machine in a [`CostModel`] of [`CostPoint`]s; [`estimates`](StreamStaticJoin::estimates) shows what it thinks |
//! | name the index | [`IndexChoice::Kind`] with an [`IndexKind`]; [`notes`](DimensionSnapshot::notes) say if another one had to serve |
//! | put a Bloom filter in front, for streams that mostly miss | [`table::FilteredBuilder`] in [`IndexChoice::Own`] |
//! | bring an index of your own | implement [`table::IndexBuilder`] and [`table::JoinIndex`], hand it over in [`IndexChoice::Own`] |
//! | share one table among all threads | [`Layout::Broadcast`] |
//! | give each thread partitions of its own, as a shuffle would | [`Layout::Partitioned`] |
//! | merge sorted sides, without an index | [`Layout::SortMerge`]; as an index of its own: [`probe::SortMerge`] |
//! | keep account of memory | a [`MemoryReservation`] in [`JoinOptions`]; [`DimensionSnapshot::bytes`], [`peak_build_bytes`](DimensionSnapshot::peak_build_bytes) |
//! | join plain slices, without Arrow | [`KeyTable::new`] or [`with_index`](KeyTable::with_index), [`pairs`](KeyTable::pairs), [`first_matches`](KeyTable::first_matches), [`exists`](KeyTable::exists) |
//! | the same in bounded steps | [`KeyTable::find`], [`Matches::next_pairs`] |
//! | lay payload out as the index has its rows | [`KeyTable::take_order`] |
//! | look up keys of columns, with nulls and coercions | [`key::comparison_type`], [`key::cast`], [`key::KeyEncoder`], then a [`KeyTable`] |
//! | hold the state of a stream yourself | [`state::StateStore`] from [`StoreKind::build`] |
//! | force an instruction set | an [`Isa`] in the [`KeyHasher`] |
//!
//! Programs to start from are in `examples/`: `enrich`, `swap_dimension`,
//! `stream_stream` and `own_index`.
//!
//! ```
//! use std::sync::Arc;
//! use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use streamjoin_kernels::*;
//!
//! # fn main() -> Result<()> {
//! let orders = RecordBatch::try_from_iter([
//!     ("user", Arc::new(Int64Array::from(vec![2, 7, 1])) as ArrayRef),
//! ])?;
//! let users = RecordBatch::try_from_iter([
//!     ("id", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
//!     ("name", Arc::new(StringArray::from(vec!["Ann", "Bob"])) as ArrayRef),
//! ])?;
//! let keys = vec![KeyPair::equal(0, 0)];
//! let spec = StreamStaticSpec::on(orders.schema(), users.schema(), JoinType::LeftOuter, keys);
//! let mut join = StreamStaticJoin::new(spec, JoinOptions::default())?;
//! join.swap(join.build(&[users], 0)?);
//! let mut output = join.push(&orders)?;
//! let rows = output.next_batch()?.expect("every order comes out");
//! assert_eq!(rows.num_rows(), 3);
//! assert_eq!(rows.column(2).null_count(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # The floors
//! Imports point one way: [`time`], [`arch`] and [`memory`], then [`key`],
//! [`hash`] and [`pairs`], then [`table`], then [`probe`], then [`dimension`]
//! and [`state`], then [`operator`].

pub mod arch;
pub mod dimension;
mod error;
pub mod hash;
mod join_type;
pub mod key;
pub mod memory;
mod null_equality;
pub mod operator;
mod output_mode;
pub mod pairs;
pub mod probe;
mod side;
pub mod state;
pub mod support;
pub mod table;
pub mod time;

pub use arch::Isa;
pub use dimension::DimensionSnapshot;
pub use error::{JoinError, Result};
pub use hash::KeyHasher;
pub use join_type::JoinType;
pub use memory::MemoryReservation;
pub use null_equality::NullEquality;
pub use operator::{
    BatchKind, BatchReport, BatchTimes, Beyond, BroadcastLimit, End, EventTimeStats, JoinCursor,
    JoinOptions, JoinStats, KeyPair, Layout, OutputColumn, SideReport, StateLimit, StreamBatch,
    StreamInput, StreamKey, StreamOptions, StreamStaticJoin, StreamStaticSpec, StreamStreamJoin,
    StreamStreamSpec, output_on, output_using, streams_output_on, streams_output_using,
    streams_using_keys, using_keys,
};
pub use output_mode::OutputMode;
pub use pairs::{NO_ROW, Pairs};
pub use probe::{ColumnRef, Filter, Predicate, SideColumn};
pub use side::Side;
pub use state::{BlockOptions, StoreKind};
pub use table::{AutoIndex, CostModel, CostPoint, IndexChoice, IndexKind, KeyTable, Matches};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
