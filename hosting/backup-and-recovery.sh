#!/bin/bash
# Tries what docs/hosting.md, "Backup and recovery" says, with a server of its own in a temporary folder: a base backup, the archive
# of the log, and the recovery to a moment before a mistake. Needs PostgreSQL's server programs and no root.
set -euo pipefail

programs=${PGPROGRAMS:-$(pg_config --bindir 2>/dev/null || ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1 || true)}
command -v initdb > /dev/null && programs=$(dirname "$(readlink -f "$(command -v initdb)")")
as=()
folder=$(mktemp -d)
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to run as root.
  chown nobody "$folder"
  as=(setpriv --reuid=nobody --clear-groups)
fi
run() { "${as[@]}" env LC_ALL=C PATH="$programs:$PATH" "$@"; }
cd "$folder"
stop() { run pg_ctl -D "$1" stop -m fast -w > /dev/null 2>&1 || true; }
trap 'stop "$folder/one"; stop "$folder/two"; cd /; rm -rf "$folder"' EXIT
sql() { run psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$folder" -U postgres -d postgres -c "$1"; }

run initdb -U postgres -A trust --no-sync -D one > /dev/null
run mkdir archive
cat > settings <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$folder'
wal_level = replica
archive_mode = on
archive_command = 'test ! -f $folder/archive/%f && cp %p $folder/archive/%f'
SETTINGS
run tee -a one/postgresql.conf < settings > /dev/null
run pg_ctl -D one -l one.log start -w > /dev/null
sql "CREATE TABLE story_change (story bigint, ordinal bigint, digest text, PRIMARY KEY (story, ordinal))"
sql "INSERT INTO story_change SELECT 1, n, md5(n::text) FROM generate_series(1, 100) n"

echo "1. a base backup, while the server runs"
run pg_basebackup -h "$folder" -U postgres -D two -X none -c fast
sql "INSERT INTO story_change SELECT 1, n, md5(n::text) FROM generate_series(101, 150) n"
before=$(sql "SELECT string_agg(digest, '' ORDER BY ordinal) FROM story_change" | sha256sum)
sleep 0.1
moment=$(sql "SELECT now()")
sleep 0.1
echo "2. a mistake: half of the changes are deleted"
sql "DELETE FROM story_change WHERE ordinal > 75"
sql "SELECT pg_switch_wal()" > /dev/null
for _ in $(seq 100); do
  [ "$(sql "SELECT archived_count > 0 AND last_archived_time IS NOT NULL AND failed_count = 0 AND pg_walfile_name(pg_current_wal_lsn()) > last_archived_wal FROM pg_stat_archiver")" = t ] && break
  sleep 0.1
done
stop "$folder/one"

echo "3. recovery to $moment"
run tee -a two/postgresql.conf > /dev/null <<SETTINGS
restore_command = 'cp $folder/archive/%f %p'
recovery_target_time = '$moment'
recovery_target_action = 'promote'
SETTINGS
run touch two/recovery.signal
run chmod 700 two
run pg_ctl -D two -l two.log start -w > /dev/null
for _ in $(seq 100); do
  [ "$(sql "SELECT pg_is_in_recovery()")" = f ] && break
  sleep 0.1
done
after=$(sql "SELECT string_agg(digest, '' ORDER BY ordinal) FROM story_change" | sha256sum)
[ "$before" = "$after" ] || { echo "the recovered changes differ" >&2; exit 1; }
echo "4. the same $(sql "SELECT count(*) FROM story_change") changes are there, with the same digests"
