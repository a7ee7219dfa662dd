#!/usr/bin/env bash
# Runs a command and adds a line with its time and its end to `timed` in the target folder.
#
#   usage: timed.sh NAME COMMAND [ARGUMENT...]
set -uo pipefail
name=${1:?usage: timed.sh NAME COMMAND [ARGUMENT...]}
shift
SECONDS=0
status=0
"$@" || status=$?
printf '%-28s %6d s  %s\n' "$name" "$SECONDS" "$([ "$status" -eq 0 ] && echo passed || echo "failed ($status)")" \
  >>"${CARGO_TARGET_DIR:-target}/timed"
exit "$status"
