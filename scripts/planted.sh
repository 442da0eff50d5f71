# shellcheck shell=bash
# planted.sh: what the scripts that plant faults share; they source it after
# they have set `copy`, the folder to work in. It copies the tree there, and
# `streamjoin` runs what was built of the copy (debug, a few minutes). All of it
# is gone afterwards.

rm -rf "$copy/tree"
mkdir -p "$copy/tree"
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy/tree"
cd "$copy/tree"
export CARGO_TARGET_DIR=$copy CARGO_PROFILE_DEV_DEBUG=0
build() { cargo build --locked --quiet; }
streamjoin() { "$copy/debug/streamjoin" "$@"; }

failed=0
# expect NAME "EXIT CODES" PATTERN COMMAND...: runs the command, compares its exit
# code and shows the first lines that match the pattern.
expect() {
  local name=$1 expected=$2 pattern=$3 code=0
  shift 3
  streamjoin "$@" >"$copy/found" 2>&1 || code=$?
  if [[ " $expected " == *" $code "* ]]; then
    echo "$name: exit code $code, as expected"
    grep -E "$pattern" "$copy/found" | head -n 3 || true
  else
    echo "$name: exit code $code, $expected expected"
    cat "$copy/found"
    failed=1
  fi
}

# planted PATCH COMMAND...: runs the command with a fault in the tree.
planted() {
  local fault=$1
  shift
  patch --quiet -p1 <"$fault"
  build
  "$@"
  patch --quiet -R -p1 <"$fault"
}
