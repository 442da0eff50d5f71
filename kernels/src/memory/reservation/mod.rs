//! Asking the caller before memory is taken.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::error::{JoinError, Result};

/// A caller's account of memory, such as DataFusion's `MemoryPool`: asked
/// before a table or the state of two streams grows, told when it shrinks. Shared between threads.
///
/// ```
/// use std::error::Error;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use streamjoin_kernels::{JoinError, JoinType, MemoryReservation, Result};
/// use streamjoin_kernels::stream_static;
///
/// /// This many bytes are left.
/// #[derive(Debug)]
/// struct Account(AtomicUsize);
///
/// impl MemoryReservation for Account {
///     fn try_grow(&self, bytes: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
///         let take = |left: usize| left.checked_sub(bytes);
///         match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
///             Ok(_) => Ok(()),
///             Err(left) => Err(format!("{left} bytes are left").into()),
///         }
///     }
///
///     fn shrink(&self, bytes: usize) {
///         self.0.fetch_add(bytes, Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let ids = Arc::new(Int64Array::from_iter_values(0..1000)) as ArrayRef;
/// let table = RecordBatch::try_from_iter([("id", ids)])?;
/// let build = |left| {
///     let memory: Arc<dyn MemoryReservation> = Arc::new(Account(AtomicUsize::new(left)));
///     let keys = [("id", "id")];
///     let spec = stream_static::Spec::on(table.schema(), table.schema(), JoinType::LeftSemi, keys)?;
///     let options = stream_static::Options::default().with_memory(memory);
///     stream_static::Join::new(spec, options)?.build(std::slice::from_ref(&table), 1)
/// };
/// assert!(build(1 << 20)?.peak_build_bytes() < 1 << 20);
/// assert!(matches!(build(1000), Err(JoinError::MemoryRefused { .. })));
/// # Ok(())
/// # }
/// ```
pub trait MemoryReservation: fmt::Debug + Send + Sync {
    /// Takes `bytes` more.
    ///
    /// # Errors
    /// The caller's own, if they are not available: then nothing is taken.
    fn try_grow(&self, bytes: usize) -> std::result::Result<(), Box<dyn Error + Send + Sync>>;

    /// Gives `bytes` back.
    fn shrink(&self, bytes: usize);
}

const NO_MACHINE: &str = "no machine has as many";

/// What a build or a table has taken of a caller's memory; given back when it
/// is dropped. It counts even where the caller has no account.
pub(crate) struct Reserved {
    account: Option<Arc<dyn MemoryReservation>>,
    held: usize,
    peak: usize,
}

impl Reserved {
    pub(crate) fn new(account: Option<Arc<dyn MemoryReservation>>) -> Self {
        Self { account, held: 0, peak: 0 }
    }

    /// Takes `bytes` more for `what`.
    ///
    /// # Errors
    /// [`JoinError::MemoryRefused`], also for more bytes than can be counted.
    pub(crate) fn grow(&mut self, bytes: usize, what: &'static str) -> Result<()> {
        let refused =
            |source| JoinError::MemoryRefused { what, wanted: bytes, held: self.held, source };
        // An index of the caller's says how many bytes it takes.
        let held = self.held.checked_add(bytes).ok_or_else(|| refused(NO_MACHINE.into()))?;
        if let Some(account) = &self.account {
            account.try_grow(bytes).map_err(refused)?;
        }
        self.held = held;
        self.peak = self.peak.max(self.held);
        Ok(())
    }

    /// Gives `bytes` back, no more than are held.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.held);
        // First, lest it is given back twice if the account panics.
        self.held -= bytes;
        if let Some(account) = &self.account {
            account.shrink(bytes);
        }
    }

    /// Sets straight an estimate: `was` bytes were reserved for what takes `is`.
    ///
    /// # Errors
    /// [`JoinError::MemoryRefused`] if it takes more than is available.
    pub(crate) fn settle(&mut self, was: usize, is: usize, what: &'static str) -> Result<()> {
        if is > was {
            return self.grow(is - was, what);
        }
        self.shrink(was - is);
        Ok(())
    }

    /// Holds `bytes` from now on: what something takes that cannot be refused any
    /// more. Where it takes more than was granted and the caller has no more, the
    /// account stays behind until the next call.
    pub(crate) fn settle_at(&mut self, bytes: usize, what: &'static str) {
        match bytes.checked_sub(self.held) {
            Some(more) => drop(self.grow(more, what)),
            None => self.shrink(self.held - bytes),
        }
    }

    /// The most that was held at once.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// What is held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.shrink(self.held);
            return;
        }
        // A second panic would end the process.
        let given_back = catch_unwind(AssertUnwindSafe(|| self.shrink(self.held)));
        drop(given_back);
    }
}

impl fmt::Debug for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reserved").field("held", &self.held).field("peak", &self.peak).finish()
    }
}
