#!/usr/bin/env bash
# fuzz.sh [CRATE...]: runs the fuzz targets of the named crates (default: all)
# for SECONDS_EACH seconds each (default 60). Needs cargo-fuzz
# (`cargo install cargo-fuzz`); works on a nightly compiler, and on a stable one
# by asking it for its unstable flags.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${SECONDS_EACH:-60}"
command -v cargo-fuzz >/dev/null 2>&1 || cargo install --locked cargo-fuzz
export RUSTC_BOOTSTRAP=1
[ $# -gt 0 ] || set -- kernels datasets harness/sql
for crate in "$@"; do
  for target in "$crate"/fuzz/fuzz_targets/*.rs; do
    name=$(basename "$target" .rs)
    echo "== $crate: $name, $seconds s"
    if ! (cd "$crate" && cargo fuzz build "$name"); then
      echo "skipped: this toolchain does not build fuzz targets"
      continue
    fi
    (cd "$crate" && cargo fuzz run "$name" -- -max_total_time="$seconds" -rss_limit_mb=4096 -close_fd_mask=1)
  done
done
