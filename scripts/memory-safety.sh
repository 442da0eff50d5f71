#!/usr/bin/env bash
# memory-safety.sh [TESTS...]: runs the kernel tests (default: --lib --tests)
# under what finds memory errors on this machine:
# AddressSanitizer (its runtime ships with Rust for x86-64 Linux), else
# valgrind's memcheck; and Miri where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- --lib --tests
target=$(rustc -vV | sed -n 's/^host: //p')
export PROPTEST_CASES="${PROPTEST_CASES:-50}"

if [ "$target" = x86_64-unknown-linux-gnu ]; then
  echo "== AddressSanitizer"
  # The flag is unstable, the runtime is there: ask the stable compiler for it.
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=target/asan \
    cargo test --locked --target "$target" -p streamjoin-kernels "$@"
elif command -v valgrind >/dev/null 2>&1; then
  echo "== valgrind memcheck"
  CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --error-exitcode=99 -q" \
    cargo test --locked -p streamjoin-kernels "$@"
else
  echo "neither AddressSanitizer nor valgrind on this machine" >&2
  exit 1
fi

if cargo miri --version >/dev/null 2>&1; then
  echo "== Miri"
  MIRIFLAGS="-Zmiri-disable-isolation" PROPTEST_CASES=2 \
    cargo miri test -p streamjoin-kernels --lib
fi
