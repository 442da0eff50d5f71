//! Peak memory of this process.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often anonymous memory is sampled: finer than any table build, and cheap (a
/// sample costs about 20 microseconds).
const EVERY: Duration = Duration::from_millis(5);

/// Peaks over a run; `None` where the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryPeaks {
    /// Greatest resident set, file-mapped pages included.
    pub rss: Option<u64>,
    /// Greatest anonymous memory that was sampled.
    pub anonymous: Option<u64>,
}

/// Samples this process's memory from a thread of its own.
#[derive(Debug)]
pub struct MemorySampler {
    stop: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl MemorySampler {
    /// Starts sampling.
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let peak = Arc::new(AtomicU64::new(0));
        let thread = anonymous_bytes().and_then(|_| {
            let (stop, peak) = (Arc::clone(&stop), Arc::clone(&peak));
            thread::Builder::new()
                .name("memory".to_owned())
                .spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        if let Some(bytes) = anonymous_bytes() {
                            peak.fetch_max(bytes, Ordering::Relaxed);
                        }
                        thread::park_timeout(EVERY);
                    }
                })
                .ok()
        });
        Self { stop, peak, thread }
    }

    /// Stops, with a last sample.
    pub fn finish(mut self) -> MemoryPeaks {
        let last = anonymous_bytes();
        self.stop();
        let peak = self.peak.load(Ordering::Relaxed);
        MemoryPeaks { rss: status_field("VmHWM:"), anonymous: last.map(|bytes| bytes.max(peak)) }
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread only reads a file; a panic in it loses samples, nothing else.
            let _ = thread.join();
        }
    }
}

impl Drop for MemorySampler {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Anonymous memory of this process now.
pub fn anonymous_bytes() -> Option<u64> {
    status_field("RssAnon:")
}

fn status_field(name: &str) -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, name)
}

fn field(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nRssAnon:\t     100 kB\n";
        assert_eq!(field(status, "RssAnon:"), Some(102_400));
        assert_eq!(field(status, "VmHWM:"), Some(2_097_152));
        assert_eq!(field(status, "RssFile:"), None);
        assert_eq!(field("RssAnon: many kB", "RssAnon:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_peak_outlives_its_memory() {
        let sampler = MemorySampler::start();
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        thread::sleep(EVERY * 10);
        drop(block);
        let peaks = sampler.finish();
        // Other tests give memory back meanwhile, so there is no telling from what it rises.
        assert!(peaks.anonymous.unwrap() >= 60 << 20, "{peaks:?}");
        assert!(peaks.rss.unwrap() >= 60 << 20, "{peaks:?}");
    }
}
