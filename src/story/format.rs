//! The database file: how it is opened, what makes it a story, and which version of the format it has.

use std::{fs, io, path::Path, time::Duration};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::StoryError;

/// Marks an SQLite file as a story (`PRAGMA application_id`): "Narr" in ASCII.
pub const APPLICATION_ID: i32 = 0x4e61_7272;

/// The newest version of the format (`PRAGMA user_version`), which is the one that is written.
///
/// Changelog:
/// - 1: `meta`, `turns`, `plans`, `assets`, `head`, `snapshots`.
/// - 2: a plan has an ordinal, a record, and what a list of plans shows of it; `journal`,
///   `journal_plans`, `journal_steps`; `store_now`, `store_log`, `store_size`.
pub const FORMAT_VERSION: i64 = STEPS.len() as i64;

/// How long a call waits for another process that is writing. A turn's transaction takes milliseconds,
/// so whoever holds the file longer than this has a reason to.
pub const BUSY_MAX: Duration = Duration::from_secs(5);

/// `STEPS[n]` brings a file of version `n` to version `n + 1`. A step that has been released is never
/// changed: what it did wrong, the next one puts right.
///
/// Words with a fixed list (`outcome`, `status`) are not checked by the file, so that a new word needs no
/// rebuilt table; the reader knows which it takes.
const STEPS: [&str; 2] = [STEP_1, STEP_2];

