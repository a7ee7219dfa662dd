#!/usr/bin/env bash
# Builds a Rust toolchain that compiles for wasm32-wasip2 out of Debian packages, and links it into rustup.
# For machines where `rustup target add wasm32-wasip2` cannot reach its server. Takes about three minutes,
# most of them for `wasm-component-ld`. A second run starts over; only slow results are kept.
#
#   usage: wasm-toolchain.sh [DIR [NAME]]
#
# DIR is where the toolchain goes, NAME is what rustup calls it (`narratoria-wasm`, which is the one that
# the build looks for).
#
# How it works: Debian's rustc-web is the compiler and rust-web-src the matching source of std; wasi-libc
# of a newer Debian suite, unpacked but never installed, is the libc. Std is built once, with the compiler's
# own -Zbuild-std, and laid out as an ordinary sysroot, so that no flag is needed later.
set -euo pipefail

dir=$(realpath -m "${1:-${XDG_DATA_HOME:-$HOME/.local/share}/narratoria/wasm-toolchain}")
name=${2:-narratoria-wasm}
target=wasm32-wasip2
# Newest first. Debian 12's own wasi-libc is too old: its `openat` refuses every folder that is handed over.
libc_suites=(forky trixie)
linker_version=0.5.31
# What every Debian has; the linker's package carries the version of the compiler's LLVM in its name.
packages=(rustc-web cargo-web rust-web-src rust-web-llvm)

