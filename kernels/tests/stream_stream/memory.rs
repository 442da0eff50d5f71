//! Limits of the state and a caller's account of memory.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::arrow::buffer::{Buffer, OffsetBuffer};
use streamjoin_kernels::stream_stream::{self, End, StateLimit};
use streamjoin_kernels::time::{IntervalCondition, TimeDelta};
use streamjoin_kernels::{JoinError, JoinType, MemoryReservation, Side, StoreKind};

use crate::columns::KEY_TYPES;
use crate::driver::{Form, Run, between, row};

const S: i64 = 1_000_000;

/// This many bytes may be held.
#[derive(Debug)]
struct Account {
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Account {
    fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { held: AtomicUsize::new(0), most: AtomicUsize::new(most) })
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

impl MemoryReservation for Account {
    fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
        let held = self.held() + bytes;
        let most = self.most.load(Ordering::Relaxed);
        if held > most {
            return Err(format!("{held} bytes of {most}").into());
        }
        self.held.store(held, Ordering::Relaxed);
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        assert!(bytes <= self.held(), "more than was taken");
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

fn run(join_type: JoinType, options: stream_stream::Options) -> Run<'static> {
    let query = between(join_type, 0, 10 * S);
    Run { query, types: &KEY_TYPES[..1], form: Form { options, ..Form::default() } }
}

fn state(join: &stream_stream::Join) -> usize {
    join.state(Side::Left).bytes() + join.state(Side::Right).bytes()
}

fn read(batch: Option<stream_stream::Batch<'_>>) -> usize {
    batch.into_iter().flatten().map(|output| output.unwrap().num_rows()).sum()
}

#[test]
fn the_account_holds_what_the_state_holds_and_gets_all_of_it_back() {
    for store in StoreKind::ALL {
        for partitions in [1, 3] {
            let account = Account::of(usize::MAX);
            let options =
                stream_stream::Options::default().with_store(store).with_partitions(partitions);
            let run = run(JoinType::FullOuter, options.with_memory(Arc::clone(&account) as _));
            let mut join = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
            assert_eq!(account.held(), state(&join));
            for batch in 0..20i64 {
                let row = |i: i64| row(i, (i % 7) as u8, batch * 2 * S + i * 1000);
                let rows: Vec<_> = (0..500).map(row).collect();
                let chunks = [run.chunks(0, &rows), run.chunks(1, &rows)];
                assert!(read(join.push(&chunks[0], &chunks[1]).unwrap()) > 0);
                assert_eq!(account.held(), state(&join), "{store}");
                read(join.advance().unwrap());
                assert_eq!(account.held(), state(&join), "{store}");
            }
            read(join.finish(End::Flush).unwrap());
            assert_eq!(account.held(), state(&join), "{store}");
            drop(join);
            assert_eq!(account.held(), 0);
        }
    }
}

#[test]
fn refused_memory_refuses_the_push_and_more_of_it_lets_it_through() {
    for store in StoreKind::ALL {
        let account = Account::of(1 << 15);
        let options = stream_stream::Options::default().with_store(store);
        let run = run(JoinType::Inner, options.with_memory(Arc::clone(&account) as _));
        let mut join = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
        let rows: Vec<_> = (0..2000).map(|i| row(i, i as u8, i)).collect();
        let chunks = [run.chunks(0, &rows), run.chunks(1, &rows)];
        let before = account.held();
        let error = join.push(&chunks[0], &chunks[1]).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, JoinError::MemoryRefused { .. }), "{text}");
        assert!(text.contains("the state of two streams") && text.contains("interval"), "{text}");
        assert_eq!((account.held(), state(&join)), (before, before));
        account.most.store(1 << 24, Ordering::Relaxed);
        assert!(read(join.push(&chunks[0], &chunks[1]).unwrap()) > 2000);
        assert_eq!(account.held(), state(&join));
    }
    let account = Account::of(10);
    let run = run(JoinType::Inner, stream_stream::Options::default().with_memory(account));
    let error = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap_err();
    assert!(matches!(error, JoinError::MemoryRefused { .. }), "{error}");
}

