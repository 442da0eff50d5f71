//! CSV text split into records: fields, which of them were quoted, and
//! the line on which each record starts.

use std::io::{self, BufRead};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// One record.
#[derive(Debug, Default, Clone)]
pub(super) struct Record {
    /// The fields' bytes, one after another, quotes taken away. Longer than
    /// the fields: room for the next ones.
    bytes: Vec<u8>,
    /// End of each field in `bytes`, and room for more.
    ends: Vec<usize>,
    fields: usize,
    /// Which fields were quoted; empty where it makes no difference.
    quoted: Vec<bool>,
    /// Line on which it starts, counted from 1.
    pub(super) line: u64,
}

impl Record {
    /// Fields.
    pub(super) fn len(&self) -> usize {
        self.fields
    }

    /// Bytes of all fields.
    pub(super) fn size(&self) -> usize {
        self.fields.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// A field. Of one that is empty, and of the only one: whether it was quoted.
    pub(super) fn field(&self, at: usize) -> Option<(&[u8], bool)> {
        let end = *self.ends[..self.fields].get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let quoted = self.quoted.get(at).is_some_and(|quoted| *quoted);
        Some((&self.bytes[start..end], quoted))
    }

    /// A copy without room for more.
    pub(super) fn compact(&self) -> Record {
        Record {
            bytes: self.bytes[..self.size()].to_vec(),
            ends: self.ends[..self.fields].to_vec(),
            fields: self.fields,
            quoted: self.quoted.clone(),
            line: self.line,
        }
    }

    /// Becomes one empty field.
    fn clear(&mut self, line: u64) {
        self.quoted.clear();
        self.ends.clear();
        self.ends.push(0);
        (self.fields, self.line) = (1, line);
    }

    /// Whether it matters which fields were quoted.
    fn asks_for_quotes(&self) -> bool {
        let ends = &self.ends[..self.fields];
        ends.len() == 1 || ends.first() == Some(&0) || ends.windows(2).any(|two| two[0] == two[1])
    }
}

/// What the input held next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Split {
    Record,
    /// No more records.
    End,
    /// The input ended inside the quotes of the record's last field.
    Unclosed,
    /// The input ended inside the record; it may be whole all the same.
    Unended,
}

/// Splits an input into records.
#[derive(Debug)]
pub(super) struct Splitter {
    core: Reader,
    delimiter: u8,
    /// The text of a record that is longer than one read of the input.
    text: Vec<u8>,
    /// Whether a line without a character is a record: of one empty field.
    blank_is_record: bool,
    /// Whether the line before ended with a carriage return, to which a line
    /// feed may belong.
    after_return: bool,
}

impl Splitter {
    pub(super) fn new(delimiter: u8) -> Splitter {
        let core = ReaderBuilder::new().delimiter(delimiter).build();
        Splitter { core, delimiter, text: Vec::new(), blank_is_record: false, after_return: false }
    }

    /// The line that is read now.
    pub(super) fn line(&self) -> u64 {
        self.core.line()
    }

    /// A line was read before the first record.
    pub(super) fn skip_line(&mut self) {
        self.core.set_line(self.core.line() + 1);
    }

    /// From here on a line without a character is a record.
    pub(super) fn take_blank_lines(&mut self) {
        self.blank_is_record = true;
    }

    /// Skips one line without a character, if there is one; its number.
    fn blank_line(&mut self, input: &mut impl BufRead) -> io::Result<Option<u64>> {
        loop {
            let first = input.fill_buf()?.first().copied();
            let belongs = self.after_return && first == Some(b'\n');
            self.after_return = first == Some(b'\r');
            if !matches!(first, Some(b'\r' | b'\n')) {
                return Ok(None);
            }
            input.consume(1);
            let line = self.core.line();
            self.core.set_line(line + u64::from(first == Some(b'\n')));
            if !belongs {
                return Ok(Some(line));
            }
        }
    }

    /// Reads the next record. Lines without a character are skipped, unless they
    /// are records.
    pub(super) fn next(
        &mut self,
        input: &mut impl BufRead,
        record: &mut Record,
    ) -> io::Result<Split> {
        if self.blank_is_record
            && let Some(line) = self.blank_line(input)?
        {
            record.clear(line);
            return Ok(Split::Record);
        }
        record.clear(self.core.line());
        record.fields = 0;
        self.text.clear();
        let mut written = 0;
        loop {
            let bytes = input.fill_buf()?;
            // A record is never longer than its text.
            let room = bytes.len().clamp(1, 64 << 10);
            if record.bytes.len() < written + room {
                record.bytes.resize((written + room).next_power_of_two(), 0);
            }
            if record.ends.len() < record.fields + 16 {
                record.ends.resize((record.fields + 16).next_power_of_two(), 0);
            }
            let (result, read, out, ends) = self.core.read_record(
                bytes,
                &mut record.bytes[written..],
                &mut record.ends[record.fields..],
            );
            written += out;
            record.fields += ends;
            let split = match result {
                ReadRecordResult::End => Some(Split::End),
                ReadRecordResult::Record if bytes.is_empty() => Some(Split::Unended),
                ReadRecordResult::Record => Some(Split::Record),
                _ => None,
            };
            if split == Some(Split::Record) && self.text.is_empty() {
                self.after_return = describe(&bytes[..read], self.delimiter, record);
                input.consume(read);
                return Ok(Split::Record);
            }
            self.text.extend_from_slice(&bytes[..read]);
            input.consume(read);
            let Some(split) = split else { continue };
            self.after_return = describe(&self.text, self.delimiter, record);
            let is_open = split == Split::Unended
                && ends_quoted(&self.text[first_line(&self.text)..], self.delimiter);
            return Ok(if is_open { Split::Unclosed } else { split });
        }
    }
}

/// Adds to a record what only its text shows: its line and which fields were
/// quoted. Returns whether it ends with a carriage return.
fn describe(text: &[u8], delimiter: u8, record: &mut Record) -> bool {
    let start = first_line(text);
    record.line += text[..start].iter().filter(|byte| **byte == b'\n').count() as u64;
    if record.asks_for_quotes() {
        note_quotes(&text[start..], delimiter, record);
    }
    text.last() == Some(&b'\r')
}

/// Where text begins after the ends of blank lines.
fn first_line(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}

/// Notes which fields of a record start with a quote.
fn note_quotes(text: &[u8], delimiter: u8, record: &mut Record) {
    let mut at = 0;
    let mut start = 0;
    for &end in &record.ends[..record.fields] {
        let quoted = text.get(at) == Some(&b'"');
        record.quoted.push(quoted);
        // What is not quoted is as long as its text.
        at += if quoted { quoted_len(&text[at..], delimiter) } else { end - start };
        at += 1;
        start = end;
    }
}

/// Length of the quoted field with which text starts.
fn quoted_len(text: &[u8], delimiter: u8) -> usize {
    let mut quoted = true;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        if byte == b'"' && (quoted || text[at - 1] == b'"') {
            // Of two quotes inside quotes the second one opens them again.
            quoted = !quoted;
        } else if byte == delimiter && !quoted {
            return at;
        }
    }
    text.len()
}

/// Whether text that starts with a field ends inside quotes.
fn ends_quoted(text: &[u8], delimiter: u8) -> bool {
    let mut quoted = false;
    let mut may_open = true;
    for &byte in text {
        if byte == b'"' && (quoted || may_open) {
            quoted = !quoted;
            // Two quotes inside quotes are one of the value: out, and in again.
            may_open = !quoted;
        } else {
            may_open = byte == delimiter;
        }
    }
    quoted
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
