//! What tables weigh, and that the caller is asked before they grow.

use std::sync::{Arc, Mutex};

use streamjoin_kernels::arrow::array::*;
use streamjoin_kernels::stream_static;
use streamjoin_kernels::{JoinError, JoinType, MemoryReservation, Result};

use crate::traps::strategies;

/// An account with a limit, the most that it ever gave, and the requests.
#[derive(Debug, Default)]
struct Account(Mutex<Balance>);

#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    held: usize,
    peak: usize,
    limit: usize,
}

impl Account {
    fn with_limit(limit: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Balance { limit, ..Balance::default() })))
    }

    fn balance(&self) -> Balance {
        *self.0.lock().unwrap()
    }
}

impl MemoryReservation for Account {
    fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut balance = self.0.lock().unwrap();
        if balance.held + bytes > balance.limit {
            return Err(format!("{} of {} bytes are taken", balance.held, balance.limit).into());
        }
        balance.held += bytes;
        balance.peak = balance.peak.max(balance.held);
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        let mut balance = self.0.lock().unwrap();
        assert!(bytes <= balance.held, "more given back than taken");
        balance.held -= bytes;
    }
}

/// Three kinds of keys, with nulls, and columns of fixed and variable width.
fn tables() -> [RecordBatch; 3] {
    let n = 30_000i64;
    let key = |i: i64| (i % 11 != 0).then_some(i * 7919 % 100_003);
    let words: ArrayRef = Arc::new((0..n).map(key).collect::<Int64Array>());
    let wide: ArrayRef =
        Arc::new((0..n).map(|i| key(i).map(i128::from)).collect::<Decimal128Array>());
    let texts: ArrayRef = Arc::new(
        (0..n).map(|i| key(i).map(|k| format!("a rather long key {k}"))).collect::<StringArray>(),
    );
    let names: ArrayRef =
        Arc::new((0..n).map(|i| Some("n".repeat(i as usize % 40))).collect::<StringArray>());
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..n as i32));
    [words, wide, texts].map(|key| {
        RecordBatch::try_from_iter_with_nullable([
            ("d", key, true),
            ("name", Arc::clone(&names), true),
            ("number", Arc::clone(&numbers), false),
        ])
        .unwrap()
    })
}

fn planned(table: &RecordBatch, options: stream_static::Options) -> stream_static::Join {
    let stream = table.project(&[0]).unwrap().schema();
    let keys = [(0, 0)];
    let spec = stream_static::Spec::on(stream, table.schema(), JoinType::LeftOuter, keys).unwrap();
    stream_static::Join::new(spec, options).unwrap()
}

#[test]
fn what_is_reserved_is_what_is_held_and_all_is_given_back() {
    for table in tables() {
        let halves = [table.slice(0, 11_111), table.slice(11_111, table.num_rows() - 11_111)];
        for mut options in strategies() {
            let account = Account::with_limit(usize::MAX);
            options.memory = Some(Arc::clone(&account) as _);
            let name = format!("{} {:?}", options.layout, options.index);
            let join = planned(&table, options);
            let first = join.build(&halves, 1).unwrap();
            let one = account.balance();
            assert_eq!(one.held, first.bytes(), "{name}");
            assert_eq!(one.peak, first.peak_build_bytes(), "{name}");
            // While building there were keys and hashes at least.
            assert!(one.peak >= first.bytes() && one.peak > 16 * table.num_rows(), "{name}");
            join.swap(first).unwrap();
            let second = join.build(&halves[..1], 2).unwrap();
            assert!(account.balance().held == one.held + second.bytes(), "{name}");
            drop(join.swap(second).unwrap());
            assert!(account.balance().held < one.held, "{name}");
            drop(join);
            assert_eq!(account.balance().held, 0, "{name}");
        }
    }
}

#[test]
fn a_refusal_is_an_error_that_says_how_much_and_leaves_nothing_taken() {
    for table in tables() {
        for mut options in strategies() {
            let account = Account::with_limit(usize::MAX);
            options.memory = Some(Arc::clone(&account) as _);
            drop(planned(&table, options.clone()).build(std::slice::from_ref(&table), 0).unwrap());
            let needed = account.balance().peak;
            // Whatever it is that no longer fits, from the first thing to the last.
            for limit in [0, needed / 10, needed / 4, needed / 2, needed - 1] {
                let account = Account::with_limit(limit);
                options.memory = Some(Arc::clone(&account) as _);
                let join = planned(&table, options.clone());
                match join.build(std::slice::from_ref(&table), 0) {
                    Err(JoinError::MemoryRefused { wanted, .. }) => assert!(wanted > 0),
                    other => panic!("{limit} of {needed}: {other:?}"),
                }
                let error = join.build(std::slice::from_ref(&table), 0).unwrap_err().to_string();
                assert!(error.contains("filter the rows"), "{error}");
                assert_eq!(account.balance().held, 0);
            }
        }
    }
}
