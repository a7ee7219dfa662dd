#!/usr/bin/env bash
# The first turn on a fresh home, with the built-in skills compiled into the program and without, by turns:
# first-turn.sh PROGRAM
#
# PROGRAM may carry compiled skills or not; both variants are copies of it.
set -euo pipefail

[ $# -eq 1 ] || { echo 'first-turn: write it as "first-turn.sh PROGRAM"' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/embedded"
"$work/embedded" embed-compiled-skills "$work/embedded"
# Without the mark at its end the program finds no code.
cp "$work/embedded" "$work/bare"
truncate -s -1 "$work/bare"

for run in 1 2 3 4 5; do
  for program in bare embedded; do
    home=$work/home-$run-$program
    mkdir "$home"
    begun=$(date +%s%N)
    echo "I roll a d20" | NARRATORIA_HOME=$home NARRATORIA_OFFLINE=1 "$work/$program" run --planner lexical \
      > "$work/told" 2>&1
    ended=$(date +%s%N)
    grep -q . "$work/told" || { echo "first-turn: $program tells nothing" >&2; exit 1; }
    echo "$program: $(((ended - begun) / 1000000)) ms"
  done
done
