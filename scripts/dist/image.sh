#!/usr/bin/env bash
# Makes a container image of the staging folder, without a daemon and without root: an OCI archive, which podman, docker (25 and
# newer), skopeo and kubernetes read. It has the program, the libraries that the program links, certificates and nothing else: no
# shell. It runs as user 65532, and keeps everything in the volume /data. Prints the path.
#
#   usage: image.sh STAGE OUT
#
# The libraries and certificates are those of this machine; the versions are in /usr/share/doc/narratoria/system-packages.
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
stage=$(realpath "$1")
out=$(realpath "$2")
need umoci umoci
need skopeo skopeo
case $target in
  x86_64-*-linux-gnu) architecture=amd64 ;;
  aarch64-*-linux-gnu) architecture=arm64 ;;
  *) fail "there is no image for $target" ;;
esac
certificates=/etc/ssl/certs/ca-certificates.crt
[ -s "$certificates" ] || fail "$certificates is missing: apt-get install ca-certificates"

user=65532
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/root"
mkdir -p "$root/usr" "$root/etc/ssl/certs" "$root/tmp" "$root/data"
cp -R "$stage/bin" "$root/usr/"
mkdir -p "$root/usr/share/doc"
cp -R "$stage/share/doc/narratoria" "$root/usr/share/doc/"
cp "$certificates" "$root$certificates"
printf 'root:x:0:0:root:/:/sbin/nologin\nnarratoria:x:%s:%s:narratoria:/data:/sbin/nologin\n' "$user" "$user" > "$root/etc/passwd"
printf 'root:x:0:\nnarratoria:x:%s:\n' "$user" > "$root/etc/group"
# Without it glibc asks no name server.
printf 'hosts: files dns\n' > "$root/etc/nsswitch.conf"

# Each library, at the path where the program looks for it, and the licence of its package.
listed="$root/usr/share/doc/narratoria/system-packages"
ldd "$stage/bin/narratoria" > "$work/linked"
if grep -q 'not found' "$work/linked"; then
  fail "a library is missing here: $(grep 'not found' "$work/linked" | tr -s '\t ' ' ')"
fi
# glibc loads these when it asks for the name of a host.
lib_folder=$(dirname "$(sed -n 's/.*=> \(\/.*libc\.so\.6\) .*/\1/p' "$work/linked")")
{
  sed -n -e 's/.*=> \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' "$work/linked"
  ls "$lib_folder"/libnss_dns.so.2 "$lib_folder"/libresolv.so.2
} | sort -u > "$work/libraries"
packages=(ca-certificates)
while IFS= read -r library; do
  install -D -m 755 "$(realpath "$library")" "$root$library"
  # `/lib` is a link to `/usr/lib` on systems of today, and dpkg knows one of the names.
  package=$(dpkg-query --search "$library" 2>/dev/null || dpkg-query --search "/usr$library" 2>/dev/null ||
    dpkg-query --search "${library#/usr}" 2>/dev/null) || fail "no package of the system has $library"
  package=${package%%: *}
  packages+=("${package%%:*}")
done < "$work/libraries"
for package in $(printf '%s\n' "${packages[@]}" | sort -u); do
  dpkg-query --show --showformat='${Package} ${Version}\n' "$package" | head -n 1 >> "$listed"
  install -D -m 644 "$(realpath "/usr/share/doc/$package/copyright")" "$root/usr/share/doc/$package/copyright"
done

# The layer: all of it is root's, the volume is the user's.
find "$root" -type d -exec chmod 755 {} +
chmod 1777 "$root/tmp"
same_tar "$root" --create --exclude=./data --file "$work/layer.tar" .
mkdir -p "$work/volume/data"
tar --append --file "$work/layer.tar" --directory "$work/volume" --mtime="@$SOURCE_DATE_EPOCH" --mode=755 \
  --owner="$user" --group="$user" --numeric-owner --format=posix --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' \
  ./data

created=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
layout="$work/layout"
image="$layout:$version"
umoci init --layout "$layout"
umoci new --image "$image"
umoci raw add-layer --image "$image" --history.created "$created" --history.created_by "scripts/dist/image.sh" "$work/layer.tar"
umoci config --image "$image" --no-history --created "$created" --architecture "$architecture" --os linux \
  --config.user "$user:$user" --config.env "NARRATORIA_HOME=/data" --config.env "HOME=/data" --config.env "PATH=/usr/bin" \
  --config.workingdir /data --config.volume /data --config.entrypoint /usr/bin/narratoria \
  --config.label "org.opencontainers.image.title=narratoria" \
  --config.label "org.opencontainers.image.version=$version" \
  --config.label "org.opencontainers.image.source=$repository" \
  --config.label "org.opencontainers.image.licenses=MIT OR Apache-2.0" \
  --manifest.annotation "org.opencontainers.image.version=$version" \
  --manifest.annotation "org.opencontainers.image.source=$repository"
# The copy has the last state alone, and the name by which `podman load` knows the image.
named="$work/named"
skopeo copy --quiet "oci:$image" "oci:$named:narratoria:$version"
archive="$out/$name.oci.tar"
same_tar "$named" --create --file "$archive" .
skopeo inspect "oci:$image" > "$work/inspected"
skopeo inspect "oci-archive:$archive" | cmp --silent - "$work/inspected" || fail "skopeo reads another image from $archive"
echo "$archive"
