#!/usr/bin/env bash
# Plays `narratoria mcp` and `narratoria serve --mcp` with clients that others wrote, and runs the protocol's own tests of servers:
# mcp-clients.sh PROGRAM FOLDER
#
# FOLDER keeps the SDKs, so that the next run installs nothing. Without Python or Node.js, or where their packages cannot be
# had, that client is left out with a sentence.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -eq 2 ] || { echo "mcp-clients: write it as \"mcp-clients.sh PROGRAM FOLDER\"" >&2; exit 2; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
kept=$(cd "$2" && pwd)

# The versions that were tried.
python_sdk=mcp==2.3.0
npm_sdks=(@modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2)
# The tests want a newer Node.js than the SDKs; npm has it too.
conformance=(@modelcontextprotocol/conformance@0.2.0-alpha.12 node@22)

left_out() { echo "mcp-clients: $1 is left out: $2"; }

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

python_client() {
  command -v python3 > /dev/null || { left_out "the Python SDK" "there is no python3"; return; }
  if [ ! -e "$kept/python/$python_sdk" ]; then
    rm -rf "$kept/python"
    if ! { python3 -m venv "$kept/python" && "$kept/python/bin/pip" install --quiet "$python_sdk"; }; then
      left_out "the Python SDK" "$python_sdk could not be installed"
      return
    fi
    touch "$kept/python/$python_sdk"
  fi
  mkdir "$fresh/python"
  timeout 600 "$kept/python/bin/python" tests/mcp/python_client.py "$program" "$fresh/python"
}

typescript_client() {
  local major
  major=$(node --version 2> /dev/null | sed 's/^v\([0-9]*\).*/\1/') || true
  [ "${major:-0}" -ge 20 ] || { left_out "the TypeScript SDK" "there is no Node.js 20 or newer"; return; }
  if [ ! -e "$kept/npm/installed-${npm_sdks[*]//\//-}" ]; then
    rm -rf "$kept/npm"
    mkdir -p "$kept/npm"
    echo '{"private": true}' > "$kept/npm/package.json"
    if ! npm install --prefix "$kept/npm" --silent --no-audit --no-fund "${npm_sdks[@]}"; then
      left_out "the TypeScript SDK" "${npm_sdks[*]} could not be installed"
      return
    fi
    touch "$kept/npm/installed-${npm_sdks[*]//\//-}"
  fi
  mkdir "$fresh/npm"
  ln -s "$kept/npm/node_modules" "$kept/npm/package.json" "$fresh/npm"
  timeout 600 node tests/mcp/typescript_client.mjs "$program" "$fresh/npm"
}

conformance_tests() {
  command -v npm > /dev/null || { left_out "the tests of the protocol" "there is no npm"; return; }
  local marker=$kept/conformance/installed-${conformance[*]//\//-}
  if [ ! -e "$marker" ]; then
    rm -rf "$kept/conformance"
    mkdir -p "$kept/conformance"
    echo '{"private": true}' > "$kept/conformance/package.json"
    if ! npm install --prefix "$kept/conformance" --silent --no-audit --no-fund "${conformance[@]}"; then
      left_out "the tests of the protocol" "${conformance[*]} could not be installed"
      return
    fi
    touch "$marker"
  fi
  mkdir "$fresh/conformance"
  ln -s "$kept/conformance/node_modules" "$kept/conformance/package.json" "$fresh/conformance"
  timeout 900 "$kept/conformance/node_modules/node/bin/node" tests/mcp/conformance.mjs "$program" "$fresh/conformance"
}

python_client
typescript_client
conformance_tests
