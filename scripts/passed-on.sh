#!/usr/bin/env bash
# Proves that a feature of the program switches on the feature of the same name of a crate, and that the program is without it
# otherwise: a feature that stops halfway builds a program that lacks what it was asked for.
#
#   usage: passed-on.sh CRATE FEATURE...
set -euo pipefail
crate=${1:?usage: passed-on.sh CRATE FEATURE...}
shift

features() {
  cargo tree --locked -q -p narratoria "$@" -e features -i "$crate" | grep -o "$crate feature \"[^\"]*\""
}
default=$(features)
for feature in "$@"; do
  if grep -q "\"$feature\"" <<<"$default"; then
    echo "passed-on: \`narratoria\` has the feature \`$feature\` of \`$crate\` in any case" >&2
    exit 1
  fi
  if ! features --features "$feature" | grep -q "\"$feature\""; then
    echo "passed-on: \`narratoria --features $feature\` does not switch on \`$feature\` of \`$crate\`" >&2
    exit 1
  fi
done
