#!/bin/sh
# Installs a release of Narratoria: fetches it, verifies signature and digests, and only then writes anything outside a temporary
# folder. Needs curl or wget, tar, gzip, and minisign or OpenSSL.
#
#   usage: install.sh [--version VERSION] [--to PREFIX] [--from ADDRESS] [--key KEY]
#
#   --version  such as 0.1.0 [default: the newest; never one that is older than what is installed]
#   --to       prefix [default: ~/.local]: the program becomes PREFIX/bin/narratoria
#   --from     address of the releases, also file:///… [default: those of the project]
#   --key      public key of minisign that must have signed the release [default: the project's]
#
# Exit: 0 done, 1 failed, 2 bad usage, 3 there is no such release, 4 refused: signature or digest is wrong.
set -eu

releases=@repository@/releases
key=@public-key@
# Nothing that is fetched is larger.
sums_bytes_max=65536
release_bytes_max=1073741824

say() { printf 'install: %s\n' "$*" >&2; }
# exit code, sentence
stop() { code=$1; shift; say "$@"; exit "$code"; }
have() { command -v "$1" >/dev/null 2>&1; }

version=
prefix=${HOME:-}/.local
while [ $# -gt 0 ]; do
  case $1 in
    --version | --to | --from | --key) [ $# -ge 2 ] || stop 2 "$1 needs a value" ;;
    -h | --help) sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0"; exit 0 ;;
    *) stop 2 "\`$1\` is unknown: --version, --to, --from, --key" ;;
  esac
  case $1 in
    --version) version=${2#v} ;;
    --to) prefix=$2 ;;
    --from) releases=${2%/} ;;
    --key) key=$2 ;;
  esac
  shift 2
done
# The version becomes a part of addresses and paths.
case $version in *[!0-9A-Za-z.+-]*) stop 2 "\`$version\` is no version" ;; esac
case $key in RW*) ;; *) stop 2 "this copy of install.sh has no key: take that of a release, or name one with --key" ;; esac
case $releases in https://* | file:///* | http://127.0.0.1[:/]*) ;; *) stop 2 "\`$releases\` must be an https address" ;; esac

machine=$(uname -m)
case $machine in arm64) machine=aarch64 ;; amd64) machine=x86_64 ;; esac
case $(uname -s) in
  Linux) target=$machine-unknown-linux-gnu ;;
  Darwin) target=$machine-apple-darwin ;;
  *) stop 3 "there is no release for $(uname -s) that this script installs; https releases have a zip for Windows" ;;
esac

have minisign || have openssl || stop 1 "neither minisign nor openssl is here, and nothing is installed without its signature"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# address, file, most bytes. Follows redirects, to https only unless the releases are on this machine.
fetch() {
  case $releases in https://*) protocols='=https' ;; *) protocols='=https,http,file' ;; esac
  if have curl; then
    fetched=0
    # The limit of the shell, in blocks of 512 bytes, holds where an answer does not say its length.
    (
      ulimit -f "$(($3 / 512 + 1))"
      exec curl --silent --show-error --fail --location --proto "$protocols" --proto-redir "$protocols" \
        --max-filesize "$3" --connect-timeout 30 --speed-limit 1000 --speed-time 60 --output "$2" "$1" 2>"$work/said"
    ) || fetched=$?
    # 22 is an answer such as 404, 37 a file that is not there.
    case $fetched in
      0) ;;
      22 | 37) stop 3 "$1 is not there" ;;
      63 | 153) stop 4 "$1 has more than $3 bytes" ;;
      *) stop 1 "$1 cannot be fetched: $(cat "$work/said")" ;;
    esac
  elif have wget; then
    case $1 in https://*) ;; *) stop 1 "wget fetches https addresses only: install curl" ;; esac
    wget --quiet --https-only --tries=2 --timeout=30 --output-document="$2" "$1" || stop 3 "$1 cannot be fetched"
  else
    stop 1 "neither curl nor wget is here"
  fi
  [ "$(wc -c < "$2")" -le "$3" ] || stop 4 "$1 has more than $3 bytes"
}

sha256() {
  if have sha256sum; then sha256sum "$1" | cut -d ' ' -f 1; else shasum -a 256 "$1" | cut -d ' ' -f 1; fi
}

# The bytes of a base64 text; where from, how many.
bytes_of() { printf '%s' "$1" | openssl base64 -d -A | tail -c "+$(($2 + 1))" | head -c "$3"; }

