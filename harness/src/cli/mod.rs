//! The command line, one file a command.

pub mod conform;
pub mod data;
pub mod machine;
