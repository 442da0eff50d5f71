//! Where a measurement was made, which decides whether two records compare.

use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use streamjoin_datasets::to_hex;

const LOCK: &[u8] = include_bytes!("../../../Cargo.lock");

/// Machine and build of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    /// Version of streamjoin.
    pub version: String,
    /// Source revision, where the build knew it.
    pub revision: Option<String>,
    /// SHA-256 of the `Cargo.lock` that was built from.
    pub lock_hash: Option<String>,
    /// SHA-256 over the recordings and tables that were read, where known.
    pub data_hash: Option<String>,
    /// Compiler that built the program, as it names itself.
    pub rustc: Option<String>,
    /// Build profile: `release` or `debug`.
    pub profile: String,
    /// Global allocator of the binary.
    pub allocator: String,
    /// Instruction set in use.
    pub isa: String,
    /// The machine.
    pub machine: Machine,
}

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Machine {
    /// Processor model.
    pub cpu: Option<String>,
    /// Logical cores that this process may use.
    pub cores: usize,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// Operating system and kernel release.
    pub os: String,
    /// Cache sizes.
    pub caches: Caches,
    /// Bytes of an ordinary page.
    pub page_bytes: Option<u64>,
    /// Transparent huge pages: `always`, `madvise` or `never`.
    pub huge_pages: Option<String>,
    /// Bytes of a transparent huge page.
    pub huge_page_bytes: Option<u64>,
}

/// Data cache sizes of one core, in bytes; null where not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Caches {
    /// First level, data.
    pub l1d_bytes: Option<u64>,
    /// Second level.
    pub l2_bytes: Option<u64>,
    /// Third level, the whole slice that this core reaches.
    pub l3_bytes: Option<u64>,
}

impl Environment {
    /// Detects this machine and build.
    ///
    /// `isa` and `allocator` are the names of what the run uses; `data_hash`
    /// stands for what it read.
    pub fn detect(isa: &str, allocator: &str, data_hash: Option<String>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: option_env!("STREAMJOIN_REVISION").map(str::to_owned),
            lock_hash: Some(to_hex(&Sha256::digest(LOCK))),
            data_hash,
            rustc: option_env!("STREAMJOIN_RUSTC").map(str::to_owned),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            allocator: allocator.to_owned(),
            isa: isa.to_owned(),
            machine: Machine::detect(),
        }
    }
}

impl Machine {
    /// Detects this machine; what cannot be read is left out.
    pub fn detect() -> Self {
        let release = read("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            cpu: field_of("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: field_of("/proc/meminfo", "MemTotal").and_then(|text| kilobytes(&text)),
            os: format!("{} {release}", std::env::consts::OS).trim_end().to_owned(),
            caches: Caches::detect(),
            page_bytes: field_of("/proc/self/smaps", "KernelPageSize")
                .and_then(|text| kilobytes(&text)),
            huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|text| bracketed(&text)),
            huge_page_bytes: read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
                .and_then(|text| text.parse().ok()),
        }
    }
}

impl Caches {
    /// Reads the cache sizes of the first core.
    pub fn detect() -> Self {
        let mut caches = Self::default();
        for index in 0..8 {
            let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
            let part = |name: &str| read(&format!("{folder}/{name}"));
            let (Some(level), Some(kind), Some(size)) = (part("level"), part("type"), part("size"))
            else {
                continue;
            };
            let size = cache_size(&size);
            match (level.as_str(), kind.as_str()) {
                ("1", "Data" | "Unified") => caches.l1d_bytes = size,
                ("2", "Data" | "Unified") => caches.l2_bytes = size,
                ("3", "Data" | "Unified") => caches.l3_bytes = size,
                _ => {}
            }
        }
        caches
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The value of the first `name : value` line of a file.
fn field_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
}

/// `123 kB` in bytes.
fn kilobytes(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `48K`, `1024K` or `32M` in bytes.
fn cache_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "K" => 1024,
        "M" => 1024 * 1024,
        "" => 1,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The chosen word of a kernel setting such as `always [madvise] never`.
fn bracketed(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(word, _)| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_spellings_are_read() {
        assert_eq!(cache_size("48K"), Some(48 * 1024));
        assert_eq!(cache_size("32M"), Some(32 * 1024 * 1024));
        assert_eq!(cache_size("big"), None);
        assert_eq!(kilobytes("24 kB"), Some(24 * 1024));
        assert_eq!(bracketed("always [madvise] never"), Some("madvise".to_owned()));
    }

    #[test]
    fn a_record_says_where_it_was_made() {
        let environment = Environment::detect("avx2", "mimalloc", Some("ab".to_owned()));
        assert!(environment.machine.cores >= 1);
        assert_eq!(environment.lock_hash.as_ref().map(String::len), Some(64));
        let json = serde_json::to_value(&environment).unwrap();
        for field in
            ["version", "revision", "lockHash", "dataHash", "rustc", "isa", "allocator", "machine"]
        {
            assert!(json.get(field).is_some(), "{field}");
        }
        assert!(environment.rustc.is_some_and(|rustc| rustc.starts_with("rustc ")));
        assert!(json["machine"].get("pageBytes").is_some());
        assert!(json["machine"]["caches"].get("l2Bytes").is_some());
    }
}
