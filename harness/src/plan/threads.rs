//! Threads that join.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::error::{Failure, Result};

/// A pool of this many threads; none for one, which is the caller's.
///
/// # Errors
/// A run failure if they cannot be started.
pub fn pool(threads: NonZeroUsize) -> Result<Option<Arc<ThreadPool>>> {
    start(threads, ThreadPoolBuilder::build)
}

/// A pool of this many threads, the caller's among them: then it need not be woken
/// up when the others are done, and does itself what they have not begun. For
/// the thread that runs a strategy and nothing else: it stays in this pool.
///
/// # Errors
/// A run failure if the threads cannot be started.
pub fn pool_with_caller(threads: NonZeroUsize) -> Result<Option<Arc<ThreadPool>>> {
    let joined = start(threads, |builder| builder.use_current_thread().build());
    // A thread that is in a pool already cannot be in another.
    joined.or_else(|_| pool(threads))
}

fn start(
    threads: NonZeroUsize,
    build: impl FnOnce(ThreadPoolBuilder) -> std::result::Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<Option<Arc<ThreadPool>>> {
    if threads.get() == 1 {
        return Ok(None);
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads.get());
    let pool = build(builder.thread_name(|number| format!("join {number}")))
        .map_err(|error| Failure::run(format!("cannot start {threads} threads: {error}")))?;
    Ok(Some(Arc::new(pool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_one_of_the_threads_where_it_can() {
        let three = NonZeroUsize::new(3).unwrap();
        // In a thread of its own: no other test finds itself in the pool.
        let run = std::thread::spawn(move || {
            let number =
                |pool: &ThreadPool| (pool.current_num_threads(), pool.current_thread_index());
            let alone = pool(three).unwrap().unwrap();
            assert_eq!(number(&alone), (3, None));
            let first = pool_with_caller(three).unwrap().unwrap();
            assert_eq!(number(&first), (3, Some(0)));
            let second = pool_with_caller(three).unwrap().unwrap();
            assert_eq!(number(&second), (3, None));
            assert!(pool(NonZeroUsize::MIN).unwrap().is_none());
        });
        run.join().unwrap();
    }
}
