#!/usr/bin/env bash
# Packages the SDK as `cargo publish` would, and looks at the package: it has what its readers need, names no other crate of this
# repository, and with `verify` it builds alone, for the host and for components, and a package of `skill new --sdk registry`
# builds with it.
#
#   usage: sdk-package.sh list|verify TARGET_DIR [PROGRAM]      PROGRAM makes the package, if it is given
set -euo pipefail
cd "$(dirname "$0")/.."
step=$1
target_dir=$(realpath -m "$2")
program=${3:+$(realpath "$3")}
fail() { echo "sdk-package: $*" >&2; exit 1; }

list=$(cargo package --package narratoria-sdk --list --locked --allow-dirty)
for file in CHANGELOG.md Cargo.toml LICENSE-APACHE LICENSE-MIT README.md src/lib.rs; do
  grep -qxF "$file" <<< "$list" || fail "the package has no $file"
done
odd=$(grep -vE '^(src/.*\.rs|CHANGELOG\.md|Cargo\.(lock|toml|toml\.orig)|LICENSE-(APACHE|MIT)|README\.md|\.cargo_vcs_info\.json)$' <<< "$list") || true
[ -z "$odd" ] || fail "the package has files that no author needs: $odd"
sed -n '/^\[dependencies\]/,/^\[dev-dependencies\]/p' sdk/Cargo.toml | grep 'path = ' && fail "a published crate cannot depend on a path"
if [ "$step" = list ]; then exit 0; fi

export CARGO_TARGET_DIR=$target_dir
cargo package --quiet --package narratoria-sdk --locked --allow-dirty --no-verify
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$target_dir/package/narratoria-sdk-$version.crate" -C "$work"
crate="$work/narratoria-sdk-$version"

# A compiler for components: that of the toolchain, else the one of scripts/wasm-toolchain.sh.
toolchain=()
compgen -G "$(rustc --print target-libdir --target wasm32-wasip2)/libstd-*" >/dev/null || toolchain=(env RUSTUP_TOOLCHAIN=narratoria-wasm)
cp Cargo.lock "$crate/Cargo.lock"
(
  cd "$crate"
  # The lock of the workspace, as far as the crate needs it: the same versions, and nothing is fetched.
  cargo metadata --offline --format-version 1 > /dev/null
  cargo build --quiet --locked --offline
  "${toolchain[@]}" cargo build --quiet --locked --offline --target wasm32-wasip2
)
echo "sdk-package: $(basename "$crate") builds alone, for the host and for wasm32-wasip2"
if [ -n "$program" ]; then
  mkdir -p "$work/.cargo" "$work/copy"
  printf '[patch.crates-io]\nnarratoria-sdk = { path = "%s" }\n' "$crate" > "$work/.cargo/config.toml"
  export NARRATORIA_HOME="$work/home" CARGO_NET_OFFLINE=true
  (
    cd "$work"
    "$program" skill new demo --sdk registry 2>/dev/null
    "$program" skill new demo --dir copy >/dev/null 2>&1
    cp copy/demo/Cargo.lock demo/
    "$program" skill build --yes demo
    "$program" skill check --strict demo
  )
  echo "sdk-package: a package of \`skill new --sdk registry\` builds with it and passes its checks"
fi
