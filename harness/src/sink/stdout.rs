//! Standard output that survives its reader.

use std::io::{self, Write};

/// Standard output; once the reader of the pipe has gone, writes are swallowed,
/// so that `streamjoin run -o - | head` ends as quietly as any Unix tool and a
/// report requested as well is still written.
#[derive(Debug, Default)]
pub struct PipeStdout {
    closed: bool,
}

impl Write for PipeStdout {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(buffer.len());
        }
        match io::stdout().write(buffer) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(buffer.len())
            }
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match io::stdout().flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }
}
