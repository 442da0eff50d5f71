//! The `streamjoin` binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    streamjoin::cli::main("mimalloc")
}