# Checks an Ed25519 signature (base64, offset of its 64 bytes) over a file with OpenSSL 1.1.1 or newer.
openssl_verifies() { # public key file, base64, offset, file
  bytes_of "$2" "$3" 64 > "$work/signature.bin"
  openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey "$1" -sigfile "$work/signature.bin" -in "$4" >/dev/null 2>&1
}

# Prints the trusted comment of a file's signature; fails unless the key has signed file and comment.
trusted_comment() { # file
  if have minisign; then
    minisign -V -Q -P "$key" -m "$1" 2>/dev/null
    return
  fi
  line=$(sed -n 2p "$1.minisig")
  comment=$(sed -n '3s/^trusted comment: //p' "$1.minisig")
  over_comment=$(sed -n 4p "$1.minisig")
  # "ED" signs the BLAKE2b of the file; the key's number, 8 bytes, stands behind the algorithm.
  [ "$(bytes_of "$line" 0 2)" = ED ] || return 1
  [ "$(bytes_of "$line" 2 8 | od -An -tx1)" = "$(bytes_of "$key" 2 8 | od -An -tx1)" ] || return 1
  # An Ed25519 key as OpenSSL reads it: a fixed beginning and the 32 bytes.
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; bytes_of "$key" 10 32; } > "$work/key.der"
  openssl dgst -blake2b512 -binary "$1" > "$work/digest.bin" || return 1
  openssl_verifies "$work/key.der" "$line" 10 "$work/digest.bin" || return 1
  { bytes_of "$line" 10 64; printf '%s' "$comment"; } > "$work/comment.bin"
  openssl_verifies "$work/key.der" "$over_comment" 0 "$work/comment.bin" || return 1
  printf '%s\n' "$comment"
}

if [ -n "$version" ]; then folder=$releases/download/v$version; else folder=$releases/latest/download; fi
fetch "$folder/SHA256SUMS" "$work/SHA256SUMS" "$sums_bytes_max"
fetch "$folder/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig" "$sums_bytes_max"
comment=$(trusted_comment "$work/SHA256SUMS") ||
  stop 4 "the list of digests at $folder is not signed by the key $key"
signed=${comment#file:SHA256SUMS version:}
[ "$signed" != "$comment" ] || stop 4 "the signature is for something else: $comment"
[ -z "$version" ] || [ "$version" = "$signed" ] || stop 4 "asked for $version, and the signature is for $signed"
case $signed in '' | *[!0-9A-Za-z.+-]*) stop 4 "the signature is for \`$signed\`, which is no version" ;; esac

program=$prefix/bin/narratoria
if [ -z "$version" ] && [ -x "$program" ]; then
  installed=$("$program" --version 2>/dev/null | sed 's/^narratoria //') || installed=
  newest=$(printf '%s\n%s\n' "$installed" "$signed" | sort -t . -k 1,1n -k 2,2n -k 3,3n | tail -n 1)
  [ -z "$installed" ] || [ "$newest" = "$signed" ] ||
    stop 4 "$installed is installed, and the release is older: $signed; --version $signed takes it all the same"
fi

name=narratoria-$signed-$target
digest=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\.tar\.gz\$/\1/p" "$work/SHA256SUMS")
[ -n "$digest" ] || stop 3 "release $signed has nothing for $target"
say "fetching $name.tar.gz"
fetch "$folder/$name.tar.gz" "$work/release.tar.gz" "$release_bytes_max"
found=$(sha256 "$work/release.tar.gz")
[ "$found" = "$digest" ] || stop 4 "$name.tar.gz has the digest $found, and the signed list has $digest"
tar -xzf "$work/release.tar.gz" -C "$work" || stop 1 "$name.tar.gz cannot be unpacked"
said=$("$work/$name/bin/narratoria" --version) || stop 1 "the program does not start on this machine, see above"
[ "$said" = "narratoria $signed" ] || stop 4 "the program says \`$said\`, and the release is $signed"

# All is verified: the first thing that is written. The program is moved into its place at once.
mkdir -p "$prefix/bin" || stop 1 "$prefix/bin cannot be made"
cp -R "$work/$name/share" "$prefix/" || stop 1 "$prefix/share cannot be written"
cp "$work/$name/bin/narratoria" "$program.new" || stop 1 "$program cannot be written"
mv -f "$program.new" "$program" || stop 1 "$program cannot be written"
say "$program is version $signed"
case :$PATH: in *":$prefix/bin:"*) ;; *) say "$prefix/bin is not on the search path" ;; esac
