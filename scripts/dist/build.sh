#!/usr/bin/env bash
# Builds the program of a release: stripped, with the built-in skills as native code, and the same bytes in every folder and
# on every machine with the same toolchain. Prints the path of the program.
#
#   usage: build.sh [TARGET_DIR]     default: DIST_BUILD_DIR, else target/dist/build
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
cd "$dist_root"

target_dir=$(realpath -m "${1:-${DIST_BUILD_DIR:-target/dist/build}}")
cargo_home=$(realpath -m "${CARGO_HOME:-$HOME/.cargo}")
mkdir -p "$target_dir"

# No folder of this machine is in the program. rustc and cc take the last flag that fits, so wider folders come first. The folder
# of a registry has a name of its own on each machine, depending on where the crates came from.
folders=("$cargo_home=cargo-home" "$dist_root=." "$target_dir=target")
for registry in "$cargo_home"/registry/src/*/; do
  folders+=("${registry%/}=registry")
done
rust_flags=()
c_flags=
for folder in "${folders[@]}"; do
  rust_flags+=("--remap-path-prefix=$folder")
  c_flags+=" -ffile-prefix-map=$folder"
done
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${rust_flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
case $target in
  *msvc*) ;; # its compiler has no such flag
  *) export CFLAGS="${CFLAGS:-}$c_flags" CXXFLAGS="${CXXFLAGS:-}$c_flags" ;;
esac
export CARGO_TARGET_DIR=$target_dir CARGO_INCREMENTAL=0 ZERO_AR_DATE=1

model="$target_dir/embedding-model/all-MiniLM-L6-v2.gguf"
if [ -z "${DIST_WITHOUT_EMBEDDING_MODEL:-}" ]; then
  scripts/embedding-model.sh "$(dirname "$model")" >&2 ||
    fail "the model of sentence vectors cannot be fetched; DIST_WITHOUT_EMBEDDING_MODEL=1 builds a program without it"
  export NARRATORIA_EMBEDDING_MODEL_FILE=$model
fi

# shellcheck disable=SC2086 # flags, such as `--no-default-features`
cargo build --release --locked ${DIST_CARGO_FLAGS:-} >&2
suffix=
case $target in *windows*) suffix=.exe ;; esac
built="$target_dir/release/narratoria$suffix"
# The code goes into a copy, because cargo would not link the program again after its file was changed.
program="$target_dir/dist/narratoria$suffix"
mkdir -p "$(dirname "$program")"
cp "$built" "$program"
"$program" embed-compiled-skills "$program"

for folder in "$dist_root" "$cargo_home" "$target_dir"; do
  if grep -q --binary-files=text --fixed-strings "$folder/" "$program"; then
    fail "the program names a folder of this machine, $folder"
  fi
done
echo "$program"
