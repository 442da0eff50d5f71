//! The command line on real files.

mod completions;
mod explain;
mod failures;
mod files;
mod findings;
mod gate;
mod init;
mod inline;
mod interrupt;
mod nested;
mod pace;
mod record;
mod robust;
mod run;
mod schema;
mod stream_stream;
mod support;
mod sweep;
mod table_choices;
mod tools;
mod types;
mod uuid;
mod vary;
mod watermark;
