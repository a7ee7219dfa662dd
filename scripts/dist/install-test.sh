#!/usr/bin/env bash
# Tests install.sh with releases in a folder: what is right is installed, whatever is wrong leaves nothing behind. Each case runs
# with minisign and with OpenSSL alone. Needs minisign, to sign.
set -euo pipefail
# The case names: what, expected exit code, words that stderr must have.
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v minisign >/dev/null; then
  echo "install-test: left out, because minisign is missing (apt-get install minisign)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
machine=$(uname -m)-unknown-linux-gnu
count=0

for name in release other; do minisign -G -W -p "$work/$name.pub" -s "$work/$name.key" >/dev/null; done
key() { sed -n 2p "$work/$1.pub"; }

# A release in a folder, as GitHub lays it out. $1 is its folder, $2 its version, $3 the key that signs.
release() {
  local folder=$1/download/v$2 name=narratoria-$2-$machine stage
  stage=$(mktemp -d -p "$work")
  mkdir -p "$folder" "$stage/$name/bin" "$stage/$name/share/man/man1"
  printf '#!/bin/sh\necho narratoria %s\n' "$2" > "$stage/$name/bin/narratoria"
  chmod +x "$stage/$name/bin/narratoria"
  echo page > "$stage/$name/share/man/man1/narratoria.1"
  tar -czf "$folder/$name.tar.gz" -C "$stage" "$name"
  (cd "$folder" && sha256sum "$name.tar.gz" > SHA256SUMS)
  sign "$folder" "$3" "file:SHA256SUMS version:$2"
  mkdir -p "$1/latest"
  ln -sfn "../download/v$2" "$1/latest/download"
}
sign() { minisign -S -s "$work/$2.key" -m "$1/SHA256SUMS" -t "$3" >/dev/null; }

# What is on the search path: all of this machine, or all but minisign.
mkdir "$work/openssl-alone"
for program in sh sed cut tr uname mktemp rm curl wc tail head od openssl sha256sum tar gzip sort mkdir cp mv cat printf; do
  ln -s "$(command -v "$program")" "$work/openssl-alone/$program"
done

# expected exit, words of stderr, arguments of install.sh
check() {
  local expected=$1 words=$2 path said code
  shift 2
  for path in "$PATH" "$work/openssl-alone"; do
    rm -rf "$work/prefix"
    cp -R "$work/before" "$work/prefix"
    code=0
    said=$(env -i HOME="$work" PATH="$path" TMPDIR="$work" sh "$root/scripts/install.sh" --key "$(key release)" --to "$work/prefix" "$@" 2>&1) || code=$?
    if [ "$code" -ne "$expected" ] || [[ $said != *"$words"* ]]; then
      echo "install-test: $* with PATH=$path: exit $code, expected $expected; said:"; echo "$said"
      exit 1
    fi
    if [ "$code" -ne 0 ] && ! diff -r "$work/before" "$work/prefix"; then
      echo "install-test: $*: was refused, and wrote something"
      exit 1
    fi
    count=$((count + 1))
  done
}
mkdir "$work/before"

release "$work/good" 9.9.9 release
check 0 "is version 9.9.9" --from "file://$work/good"
[ "$("$work/prefix/bin/narratoria")" = "narratoria 9.9.9" ] && [ -s "$work/prefix/share/man/man1/narratoria.1" ]
check 0 "is version 9.9.9" --from "file://$work/good" --version v9.9.9
check 3 "is not there" --from "file://$work/good" --version 9.9.8
check 4 "is not signed by the key $(key other)" --from "file://$work/good" --key "$(key other)"
check 2 "has no key" --from "file://$work/good" --key RELEASE-KEY
check 2 "is no version" --from "file://$work/good" --version ../9
check 2 "must be an https address" --from "http://example.org/releases"

release "$work/by-other" 9.9.9 other
check 4 "is not signed by the key" --from "file://$work/by-other"

# A bit of the tarball.
release "$work/damaged" 9.9.9 release
printf 'x' | dd of="$work/damaged/download/v9.9.9/narratoria-9.9.9-$machine.tar.gz" bs=1 seek=40 conv=notrunc status=none
check 4 "has the digest" --from "file://$work/damaged"

# Tarball and list are changed to fit each other.
release "$work/forged" 9.9.9 release
(cd "$work/forged/download/v9.9.9" && echo more >> "narratoria-9.9.9-$machine.tar.gz" && sha256sum ./*.tar.gz | sed 's|\./||' > SHA256SUMS)
check 4 "is not signed by the key" --from "file://$work/forged"

# The comment is changed, and the signature of the list is left as it is.
release "$work/renamed" 9.9.9 release
sed -i 's/version:9.9.9/version:9.9.10/' "$work/renamed/download/v9.9.9/SHA256SUMS.minisig"
check 4 "is not signed by the key" --from "file://$work/renamed"

# An old release at the place of a new one.
release "$work/old" 1.0.0 release
cp -R "$work/old/download/v1.0.0" "$work/old/download/v9.9.9"
check 4 "asked for 9.9.9, and the signature is for 1.0.0" --from "file://$work/old" --version 9.9.9
mkdir -p "$work/before/bin"
printf '#!/bin/sh\necho narratoria 2.0.10\n' > "$work/before/bin/narratoria"
chmod +x "$work/before/bin/narratoria"
check 4 "2.0.10 is installed, and the release is older: 1.0.0" --from "file://$work/old"
check 0 "is version 1.0.0" --from "file://$work/old" --version 1.0.0
rm -rf "$work/before/bin"

# A signature of the same key for another file.
release "$work/other-file" 9.9.9 release
sign "$work/other-file/download/v9.9.9" release "file:something version:9.9.9"
check 4 "the signature is for something else" --from "file://$work/other-file"

# No signature, no release for this machine, a list without end.
release "$work/unsigned" 9.9.9 release
rm "$work/unsigned/download/v9.9.9/SHA256SUMS.minisig"
check 3 "SHA256SUMS.minisig is not there" --from "file://$work/unsigned"
release "$work/elsewhere" 9.9.9 release
sed -i "s/$machine/riscv64-unknown-linux-gnu/" "$work/elsewhere/download/v9.9.9/SHA256SUMS"
sign "$work/elsewhere/download/v9.9.9" release "file:SHA256SUMS version:9.9.9"
check 3 "has nothing for $machine" --from "file://$work/elsewhere"
release "$work/endless" 9.9.9 release
head -c 1000000 /dev/zero > "$work/endless/download/v9.9.9/SHA256SUMS"
check 4 "has more than 65536 bytes" --from "file://$work/endless"

# A program that does not start here.
release "$work/foreign" 9.9.9 release
(cd "$work/foreign/download/v9.9.9" && mkdir -p "narratoria-9.9.9-$machine/bin" && cp SHA256SUMS "narratoria-9.9.9-$machine/bin/narratoria" &&
  chmod +x "narratoria-9.9.9-$machine/bin/narratoria" && tar -czf "narratoria-9.9.9-$machine.tar.gz" "narratoria-9.9.9-$machine" &&
  sha256sum ./*.tar.gz | sed 's|\./||' > SHA256SUMS)
sign "$work/foreign/download/v9.9.9" release "file:SHA256SUMS version:9.9.9"
check 1 "does not start on this machine" --from "file://$work/foreign"

echo "install-test: $count installations as expected"
