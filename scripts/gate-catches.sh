#!/usr/bin/env bash
# gate-catches.sh: plants faults into a copy of the tree, one at a time, and
# expects the gate to find each and to end with the exit code that is due. The
# copy and what is built of it (debug, a few minutes) are gone afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$root/target/gate-catches
# Two streams, of which keys are not given out, and rows lie on the eviction line.
scenarios=(nexmark-q8 nexmark-q9)

rm -rf "$copy/tree"
mkdir -p "$copy/tree"
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy/tree"
cd "$copy/tree"
export CARGO_TARGET_DIR=$copy CARGO_PROFILE_DEV_DEBUG=0
build() { cargo build --locked --quiet; }
streamjoin() { "$copy/debug/streamjoin" "$@"; }

failed=0
# check NAME EXPECTED...: runs the gate and compares its exit code.
check() {
  local name=$1 code=0
  shift
  streamjoin gate planted --baseline-dir "$copy" >"$copy/found" 2>&1 || code=$?
  if [[ " $* " == *" $code "* ]]; then
    echo "$name: exit code $code, as is due"
    grep -E '^│ (answer|state|bytes|work)' "$copy/found" | head -n 3 || true
  else
    echo "$name: exit code $code, $* expected"
    cat "$copy/found"
    failed=1
  fi
}

build
streamjoin baseline save planted "${scenarios[@]}" --baseline-dir "$copy" --quiet >/dev/null
check "nothing planted" 0
while read -r fault expected; do
  patch --quiet -p1 <"scripts/gate-faults/$fault.patch"
  build
  # shellcheck disable=SC2086 # several codes
  check "$fault" $expected
  patch --quiet -R -p1 <"scripts/gate-faults/$fault.patch"
done <<'FAULTS'
extra-state-column 3
dropped-row 4
eviction-line 3
FAULTS
exit "$failed"
