//! Whether the machine took the processor away from a thread.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The scheduler's counters of the thread that created it.
#[derive(Debug)]
pub(super) struct Interruption {
    /// None where the system has no such counters.
    counters: Option<File>,
    seen: [u64; 2],
}

impl Interruption {
    pub(super) fn new() -> Self {
        let counters = File::open("/proc/thread-self/schedstat").ok();
        let mut this = Self { counters, seen: [0; 2] };
        this.happened();
        this
    }

    /// Whether the thread had to wait for a processor since it was last asked.
    pub(super) fn happened(&mut self) -> bool {
        let mut text = [0; 96];
        let Some(read) =
            self.counters.as_ref().and_then(|counters| counters.read_at(&mut text, 0).ok())
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
