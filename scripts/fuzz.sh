#!/usr/bin/env bash
# Fuzzes the targets of tests/fuzz: fuzz.sh BUILT SECONDS TARGET…
#
# BUILT is cargo's target folder; what is built, what was found worth keeping and what broke a rule lie in
# BUILT/fuzz. Each target begins with tests/fuzz/seeds/TARGET and with what it kept the last time.
#
# Not by cargo-fuzz, which compiles every crate again with counters, wasmtime too: this script takes a tenth of the
# time, and the stable compiler. The targets still have the layout that cargo-fuzz expects:
# `cargo +nightly fuzz run --fuzz-dir tests/fuzz TARGET` works too.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 3 ] || { echo "fuzz: write it as \"fuzz.sh BUILT SECONDS TARGET…\"" >&2; exit 2; }
mkdir -p "$1/fuzz"
built=$(cd "$1/fuzz" && pwd) seconds=$2
shift 2

# Longest input, in bytes. A decoder's line of a megabyte has tests of its own; short inputs are tried more often.
max_len=8192

# Longest time for one input, in seconds. A slower input is a finding: it could hold the host up.
timeout=10

# A target is named so that the wrapper can tell what is built for it from what is built for the compiler.
host=$(rustc -vV | sed -n 's/^host: //p')

# Not by the variable RUSTC_WRAPPER: build scripts look at it and would have half of all crates compiled again.
cargo build --locked --manifest-path tests/fuzz/Cargo.toml --target-dir "$built/target" --target "$host" \
  --config "build.rustc-wrapper=\"$PWD/scripts/fuzz-rustc.sh\""

failed=()
for target in "$@"; do
  kept=$built/kept/$target found=$built/found/$target
  mkdir -p "$kept" "$found"
  echo "fuzz: $target for $seconds s"
  "$built/target/$host/debug/$target" "$kept" "tests/fuzz/seeds/$target" \
    -max_total_time="$seconds" -max_len=$max_len -timeout=$timeout -rss_limit_mb=4096 \
    -artifact_prefix="$found/" -print_final_stats=1 -verbosity=0 || failed+=("$target")
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'fuzz: %s broke a rule, see %s\n' "${failed[*]}" "$built/found" >&2
  exit 1
fi
