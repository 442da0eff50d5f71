//! The command line on real files.

mod explain;
mod failures;
mod run;
mod support;
mod tools;
