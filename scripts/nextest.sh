#!/usr/bin/env bash
# Installs cargo-nextest, which runs the tests, where it is missing. Says nothing where it is there.
#
# Any version from the one that `.config/nextest.toml` requires will do; a missing one is built from the registry, in the
# version below. That takes some minutes, once on a machine.
set -euo pipefail
version=0.9.143
if cargo nextest --version >/dev/null 2>&1; then exit 0; fi
echo "nextest: building cargo-nextest $version, which takes some minutes"
cargo install --quiet --locked "cargo-nextest@$version"
