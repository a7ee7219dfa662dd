#!/usr/bin/env bash
# Measures what the database of hosted stories does: changes of stories a second and the time of one, with writes that reach the disk
# (`fsync`, as installed). A server of its own, in a temporary folder; each client plays a story of its own.
#
#   usage: commits.sh [LINE_BYTES] [SECONDS] [CLIENTS...]       4300 bytes, 10 seconds, 1 and 32 clients unless it is said
set -euo pipefail
bytes=${1:-4300}
seconds=${2:-10}
clients=("${@:3}")
[ ${#clients[@]} -gt 0 ] || clients=(1 32)
bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
work=$(mktemp -d)
as=()
# The server refuses to run as root.
if [ "$(id -u)" -eq 0 ]; then
  chown nobody "$work"
  as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --)
fi
in_db() { "${as[@]}" env PGHOST="$work" PGUSER=nobody PGDATABASE=postgres "$@"; }
trap '"${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1; rm -rf "$work"' EXIT
cd "$work"
"${as[@]}" "$bin/initdb" -D "$work/data" -U nobody -A trust >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$work/data" -w -l "$work/log" -o "-c listen_addresses='' -c unix_socket_directories='$work' -c max_connections=200" start >/dev/null
in_db "$bin/psql" -q <<SQL
CREATE TABLE hosted_story (id bigint PRIMARY KEY, player text NOT NULL, head_ordinal bigint NOT NULL DEFAULT 0,
  head_digest text NOT NULL DEFAULT '', bytes bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 1) WITH (fillfactor = 50);
CREATE TABLE story_change (story bigint NOT NULL REFERENCES hosted_story (id), ordinal bigint NOT NULL, request_id text, lines bytea NOT NULL,
  digest text NOT NULL, prev_digest text NOT NULL, stored_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (story, ordinal), UNIQUE (story, request_id));
ALTER TABLE story_change ALTER COLUMN lines SET STORAGE EXTERNAL;
CREATE TABLE player_day (player text, day date, turns bigint NOT NULL, PRIMARY KEY (player, day));
INSERT INTO hosted_story (id, player) SELECT n, 'player ' || n FROM generate_series(0, 199) n;
SQL
# The statement that appends a change in src/hosting/postgres_log.rs, without what the server fills in itself. The bytes are digests,
# which no longer compress, as packed lines do not.
cat > append.sql <<SQL
WITH mine AS (UPDATE hosted_story SET head_ordinal = head_ordinal + 1, head_digest = md5(head_digest), bytes = bytes + $bytes
    WHERE id = :client_id AND fence = 1 RETURNING id, player, head_ordinal, head_digest),
  used AS (INSERT INTO player_day SELECT player, now()::date, 1 FROM mine
    ON CONFLICT (player, day) DO UPDATE SET turns = player_day.turns + 1)
INSERT INTO story_change (story, ordinal, request_id, lines, digest, prev_digest)
  SELECT id, head_ordinal, gen_random_uuid(), (SELECT string_agg(decode(md5(n::text || head_digest), 'hex'), '') FROM generate_series(1, $bytes / 16) n),
    head_digest, head_digest FROM mine;
SQL
for count in "${clients[@]}"; do
  rm -f latency*
  rate=$(in_db "$bin/pgbench" -n -M prepared -f append.sql -c "$count" -j 2 -T "$seconds" -l --log-prefix=latency | sed -n 's/^tps = \([0-9.]*\).*/\1/p')
  cat latency* | awk '{ print $3 / 1000 }' | sort -n | awk -v count="$count" -v rate="$rate" '{ all[NR] = $1 }
    END { printf "%d clients: %.0f changes a second; one takes %.2f ms at the median, %.2f ms at p95\n", count, rate, all[int(NR / 2) + 1], all[int(NR * 0.95) + 1] }'
done
in_db "$bin/psql" -qtA -c "SELECT format('%s kB of disk a change, without the log of the database',
  round(pg_total_relation_size('story_change') / 1000 / greatest((SELECT count(*) FROM story_change), 1))) "
