//! What the state is tuned for: target rates in their settings.

use streamjoin_benches::state_workload::{KeyChoice, Setting};

/// A setting, and the target of the best store in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) setting: Setting,
    pub(crate) asked: &'static str,
}

/// The targets of everything that runs in one thread.
pub(crate) fn targets() -> Vec<Target> {
    let base = Setting { live: 1_000_000, ..Setting::default() };
    let narrow = Setting { interval: 0.05, ..base };
    // As many matches with as without a shift.
    let long_chains = Setting { interval: 1.5e-4, keys: KeyChoice::RowsPerKey(1e4), ..base };
    vec![
        Target { setting: Setting { live: 100_000, ..base }, asked: "75 M rows/s, better 100" },
        Target {
            setting: base,
            asked: "27 M rows/s, better 40; 44 bytes per live row, better 36; evictions of 2 ns \
                    per row that expires, none over 0.05 ms + 3 ns per row",
        },
        Target { setting: narrow, asked: "48 M rows/s, better 60" },
        Target { setting: Setting { disorder: 0.05, ..narrow }, asked: "36 M rows/s, better 50" },
        Target { setting: long_chains, asked: "the measure of the next one" },
        Target {
            setting: Setting { shift: 0.5, ..long_chains },
            asked: "half the rate of the one before, or more",
        },
    ]
}
