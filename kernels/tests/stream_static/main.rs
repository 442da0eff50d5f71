//! `StreamStaticJoin` against a nested loop over rows, through the public API.

mod columns;
mod exhaustive;
mod outputs;
mod random;
mod reference;
mod traps;
