//! A log in one SQLite file: for servers of one machine, and to compare with.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use narratoria_story::{LogPosition, StoryName};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};

use crate::{
    HostedStory, Lease, LeaseOutcome, LogError, NewChange, PlayerId, PlayerUse, StoredChange,
    StoryId, StoryLog,
    limits::{LOG_TIME_MAX, PLAYER_STORIES_MAX, READ_BYTES_MAX, READ_CHANGES_MAX},
    packed_lines::{pack, unpack},
};

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS hosted_story (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        player       TEXT NOT NULL,
        name         TEXT NOT NULL,
        holder       TEXT NOT NULL DEFAULT '',
        fence        INTEGER NOT NULL DEFAULT 0,
        lease_until  INTEGER NOT NULL DEFAULT 0,
        head_ordinal INTEGER NOT NULL DEFAULT 0,
        head_digest  TEXT NOT NULL DEFAULT '',
        bytes        INTEGER NOT NULL DEFAULT 0,
        open_request TEXT,
        UNIQUE (player, name)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS story_change (
        story       INTEGER NOT NULL REFERENCES hosted_story (id),
        ordinal     INTEGER NOT NULL,
        fence       INTEGER NOT NULL,
        request_id  TEXT,
        branch      TEXT NOT NULL,
        format      INTEGER NOT NULL,
        lines       BLOB NOT NULL,
        digest      TEXT NOT NULL,
        prev_digest TEXT NOT NULL,
        PRIMARY KEY (story, ordinal),
        UNIQUE (story, request_id)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS player_day (
        player  TEXT NOT NULL,
        day     TEXT NOT NULL,
        turns   INTEGER NOT NULL,
        work_ms INTEGER NOT NULL,
        PRIMARY KEY (player, day)
    ) STRICT, WITHOUT ROWID;
";

/// Now, in milliseconds, by the clock of the database.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// Stories in an SQLite file.
pub struct SqliteStoryLog {
    conn: Mutex<Connection>,
}

impl SqliteStoryLog {
    /// Opens the file, or creates it.
    pub fn open(path: &Path) -> Result<SqliteStoryLog, LogError> {
        let conn = Connection::open(path).map_err(refused)?;
        conn.busy_timeout(LOG_TIME_MAX).map_err(refused)?;
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(refused)?;
        conn.pragma_update(None, "synchronous", "FULL").map_err(refused)?;
        conn.pragma_update(None, "foreign_keys", true).map_err(refused)?;
        conn.execute_batch(SCHEMA).map_err(refused)?;
        Ok(SqliteStoryLog { conn: Mutex::new(conn) })
    }

    fn conn(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(error: rusqlite::Error) -> LogError {
    LogError::Refused { what: error.to_string() }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn story_of(row: &Row<'_>) -> rusqlite::Result<HostedStory> {
    let (ordinal, digest): (i64, String) = (row.get("head_ordinal")?, row.get("head_digest")?);
    let bytes: i64 = row.get("bytes")?;
    Ok(HostedStory {
        id: StoryId(row.get("id")?),
        name: row.get("name")?,
        head: head(ordinal, digest),
        bytes: bytes.unsigned_abs(),
    })
}

fn head(ordinal: i64, digest: String) -> Option<LogPosition> {
    (ordinal > 0).then(|| LogPosition { ordinal: ordinal.unsigned_abs(), digest })
}

impl StoryLog for SqliteStoryLog {
    fn story(&self, player: &PlayerId, name: &StoryName) -> Result<Option<HostedStory>, LogError> {
        let sql = "SELECT * FROM hosted_story WHERE player = ?1 AND name = ?2";
        let conn = self.conn();
        conn.query_row(sql, [player.as_str(), name.as_str()], story_of).optional().map_err(refused)
    }

    fn create_story(&self, player: &PlayerId, name: &StoryName) -> Result<HostedStory, LogError> {
        if let Some(story) = self.story(player, name)? {
            return Ok(story);
        }
        let conn = self.conn();
        let sql = "INSERT INTO hosted_story (player, name)
                   SELECT ?1, ?2 WHERE (SELECT count(*) FROM hosted_story WHERE player = ?1) < ?3
                   ON CONFLICT DO NOTHING";
        let limit = PLAYER_STORIES_MAX;
        let limit_cell = i64::try_from(limit).unwrap_or(i64::MAX);
        conn.execute(sql, params![player.as_str(), name.as_str(), limit_cell]).map_err(refused)?;
        drop(conn);
        self.story(player, name)?.ok_or(LogError::TooManyStories { limit })
    }

    fn stories(&self, player: &PlayerId) -> Result<Vec<HostedStory>, LogError> {
        let conn = self.conn();
        let sql = "SELECT * FROM hosted_story WHERE player = ?1 ORDER BY name";
        let mut select = conn.prepare_cached(sql).map_err(refused)?;
        let found = select.query_map([player.as_str()], story_of).map_err(refused)?;
        found.collect::<rusqlite::Result<_>>().map_err(refused)
    }

    fn take_lease(
        &self,
        story: StoryId,
        holder: &str,
        time: Duration,
    ) -> Result<LeaseOutcome, LogError> {
        let mut conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let sql = format!(
            "UPDATE hosted_story SET holder = ?2, fence = fence + 1, lease_until = {NOW} + ?3
             WHERE id = ?1 AND (holder = ?2 OR lease_until <= {NOW})
             RETURNING fence, head_ordinal, head_digest, open_request"
        );
        let taken = tx
            .query_row(&sql, params![story.0, holder, millis(time)], |row| {
                let fence: i64 = row.get(0)?;
                let lease = Lease { story, fence: fence.unsigned_abs() };
                let head = head(row.get(1)?, row.get(2)?);
                Ok(LeaseOutcome::Taken { lease, head, open_request: row.get(3)? })
            })
            .optional()
            .map_err(refused)?;
        let outcome = match taken {
            Some(taken) => taken,
            None => {
                let sql =
                    format!("SELECT holder, lease_until - {NOW} FROM hosted_story WHERE id = ?1");
                let held = tx
                    .query_row(&sql, [story.0], |row| {
                        let left: i64 = row.get(1)?;
                        let left = Duration::from_millis(left.max(0).unsigned_abs());
                        Ok(LeaseOutcome::Held { holder: row.get(0)?, left })
                    })
                    .optional()
                    .map_err(refused)?;
                held.ok_or(LogError::NoStory)?
            }
        };
        tx.commit().map_err(refused)?;
        Ok(outcome)
    }

    fn renew_lease(&self, lease: Lease, time: Duration) -> Result<(), LogError> {
        let conn = self.conn();
        let sql = format!(
            "UPDATE hosted_story SET lease_until = {NOW} + ?3 WHERE id = ?1 AND fence = ?2"
        );
        let fence = lease.fence.cast_signed();
        let renewed = conn.execute(&sql, params![lease.story.0, fence, millis(time)]);
        match renewed.map_err(refused)? {
            0 => Err(fenced(&conn, lease.story)),
            _ => Ok(()),
        }
    }

    fn give_up_lease(&self, lease: Lease) -> Result<(), LogError> {
        let sql = "UPDATE hosted_story SET holder = '', lease_until = 0, open_request = NULL
                   WHERE id = ?1 AND fence = ?2";
        let fence = lease.fence.cast_signed();
        self.conn().execute(sql, params![lease.story.0, fence]).map(drop).map_err(refused)
    }

    fn append(&self, lease: Lease, change: &NewChange<'_>) -> Result<(), LogError> {
        let NewChange { at, prev_digest, request_id, branch, format, lines, turns, work_ms } =
            *change;
        let (story, fence) = (lease.story.0, lease.fence.cast_signed());
        let ordinal = at.ordinal.cast_signed();
        let mut conn = self.conn();
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let sql = "UPDATE hosted_story SET head_ordinal = ?3, head_digest = ?4, bytes = bytes + ?6,
                          open_request = NULL
                   WHERE id = ?1 AND fence = ?2 AND head_ordinal = ?3 - 1 AND head_digest = ?5";
        let lines = pack(lines);
        let bytes = i64::try_from(lines.len()).unwrap_or(i64::MAX);
        let values = params![story, fence, ordinal, at.digest, prev_digest, bytes];
        if tx.execute(sql, values).map_err(refused)? == 0 {
            return Err(fenced(&tx, lease.story));
        }
        let sql = "INSERT INTO story_change
                   (story, ordinal, fence, request_id, branch, format, lines, digest, prev_digest)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![
            story,
            ordinal,
            fence,
            request_id,
            branch,
            format,
            lines,
            at.digest,
            prev_digest
        ];
        tx.execute(sql, values).map_err(|error| match (error.sqlite_error_code(), request_id) {
            (Some(ErrorCode::ConstraintViolation), Some(id)) => {
                LogError::RequestTaken { request_id: id.to_owned() }
            }
            _ => refused(error),
        })?;
        let sql = "INSERT INTO player_day (player, day, turns, work_ms)
                   SELECT player, date('now'), ?2, ?3 FROM hosted_story WHERE id = ?1
                   ON CONFLICT DO UPDATE SET turns = turns + ?2, work_ms = work_ms + ?3";
        tx.execute(sql, params![story, turns.cast_signed(), work_ms.cast_signed()])
            .map_err(refused)?;
        tx.commit().map_err(refused)
    }

    fn changes_after(&self, story: StoryId, ordinal: u64) -> Result<Vec<StoredChange>, LogError> {
        let conn = self.conn();
        let sql = "SELECT * FROM story_change WHERE story = ?1 AND ordinal > ?2
                   ORDER BY ordinal LIMIT ?3";
        let mut select = conn.prepare_cached(sql).map_err(refused)?;
        let limit = i64::try_from(READ_CHANGES_MAX).unwrap_or(i64::MAX);
        let mut found =
            select.query(params![story.0, ordinal.cast_signed(), limit]).map_err(refused)?;
        let (mut changes, mut bytes) = (Vec::new(), 0);
        while let Some(row) = found.next().map_err(refused)? {
            let change = stored_change(row).map_err(refused)?;
            bytes += change.lines.len();
            changes.push(change);
            if bytes >= READ_BYTES_MAX {
                break;
            }
        }
        Ok(changes)
    }

    fn change_of_request(&self, story: StoryId, request_id: &str) -> Result<Option<u64>, LogError> {
        let sql = "SELECT ordinal FROM story_change WHERE story = ?1 AND request_id = ?2";
        let conn = self.conn();
        let found = conn.query_row(sql, params![story.0, request_id], |row| row.get::<_, i64>(0));
        Ok(found.optional().map_err(refused)?.map(i64::unsigned_abs))
    }

    fn begin_request(&self, lease: Lease, request_id: &str) -> Result<(), LogError> {
        let conn = self.conn();
        let sql = "UPDATE hosted_story SET open_request = ?3 WHERE id = ?1 AND fence = ?2";
        let values = params![lease.story.0, lease.fence.cast_signed(), request_id];
        match conn.execute(sql, values).map_err(refused)? {
            0 => Err(fenced(&conn, lease.story)),
            _ => Ok(()),
        }
    }

    fn use_of(&self, player: &PlayerId) -> Result<PlayerUse, LogError> {
        let sql = "SELECT
            (SELECT coalesce(sum(turns), 0) FROM player_day WHERE player = ?1 AND day = date('now')),
            (SELECT coalesce(sum(work_ms), 0) FROM player_day WHERE player = ?1 AND day = date('now')),
            (SELECT coalesce(sum(bytes), 0) FROM hosted_story WHERE player = ?1)";
        let conn = self.conn();
        let number = |row: &Row<'_>, at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        conn.query_one(sql, [player.as_str()], |row| {
            let (turns, work_ms) = (number(row, 0)?, number(row, 1)?);
            Ok(PlayerUse { turns, work_ms, bytes: number(row, 2)? })
        })
        .map_err(refused)
    }

    fn ping(&self) -> Result<(), LogError> {
        self.conn().query_one("SELECT 1", [], |_| Ok(())).map_err(refused)
    }
}

fn stored_change(row: &Row<'_>) -> rusqlite::Result<StoredChange> {
    let (ordinal, fence): (i64, i64) = (row.get("ordinal")?, row.get("fence")?);
    Ok(StoredChange {
        at: LogPosition { ordinal: ordinal.unsigned_abs(), digest: row.get("digest")? },
        prev_digest: row.get("prev_digest")?,
        fence: fence.unsigned_abs(),
        request_id: row.get("request_id")?,
        branch: row.get("branch")?,
        format: row.get("format")?,
        // Bytes that are no lines have the digest of no change.
        lines: unpack(row.get_ref("lines")?.as_blob()?).unwrap_or_default(),
    })
}

/// The error of a lease that holds no longer, or whose log is another.
fn fenced(conn: &Connection, story: StoryId) -> LogError {
    let sql = "SELECT holder FROM hosted_story WHERE id = ?1";
    match conn.query_row(sql, [story.0], |row| row.get::<_, String>(0)).optional() {
        Ok(Some(holder)) if holder.is_empty() => {
            LogError::Fenced { holder: "nobody; open it again".to_owned() }
        }
        Ok(Some(holder)) => LogError::Fenced { holder },
        Ok(None) => LogError::NoStory,
        Err(error) => refused(error),
    }
}
