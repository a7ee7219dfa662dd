#!/usr/bin/env bash
# Makes a package for Debian and Ubuntu of the staging folder. Prints the path. Its dependencies are what the program links.
#
#   usage: deb.sh STAGE OUT
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
stage=$(realpath "$1")
out=$(realpath "$2")
need dpkg-deb dpkg
need dpkg-shlibdeps dpkg-dev
case $target in
  x86_64-*-linux-gnu) architecture=amd64 ;;
  aarch64-*-linux-gnu) architecture=arm64 ;;
  *) fail "there is no name of Debian for $target" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/root"
mkdir -p "$root/usr" "$root/DEBIAN" "$work/debian"
cp -R "$stage/bin" "$stage/share" "$root/usr/"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_narratoria" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
doc="$root/usr/share/doc/narratoria"
mv "$doc/CHANGELOG.md" "$doc/changelog"
gzip --no-name --best "$doc/changelog" "$doc/THIRD-PARTY.txt" "$root"/usr/share/man/man1/*.1
rm "$doc/LICENSE-APACHE" "$doc/LICENSE-MIT"
cat > "$doc/copyright" <<EOF
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: narratoria
Source: $repository
Comment: the licences of the parts that others made are in THIRD-PARTY.txt.gz

Files: *
Copyright: the authors of Narratoria
License: MIT or Apache-2.0

License: MIT
$(sed -e 's/^$/./' -e 's/^/ /' "$dist_root/LICENSE-MIT")

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
EOF

# `dpkg-shlibdeps` wants sources of Debian; an empty paragraph of one does.
printf 'Source: narratoria\n\nPackage: narratoria\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "root/usr/bin/narratoria" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps does not say what the program links"
installed=$(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
cat > "$root/DEBIAN/control" <<EOF
Package: narratoria
Version: $version
Architecture: $architecture
Maintainer: The authors of Narratoria <noreply@invalid>
Installed-Size: $installed
Depends: $depends
Recommends: ca-certificates
Section: games
Priority: optional
Homepage: $repository
Description: interactive stories on your own machine
 A planner turns each sentence of the player into a plan, a graph of small
 skill scripts. They run as WebAssembly components in a sandbox, and their
 results become the story. Works without a network and without a model.
EOF
(cd "$root" && find usr -type f -print0 | sort --zero-terminated | xargs -0 md5sum > DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package="$out/narratoria_${version}_$architecture.deb"
# Threads would cut the compressed data into other blocks on another machine.
dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$root" "$package" >/dev/null
echo "$package"
