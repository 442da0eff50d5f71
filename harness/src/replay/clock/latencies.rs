//! Latency of batches.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::record::Quantiles;

/// A histogram of batch latencies, to three digits.
#[derive(Clone, Debug)]
pub struct Latencies {
    nanos: Histogram<u64>,
    max: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        // Three digits are always accepted by the histogram.
        let nanos = Histogram::new(3).unwrap_or_else(|_| unreachable!("3 is a valid precision"));
        Self { nanos, max: 0 }
    }
}

impl Latencies {
    /// Counts one batch.
    pub fn record(&mut self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.max = self.max.max(nanos);
        // A histogram of its own size grows as it must.
        let _ = self.nanos.record(nanos);
    }

    /// Adds another histogram's counts.
    pub fn add(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        // Both resize by themselves, so the sum always fits.
        let _ = self.nanos.add(&other.nanos);
    }

    /// Quantiles in milliseconds; `None` without a batch.
    pub fn quantiles(&self) -> Option<Quantiles> {
        let millis = |nanos: u64| nanos.min(self.max) as f64 / 1e6;
        (!self.nanos.is_empty()).then(|| Quantiles {
            p50: millis(self.nanos.value_at_quantile(0.5)),
            p99: millis(self.nanos.value_at_quantile(0.99)),
            max: millis(self.max),
        })
    }
}

/// How long a row of this event time has waited when the greatest event time is
/// `now`; none while there is none.
pub(crate) fn waited(now: Option<i64>, time: i64) -> Option<Duration> {
    let micros = i128::from(now?) - i128::from(time);
    Some(Duration::from_micros(u64::try_from(micros.max(0)).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_in_milliseconds() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantiles(), None);
        for millis in 1..=100 {
            latencies.record(Duration::from_millis(millis));
        }
        let mut more = Latencies::default();
        more.record(Duration::from_secs(1));
        latencies.add(&more);
        let quantiles = latencies.quantiles().unwrap();
        assert!((quantiles.p50 - 51.0).abs() < 1.5, "{quantiles:?}");
        assert!((quantiles.p99 - 100.0).abs() < 1.5, "{quantiles:?}");
        assert!((quantiles.max - 1000.0).abs() < f64::EPSILON, "{quantiles:?}");
    }
}
