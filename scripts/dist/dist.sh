#!/usr/bin/env bash
# Makes a release for this machine: tarball, .deb and container image on Linux, tarball on macOS, zip on Windows; with the list of
# their parts, install.sh, SHA256SUMS and signatures.
#
#   usage: dist.sh OUT [PROGRAM]     OUT is emptied; PROGRAM is one that `build.sh` has built [default: it is built now]
#
# DIST_KEY is the file of the secret key that signs, DIST_KEY_PASSWORD its password. Without a key nothing is signed.
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
scripts="$dist_root/scripts/dist"
out=$(realpath -m "$1")
key=${DIST_KEY:+$(realpath "$DIST_KEY")}
program=${2:-}
[ -n "$program" ] || program=$("$scripts/build.sh")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"
"$scripts/stage.sh" "$program" "$work/stage"
"$scripts/tarball.sh" "$work/stage" "$out" >/dev/null
cp "$work/stage/share/doc/narratoria/sbom.cdx.json" "$out/$name.cdx.json"
case $target in
  *-linux-gnu)
    "$scripts/deb.sh" "$work/stage" "$out" >/dev/null
    "$scripts/image.sh" "$work/stage" "$out" >/dev/null
    ;;
esac
"$scripts/sign.sh" "$out" ${key:+"$key"}
cat "$out/SHA256SUMS"