#[test]
fn a_higher_limit_lets_the_same_push_through() {
    for store in StoreKind::ALL {
        for limit in [StateLimit::default().with_rows(99), StateLimit::default().with_bytes(1000)] {
            let options = stream_stream::Options::default().with_store(store).with_limit(limit);
            let run = run(JoinType::LeftOuter, options);
            let mut join = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
            let rows: Vec<_> = (0..50).map(|i| row(i, i as u8, 100 * S + i)).collect();
            let chunks = [run.chunks(0, &rows), run.chunks(1, &rows)];
            for _ in 0..2 {
                let error = join.push(&chunks[0], &chunks[1]).unwrap_err();
                assert!(matches!(error, JoinError::StateLimit { .. }), "{error}");
            }
            join.set_limit(StateLimit::default().with_rows(100).with_bytes(1 << 20));
            assert_eq!(read(join.push(&chunks[0], &chunks[1]).unwrap()), 50);
            assert_eq!(join.state(Side::Left).rows + join.state(Side::Right).rows, 100);
        }
    }
}

#[test]
fn rows_that_the_batch_itself_lets_go_do_not_count() {
    for store in StoreKind::ALL {
        for join_type in [JoinType::Inner, JoinType::FullOuter] {
            let limit = StateLimit::default().with_rows(40);
            let options = stream_stream::Options::default().with_store(store).with_limit(limit);
            let mut run = run(join_type, options);
            run.query.no_data_batches = false;
            let mut join = stream_stream::Join::new(run.spec(), run.form.options.clone()).unwrap();
            let mut push = |from: i64, count: i64| {
                let rows: Vec<_> = (0..count).map(|i| row(i, i as u8, from * S)).collect();
                let chunks = [run.chunks(0, &rows), run.chunks(1, &rows)];
                join.push(&chunks[0], &chunks[1]).map(read)
            };
            // The watermark lags a batch behind: rows of two batches stay.
            for batch in 1..8 {
                push(batch * 1000, 10).unwrap();
            }
            let error = push(8000, 11).unwrap_err();
            assert!(
                matches!(error, JoinError::StateLimit { what: "rows", reached: 42, limit: 40 }),
                "{error}"
            );
            push(8000, 10).unwrap();
        }
    }
}

/// A column of one value of 4 GiB, which is never touched: zeroed pages are not
/// there until then.
fn huge() -> ArrayRef {
    let bytes = u32::MAX as usize - 3;
    let offsets = OffsetBuffer::new(vec![0, bytes as i64].into());
    Arc::new(LargeBinaryArray::new(offsets, Buffer::from_vec(vec![0u8; bytes]), None))
}

#[test]
fn a_value_of_4_gib_is_an_error_that_names_its_column() {
    let huge = huge();
    let small = Arc::new(LargeBinaryArray::from(vec![Some(&b"x"[..])])) as ArrayRef;
    let times = Arc::new(TimestampMicrosecondArray::from(vec![5 * S])) as ArrayRef;
    let batch = |key: &ArrayRef, photo: &ArrayRef| {
        let columns =
            [("door", Arc::clone(key)), ("at", Arc::clone(&times)), ("photo", Arc::clone(photo))];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let good = batch(&small, &small);
    for store in StoreKind::ALL {
        let input = stream_stream::Input::new(good.schema()).with_event_time("at").unwrap();
        let input = input.with_watermark_delay(TimeDelta::ZERO);
        let second = TimeDelta::from_secs(1);
        let spec = stream_stream::Spec::on(
            input.clone(),
            input,
            JoinType::Inner,
            [("door", "door")],
            IntervalCondition::between(-second, second),
        )
        .unwrap();
        let options = stream_stream::Options::default().with_store(store);
        let mut join = stream_stream::Join::new(spec, options).unwrap();
        read(join.push(std::slice::from_ref(&good), &[]).unwrap());
        for (bad, column) in [(batch(&huge, &small), "door"), (batch(&small, &huge), "photo")] {
            let error = join.push(&[], &[bad]).unwrap_err();
            assert!(matches!(error, JoinError::ValueTooLarge { .. }), "{error}");
            let error = error.to_string();
            assert!(error.contains(&format!("column `{column}` of the right side")), "{error}");
        }
        assert_eq!(read(join.push(&[], std::slice::from_ref(&good)).unwrap()), 1);
    }
}