fail() { printf 'wasm-toolchain: %s\n' "$@" >&2; exit 1; }
say() { printf 'wasm-toolchain: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what it stands on ------------------------------------------------------------------------------
# shellcheck source=/dev/null
. /etc/os-release 2>/dev/null || true
have apt-get || fail "this way needs Debian packages; elsewhere use \"rustup target add $target\""
have rustup || fail "rustup is missing, and the toolchain is linked into it: install it as its site describes"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  have sudo && sudo -n true 2>/dev/null && as_root=(sudo -n)
  may_install=${#as_root[@]}
else
  may_install=1
fi

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

install() {
  local missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$may_install" -eq 0 ]; then
    fail "installing needs root; run this and try again:" \
      "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  # Without a fresh list the packages are often not found.
  [ -e "$work/updated" ] || "${as_root[@]}" apt-get -q update >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  : >"$work/updated"
  if ! apt-cache show rustc-web >/dev/null 2>&1; then
    fail "${PRETTY_NAME:-this system} has no package rustc-web (Debian has it, Ubuntu has not):" \
      "only \"rustup target add $target\" works here, on a machine that reaches rustup's server"
  fi
  say "installing ${missing[*]}"
  # --no-remove: rustc-web replaces the package rustc, which the user may want to keep.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    --no-remove "${missing[@]}" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get failed, see above"; }
}

install "${packages[@]}"
about() { /usr/bin/rustc -vV | sed -n "s/^$1: //p"; }
host=$(about host)
llvm=$(about 'LLVM version' | cut -d. -f1)
install "lld-$llvm"

# ---- libc -------------------------------------------------------------------------------------------
# The archive and its key, from either form of apt's list of sources.
sources=/etc/apt/sources.list.d/debian.sources
if [ -e "$sources" ]; then
  archive=$(awk '/^URIs:/ { print $2; exit }' "$sources")
  key=$(awk '/^Signed-By:/ { print $2; exit }' "$sources")
else
  line=$(grep -m1 -E '^deb[[:space:]].*[[:space:]]main' /etc/apt/sources.list || true)
  archive=$(grep -oE '(https?|mirror(\+[a-z]+)?|file)://?[^ ]+' <<<"$line" | head -n1 || true)
  key=$(sed -n 's/.*signed-by=\([^] ,]*\).*/\1/p' <<<"$line")
fi
[ -n "${archive:-}" ] || fail "no Debian archive found in $sources or /etc/apt/sources.list"
key=${key:-/usr/share/keyrings/debian-archive-keyring.gpg}

# An apt of our own: its lists and its cache lie in the work folder and the system's are not touched.
conf=$work/apt
mkdir -p "$conf"/{lists/partial,cache/archives/partial,parts}
own=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$conf/parts"
  -o "Dir::State::Lists=$conf/lists" -o "Dir::Cache=$conf/cache" -o APT::Sandbox::User=)
[ "$(id -u)" -ne 0 ] || own+=(-o APT::Sandbox::User=root)

fetch_libc() {
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$archive" "$1" "$key" >"$conf/parts/libc.sources"
  rm -rf "$work"/wasi-libc_*.deb "$work/libc"
  apt-get "${own[@]}" update >"$work/log" 2>&1 &&
    (cd "$work" && apt-get "${own[@]}" download wasi-libc >>"$work/log" 2>&1) &&
    dpkg -x "$work"/wasi-libc_*.deb "$work/libc" &&
    [ -e "$work/libc/usr/lib/$target/libc.a" ]
}

found=
for suite in "${libc_suites[@]}"; do
  if fetch_libc "$suite"; then found=$suite; break; fi
done
[ -n "$found" ] || { cat "$work/log" >&2; fail "no wasi-libc with $target in ${libc_suites[*]} of $archive"; }
say "libc from $found"

# ---- the linker for components ----------------------------------------------------------------------
linker=$dir/tools/bin/wasm-component-ld
if [ ! -x "$linker" ]; then
  say "building wasm-component-ld"
  env -u CARGO_TARGET_DIR -u RUSTFLAGS -u RUSTC_WRAPPER \
    cargo install -q --locked --root "$dir/tools" --version "$linker_version" wasm-component-ld
fi

# ---- std --------------------------------------------------------------------------------------------
say "building std"
mkdir -p "$work/std/src"
: >"$work/std/src/lib.rs"
printf '[package]\nname = "stdonly"\nversion = "0.0.0"\nedition = "2021"\n[profile.release]\npanic = "abort"\n' \
  >"$work/std/Cargo.toml"
# With bitcode, as rustup's own std has it, so that a skill may turn on LTO; and without this machine's paths.
flags=(-Cembed-bitcode=yes --remap-path-prefix=/usr/lib/rustlib/src/rust=/rustc
  "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/rustc/deps" "--remap-path-prefix=$work=/rustc")
(cd "$work/std" && env -u RUSTUP_TOOLCHAIN -u RUSTFLAGS -u RUSTC_WRAPPER PATH=/usr/bin:/bin \
  RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$work/target" \
  CARGO_ENCODED_RUSTFLAGS="$(IFS=$'\x1f'; printf %s "${flags[*]}")" \
  /usr/bin/cargo build --release -q -Zbuild-std=std,panic_abort --target "$target")

# ---- the sysroot ------------------------------------------------------------------------------------
lib=$dir/lib/rustlib/$target/lib
tools=$dir/lib/rustlib/$host/bin
rm -rf "$dir/lib" "$dir/bin"
mkdir -p "$dir/bin" "$lib/self-contained" "$tools"
ln -s "/usr/lib/rustlib/$host/lib" "$dir/lib/rustlib/$host/lib"
cp "$work/target/$target"/release/deps/*.rlib "$lib/"
rm -f "$lib"/libstdonly*
cp "$work/libc/usr/lib/$target"/{crt1-command.o,crt1-reactor.o,libc.a} "$lib/self-contained/"
ln -s "/usr/lib/llvm-$llvm/bin/lld" "$tools/rust-lld"
ln -s "$linker" "$tools/wasm-component-ld"
ln -s /usr/bin/cargo "$dir/bin/cargo"
printf '#!/bin/sh\nexec /usr/bin/rustc --sysroot "%s" "$@"\n' "$dir" >"$dir/bin/rustc"
chmod +x "$dir/bin/rustc"
rustup toolchain link "$name" "$dir"
say "linked as $name"
