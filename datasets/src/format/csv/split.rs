//! CSV text taken apart into records: fields, which of them were quoted, and
//! the line on which each record starts.

use std::io::{self, BufRead};

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

/// One record.
#[derive(Debug, Default, Clone)]
pub(super) struct Record {
    /// The fields' bytes, one after another, quotes taken away. Longer than
    /// the fields: room for the next ones.
    bytes: Vec<u8>,
    /// End of each field in `bytes`, and whether it was quoted.
    ends: Vec<(usize, bool)>,
    /// Line on which it starts, counted from 1.
    pub(super) line: u64,
}

impl Record {
    /// Fields.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all fields.
    pub(super) fn size(&self) -> usize {
        self.ends.last().map_or(0, |(end, _)| *end)
    }

    /// A field, and whether it was quoted.
    pub(super) fn field(&self, at: usize) -> Option<(&[u8], bool)> {
        let (end, quoted) = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        Some((&self.bytes[start..end], quoted))
    }

    /// The same without room for more.
    pub(super) fn compact(&self) -> Record {
        let bytes = self.bytes[..self.size()].to_vec();
        Record { bytes, ends: self.ends.clone(), line: self.line }
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

/// Takes records off an input.
#[derive(Debug)]
pub(super) struct Splitter {
    core: Reader,
    delimiter: u8,
    /// The text of the current field from its opening quote on.
    quoted: Vec<u8>,
    /// Whether a line without a character is a record: of one empty field.
    blank_is_record: bool,
    /// Whether the line before ended with a carriage return, to which a line
    /// feed may belong.
    after_return: bool,
}

impl Splitter {
    pub(super) fn new(delimiter: u8) -> Splitter {
        let core = ReaderBuilder::new().delimiter(delimiter).build();
        Splitter {
            core,
            delimiter,
            quoted: Vec::new(),
            blank_is_record: false,
            after_return: false,
        }
    }

    /// The line that is read now.
    pub(super) fn line(&self) -> u64 {
        self.core.line()
    }

    /// From here on a line without a character is a record.
    pub(super) fn take_blank_lines(&mut self) {
        self.blank_is_record = true;
    }

    /// Goes past one line without a character, if there is one; its number.
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

    /// Reads the next record. Lines without a character are passed over, unless
    /// they are taken.
    pub(super) fn next(
        &mut self,
        input: &mut impl BufRead,
        record: &mut Record,
    ) -> io::Result<Split> {
        record.ends.clear();
        if self.blank_is_record
            && let Some(line) = self.blank_line(input)?
        {
            record.line = line;
            record.ends.push((0, false));
            return Ok(Split::Record);
        }
        record.line = self.core.line();
        let mut written = 0;
        // Whether the field has begun, and then whether with a quote.
        let mut begun: Option<bool> = None;
        self.quoted.clear();
        loop {
            let bytes = input.fill_buf()?;
            // A field is never longer than its text.
            let room = bytes.len().clamp(1, 64 << 10);
            if record.bytes.len() < written + room {
                record.bytes.resize((written + room).next_power_of_two(), 0);
            }
            let at_end = bytes.is_empty();
            let (result, read, out) = self.core.read_field(bytes, &mut record.bytes[written..]);
            written += out;
            let text = &bytes[..read];
            let text = match begun {
                Some(_) => text,
                None if record.ends.is_empty() => {
                    // Ends of lines before the record.
                    let skipped = text.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
                    let (before, text) = text.split_at(skipped);
                    record.line += before.iter().filter(|b| **b == b'\n').count() as u64;
                    text
                }
                None => text,
            };
            if begun.is_none() {
                begun = text.first().map(|first| *first == b'"');
            }
            if begun == Some(true) {
                self.quoted.extend_from_slice(text);
            }
            let returns = text.last() == Some(&b'\r');
            input.consume(read);
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::End => return Ok(Split::End),
                ReadFieldResult::Field { record_end } => {
                    let quoted = begun.take() == Some(true);
                    record.ends.push((written, quoted));
                    if at_end {
                        let open = quoted && ends_quoted(&self.quoted, self.delimiter);
                        return Ok(if open { Split::Unclosed } else { Split::Unended });
                    }
                    if record_end {
                        self.after_return = returns;
                        return Ok(Split::Record);
                    }
                    self.quoted.clear();
                }
            }
        }
    }
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
mod tests {
    use std::io::BufReader;

    use super::*;

    type Found = Vec<(u64, Vec<(String, bool)>, Split)>;

    fn split(text: &str, buffer: usize) -> Found {
        split_with(&mut Splitter::new(b','), text, buffer)
    }

    fn split_with(splitter: &mut Splitter, text: &str, buffer: usize) -> Found {
        let mut input = BufReader::with_capacity(buffer, text.as_bytes());
        let mut record = Record::default();
        let mut found = Vec::new();
        loop {
            let split = splitter.next(&mut input, &mut record).unwrap();
            if split == Split::End {
                return found;
            }
            let fields = (0..record.len()).map(|at| record.field(at).unwrap());
            let fields = fields
                .map(|(bytes, quoted)| (String::from_utf8(bytes.to_vec()).unwrap(), quoted))
                .collect();
            found.push((record.line, fields, split));
        }
    }

    #[test]
    fn fields_quotes_and_lines() {
        let text = "a,\"b,\"\"1\n2\"\r\n\r\n\n,\"\",x\"y\r\n\"z\"\n1,";
        let field = |text: &str, quoted| (text.to_owned(), quoted);
        let expected = vec![
            (1, vec![field("a", false), field("b,\"1\n2", true)], Split::Record),
            (5, vec![field("", false), field("", true), field("x\"y", false)], Split::Record),
            (6, vec![field("z", true)], Split::Record),
            (7, vec![field("1", false), field("", false)], Split::Unended),
        ];
        for buffer in [1, 2, 3, 5, 7, 1000] {
            assert_eq!(split(text, buffer), expected, "{buffer}");
        }
    }

    #[test]
    fn blank_lines_that_are_taken() {
        let text = "1\r\n\r\n2\n\n\n\"\"\n\"3\r\n\"\r\n\n";
        let expected = [
            (1, "1", false),
            (2, "", false),
            (3, "2", false),
            (4, "", false),
            (5, "", false),
            (6, "", true),
            (7, "3\r\n", true),
            (9, "", false),
        ];
        for buffer in [1, 2, 3, 1000] {
            let mut splitter = Splitter::new(b',');
            splitter.take_blank_lines();
            let found = split_with(&mut splitter, text, buffer);
            let found: Vec<_> = found
                .iter()
                .map(|(line, fields, _)| (*line, fields[0].0.as_str(), fields[0].1))
                .collect();
            assert_eq!(found, expected, "{buffer}");
        }
    }

    #[test]
    fn ends_inside_a_record() {
        for (text, end) in [
            ("1,\"a", Split::Unclosed),
            ("1,\"a\"\"", Split::Unclosed),
            ("1,\"", Split::Unclosed),
            ("1,\"a\"", Split::Unended),
            ("1,\"a\"\"\"", Split::Unended),
            ("1,", Split::Unended),
            ("1", Split::Unended),
        ] {
            for buffer in [1, 100] {
                let found = split(text, buffer);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(found[0].2, end, "{text}");
            }
        }
    }
}
