#!/usr/bin/env bash
# Tries what this folder has, as far as a machine without root, containers and systemd can: the units by systemd-analyze, the compose file
# by Compose, and the proxy of the compose file by playing through it: nginx with its configuration, two servers and PostgreSQL, of
# which one server is killed and both are started again. What is missing on the machine is left out with a sentence.
#
#   usage: try.sh PROGRAM TOOLS       TOOLS is a folder for nginx and Compose, which Debian's packages bring
#
# With NARRATORIA_HOSTING=required nothing may be missing.
set -euo pipefail
usage='usage: try.sh PROGRAM TOOLS'
program=$(realpath "${1:?$usage}")
mkdir -p "${2:?$usage}"
tools=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'hosting: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
left_out() {
  say "left out: $*" >&2
  [ "${NARRATORIA_HOSTING:-}" != required ] || exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Unpacks packages of Debian, whose signatures apt checks. Nothing is installed, and no service starts.
fetch() {
  [ ! -e "$tools/$1" ] || return 0
  shift
  have apt-get && have dpkg-deb || return 1
  local fetched
  fetched=$(mktemp -d "$tools/fetch.XXXXXX")
  (cd "$fetched" && apt-get download "$@" >log 2>&1) && for package in "$fetched"/*.deb; do dpkg-deb -x "$package" "$tools"; done
  local result=$?
  rm -rf "$fetched"
  return $result
}

units() {
  have systemd-analyze || { left_out "the units, because there is no systemd-analyze"; return; }
  local unit threshold
  for unit in serve:20 worker:40; do
    threshold=${unit#*:} unit=narratoria-${unit%:*}@.service
    # Verified with a program that is there.
    sed "s|/usr/bin/narratoria|$program|" "$here/$unit" > "$work/$unit"
    systemd-analyze verify --man=no "$work/$unit" || fail "$unit is not valid"
    systemd-analyze security --offline=yes --threshold="$threshold" "$here/$unit" >"$work/security" || { cat "$work/security"; fail "$unit is too open"; }
    say "$unit: $(tail -n 1 "$work/security")"
    arguments "$(sed -n 's/^ExecStart=[^ ]* //p' "$here/$unit")"
  done
}

# The program knows each option of a command line.
arguments() {
  local command=${1%% *} option
  "$program" "$command" --help > "$work/help"
  for option in $(grep -o -- '--[a-z-]*' <<<"$1"); do
    grep -q -- "$option" "$work/help" || fail "\`narratoria $command\` has no $option"
  done
}

compose() {
  local config=()
  if docker compose version >/dev/null 2>&1; then
    config=(docker compose)
  elif have docker-compose; then
    config=(docker-compose)
  elif fetch usr/bin/docker-compose docker-compose python3-{docker,dockerpty,docopt,dotenv,jsonschema,pyrsistent,attr,requests,urllib3,idna,certifi,chardet,charset-normalizer,texttable,websocket,yaml,distro,six,pkg-resources,packaging}; then
    config=(env PYTHONPATH="$tools/usr/lib/python3/dist-packages" /usr/bin/python3 "$tools/usr/bin/docker-compose")
  else
    left_out "the compose file, because there is no Compose"
    return
  fi
  HOST_NAME=tales.example.org DATABASE_PASSWORD=tide "${config[@]}" -f "$here/compose.yaml" config > "$work/compose" || fail "compose.yaml is not valid"
  if "${config[@]}" -f "$here/compose.yaml" config >/dev/null 2>&1; then fail "compose.yaml takes an empty password"; fi
  arguments "serve $(sed -n 's/^ *- \(--[a-z-]*\).*/\1/p' "$work/compose" | sort -u | tr '\n' ' ')"
  say "compose.yaml is valid"
}

# Started by the names of their jobs, and ended with this script.
start_server() {
  NARRATORIA_HOME="$work/home-$1" NARRATORIA_OFFLINE=1 NARRATORIA_DATABASE="postgres://narratoria@${work//\//%2F}/postgres" \
    "$program" serve --no-open --port "$((port + $1))" --host https://tales.example.org --planner lexical --lease 2 \
    --player-header x-forwarded-user --player-proxy 127.0.0.1 --operations "127.0.0.1:$((port + 2 + $1))" 2>> "$work/server-$1.log" >/dev/null &
  servers[$1]=$!
  for _ in $(seq 300); do
    [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$((port + 2 + $1))/readyz")" != 200 ] || return 0
    sleep 0.1
  done
  cat "$work/server-$1.log"
  fail "server $1 is not ready"
}

# A request of the browser of a player. Prints the answer and, on a line of its own, the status.
ask() {
  local player=$1 method=$2 path=$3
  curl -s --cacert "$work/tls/fullchain.pem" --resolve "tales.example.org:$port:127.0.0.1" -u "$player:tide" -X "$method" -w '\n%{http_code}' \
    -H 'Host: tales.example.org' -H 'Origin: https://tales.example.org' -H 'Sec-Fetch-Site: same-origin' -H 'Content-Type: application/json' \
    "${@:4}" "https://tales.example.org:$port$path"
}
# A server that is gone has no status.
status() { ask "$@" | tail -n 1 || true; }

# Plays a line through the proxy, and again until a server takes it; then waits for its turn.
play() {
  local number=$1 code
  for _ in $(seq 200); do
    code=$(status ada POST /api/stories/walk/lines -d "{\"requestId\":\"line-$number\",\"after\":$((number - 1)),\"text\":\"roll 2d6\"}")
    [ "$code" != 202 ] || break
    sleep 0.1
  done
  [ "$code" = 202 ] || fail "line $number: $code"
  for _ in $(seq 300); do
    told=$(ask ada GET '/api/stories/walk/documents/told?count=9' | { grep -o '"narration"' || true; } | wc -l)
    [ "$told" -lt "$number" ] || break
    sleep 0.1
  done
  [ "$told" = "$number" ] || fail "the story has $told turns after line $number"
}

host() {
  have curl && have openssl || { left_out "the proxy, because there is no curl or no openssl"; return; }
  local nginx
  bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)" 2>/dev/null) || true
  [ -x "$bin/initdb" ] || { left_out "the proxy, because there is no PostgreSQL"; return; }
  if have nginx; then nginx=$(command -v nginx); else fetch usr/sbin/nginx nginx && nginx=$tools/usr/sbin/nginx; fi
  [ -x "${nginx:-}" ] || { left_out "the proxy, because there is no nginx"; return; }
  if [ "$(id -u)" = 0 ]; then
    # PostgreSQL refuses to run as root.
    chown nobody "$work"
    as=(setpriv --reuid=nobody --clear-groups)
  fi
  (cd "$work" && "${as[@]}" "$bin/initdb" -U narratoria -A trust --no-sync -D data >/dev/null &&
    "${as[@]}" "$bin/pg_ctl" -D data -w -l "$work/postgres.log" -o "-c listen_addresses='' -c unix_socket_directories='$work'" start >/dev/null)
  ended() { (cd "$work" && "${as[@]}" "$bin/pg_ctl" -D data -m immediate stop >/dev/null 2>&1) || true; }

  mkdir -p "$work/tls" "$work/nginx"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tales.example.org -addext subjectAltName=DNS:tales.example.org \
    -keyout "$work/tls/privkey.pem" -out "$work/tls/fullchain.pem" 2>/dev/null
  for player in ada bob; do printf '%s:%s\n' "$player" "$(openssl passwd -apr1 tide)"; done > "$work/players"
  {
    echo "daemon off; pid $work/nginx/pid; error_log $work/nginx.log;"
    [ "$(id -u)" != 0 ] || echo "user root;"
    echo "events {} http { access_log off;"
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $work/nginx/$kind;"; done
    sed -e "s|\${HOST_NAME}|tales.example.org|; s|/etc/nginx|$work|; s|listen 443|listen 127.0.0.1:$port|" \
      -e "s|server-\([12]\):7433|127.0.0.1:\1|" "$here/nginx.conf.template" | sed "s|127.0.0.1:1 |127.0.0.1:$((port + 1)) |; s|127.0.0.1:2 |127.0.0.1:$((port + 2)) |"
    echo "}"
  } > "$work/nginx.conf"
  "$nginx" -t -q -c "$work/nginx.conf" -e "$work/nginx.log" || fail "nginx refuses its configuration"
  "$nginx" -c "$work/nginx.conf" -e "$work/nginx.log" & proxy=$!
  start_server 1
  start_server 2

  [ "$(curl -s -o /dev/null -w '%{http_code}' -k -H 'Host: tales.example.org' "https://127.0.0.1:$port/")" = 401 ] || fail "nobody has logged in, and is let in"
  [ "$(status ada POST /api/stories -d '{"requestId":"make","premise":"none","name":"walk"}')" = 201 ] || fail "no story is made"
  play 1
  # The header of the browser does not count.
  ask bob GET /api/stories -H 'X-Forwarded-User: ada' | grep -q '"stories":\[\]' || fail "bob reads the stories of ada"
  local holder=1
  [ -z "$(find "$work/home-2" -name walk -type d)" ] || holder=2
  { kill -9 "${servers[$holder]}" && wait "${servers[$holder]}"; } 2>/dev/null || true
  play 2
  say "the server that had the story was killed, and the other one went on"
  start_server "$holder"
  local other=$((3 - holder))
  kill "${servers[$other]}"
  wait "${servers[$other]}" || fail "server $other ended with $?"
  play 3
  start_server "$other"
  kill "${servers[$holder]}"
  wait "${servers[$holder]}" || fail "server $holder ended with $?"
  start_server "$holder"
  play 4
  say "both servers were started again, one after the other, and no turn is lost"
}

work=$(mktemp -d)
chmod 755 "$work"
# Five ports in a row, from one that is drawn.
port=$((20000 + RANDOM % 20000))
servers=() proxy='' as=() bin=''
ended() { :; }
finish() {
  local id
  for id in "${servers[@]}"; do { kill -9 "$id" && wait "$id"; } 2>/dev/null || true; done
  # By a signal that its workers hear of.
  [ -z "$proxy" ] || { kill "$proxy" && wait "$proxy"; } 2>/dev/null || true
  ended
  rm -rf "$work"
}
trap finish EXIT
units
compose
host
