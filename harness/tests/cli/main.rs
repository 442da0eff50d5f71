//! The command line on real files.

mod explain;
mod failures;
mod interrupt;
mod pace;
mod robust;
mod run;
mod streams;
mod support;
mod sweep;
mod table_choices;
mod tools;
mod watermark;
