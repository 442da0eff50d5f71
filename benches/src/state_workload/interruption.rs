//! Whether the machine took the processor away in between.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The scheduler's books of the thread that made it.
#[derive(Debug)]
pub(super) struct Interruption {
    /// None where there are no such books.
    books: Option<File>,
    seen: [u64; 2],
}

impl Interruption {
    pub(super) fn new() -> Self {
        let books = File::open("/proc/thread-self/schedstat").ok();
        let mut this = Self { books, seen: [0; 2] };
        this.happened();
        this
    }

    /// Whether the thread had to wait for a processor since it was last asked.
    pub(super) fn happened(&mut self) -> bool {
        let mut text = [0; 96];
        let Some(read) = self.books.as_ref().and_then(|books| books.read_at(&mut text, 0).ok())
        else {
            return false;
        };
        // Time on a processor, time waited for one, how often it got one.
        let text = std::str::from_utf8(&text[..read]).unwrap_or_default();
        let mut numbers = text.split_ascii_whitespace().skip(1).map(|n| n.parse().unwrap_or(0));
        let now = [(); 2].map(|()| numbers.next().unwrap_or(0));
        std::mem::replace(&mut self.seen, now) != now
    }
}