const STEP_1: &str = "
    CREATE TABLE meta (
        key   TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE turns (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        parent      INTEGER REFERENCES turns (id),
        depth       INTEGER NOT NULL,
        prompt      TEXT NOT NULL,
        narration   TEXT NOT NULL,
        outcome     TEXT NOT NULL,
        choices     TEXT NOT NULL,
        patch       TEXT NOT NULL,
        started_at  TEXT NOT NULL,
        finished_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX turns_by_parent ON turns (parent);
    CREATE TABLE plans (
        id             TEXT NOT NULL PRIMARY KEY,
        turn           INTEGER NOT NULL REFERENCES turns (id),
        attempt        INTEGER NOT NULL,
        parent_plan_id TEXT,
        planner        TEXT NOT NULL,
        status         TEXT NOT NULL,
        plan           TEXT NOT NULL,
        result         TEXT,
        errors         TEXT NOT NULL,
        created_at     TEXT NOT NULL
    ) STRICT;
    CREATE INDEX plans_by_turn ON plans (turn);
    CREATE TABLE assets (
        turn       INTEGER NOT NULL REFERENCES turns (id),
        plan       TEXT NOT NULL REFERENCES plans (id),
        tool_id    TEXT NOT NULL,
        asset_id   TEXT NOT NULL,
        kind       TEXT NOT NULL,
        media_type TEXT NOT NULL,
        path       TEXT NOT NULL,
        metadata   TEXT
    ) STRICT;
    CREATE INDEX assets_by_turn ON assets (turn);
    CREATE INDEX assets_by_plan ON assets (plan);
    CREATE TABLE head (
        only  INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        turn  INTEGER REFERENCES turns (id),
        state TEXT NOT NULL
    ) STRICT;
    CREATE TABLE snapshots (
        turn  INTEGER NOT NULL PRIMARY KEY REFERENCES turns (id),
        state TEXT NOT NULL
    ) STRICT;
    INSERT INTO head (only, turn, state) VALUES (1, NULL, '{}');
";

/// `journal.head` does not reference `turns`: a journal outlives the turn that it went on from.
const STEP_2: &str = "
    ALTER TABLE plans ADD COLUMN ordinal    INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE plans ADD COLUMN version    INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE plans ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
    ALTER TABLE plans ADD COLUMN changes    TEXT;
    ALTER TABLE plans ADD COLUMN reasoning  TEXT;
    ALTER TABLE plans ADD COLUMN record     TEXT;
    UPDATE plans SET ordinal = numbered.ordinal, updated_at = created_at
    FROM (SELECT id, row_number() OVER (ORDER BY rowid) AS ordinal FROM plans) AS numbered
    WHERE plans.id = numbered.id;
    CREATE UNIQUE INDEX plans_by_ordinal ON plans (ordinal);
    CREATE TABLE journal (
        only       INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        head       INTEGER,
        plan       TEXT NOT NULL,
        prompt     TEXT NOT NULL,
        seed       TEXT NOT NULL,
        started_at TEXT NOT NULL,
        extra      TEXT NOT NULL
    ) STRICT;
    CREATE TABLE journal_plans (
        ordinal        INTEGER NOT NULL PRIMARY KEY,
        id             TEXT NOT NULL UNIQUE,
        attempt        INTEGER NOT NULL,
        parent_plan_id TEXT,
        planner        TEXT NOT NULL,
        status         TEXT NOT NULL,
        plan           TEXT NOT NULL,
        result         TEXT,
        errors         TEXT NOT NULL,
        created_at     TEXT NOT NULL,
        version        INTEGER NOT NULL,
        updated_at     TEXT NOT NULL,
        changes        TEXT,
        reasoning      TEXT,
        record         TEXT
    ) STRICT;
    CREATE TABLE journal_steps (
        place   INTEGER NOT NULL PRIMARY KEY,
        tool_id TEXT NOT NULL UNIQUE,
        step    TEXT NOT NULL
    ) STRICT;
    CREATE TABLE store_now (
        skill TEXT NOT NULL,
        key   TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (skill, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE store_log (
        turn         INTEGER NOT NULL REFERENCES turns (id),
        skill        TEXT NOT NULL,
        key          TEXT NOT NULL,
        value_before TEXT,
        value_after  TEXT,
        PRIMARY KEY (turn, skill, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE store_size (
        only  INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        bytes INTEGER NOT NULL
    ) STRICT;
    INSERT INTO store_size (only, bytes) VALUES (1, 0);
";

/// Opens the file for play: makes it when it is not there, brings an older one up to date.
pub(super) fn open(path: &Path, opened_at: Timestamp, seed: u64) -> Result<Connection, StoryError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut conn = connect(path, flags)?;
    // Before anything is written: whose file is it?
    let version = version(&conn, path)?;
    let failed = |source| StoryError::from_sqlite("open", path, source);
    if conn.is_readonly("main").map_err(failed)? {
        return Err(StoryError::ReadOnly { path: path.to_owned() });
    }
    // Where a file system cannot do WAL, SQLite stays with its rollback journal and says so. That is
    // slower and no less safe, so the answer does not matter.
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(failed)?;
    // In WAL mode FULL costs one fsync a turn, a few milliseconds that nobody notices. NORMAL would save
    // them, and lose the last turns that the player has read when the power fails.
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    if version < FORMAT_VERSION {
        migrate(&mut conn, path, opened_at, seed)?;
    }
    Ok(conn)
}

/// Opens a story that is there: to go on with it if the file may be written to, else to look at it. None
/// when nothing has been written to the file yet.
pub(super) fn open_existing(path: &Path) -> Result<Option<Connection>, StoryError> {
    let failed = |source| StoryError::from_sqlite("open", path, source);
    let mut conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = version(&conn, path)?;
    if version == 0 {
        return Ok(None);
    }
    if conn.is_readonly("main").map_err(failed)? {
        // An older file lacks what the questions ask for, and cannot be brought up to date.
        return match version == FORMAT_VERSION {
            true => Ok(Some(conn)),
            false => Err(StoryError::ReadOnly { path: path.to_owned() }),
        };
    }
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(failed)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    if version < FORMAT_VERSION {
        // Both are kept only by a story that begins.
        migrate(&mut conn, path, Timestamp::UNIX_EPOCH, 0)?;
    }
    Ok(Some(conn))
}

/// Opens a file that is there, to look at it only.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, StoryError> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if version(&conn, path)? == 0 {
        return Err(StoryError::NotAStory { path: path.to_owned(), what: EMPTY.to_owned() });
    }
    Ok(conn)
}

/// What `path` is, if anything. A link counts as a link, wherever it leads.
pub(super) fn kind(path: &Path) -> Result<Option<&'static str>, StoryError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Ok(Some("a symbolic link")),
        Ok(found) if found.is_dir() => Ok(Some(FOLDER)),
        Ok(found) if found.is_file() => Ok(Some(FILE)),
        Ok(_) => Ok(Some("neither a file nor a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoryError::Io { action: "look at", path: path.to_owned(), source }),
    }
}

/// SQLite's smallest page, and so its shortest file.
const PAGE_BYTES_MIN: u64 = 512;

/// What is wrong with a file that SQLite cannot read.
pub(super) const NOT_SQLITE: &str = "it is not an SQLite file";

/// What is wrong with a file that nobody has written to yet, where a story must be.
const EMPTY: &str = "it is empty";

/// [`kind`] of a folder.
pub(super) const FOLDER: &str = "a folder";
/// [`kind`] of a file.
pub(super) const FILE: &str = "a file";

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoryError> {
    // SQLite would follow a link in place of any of its files, out of the story's folder.
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        if let Some(found) = kind(Path::new(&file))?.filter(|found| *found != FILE) {
            return Err(StoryError::WrongKind { path: file.into(), found, expected: FILE });
        }
    }
    check_length(path)?;
    let failed = |source| StoryError::from_sqlite("open", path, source);
    // Without `SQLITE_OPEN_URI`, so that a path is never read as a URI with options in it.
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed)?;
    conn.busy_timeout(BUSY_MAX).map_err(failed)?;
    conn.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    // A story may come from somebody else: what its schema calls is not trusted.
    conn.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    Ok(conn)
}

/// Refuses a file that is too short to be SQLite's. SQLite refuses what is not its own by itself, but
/// takes a file of one byte for an empty one and writes over it.
///
/// Only looks at the length. To open the file here and close it again would drop the locks that other
/// connections of this process hold on it.
fn check_length(path: &Path) -> Result<(), StoryError> {
    match fs::symlink_metadata(path) {
        Ok(found) if (1..PAGE_BYTES_MIN).contains(&found.len()) => {
            Err(StoryError::NotAStory { path: path.to_owned(), what: NOT_SQLITE.to_owned() })
        }
        _ => Ok(()),
    }
}

/// The format version of a story; 0 for a file that nobody has written to yet.
pub(super) fn version(conn: &Connection, path: &Path) -> Result<i64, StoryError> {
    let failed = |source| StoryError::from_sqlite("read", path, source);
    let id: i32 = conn.pragma_query_one(None, "application_id").map_err(failed)?;
    let version: i64 = conn.pragma_query_one(None, "user_version").map_err(failed)?;
    let tables: i64 = conn
        .query_one("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    if (id, version, tables) == (0, 0, 0) {
        return Ok(0);
    }
    if id != APPLICATION_ID {
        let what = format!("it is an SQLite file of another program (application id {id})");
        return Err(StoryError::NotAStory { path: path.to_owned(), what });
    }
    if version > FORMAT_VERSION {
        return Err(StoryError::NewerFormat { path: path.to_owned(), found: version });
    }
    if version < 1 {
        let what = format!("it has story format {version}, the first is 1");
        return Err(StoryError::Damaged { path: path.to_owned(), what });
    }
    Ok(version)
}

/// Takes all the missing steps in one transaction, so that no file is ever half of a version.
fn migrate(
    conn: &mut Connection,
    path: &Path,
    opened_at: Timestamp,
    seed: u64,
) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("set up", path, source);
    let tx = begin(conn).map_err(failed)?;
    // Again, now that nobody else can write: another process may have done it in the meantime.
    let from = version(&tx, path)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
        tx.execute_batch(step).map_err(failed)?;
    }
    if from == 0 {
        let mut insert =
            tx.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)").map_err(failed)?;
        insert.execute(("seed", seed.to_string())).map_err(failed)?;
        insert.execute(("opened_at", opened_at.to_string())).map_err(failed)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    tx.pragma_update(None, "user_version", FORMAT_VERSION).map_err(failed)?;
    tx.commit().map_err(failed)
}

