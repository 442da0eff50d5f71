//! The command line, one file a command.

pub mod data;
pub mod machine;
