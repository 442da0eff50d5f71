#!/usr/bin/env bash
# Checks that the kernels fit each major version of arrow that they have a feature for.
# Per version, a new program with a fresh lock file, which names the kernels and its own
# arrow and nothing else, exchanges batches with them: an example with the imports of
# such a program.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
export CARGO_TARGET_DIR="$root/target"

exchange() { # MAJOR DEPENDENCY
  local program="$root/target/arrow-majors/$1"
  echo "== a program that uses arrow $1"
  rm -rf "$program"
  mkdir -p "$program/src"
  cat >"$program/Cargo.toml" <<END
[package]
name = "uses-arrow-$1"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
arrow = { version = "$1", default-features = false }
streamjoin-kernels = { path = "$root/kernels"$2 }
END
  sed 's/streamjoin_kernels::arrow/arrow/' kernels/examples/enrich.rs >"$program/src/main.rs"
  cargo run --quiet --manifest-path "$program/Cargo.toml"
}

exchange 59 ''
exchange 60 ', default-features = false, features = ["arrow-60", "rayon"]'

echo "== the tests against arrow 60"
cargo check --locked --package streamjoin-kernels --all-targets \
  --no-default-features --features arrow-60,rayon

refused() { # FEATURES MESSAGE
  echo "== features '$1': refused"
  local said
  if said=$(cargo check --locked --package streamjoin-kernels --lib \
    --no-default-features --features "$1" 2>&1); then
    echo "it was built"; exit 1
  fi
  grep "^error: .*$2" <<<"$said"
}

refused rayon 'turn on a feature'
refused arrow-59,arrow-60 'are both on'
