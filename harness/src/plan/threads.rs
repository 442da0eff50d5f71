//! Threads that join.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::error::{Failure, Result};

/// A pool of so many threads; none for one, which is the caller's.
///
/// # Errors
/// A run failure if they cannot be started.
pub fn pool(threads: NonZeroUsize) -> Result<Option<Arc<rayon::ThreadPool>>> {
    if threads.get() == 1 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .thread_name(|number| format!("join {number}"))
        .build()
        .map_err(|error| Failure::run(format!("cannot start {threads} threads: {error}")))?;
    Ok(Some(Arc::new(pool)))
}
