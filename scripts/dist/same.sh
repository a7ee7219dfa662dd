#!/usr/bin/env bash
# Makes the release of HEAD twice, in two folders of different names with nothing in common but the crates that were fetched, and
# compares all digests. Takes as long as two builds.
#
#   usage: same.sh [FOLDER]     for both [default: a temporary one]
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
work=${1:-$(mktemp -d)}
mkdir -p "$work"
for copy in first a-second-one; do
  rm -rf "${work:?}/$copy"
  git clone --quiet "$dist_root" "$work/$copy"
  (cd "$work/$copy" && env -u CARGO_TARGET_DIR -u DIST_BUILD_DIR scripts/dist/dist.sh out) > "$work/$copy.sums"
done
if ! diff "$work/first.sums" "$work/a-second-one.sums"; then
  fail "two builds of one commit differ; they are in $work"
fi
say "two builds in two folders are equal:"
cat "$work/first.sums"
[ -n "${1:-}" ] || rm -rf "$work"
