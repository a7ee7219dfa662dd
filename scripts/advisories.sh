#!/usr/bin/env bash
# Compares the dependencies with the database of known faults, as deny.toml says; installs cargo-deny where it is missing.
#
# Where the database cannot be fetched, a clone of it that NARRATORIA_ADVISORIES names is the snapshot that is asked; without
# one the check is left out and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
if ! cargo deny --version >/dev/null 2>&1; then
  echo "advisories: building cargo-deny $version, which takes some minutes"
  cargo install --quiet --locked "cargo-deny@$version"
fi

options=(--locked)
if [ -n "${NARRATORIA_ADVISORIES:-}" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # cargo-deny names the folder of a database after its address, and says the name if there is none.
  sed "s|^\[advisories\]|&\ndb-path = \"$folder\"|" deny.toml >"$folder/deny.toml"
  options+=(--offline --config "$folder/deny.toml")
  database=$(cargo deny "${options[@]}" check advisories 2>&1 | grep -o "$folder/advisory-db-[0-9a-f]*" | head -1) || true
  git clone --quiet "$NARRATORIA_ADVISORIES" "${database:?advisories: cargo-deny does not say where its database is}"
elif ! cargo deny fetch db >/dev/null 2>&1; then
  echo "advisories: left out, because the database cannot be fetched; NARRATORIA_ADVISORIES=FOLDER names a clone of it"
  exit 0
fi
cargo deny "${options[@]}" check advisories
