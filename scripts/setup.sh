#!/usr/bin/env bash
# Makes a fresh machine ready to build Narratoria: the packages of a Debian or Ubuntu system that the C
# and C++ dependencies need, and a Rust toolchain that compiles for wasm32-wasip2. Says nothing and does
# nothing where all of it is there; may be run again at any time.
set -euo pipefail
cd "$(dirname "$0")"

target=wasm32-wasip2
# `rustup target add` waits for its server for minutes where there is no way to it.
target_add_seconds=120

fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }
say() { printf 'setup: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- packages of the system -------------------------------------------------------------------------
missing_packages() {
  # SQLite is compiled with cc; llama.cpp with c++ and cmake, its bindings with clang and its library.
  if ! have cc || ! have c++; then echo build-essential; fi
  for program in cmake clang git make; do
    have "$program" || echo "$program"
  done
  # Not libclang-cpp, which lies in the same place and is another library.
  compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null ||
    compgen -G '/usr/lib/llvm-*/lib/libclang-[0-9]*.so*' >/dev/null || echo libclang-dev
}

install_packages() {
  local packages=$*
  have apt-get || fail "these are missing, under whatever names this system has for them: $packages"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if have sudo && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      fail "packages are missing and installing them needs root; run this and try again:" \
        "  sudo apt-get update && sudo apt-get install --no-install-recommends $packages"
    fi
  fi
  say "installing $packages"
  local log
  log=$(mktemp)
  # shellcheck disable=SC2086 # a list of names, none with a space in it
  if ! { "${as_root[@]}" apt-get -q update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -q -y --no-install-recommends $packages; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "apt-get could not install $packages, see above"
  fi
  rm -f "$log"
}

# ---- the compiler for the skills --------------------------------------------------------------------
# A toolchain counts when it compiles a program, not when its files are there: after an upgrade of the
# compiler the standard library beside it may be of the wrong version.
compiles_for_wasm() {
  local dir ok=0
  dir=$(mktemp -d)
  echo 'fn main() { println!("it works"); }' >"$dir/try.rs"
  "$@" --target "$target" -o "$dir/try.wasm" "$dir/try.rs" >/dev/null 2>&1 || ok=1
  rm -rf "$dir"
  return "$ok"
}

ready_for_wasm() {
  compiles_for_wasm rustc || compiles_for_wasm env RUSTUP_TOOLCHAIN=narratoria-wasm rustc
}

packages=$(missing_packages | tr '\n' ' ')
# shellcheck disable=SC2086
[ -z "$packages" ] || install_packages $packages

# Where rustup has put itself without a new login shell.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
if ! have cargo || ! have rustc; then
  fail "Rust is missing: install rustup as its site describes, with the stable toolchain, and try again"
fi
rustc --version >/dev/null || fail "rustc does not start: choose a toolchain with \"rustup default stable\""

if ! ready_for_wasm; then
  if ! have rustup; then
    fail "this Rust has no $target and there is no rustup to add it: install rustup as its site describes"
  fi
  say "adding $target to the toolchain"
  if timeout "$target_add_seconds" rustup target add "$target" >&2 && compiles_for_wasm rustc; then
    say "$target is ready"
  else
    say "rustup could not add it; building it from Debian packages instead, which takes some minutes"
    ./wasm-toolchain.sh
    ready_for_wasm || fail "the toolchain that scripts/wasm-toolchain.sh built does not compile for $target"
  fi
fi
