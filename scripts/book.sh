#!/usr/bin/env bash
# Makes a book of `docs` in the folder `book`, and follows every link in it that leads to a file of this repository.
#
#   usage: book.sh [DIR]
#
# DIR is where mdBook is kept. It is built from crates.io in its smallest form, without its server and its search: that
# takes some forty seconds, once; a book takes a quarter of one. Ready-made programs exist only for some machines.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/book-tools}")
version=0.5.4
mdbook=$tools/bin/mdbook

if [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$version" ]; then
  printf 'book: building mdbook %s\n' "$version"
  CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_DEV_DEBUG=0 \
    cargo install --quiet --locked --force --debug --no-default-features "mdbook@$version" --root "$tools"
  rm -rf "$tools/build"
fi

# Each page of the book is listed once, and each page of the folder is in it.
for page in docs/*.md; do
  name=${page#docs/}
  if [ "$name" != SUMMARY.md ] && ! grep -qF "]($name)" docs/SUMMARY.md; then
    printf 'book: docs/SUMMARY.md does not list %s\n' "$name" >&2
    exit 1
  fi
done

# Warnings of mdBook are on stderr, and nothing else is.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$mdbook" build docs >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
if grep -q 'WARN\|ERROR' "$log"; then cat "$log" >&2; exit 1; fi

broken=0
for page in book/*.html; do
  case $page in */404.html | */toc.html | */index.html) continue ;; esac
  while read -r link; do
    file=${link%%#*}
    place=${link#"$file"}
    to=$page
    if [ -n "$file" ]; then to=book/$file; fi
    if [ ! -e "$to" ]; then
      printf 'book: %s links %s, which is not there\n' "$page" "$link" >&2
      broken=1
    elif [ -n "$place" ] && [ "${to%.html}" != "$to" ] && ! grep -qF "id=\"${place#\#}\"" "$to"; then
      printf 'book: %s links %s, and that page has no such heading\n' "$page" "$link" >&2
      broken=1
    fi
  done < <(grep -oE '(href|src)="[^"]+"' "$page" | sed -E 's/^[a-z]+="//; s/"$//' | grep -vE '^([a-z]+:|//)' | sort -u)
done
exit "$broken"
