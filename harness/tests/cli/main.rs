//! The command line on real files.

mod explain;
mod failures;
mod interrupt;
mod run;
mod streams;
mod sweep;
mod support;
mod tools;
mod watermark;
