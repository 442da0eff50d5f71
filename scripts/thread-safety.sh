#!/usr/bin/env bash
# thread-safety.sh: runs the kernel tests that use threads under ThreadSanitizer. It
# needs the standard library compiled with it, hence a nightly toolchain with the
# sources; without them it says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-unknown-linux-gnu
sysroot=$(rustc +nightly --print sysroot 2>/dev/null || true)
skip() { echo "ThreadSanitizer is skipped: $*"; exit 0; }

[ "$(rustc -vV | sed -n 's/^host: //p')" = "$target" ] || skip "it is used on $target only"
[ -n "$sysroot" ] || skip "there is no nightly toolchain (rustup toolchain install nightly --component rust-src)"
[ -d "$sysroot/lib/rustlib/src/rust/library" ] ||
  skip "nightly lacks the sources of the standard library (rustup component add rust-src --toolchain nightly)"

# Crossbeam, below rayon, uses fences, which ThreadSanitizer does not know; the cfg
# makes it use accesses in their place.
export RUSTFLAGS="-Zsanitizer=thread --cfg crossbeam_sanitize_thread"
export CARGO_TARGET_DIR=target/tsan PROPTEST_CASES="${PROPTEST_CASES:-5}"
cargo +nightly test --locked -Zbuild-std --target "$target" -p streamjoin-kernels \
  --test stream_static --test stream_stream --test hostile -- thread
