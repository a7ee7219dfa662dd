#!/usr/bin/env bash
# Changes the code in small ways and reports the changes that no test notices: mutants.sh BUILT CRATE…
#
# BUILT is cargo's target folder; the tool, the builds and the reports lie in BUILT/mutants. `.cargo/mutants.toml` says what
# is left out. A whole run takes hours, so it can be divided:
#
#   MUTANTS_SHARD=0/20   every twentieth mutant of each crate, from the first one on
#   MUTANTS_JOBS=1       mutants that are built and tested at the same time
#
# The exit status is 0 if a test notices every mutant that was tried.
set -euo pipefail
cd "$(dirname "$0")/.."

version=27.1.0

[ $# -ge 2 ] || { echo "mutants: write it as \"mutants.sh BUILT CRATE…\"" >&2; exit 2; }
mkdir -p "$1/mutants"
built=$(cd "$1/mutants" && pwd)
shift

tool=$built/tools/bin/cargo-mutants
if [ "$("$tool" mutants --version 2>/dev/null)" != "cargo-mutants $version" ]; then
  echo "mutants: installing cargo-mutants $version"
  CARGO_TARGET_DIR=$built/tools/build cargo install --quiet --locked --force --debug \
    "cargo-mutants@$version" --root "$built/tools"
  rm -rf "$built/tools/build"
fi

# In a copy of the tree, so that a build beside it meets no changed file. cargo-mutants makes one for each job.
export TMPDIR=$built/copies
mkdir -p "$TMPDIR"
failed=()
for crate in "$@"; do
  "$tool" mutants --package "$crate" --shard "${MUTANTS_SHARD:-0/1}" --sharding round-robin \
    --jobs "${MUTANTS_JOBS:-1}" --output "$built/$crate" --colors never || failed+=("$crate")
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'mutants: no test notices some changes of %s, see %s\n' "${failed[*]}" "$built" >&2
  exit 1
fi
