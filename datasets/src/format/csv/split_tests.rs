//! Records, quotes and lines of CSV text.

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
    // Which fields were quoted is noted where one is empty, or the only one.
    let text = "a,\"b,\"\"1\n2\"\r\n\r\n\n,\"\",x\"y,\"\"\"\",\"q\"\r\n\"z\"\n1,";
    let field = |text: &str, quoted| (text.to_owned(), quoted);
    let expected = vec![
        (1, vec![field("a", false), field("b,\"1\n2", false)], Split::Record),
        (
            5,
            vec![
                field("", false),
                field("", true),
                field("x\"y", false),
                field("\"", true),
                field("q", true),
            ],
            Split::Record,
        ),
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
