//! An input that is read while its rows are produced: a thread reads it, so that
//! it can be ended while nothing arrives.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of one read.
const CHUNK_BYTES: usize = 64 << 10;
/// Chunks that may wait; then the producer does.
const CHUNKS: usize = 16;
/// How often `asked` is called while nothing arrives.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// The state of a live input, shared by its reader and its observers.
pub struct Live {
    /// Whether to end now.
    asked: Box<dyn Fn() -> bool + Send + Sync>,
    limit: u64,
    rows: AtomicU64,
    bytes: AtomicU64,
    /// When the bytes that are read now arrived, in microseconds since 1970.
    arrived: AtomicI64,
    stopped: AtomicBool,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("rows", &self.rows)
            .field("bytes", &self.bytes)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

impl Live {
    /// `asked` is called now and then, at least every 50 ms; once it returns
    /// true the input ends, and so it does after `limit` rows.
    pub fn new(limit: Option<u64>, asked: impl Fn() -> bool + Send + Sync + 'static) -> Arc<Live> {
        Arc::new(Live {
            asked: Box::new(asked),
            limit: limit.unwrap_or(u64::MAX),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            arrived: AtomicI64::new(i64::MIN),
            stopped: AtomicBool::new(false),
        })
    }

    /// Rows so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Bytes so far, as they arrived.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether somebody asked to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || (self.asked)()
    }

    /// Whether no more rows are wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.rows() >= self.limit
    }

    /// Counts rows, up to the limit; returns how many were counted.
    pub(crate) fn take_rows(&self, rows: usize) -> usize {
        let wanted = (rows as u64).min(self.limit - self.rows()) as usize;
        self.rows.fetch_add(wanted as u64, Ordering::Relaxed);
        wanted
    }

    /// When the rows that are read now arrived, in microseconds since 1970; never
    /// less than before.
    pub(crate) fn arrived(&self) -> i64 {
        self.arrived.load(Ordering::Relaxed)
    }
}

/// A piece of the input and when it arrived.
type Chunk = io::Result<(i64, Vec<u8>)>;

/// Reads a live input and times it.
pub(crate) struct LiveReader {
    live: Arc<Live>,
    chunks: Receiver<Chunk>,
    chunk: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl LiveReader {
    /// Starts to read `input` in a thread of its own, which lives until the
    /// input ends or something arrives after nobody wants it any more.
    pub(crate) fn start(input: impl Read + Send + 'static, live: Arc<Live>) -> LiveReader {
        let (sender, chunks) = sync_channel(CHUNKS);
        let watched = live.clone();
        thread::spawn(move || pass_on(input, &sender, &watched));
        LiveReader { live, chunks, chunk: io::Cursor::default(), ended: false }
    }

    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The next piece; `None` at the end. What arrived before somebody asked
    /// to end is still returned.
    fn next_chunk(&self) -> io::Result<Option<(i64, Vec<u8>)>> {
        loop {
            if self.live.is_stopped() {
                self.live.stopped.store(true, Ordering::Relaxed);
                return self.chunks.try_recv().ok().transpose();
            }
            match self.chunks.recv_timeout(ASK_EVERY) {
                Ok(chunk) => return chunk.map(Some),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn pass_on(mut input: impl Read, chunks: &SyncSender<Chunk>, live: &Live) {
    let mut last = i64::MIN;
    while !live.stopped.load(Ordering::Relaxed) {
        let mut bytes = vec![0; CHUNK_BYTES];
        let chunk = match input.read(&mut bytes) {
            Ok(0) => return,
            Ok(read) => {
                bytes.truncate(read);
                // The clock may be set back.
                last = last.max(now());
                Ok((last, bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if chunks.send(chunk).is_err() || failed {
            return;
        }
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

impl Read for LiveReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(into)?;
            if read > 0 || into.is_empty() || self.ended {
                return Ok(read);
            }
            match self.next_chunk()? {
                Some((at, bytes)) => {
                    self.live.arrived.store(at, Ordering::Relaxed);
                    self.live.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    self.chunk = io::Cursor::new(bytes);
                }
                None => self.ended = true,
            }
        }
    }
}