/// A transaction that may write from its first moment, so that what it reads stays true until it ends.
pub(super) fn begin(conn: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// Does `work` in a transaction of its own that survives the end of this process at once, but a failing
/// power only from the next turn on.
///
/// That is `synchronous = NORMAL`: what is committed is in the file as the operating system sees it, so
/// a killed process loses nothing of it. It is not forced to the disk, so that a power failure may lose
/// the last of such transactions, each whole; in WAL mode never more than that, and never the file. The
/// journal can bear it, because a step that it does not know of is run again, and because the turn's own
/// transaction forces all before it to the disk. Where the file system cannot do WAL, NORMAL is weaker
/// than that, and the connection stays with FULL.
pub(super) fn with_relaxed_sync<T>(
    conn: &mut Connection,
    path: &Path,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoryError>,
) -> Result<T, StoryError> {
    let failed = |source| StoryError::from_sqlite("write", path, source);
    let mode: String = conn.pragma_query_one(None, "journal_mode").map_err(failed)?;
    if mode.eq_ignore_ascii_case("wal") {
        conn.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    }
    let done = begin(conn).map_err(failed).and_then(|tx| {
        // Also the version: a newer program may have brought the file up to date under our feet.
        version(&tx, path)?;
        let done = work(&tx)?;
        tx.commit().map_err(failed)?;
        Ok(done)
    });
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    done
}
