#!/usr/bin/env bash
# Type-checks the kernels against arrow 60 in a copy with a lock file of its
# own: the library takes ">=59.2, <61", the workspace's lock holds 59.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=target/arrow-60
rm -rf "$copy/kernels"
mkdir -p "$copy"
cp -r kernels "$copy/kernels"
sed -e 's/^members = .*/members = ["kernels"]/' -e '/^default-members/d' Cargo.toml >"$copy/Cargo.toml"
cd "$copy"
cargo generate-lockfile --quiet
cargo tree --package streamjoin-kernels --depth 1 | grep -E ' arrow v60\.' ||
  { echo "cargo did not choose arrow 60"; exit 1; }
cargo check --package streamjoin-kernels --all-features
