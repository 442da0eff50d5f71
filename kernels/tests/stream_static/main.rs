//! `stream_static::Join` against a nested loop over rows, through the public API.

mod adversarial;
mod cancelled;
mod choices;
mod columns;
mod exhaustive;
mod failures;
mod forms;
mod memory;
mod order;
mod outputs;
mod random;
mod reference;
mod sharing;
mod snapshots;
mod traps;
mod work;
