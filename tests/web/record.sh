#!/usr/bin/env bash
# Records the story that the server for development replays: turns with the documents after each, as
# `narratoria run --format json` prints them.
#
#   usage: record.sh [PROGRAM]     the program is `narratoria` by default
set -euo pipefail
cd "$(dirname "$0")"
program=${1:-narratoria}
NARRATORIA_HOME=$(mktemp -d)
export NARRATORIA_HOME
trap 'rm -rf "$NARRATORIA_HOME"' EXIT

say() {
  printf '%s\n' "$1"
  printf '%s\n' /why "/state /world" /map /recap /memory /assets /journal /hint
}
{
  for sentence in "look around" "take the screen key and ask Agnes about the readings" "draw a portrait of Agnes" \
    "go north" "x barometer" "remember that the barometer reads 1014" "take the blue book and read it" "go south" \
    "sneak past Agnes" "go out" "go east" "roll 2d6+1" "roll d20 with advantage"; do
    say "$sentence"
  done
  printf '/skills\n'
} | "$program" run --campaign last-reading --story evening --seed 7 --planner lexical --format json \
  | node slim.mjs | gzip -n9 >fixtures/evening.jsonl.gz
wc -c fixtures/evening.jsonl.gz
