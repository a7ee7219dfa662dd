#!/usr/bin/env bash
# Installs the tools that make components of Python and JavaScript, for the packages under `sdk/examples` and
# for the templates: componentize-py into a virtual environment, componentize-js beside it. Says nothing and
# does nothing where they are there.
#
#   usage: languages.sh [DIR]
#
# DIR is where they go; the tests look in `languages` of cargo's target folder. The versions are those that the
# example packages ask for.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(realpath -m "${1:-${CARGO_TARGET_DIR:-$root/target}/languages}")
python=$root/sdk/examples/python/riddle-keeper/requirements.txt
javascript=$root/sdk/examples/javascript/fortune-wheel/package.json

fail() { printf 'languages: %s\n' "$@" >&2; exit 1; }
say() { printf 'languages: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# A tool is there when it was installed from the very file that asks for it now, and starts.
is_there() { # asking-file mark program
  cmp -s "$1" "$2" && "$3" --version >/dev/null 2>&1
}

run() { # what it does, then the command
  local log
  log=$(mktemp)
  if ! "${@:2}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "$1 failed, see above"
  fi
  rm -f "$log"
}

mkdir -p "$dir"

if ! is_there "$python" "$dir/python.mark" "$dir/venv/bin/componentize-py"; then
  have python3 || fail "python3 is missing: install it (on Debian also python3-venv) and try again"
  say "installing $(tr '\n' ' ' <"$python")"
  rm -rf "$dir/venv"
  run "making a virtual environment" python3 -m venv "$dir/venv"
  run "pip install" "$dir/venv/bin/pip" install --quiet --disable-pip-version-check -r "$python"
  cp "$python" "$dir/python.mark"
fi

if ! is_there "$javascript" "$dir/javascript.mark" "$dir/node_modules/.bin/componentize-js"; then
  have npm || fail "npm is missing: install Node.js 20 or newer and try again"
  say "installing componentize-js"
  cp "$javascript" "$dir/package.json"
  run "npm install" npm install --prefix "$dir" --no-audit --no-fund --loglevel error
  cp "$javascript" "$dir/javascript.mark"
fi
