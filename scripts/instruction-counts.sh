#!/usr/bin/env bash
# Instructions a probe of each index, counted by callgrind: the same on every
# run, whatever else the machine does. valgrind hides AVX-512, so the portable
# and the AVX2 paths are counted. Needs valgrind on a 64-bit x86 machine.
#
#   scripts/instruction-counts.sh [--check] [OPTION...]
#
# --check counts all twice and fails if a total differs. Other options go to the
# program: --build-rows 1000000, --hit-rate 0.1, --key utf8-16, --batches 8,
# or --index NAME for one index alone.
set -euo pipefail
cd "$(dirname "$0")/.."

check=0
if [ "${1:-}" = --check ]; then check=1; shift; fi
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 1; }
cargo build --quiet --release --locked -p streamjoin-benches --example instructions
program="${CARGO_TARGET_DIR:-target}/release/examples/instructions"

indexes=$("$program")
for ((i = 1; i < $#; i++)); do
  if [ "${!i}" = --index ]; then j=$((i + 1)); indexes="${!j}"; fi
done

# Prints the probes and the instructions of one run.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    --toggle-collect='instructions::probe_batches*' "$program" "$@" 2>&1 |
    awk '/ probes, /{probes = $1} /Collected :/{instructions = $4}
         END {if (!probes || !instructions) exit 1; print probes, instructions}'
}

printf '%-16s %-10s %-8s %14s %18s\n' index isa form instructions "instructions/probe"
for index in $indexes; do
  for isa in portable avx2; do
    for form in pairs sum exists; do
      run=("$@" --index "$index" --isa "$isa" --form "$form")
      counted=$(count "${run[@]}") || { echo "cannot count: ${run[*]}" >&2; exit 1; }
      if [ $check = 1 ] && [ "$(count "${run[@]}")" != "$counted" ]; then
        echo "$index $isa $form: another total the second time" >&2
        exit 1
      fi
      read -r probes instructions <<<"$counted"
      awk -v i="$index" -v s="$isa" -v f="$form" -v n="$instructions" -v p="$probes" \
        'BEGIN {printf "%-16s %-10s %-8s %14d %18.2f\n", i, s, f, n, n / p}'
    done
  done
done
