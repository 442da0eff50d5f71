//! What runs a workload.

use std::fmt;

use streamjoin_kernels::state::StateSize;

use super::meter::Meter;
use super::setting::Setting;

/// How long it runs before it is measured, in retentions.
const WARM_UP: f64 = 1.5;

/// Runs a workload batch by batch, and measures.
pub trait Load: fmt::Debug {
    /// Runs some batches.
    fn run(&mut self, batches: usize) -> Meter;

    /// What is held in state.
    fn size(&self) -> StateSize;

    /// From now on sums up the output, within the timed part: to verify, not to
    /// measure.
    fn check(&mut self);

    /// Rows of each side in a batch.
    fn side_rows(&self) -> usize;

    /// Runs until the state is in steady state.
    fn warm_up(&mut self, setting: &Setting) {
        let rows = setting.rows_of_retention() * WARM_UP;
        self.run((rows / self.side_rows() as f64) as usize + 1);
    }
}
