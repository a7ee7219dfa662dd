# Facts of a release for the scripts of this folder, which source it: version, target, time, address and key. No program.
# shellcheck shell=bash
# shellcheck disable=SC2034 # those that source it use them
dist_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf 'dist: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
need() { # program, package
  have "$1" || fail "\`$1\` is missing: apt-get install $2"
}

# The value of the first `key = "…"` of the workspace's manifest.
manifest_value() {
  sed -n "s/^$1 = \"\\(.*\\)\"\$/\\1/p" "$dist_root/Cargo.toml" | head -n 1
}

version=$(manifest_value version)
# The one place of the address and of the key is Cargo.toml; CONTRIBUTING.md, "A release".
repository=$(manifest_value repository)
# Tests sign with a key of their own.
public_key=${DIST_PUBLIC_KEY:-$(manifest_value pubkey)}
target=${DIST_TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
if [ -z "$version" ] || [ -z "$target" ]; then fail "Cargo.toml has no version, or rustc names no host"; fi
name="narratoria-$version-$target"

# The time of all files, so that two packagings of one commit are equal.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$dist_root" log -1 --format=%ct 2>/dev/null) ||
    fail "set SOURCE_DATE_EPOCH: these sources have no git history that says when they were written"
fi
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022

# tar with the same bytes each time: sorted, of one time and owner, without what the file system adds.
same_tar() { # folder, more arguments of tar
  local folder=$1
  shift
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=posix --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' --directory "$folder" "$@"
}
