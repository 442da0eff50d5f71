//! Asking for a long build to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{JoinError, Result};

/// A request that builds of a table stop: kept by who may ask, and handed to what
/// is to stop, by clones that share it. Once cancelled it stays cancelled.
///
/// ```
/// use std::sync::Arc;
/// use streamjoin_kernels::arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use streamjoin_kernels::stream_static::{Join, Options, Spec};
/// use streamjoin_kernels::{Cancellation, JoinError, JoinType, Result};
///
/// # fn main() -> Result<()> {
/// let ids = Arc::new(Int64Array::from_iter_values(0..1000)) as ArrayRef;
/// let table = RecordBatch::try_from_iter([("id", ids)])?;
/// let spec = Spec::on(table.schema(), table.schema(), JoinType::Inner, [("id", "id")])?;
/// let cancellation = Cancellation::default();
/// let options = Options::default().with_cancellation(cancellation.clone());
/// let join = Join::new(spec, options)?;
/// cancellation.cancel(); // from any thread, such as a signal handler's
/// assert!(matches!(join.build(&[table], 1), Err(JoinError::Cancelled)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks for a stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked for a stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// [`JoinError::Cancelled`] if somebody has asked for a stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(JoinError::Cancelled) } else { Ok(()) }
    }
}
