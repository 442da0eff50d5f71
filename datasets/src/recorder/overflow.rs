//! A file that never fails its writer: what the system does not take stays in
//! memory, so that the writer can finish and the file can be cut.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file, shared by the writer and the recorder.
#[derive(Clone)]
pub(super) struct Overflow(Arc<Mutex<State>>);

struct State {
    file: File,
    /// Bytes in the file.
    written: u64,
    /// Bytes that come after them: no more than the writer holds back.
    tail: Vec<u8>,
    failure: Option<io::Error>,
}

impl Overflow {
    pub(super) fn new(file: File) -> Overflow {
        Overflow(Arc::new(Mutex::new(State { file, written: 0, tail: Vec::new(), failure: None })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.state().failure.is_some()
    }

    /// Why the system took no more.
    pub(super) fn take_failure(&self) -> Option<io::Error> {
        self.state().failure.take()
    }

    /// Bytes in the file.
    pub(super) fn written(&self) -> u64 {
        self.state().written
    }

    /// Bytes in the file and after it.
    pub(super) fn len(&self) -> u64 {
        let state = self.state();
        state.written + state.tail.len() as u64
    }

    /// Tries again to write what the system did not take: there may be room by now.
    pub(super) fn write_tail(&self) -> io::Result<()> {
        let mut state = self.state();
        let tail = std::mem::take(&mut state.tail);
        let written = state.written;
        let done = end_with(&mut state.file, written, &tail);
        match done {
            Ok(()) => state.written += tail.len() as u64,
            Err(_) => state.tail = tail,
        }
        done
    }

    /// Cuts the file to `len` bytes and writes `end` after them.
    pub(super) fn cut(&self, len: u64, end: &[u8]) -> io::Result<()> {
        end_with(&mut self.state().file, len, end)
    }

    /// What stands at `start`, in the file and after it; less at the end.
    pub(super) fn read_at(&self, start: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut state = self.state();
        let in_file = state.written.saturating_sub(start).min(len as u64);
        let mut bytes = Vec::new();
        state.file.seek(SeekFrom::Start(start))?;
        (&state.file).take(in_file).read_to_end(&mut bytes)?;
        let from = usize::try_from(start.saturating_sub(state.written)).unwrap_or(usize::MAX);
        let rest = state.tail.get(from..).unwrap_or_default();
        bytes.extend_from_slice(&rest[..rest.len().min(len - bytes.len())]);
        Ok(bytes)
    }
}

fn end_with(file: &mut File, len: u64, end: &[u8]) -> io::Result<()> {
    file.set_len(len)?;
    file.seek(SeekFrom::Start(len))?;
    file.write_all(end)
}

impl Write for Overflow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        if state.failure.is_none() {
            match state.file.write(bytes) {
                Ok(written) if written > 0 || bytes.is_empty() => {
                    state.written += written as u64;
                    return Ok(written);
                }
                Ok(_) => state.failure = Some(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => state.failure = Some(error),
            }
        }
        state.tail.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
