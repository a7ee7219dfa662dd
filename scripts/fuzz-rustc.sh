#!/usr/bin/env bash
# A compiler for `scripts/fuzz.sh`: cargo calls it as `fuzz-rustc.sh RUSTC ARGUMENT…`. Crates that read untrusted bytes
# get the counters that guide libFuzzer; wasmtime and the rest are compiled as usual, which is most of the work. The
# counters need only stable options, so no nightly compiler. Macros and their dependencies get none, because the
# compiler could not load them.
set -euo pipefail

guided=" narratoria_fuzz narratoria_protocol narratoria_skills narratoria_plan narratoria_sandbox narratoria_kit narratoria_campaign narratoria_cards narratoria_mcp narratoria_registry understanding world_model english"
guided+=" serde_json serde_saphyr jsonschema cel rmcp "

name=
is_for_target=
previous=
for argument in "$@"; do
  [ "$previous" != --crate-name ] || name=$argument
  [ "$argument" != --target ] || is_for_target=1
  previous=$argument
done
if [ -z "$name" ] || [ -z "$is_for_target" ] || [[ $guided != *" $name "* ]]; then
  exec "$@"
fi
exec "$@" --cfg fuzzing -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares
