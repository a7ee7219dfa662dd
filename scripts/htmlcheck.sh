#!/usr/bin/env bash
# Opens a page that the program writes in a browser without a network: no errors, no requests, every picture shown. It
# needs Chromium and Python; on Debian as root it installs Chromium. Where that cannot be it says so and leaves the check
# out.
set -euo pipefail
cd "$(dirname "$0")/.."

leave_out() { printf 'htmlcheck: left out: %s\n' "$*" >&2; exit 0; }
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

command -v python3 >/dev/null 2>&1 || leave_out "python3 is missing: install it"
if ! browser >/dev/null; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    leave_out "a browser is missing: install Chromium"
  fi
  printf 'htmlcheck: installing chromium\n'
  { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium; } \
    >/dev/null 2>&1 || leave_out "apt-get could not install chromium"
fi
HTMLCHECK=$(browser) cargo test --locked --no-default-features --test program browser -- --nocapture
