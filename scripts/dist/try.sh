#!/usr/bin/env bash
# Tries a release on a system without Rust, compilers and network: a fresh Debian of debootstrap gets the tarball, then the package,
# and the image is run from its own files alone. Each plays a turn and checks a package. Needs root, for chroot.
#
#   usage: try.sh OUT [SYSTEM]     OUT is what `dist.sh` made; SYSTEM is a folder that keeps the Debian [default: a temporary one]
#
# DIST_SUITE is the Debian, bookworm unless it is set; DIST_MIRROR where it comes from; DIST_TRY_PACKAGE is the folder of one more
# package, with its components, which is checked.
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
out=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || fail "chroot needs root"
need debootstrap debootstrap
need umoci umoci
need skopeo skopeo
suite=${DIST_SUITE:-bookworm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
system=$(realpath -m "${2:-$work/system}")

# What the tarball and the package link besides what every Debian has.
libraries=libgomp1,libstdc++6,ca-certificates
if [ ! -x "$system/bin/sh" ]; then
  say "a fresh Debian ($suite), which takes a minute"
  debootstrap --variant=minbase --include="$libraries" "$suite" "$system" ${DIST_MIRROR:+"$DIST_MIRROR"} > "$work/debootstrap.log" ||
    { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
fi
for program in cargo rustc cc gcc clang git; do
  ! chroot "$system" /bin/sh -c "command -v $program" >/dev/null || fail "the system has \`$program\`"
done

# Without a network: a name space of its own has none.
run_in() { # root, user, command…
  local root=$1 user=$2
  shift 2
  unshare --net chroot --userspec="$user" "$root" /usr/bin/env -i HOME=/data NARRATORIA_HOME=/data PATH=/opt/narratoria/bin:/usr/bin:/bin "$@"
}

# A turn, and a check of a package: a plain Agent Skill needs no compiler, and a packed one runs components.
try_program() { # what, root, user, program
  local what=$1 root=$2 user=$3 program=$4 said
  said=$(run_in "$root" "$user" "$program" --version)
  [ "$said" = "narratoria $version" ] || fail "$what: it says \`$said\`"
  said=$(printf 'look around\nroll 2d6\n' | run_in "$root" "$user" "$program" run --story try --seed 7 \
    --premise "a lighthouse keeper who has not slept for nine days" 2>&1) || fail "$what: it does not play: $said"
  [[ $said == *"lighthouse"* && $said == *"2d6"* ]] || fail "$what: it plays something else: $said"
  run_in "$root" "$user" "$program" story verify try > "$work/verified" 2>&1 || fail "$what: the story is damaged: $(cat "$work/verified")"
  run_in "$root" "$user" "$program" skill new quiet-hours --prompt-only --dir /data > "$work/made" 2>&1 || fail "$what: $(cat "$work/made")"
  run_in "$root" "$user" "$program" skill check /data/quiet-hours > "$work/checked" 2>&1 || fail "$what: $(cat "$work/checked")"
  if [ -n "$package" ]; then
    run_in "$root" "$user" "$program" skill check --time-budget 600 "/data/$package" > "$work/checked" 2>&1 || fail "$what: $(cat "$work/checked")"
  fi
  say "$what: plays two turns, verifies them and checks a package"
}
# A package with components, if one is named.
package=${DIST_TRY_PACKAGE:+$(basename "$DIST_TRY_PACKAGE")}
add_package() { # root
  if [ -n "$package" ]; then
    cp -R "$DIST_TRY_PACKAGE" "$1/data/$package"
    chown -R 65532:65532 "$1/data/$package"
  fi
}
data() { # root
  rm -rf "${1:?}/data"
  install -d -o 65532 -g 65532 "$1/data"
  add_package "$1"
}

data "$system"
mkdir -p "$system/opt"
rm -rf "$system/opt/narratoria"
tar -xzf "$out/$name.tar.gz" -C "$system/opt"
mv "$system/opt/$name" "$system/opt/narratoria"
try_program tarball "$system" 65532:65532 narratoria
[ -s "$system/opt/narratoria/share/man/man1/narratoria-run.1" ] || fail "the tarball has no manual pages"
rm -rf "$system/opt/narratoria"

data "$system"
deb=$(ls "$out"/narratoria_"$version"_*.deb)
cp "$deb" "$system/narratoria.deb"
chroot "$system" dpkg --install /narratoria.deb > "$work/dpkg" 2>&1 || fail "the package cannot be installed: $(cat "$work/dpkg")"
rm "$system/narratoria.deb"
try_program package "$system" 65532:65532 /usr/bin/narratoria
chroot "$system" dpkg --verify narratoria || fail "dpkg finds other files than the package has"
chroot "$system" dpkg --purge narratoria >/dev/null 2>&1
[ ! -e "$system/usr/bin/narratoria" ] || fail "the package leaves its program behind"

# The image has no shell and no env, so the program is started by itself.
skopeo copy --quiet "oci-archive:$out/$name.oci.tar" "oci:$work/layout:$version"
umoci unpack --image "$work/layout:$version" "$work/bundle" > /dev/null
image="$work/bundle/rootfs"
chroot=$(command -v chroot)
[ "$(stat -c %u "$image/data")" = 65532 ] || fail "the volume of the image is not its user's"
run_in() { # root, user, command…
  local root=$1 user=$2
  shift 2
  unshare --net env -i HOME=/data NARRATORIA_HOME=/data PATH=/usr/bin "$chroot" --userspec="$user" "$root" "$@"
}
add_package "$image"
try_program image "$image" 65532:65532 /usr/bin/narratoria
grep -Eq '"uid": ?65532' "$work/bundle/config.json" || fail "the image runs as another user"
