#!/usr/bin/env bash
# conform-catches.sh: plants faults into a copy of the tree, one at a time, between
# the scenario and the kernels, and expects the cases recorded from Spark to find
# each.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$PWD/target/conform-catches
# shellcheck source=scripts/planted.sh
. scripts/planted.sh

# check NAME "EXIT CODES"
check() { expect "$1" "$2" '^FAILED|passed, ' conform; }

build
check "nothing planted" 0
for fault in scripts/conform-faults/*.patch; do
  planted "$fault" check "$(basename "$fault" .patch)" 4
done
exit "$failed"
