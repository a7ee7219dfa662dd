#!/usr/bin/env bash
# Lays out what a release installs, below a prefix such as /usr/local: the program, manual pages, completions, licences and the
# list of its parts. The tarball, the .deb and the image are made of this folder.
#
#   usage: stage.sh PROGRAM FOLDER     FOLDER is new or empty
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
program=$(realpath "$1")
stage=$(realpath -m "$2")
parts_flags=(--target "$target")
if [ -n "${DIST_WITHOUT_EMBEDDING_MODEL:-}" ]; then parts_flags+=(--without-embedding-model); fi
case " ${DIST_CARGO_FLAGS:-} " in *" --no-default-features "*) parts_flags+=(--no-default-features) ;; esac

said=$("$program" --version)
[ "$said" = "narratoria $version" ] || fail "$program says \`$said\`, and Cargo.toml has $version"
[ -z "$(ls -A "$stage" 2>/dev/null)" ] || fail "$stage is not empty"

suffix=
case $target in *windows*) suffix=.exe ;; esac
install -D -m 755 "$program" "$stage/bin/narratoria$suffix"
"$program" man-pages "$stage/share/man/man1"
completions() { # shell, file
  mkdir -p "$(dirname "$stage/share/$2")"
  "$program" completions "$1" > "$stage/share/$2"
}
completions bash bash-completion/completions/narratoria
completions zsh zsh/site-functions/_narratoria
completions fish fish/vendor_completions.d/narratoria.fish

doc="$stage/share/doc/narratoria"
mkdir -p "$doc"
cp "$dist_root/LICENSE-APACHE" "$dist_root/LICENSE-MIT" "$dist_root/CHANGELOG.md" "$doc"
sed -e "s|@repository@|$repository|g" -e "s|@version@|$version|g" "$dist_root/scripts/dist/README.txt" > "$doc/README.txt"
"$dist_root/scripts/dist/parts.py" licences "${parts_flags[@]}" > "$doc/THIRD-PARTY.txt"
"$dist_root/scripts/dist/parts.py" sbom "${parts_flags[@]}" > "$doc/sbom.cdx.json"
find "$stage" -type d -exec chmod 755 {} +
find "$stage" -type f ! -path "$stage/bin/*" -exec chmod 644 {} +
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
