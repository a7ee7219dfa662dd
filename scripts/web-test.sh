#!/usr/bin/env bash
# Tests the page in src/serve/page: its logic with Node.js, and an evening in Chromium. On Debian as root it installs Chromium;
# where Node.js, a browser or the network is missing it says so and leaves that part out.
#
#   usage: web-test.sh unit            the logic alone
#          web-test.sh                 a server that replays a story, then the program that `make build` has left
#          web-test.sh URL             the address that `narratoria serve` has printed
#          web-test.sh figures [MORE]  a table of measurements of that program
#          web-test.sh --bless         a server that replays a story, whose views become the pictures to compare with
set -euo pipefail
cd "$(dirname "$0")/../tests/web"

leave_out() { printf 'web-test: left out: %s\n' "$*" >&2; exit 0; }
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

command -v node >/dev/null 2>&1 || leave_out "Node.js is missing: install version 20 or newer"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || leave_out "Node.js $(node --version) is too old: install version 20 or newer"
node --test --test-reporter=dot unit/
[ "${1:-}" != unit ] || exit 0

if [ ! -d node_modules/playwright-core ] || [ ! -d node_modules/axe-core ]; then
  command -v npm >/dev/null 2>&1 || leave_out "npm is missing, so there is nothing to drive a browser with"
  npm ci --no-audit --no-fund --silent || leave_out "npm could not install what drives a browser"
fi
if ! browser >/dev/null; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    leave_out "a browser is missing: install Chromium"
  fi
  printf 'web-test: installing chromium\n'
  { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium; } \
    >/dev/null 2>&1 || leave_out "apt-get could not install chromium"
fi
CHROMIUM=${CHROMIUM:-$(browser)}
export CHROMIUM
program=../../target/release/narratoria
if [ "${1:-}" = figures ]; then
  [ -x "$program" ] || leave_out "there is no program: \`make build\` builds it"
  exec node figures.mjs --program "$program" "${@:2}"
fi
node evening.mjs "$@"
[ $# -eq 0 ] || exit 0
[ -x "$program" ] || leave_out "the evening with the program itself: \`make build\` builds it"
node evening.mjs --program "$program"
