#!/usr/bin/env bash
# Builds what `make bench` compares the sandbox with, into target/peers: extism, and the plugin that it runs.
# They are a workspace of their own, `benches/peers`. Where they cannot be built it says so, and the bench does
# without them.
set -euo pipefail
cd "$(dirname "$0")/../benches/peers"
export CARGO_TARGET_DIR=$PWD/../../target/peers

# A plugin is a plain module: the linker of wasm32-wasip2 leaves out the last step, which makes a component. Of
# the C library it needs what copies and compares bytes.
plugin() { # [+toolchain]
  cargo "$@" rustc --locked -p narratoria-peer-plugin --profile skill --target wasm32-wasip2 \
    -- -C link-arg=--skip-wit-component -C link-arg=-lc
}

if ! plugin 2>/dev/null && ! plugin +narratoria-wasm; then
  echo "peers: the plugin cannot be built, so extism is not compared" >&2
  exit 1
fi
if ! cargo build --release --locked; then
  echo "peers: extism cannot be built, so it is not compared" >&2
  exit 1
fi
