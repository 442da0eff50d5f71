//! Builds that are cancelled end with an error and give back what they took.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use streamjoin_kernels::stream_static;
use streamjoin_kernels::table::{BuildInput, BuiltIndex, IndexBuilder};
use streamjoin_kernels::{
    Cancellation, IndexChoice, IndexKind, JoinError, JoinType, MemoryReservation, Result,
};

use crate::random::pool_of_two;
use crate::reference::push_all;
use crate::traps::{keyed, strategies};

/// Counts what is taken, and cancels when asked for memory the given time.
#[derive(Debug, Default)]
struct CancellingAccount {
    cancellation: Cancellation,
    at: usize,
    asked: AtomicUsize,
    held: AtomicUsize,
}

impl MemoryReservation for CancellingAccount {
    fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        if self.asked.fetch_add(1, Ordering::Relaxed) == self.at {
            self.cancellation.cancel();
        }
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        assert!(self.held.fetch_sub(bytes, Ordering::Relaxed) >= bytes);
    }
}

fn join(options: stream_static::Options) -> stream_static::Join {
    let (stream, table) = (keyed("k", []).schema(), keyed("d", []).schema());
    let keys = [(0, 0)];
    let spec = stream_static::Spec::on(stream, table, JoinType::Inner, keys).unwrap();
    stream_static::Join::new(spec, options).unwrap()
}

#[test]
fn a_cancelled_join_builds_nothing_and_keeps_its_table() {
    for options in strategies() {
        let cancellation = Cancellation::default();
        let join = join(options.with_cancellation(cancellation.clone()));
        let table = [keyed("d", 0..1000), keyed("d", 1000..2000)];
        join.swap(join.build(&table, 1).unwrap()).unwrap();
        assert!(!cancellation.is_cancelled());
        cancellation.cancel();
        let other = IndexChoice::Kind(IndexKind::Linear);
        assert!(matches!(join.build(&table, 2), Err(JoinError::Cancelled)));
        assert!(matches!(join.build_with(&table, 2, &other), Err(JoinError::Cancelled)));
        assert!(matches!(join.build_first(&table, 2), Err(JoinError::Cancelled)));
        // Batches do not look at it.
        assert_eq!(push_all(&join, &keyed("k", 500..2500)).num_rows(), 1500);
    }
}

#[test]
fn a_build_that_is_cancelled_at_any_point_gives_back_what_it_took() {
    let table: Vec<_> = (0..4).map(|i| keyed("d", i * 3000..i * 3000 + 5000)).collect();
    for options in strategies() {
        for pool in [None, Some(pool_of_two())] {
            let mut cancelled = 0;
            for at in 0.. {
                let cancellation = Cancellation::default();
                let account = CancellingAccount { at, cancellation, ..Default::default() };
                let account = Arc::new(account);
                let mut options = options.clone().with_cancellation(account.cancellation.clone());
                (options.memory, options.pool) = (Some(Arc::clone(&account) as _), pool.clone());
                match join(options).build(&table, 1) {
                    Ok(snapshot) => drop(snapshot),
                    Err(error) => {
                        assert!(matches!(error, JoinError::Cancelled), "{error}");
                        cancelled += 1;
                    }
                }
                assert_eq!(account.held.load(Ordering::Relaxed), 0);
                if account.asked.load(Ordering::Relaxed) <= at {
                    break;
                }
            }
            // Between batches, before hashing, indexing and copying of columns.
            assert!(cancelled >= 6, "{cancelled}");
        }
    }
}

/// An index of a caller's own that is cancelled while it is built, in every
/// partition or in the first.
#[derive(Debug, Default)]
struct Slow {
    cancellation: Cancellation,
    begun: AtomicUsize,
}

impl IndexBuilder for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn build(&self, input: BuildInput<'_>) -> Result<BuiltIndex> {
        input.check_cancelled()?;
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.cancellation.cancel();
        input.check_cancelled()?;
        unreachable!("it was cancelled")
    }
}

#[test]
fn an_index_of_ones_own_can_be_cancelled() {
    for layout in [stream_static::Layout::Broadcast, stream_static::Layout::Partitioned] {
        let slow = Arc::new(Slow::default());
        let mut options =
            stream_static::Options::default().with_cancellation(slow.cancellation.clone());
        (options.layout, options.partition_bits) = (layout, Some(4));
        options.index = IndexChoice::Own(Arc::clone(&slow) as _);
        let outcome = join(options).build(&[keyed("d", 0..1000)], 0);
        assert!(matches!(outcome, Err(JoinError::Cancelled)), "{layout}");
        assert_eq!(slow.begun.load(Ordering::Relaxed), 1, "no other partition began");
    }
}
