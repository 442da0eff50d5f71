//! Limits the state of two streams, by rows and by bytes, and goes on after a push was
//! refused: with a smaller batch, or with a higher limit. No match is lost.
//!
//! `cargo run --release -p streamjoin-kernels --example state_limit`

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use streamjoin_kernels::arrow::array::{
    ArrayRef, AsArray, Int64Array, RecordBatch, TimestampSecondArray,
};
use streamjoin_kernels::arrow::datatypes::TimestampSecondType;
use streamjoin_kernels::stream_stream::{Batch, End, Input, Join, Options, Spec, StateLimit};
use streamjoin_kernels::time::IntervalCondition;
use streamjoin_kernels::{JoinError, JoinType, MemoryReservation, Result, Side, SideColumn};

/// When the streams begin: in 2026. Event times in 1970 would be late from the start.
const START: i64 = 1_767_225_600;

/// Memory of the program, of which the join may take what is left.
#[derive(Debug)]
struct Account {
    limit: AtomicUsize,
    taken: AtomicUsize,
}

impl MemoryReservation for Account {
    fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
        let limit = self.limit.load(Relaxed);
        let grown = |taken: usize| taken.checked_add(bytes).filter(|&taken| taken <= limit);
        match self.taken.fetch_update(Relaxed, Relaxed, grown) {
            Ok(_) => Ok(()),
            Err(taken) => Err(format!("{taken} of {limit} bytes are taken").into()),
        }
    }

    fn shrink(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Relaxed);
    }
}

/// An ad, and the second in which it was shown or clicked: one event per second.
type Event = (i64, i64);

fn batch(events: &[Event]) -> Result<RecordBatch> {
    let (ads, seconds) = events.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
    Ok(RecordBatch::try_from_iter([
        ("ad", Arc::new(Int64Array::from(ads)) as ArrayRef),
        ("at", Arc::new(TimestampSecondArray::from(seconds))),
    ])?)
}

/// Reads the output to its end, without which the join could not go on.
fn read(output: Option<Batch<'_>>, matches: &mut Vec<(i64, i64)>) -> Result<()> {
    for rows in output.into_iter().flatten() {
        let rows = rows?;
        let seconds = |name| rows[name].as_primitive::<TimestampSecondType>().values();
        matches.extend(seconds("shown").iter().copied().zip(seconds("clicked").iter().copied()));
    }
    Ok(())
}

/// Everything that a refused push could have changed.
fn traces(join: &Join, account: &Account) -> impl PartialEq + std::fmt::Debug + use<> {
    (join.state(Side::Left), join.state(Side::Right), account.taken.load(Relaxed))
}

/// Pushes a batch, in halves where all of it is too much for the limit of rows, and
/// into more memory where the account has no more. Returns how often it was refused.
fn push(
    join: &mut Join,
    account: &Account,
    (shown, clicked): (&[Event], &[Event]),
    matches: &mut Vec<(i64, i64)>,
) -> Result<(u32, u32)> {
    let before = traces(join, account);
    let error = match join.push(&[batch(shown)?], &[batch(clicked)?]) {
        Ok(output) => {
            read(output, matches)?;
            // What the watermark rules out leaves the state and makes room.
            read(join.advance()?, matches)?;
            return Ok((0, 0));
        }
        Err(error) => error,
    };
    assert_eq!(traces(join, account), before, "a refused push changes nothing");
    match error {
        JoinError::StateLimit { .. } if shown.len() > 1 => {
            let (shown, clicked) =
                (shown.split_at(shown.len() / 2), clicked.split_at(clicked.len() / 2));
            let first = push(join, account, (shown.0, clicked.0), matches)?;
            let second = push(join, account, (shown.1, clicked.1), matches)?;
            Ok((first.0 + second.0 + 1, first.1 + second.1))
        }
        JoinError::MemoryRefused { wanted, .. } => {
            account.limit.fetch_add(wanted, Relaxed);
            let again = push(join, account, (shown, clicked), matches)?;
            Ok((again.0, again.1 + 1))
        }
        other => Err(other),
    }
}

fn main() -> Result<()> {
    let input = Input::new(batch(&[])?.schema())
        .with_event_time("at")?
        .with_watermark_delay(Duration::from_secs(10));
    let within = IntervalCondition::between(Duration::ZERO, Duration::from_secs(60));
    let spec = Spec::on(input.clone(), input, JoinType::Inner, [("ad", "ad")], within)?
        .select([("shown", SideColumn::left("at")), ("clicked", SideColumn::right("at"))])?;
    let account = Arc::new(Account { limit: (64 << 20).into(), taken: 0.into() });
    let options = Options::default()
        .with_limit(StateLimit::default().with_rows(400))
        .with_memory(account.clone());
    let mut join = Join::new(spec, options)?;

    let seconds = START..START + 3600;
    let shown: Vec<Event> = seconds.clone().map(|second| (second % 37, second)).collect();
    let clicked: Vec<Event> = seconds.map(|second| (second * 3 % 37, second)).collect();
    let (mut matches, mut refused) = (Vec::new(), (0, 0));
    for (number, events) in shown.chunks(600).zip(clicked.chunks(600)).enumerate() {
        if number == 3 {
            // From here on batches may be as large as they are, but memory is scarce.
            join.set_limit(StateLimit::default());
            account.limit.store(account.taken.load(Relaxed), Relaxed);
        }
        let now = push(&mut join, &account, events, &mut matches)?;
        refused = (refused.0 + now.0, refused.1 + now.1);
    }
    read(join.finish(End::Flush)?, &mut matches)?;
    drop(join);
    println!(
        "{} matches; refused {} times by rows, {} by bytes",
        matches.len(),
        refused.0,
        refused.1
    );
    assert!(refused.0 > 0 && refused.1 > 0);
    assert_eq!(account.taken.load(Relaxed), 0, "the join gives back what it has taken");

    let mut by_hand = Vec::new();
    for &(ad, shown_at) in &shown {
        let near = |&&(of, at): &&Event| of == ad && (0..=60).contains(&(at - shown_at));
        by_hand.extend(clicked.iter().filter(near).map(|&(_, at)| (shown_at, at)));
    }
    matches.sort_unstable();
    assert_eq!(matches, by_hand);
    Ok(())
}

#[test]
fn the_answer_is_right() {
    main().unwrap();
}
