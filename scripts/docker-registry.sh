#!/usr/bin/env bash
# Fetches Debian's registry of containers into a folder, for the tests that publish packages. Says nothing and does nothing where
# it is there. It is no part of the program, and nothing is installed: no service starts.
#
#   usage: docker-registry.sh DIR
#
# DIR/docker-registry is the program. Where there is no apt, or no such package, those tests are left out and say so.
set -euo pipefail
mkdir -p "${1:?usage: docker-registry.sh DIR}"
dir=$(cd "$1" && pwd)
if [ -x "$dir/docker-registry" ] || command -v docker-registry >/dev/null 2>&1; then exit 0; fi
say() { printf 'docker-registry: %s\n' "$*"; }
if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
  say "left out: only Debian and Ubuntu have the package"
  exit 0
fi
work=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
# apt checks the signature of its list, and the digest in it.
if ! (cd "$work" && apt-get download docker-registry >log 2>&1); then
  say "left out: the package cannot be fetched: $(tail -n 1 "$work/log")"
  exit 0
fi
dpkg-deb -x "$work"/docker-registry_*.deb "$work/root"
mv "$work/root/usr/bin/docker-registry" "$dir/docker-registry"
