#!/usr/bin/env bash
# Installs the tools that make components of Python and JavaScript, for the packages under `sdk/examples` and
# for the templates: componentize-py into a virtual environment, componentize-js beside it. Says nothing and
# does nothing where they are there.
#
#   usage: languages.sh [DIR]
#
# DIR is where they go; the tests look in `languages` of cargo's target folder. The versions are those that the
# example packages ask for. Where a tool cannot be installed, the tests leave its language out: the reason goes to
# DIR/left-out, and `make test` prints it at its end. With NARRATORIA_LANGUAGES=required, as in `.ci/run`, it is an
# error.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(realpath -m "${1:-${CARGO_TARGET_DIR:-$root/target}/languages}")
python=$root/sdk/examples/python/riddle-keeper/requirements.txt
javascript=$root/sdk/examples/javascript/fortune-wheel/package.json

say() { printf 'languages: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# A tool is there when it was installed from the very file that asks for it now, and starts.
is_there() { # asking-file mark program
  cmp -s "$1" "$2" && "$3" --version >/dev/null 2>&1
}

run() { # what it does, then the command
  local log status=0
  log=$(mktemp)
  "${@:2}" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    reason="$1 failed"
  fi
  rm -f "$log"
  return "$status"
}

# Installs the tool of one language; where that fails, `reason` says why.
install_python() {
  reason="python3 is missing: install it (on Debian also python3-venv)"
  have python3 || return 1
  say "installing $(tr '\n' ' ' <"$python")"
  rm -rf "$dir/venv"
  run "making a virtual environment" python3 -m venv "$dir/venv" || return 1
  run "pip install" "$dir/venv/bin/pip" install --quiet --disable-pip-version-check -r "$python" || return 1
  cp "$python" "$dir/python.mark"
}

install_javascript() {
  reason="npm is missing: install Node.js 20 or newer"
  have npm || return 1
  say "installing componentize-js"
  # Over an older installation npm may leave out a package that several others share.
  rm -rf "$dir/node_modules" "$dir/package-lock.json"
  cp "$javascript" "$dir/package.json"
  run "npm install" npm install --prefix "$dir" --no-audit --no-fund --loglevel error || return 1
  cp "$javascript" "$dir/javascript.mark"
}

leave_out() { # language
  printf 'languages: the tests leave out the packages in %s: %s\n' "$1" "$reason" | tee -a "$dir/left-out" >&2
}

mkdir -p "$dir"
rm -f "$dir/left-out"

is_there "$python" "$dir/python.mark" "$dir/venv/bin/componentize-py" || install_python || leave_out Python
is_there "$javascript" "$dir/javascript.mark" "$dir/node_modules/.bin/componentize-js" ||
  install_javascript || leave_out JavaScript

if [ "${NARRATORIA_LANGUAGES:-}" = required ] && [ -s "$dir/left-out" ]; then
  exit 1
fi
