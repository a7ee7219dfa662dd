#!/usr/bin/env bash
# Proves that a package does not depend on certain crates, not even through others.
#
#   usage: absent.sh "PACKAGE [FLAGS]" CRATE...
#
# The flags are cargo's, such as `--no-default-features`, or `-e dev` for its tests too.
#
# Each crate must be a dependency of the program itself: a misspelt name would be absent everywhere, and
# prove nothing.
set -euo pipefail
package=${1:?usage: absent.sh \"PACKAGE [FLAGS]\" CRATE...}
shift

names() {
  # shellcheck disable=SC2086 # a name and flags, none with a space in it
  cargo tree --locked -q -p $1 -e normal,build --target all --prefix none --format '{p}' | cut -d' ' -f1 | sort -u
}
theirs=$(names "$package")
ours=$(names narratoria)
for crate in "$@"; do
  if ! grep -qx "$crate" <<<"$ours"; then
    echo "absent: \`$crate\` is no dependency of \`narratoria\` either: is the name right?" >&2
    exit 1
  fi
  if grep -qx "$crate" <<<"$theirs"; then
    echo "absent: \`$package\` depends on \`$crate\`; see: cargo tree -p $package -i $crate" >&2
    exit 1
  fi
done
