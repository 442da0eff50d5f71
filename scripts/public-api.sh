#!/usr/bin/env bash
# public-api.sh [--update]: compares the public API of the kernels with the list of it
# in kernels/public-api.txt, or writes that list. Installs cargo-public-api in target/.
set -euo pipefail
cd "$(dirname "$0")/.."

# Reads what the rustdoc of Rust 1.95 writes: a later Rust may need a later version.
version=0.52.0
list=kernels/public-api.txt
tool=target/tools/bin/cargo-public-api

if ! rustc --version | grep -q '^rustc 1\.95\.'; then
  echo "not compared: the list is made with Rust 1.95, this is $(rustc --version)"; exit 0
fi
if [ "$("$tool" --version 2>/dev/null)" != "cargo-public-api $version" ]; then
  CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    cargo install --quiet --locked --root target/tools "cargo-public-api@$version"
fi

# Rustdoc's JSON is unstable: ask the stable compiler for it.
RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --locked --package streamjoin-kernels --lib -- \
  -Z unstable-options --output-format json
"$tool" public-api --rustdoc-json target/doc/streamjoin_kernels.json \
  --omit blanket-impls,auto-trait-impls >target/public-api.txt

case "${1:-}" in
--update) mv target/public-api.txt "$list" ;;
"")
  diff --unified=0 --label "$list" --label "the code" "$list" target/public-api.txt || {
    echo "the public API is not what $list says. If that is intended: scripts/public-api.sh --update"
    exit 1
  }
  ;;
*)
  sed -n '2,3s/^# //p' "$0"
  exit 2
  ;;
esac
