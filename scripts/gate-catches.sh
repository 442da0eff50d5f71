#!/usr/bin/env bash
# gate-catches.sh: plants faults into a copy of the tree, one at a time, and
# expects the gate to find each and to end with the expected exit code.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$PWD/target/gate-catches
# Two streams, of which keys are not emitted, and rows lie on the eviction line.
scenarios=(nexmark-q8 nexmark-q9)
# shellcheck source=scripts/planted.sh
. scripts/planted.sh

# check NAME "EXIT CODES"
check() {
  expect "$1" "$2" '^│ (answer|state|bytes|work)' gate planted --baseline-dir "$copy"
}

build
streamjoin baseline save planted "${scenarios[@]}" --baseline-dir "$copy" --quiet >/dev/null
check "nothing planted" 0
while read -r fault expected; do
  planted "scripts/gate-faults/$fault.patch" check "$fault" "$expected"
done <<'FAULTS'
extra-state-column 3
dropped-row 4
eviction-line 3
FAULTS
exit "$failed"
