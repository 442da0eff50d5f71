//! Work on several items, one after the other or on several threads.

use super::options::Options;

/// The results of `work` for each item, in the order of the items. With a pool,
/// its threads and the caller's own take one item after the other.
pub(super) fn map<T: Send, R: Send>(
    options: &Options,
    items: &mut [T],
    work: impl Fn(&mut T) -> R + Sync,
) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if let (Some(pool), 2..) = (&options.pool, items.len()) {
        return fork_join(pool, items, work);
    }
    let _ = options;
    items.iter_mut().map(work).collect()
}

/// The caller's thread does not wait for another to wake up: it begins at once,
/// and mostly finds the first item.
#[cfg(feature = "rayon")]
fn fork_join<T: Send, R: Send>(
    pool: &rayon::ThreadPool,
    items: &mut [T],
    work: impl Fn(&mut T) -> R + Sync,
) -> Vec<R> {
    use std::sync::{Mutex, PoisonError};
    let threads = pool.current_num_threads().min(items.len());
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let queue = Mutex::new(items.iter_mut().zip(&mut results));
    // The lock is held for no longer than this: nobody panics under it.
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some((item, result)) = next() {
            *result = Some(work(item));
        }
    };
    pool.in_place_scope(|scope| {
        (1..threads).for_each(|_| scope.spawn(|_| run()));
        run();
    });
    results.into_iter().flatten().collect()
}
