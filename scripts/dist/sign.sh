#!/usr/bin/env bash
# Writes `install.sh` with the address and the key, SHA256SUMS over all files of a folder, and with a key a signature of minisign
# beside each of them. Each signature says for which file of which version it is, so that an old one cannot pose as new.
#
#   usage: sign.sh OUT [SECRET_KEY_FILE]
#
# A password is read from DIST_KEY_PASSWORD. Signatures are checked against `pubkey` of Cargo.toml before anything counts.
set -euo pipefail
# shellcheck source=scripts/dist/settings.sh
. "$(dirname "$0")/settings.sh"
out=$(realpath "$1")
secret=${2:-}
cd "$out"
rm -f SHA256SUMS ./*.minisig
sed -e "s|@repository@|$repository|" -e "s|@public-key@|$public_key|" "$dist_root/scripts/install.sh" > install.sh
chmod 755 install.sh
# All but dot files: the list grows under such a name.
find . -maxdepth 1 -type f ! -name '.*' -printf '%P\n' | sort | xargs -d '\n' sha256sum > .sums
mv .sums SHA256SUMS
if [ -z "$secret" ]; then
  say "not signed, because no key was named (DIST_KEY): install.sh takes signed releases only"
  exit 0
fi
need minisign minisign
secret=$(realpath "$secret")
while IFS= read -r file; do
  comment="file:$file version:$version"
  minisign -S -s "$secret" -m "$file" -t "$comment" -c "narratoria $version" <<< "${DIST_KEY_PASSWORD:-}" >/dev/null ||
    fail "minisign did not sign $file"
  said=$(minisign -V -Q -P "$public_key" -m "$file") ||
    fail "$file is signed by another key than \`pubkey\` of Cargo.toml, $public_key"
  [ "$said" = "$comment" ] || fail "the signature of $file says \`$said\`"
done < <(sed 's/^[0-9a-f]*  //' SHA256SUMS; echo SHA256SUMS)
