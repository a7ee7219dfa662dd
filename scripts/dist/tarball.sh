#!/usr/bin/env bash
# Packs the staging folder: a .tar.gz, for Windows a .zip. Prints the path.
#
#   usage: tarball.sh STAGE OUT
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
stage=$(realpath "$1")
out=$(realpath "$2")
case $target in
  *windows*)
    python3 "$dist_root/scripts/dist/zip.py" "$stage" "$name" "$out/$name.zip"
    echo "$out/$name.zip"
    ;;
  *)
    same_tar "$stage" --create --transform="s|^\\.|$name|" . | gzip --no-name --best > "$out/$name.tar.gz"
    echo "$out/$name.tar.gz"
    ;;
esac
