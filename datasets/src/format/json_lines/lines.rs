//! The lines of an input that are not blank.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::path::Path;

use super::kcat;
use crate::error::{DatasetError, Result};
use crate::format::text::Ahead;
use crate::input::Input;

/// A longer line is not JSON lines.
const LINE_BYTES: u64 = 64 << 20;

/// A line that was read ahead.
pub(super) struct ReadLine {
    pub(super) text: Vec<u8>,
    pub(super) line: u64,
    pub(super) arrived: Option<i64>,
}

/// The non-blank lines of an input.
pub(super) struct Lines {
    input: Input,
    line: u64,
    /// When the line that was read last arrived, if the input is live.
    arrived: Option<i64>,
    /// Prefix of kcat's columns, if its lines are to be unwrapped.
    kcat: Option<String>,
    ahead: Ahead<ReadLine>,
}

impl Lines {
    pub(super) fn open(path: &Path, mut input: Input) -> Result<Lines> {
        input.skip_mark(path)?;
        Ok(Lines { input, line: 0, arrived: None, kcat: None, ahead: Ahead::new() })
    }

    /// From here on lines are those of `kcat -J`.
    pub(super) fn unwrap_kcat(&mut self, prefix: &str) {
        self.kcat = Some(prefix.to_owned());
    }

    /// The line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// When the line that was read last arrived, if the input is live.
    pub(super) fn arrived(&self) -> Option<i64> {
        self.arrived
    }

    /// Appends the next non-blank line to `text`; its number, or `None` at the end.
    pub(super) fn next(&mut self, path: &Path, text: &mut Vec<u8>) -> Result<Option<u64>> {
        if let Some(ahead) = self.ahead.next()? {
            text.extend_from_slice(&ahead.text);
            self.arrived = ahead.arrived;
            return Ok(Some(ahead.line));
        }
        if self.input.live_state().is_some_and(|live| live.is_full()) {
            return Ok(None);
        }
        let start = text.len();
        if !self.read(path, text)? {
            return Ok(None);
        }
        if let Some(prefix) = &self.kcat {
            let unwrapped = kcat::unwrap(&text[start..], prefix)
                .map_err(|message| DatasetError::line(path, self.line, message))?;
            text.truncate(start);
            text.extend_from_slice(&unwrapped);
        }
        if let Some(live) = self.input.live_state() {
            live.take_rows(1);
            self.arrived = Some(live.arrived());
        }
        Ok(Some(self.line))
    }

    /// Puts back lines that were read ahead, and the error after them.
    pub(super) fn put_back(
        &mut self,
        lines: VecDeque<ReadLine>,
        failed: Option<DatasetError>,
    ) -> Result<()> {
        self.ahead.put_back(lines, failed, &self.input)
    }

    fn read(&mut self, path: &Path, text: &mut Vec<u8>) -> Result<bool> {
        loop {
            let start = text.len();
            let read = (&mut self.input).take(LINE_BYTES).read_until(b'\n', text);
            let read = read.map_err(|e| self.input.failed(path, e))?;
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            let is_ended = text.last() == Some(&b'\n');
            if read as u64 == LINE_BYTES && !is_ended {
                let message = "the line is longer than 64 MiB; write one object per line";
                return Err(DatasetError::line(path, self.line, message));
            }
            let line = &text[start..];
            if line.iter().all(u8::is_ascii_whitespace) {
                text.truncate(start);
                continue;
            }
            if !is_ended {
                if self.input.is_cut() {
                    // The rest of the line was not waited for.
                    text.truncate(start);
                    return Ok(false);
                }
                text.push(b'\n');
            }
            if std::str::from_utf8(&text[start..]).is_err() {
                let message = "not UTF-8; convert the file to UTF-8";
                return Err(DatasetError::line(path, self.line, message));
            }
            return Ok(true);
        }
    }
}
