#!/usr/bin/env bash
# gate-noise.sh RUNS [BASELINE]: runs the gate (default: `quick`) RUNS times on
# unchanged code and expects that it finds nothing, not once. The runs take turns
# with the instruction sets of this machine. STREAMJOIN names the binary
# (default: target/release/streamjoin).
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:?usage: gate-noise.sh RUNS [BASELINE]}
baseline=${2:-quick}
streamjoin=${STREAMJOIN:-target/release/streamjoin}

sets=()
for isa in portable avx2 avx512; do
  if STREAMJOIN_ISA=$isa "$streamjoin" explain >/dev/null 2>&1; then sets+=("$isa"); fi
done

alarms=0
for run in $(seq "$runs"); do
  isa=${sets[run % ${#sets[@]}]}
  if ! found=$(STREAMJOIN_ISA=$isa "$streamjoin" gate "$baseline" 2>&1) ||
    grep -qE ': better$' <<<"$found"; then
    alarms=$((alarms + 1))
    printf 'run %s (%s):\n%s\n' "$run" "$isa" "$found"
  fi
done
echo "$runs runs of gate $baseline with ${sets[*]}: $alarms alarms"
[ "$alarms" -eq 0 ]
