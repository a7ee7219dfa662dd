//! Opens the database file, checks that it is a story, and brings it to the newest version of the format.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::{
    StoryError,
    digests::{self, DIGESTS_SINCE},
    error::NOT_SQLITE,
    folder::{self, FILE, kind},
    older_assets,
    runaway::interrupt_runaways,
    schema::{APPLICATION_ID, FORMAT_VERSION, STEPS},
    schema_check::check_schema,
    unwritable::{Unwritable, uri_path},
};

/// How many statements a connection keeps prepared: more than there are different ones in a turn.
const STATEMENTS_KEPT: usize = 128;

/// How long a call waits for another process that is writing. A turn's transaction takes milliseconds, so a
/// process that locks the file longer is doing something else.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// Opens the file for play: creates it if it is missing, and migrates an older version.
pub(crate) fn open(path: &Path, opened_at: Timestamp, seed: u64) -> Result<Connection, StoryError> {
    check_files(path)?;
    // This precedes SQLite, which would delete the write-ahead log beside an empty database.
    if folder::is_missing_or_empty(path) {
        folder::check_not_lost(path)?;
        folder::create_database(path)?;
    }
    let mut conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Check the owner of the file before writing to it.
    let version = version(&conn, path).map_err(|error| Unwritable::explain(error, path))?;
    match version {
        0 => folder::check_not_lost(path)?,
        version => check_schema(&conn, path, version)?,
    }
    let failed = |source| StoryError::from_sqlite("open", path, source);
    if conn.is_readonly("main").map_err(failed)? {
        return Err(StoryError::ReadOnly { path: path.to_owned() });
    }
    // On a file system without WAL, SQLite keeps its rollback journal and reports that. It is slower but
    // equally safe, so the result does not matter.
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(failed)?;
    // In WAL mode FULL costs one fsync a turn, a few milliseconds that a player does not notice. With
    // NORMAL, a power failure would lose the last turns that the player has read.
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    if version < FORMAT_VERSION {
        migrate(&mut conn, path, opened_at, seed)?;
        folder::close_to_others(path);
        checkpoint(&conn);
    }
    Ok(conn)
}

/// Moves everything that is committed from the write-ahead log into the database file, so that this file alone is the
/// whole story, because a player who copies `story.db` does not know of the log. A reader or a full disk may keep a
/// part in the log, where it is still safe.
pub(crate) fn checkpoint(conn: &Connection) {
    let _ = conn.pragma_query(None, "wal_checkpoint", |_| Ok(()));
}

/// The database of an existing story, and the reason if it cannot be written.
pub(crate) type ExistingDatabase = (Connection, Option<Unwritable>);

/// Opens an existing story, for writing if possible. Returns `None` for an empty file.
pub(crate) fn open_existing(path: &Path) -> Result<Option<ExistingDatabase>, StoryError> {
    let failed = |source| StoryError::from_sqlite("open", path, source);
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let (mut conn, version, unwritable) = match version(&conn, path) {
        Ok(version) => {
            let is_readonly = conn.is_readonly("main").map_err(failed)?;
            (conn, version, is_readonly.then_some(Unwritable::ReadOnly))
        }
        Err(error) => {
            let (conn, why) = open_frozen(path, error)?;
            let version = version(&conn, path)?;
            (conn, version, Some(why))
        }
    };
    if version == 0 {
        return Ok(None);
    }
    check_schema(&conn, path, version)?;
    if let Some(why) = unwritable {
        // An older version lacks columns that queries need, and cannot be migrated here.
        return match version == FORMAT_VERSION {
            true => Ok(Some((conn, Some(why)))),
            false => Err(why.error(path)),
        };
    }
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(failed)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    if version < FORMAT_VERSION {
        // Only a new story stores the time and the seed.
        migrate(&mut conn, path, Timestamp::UNIX_EPOCH, 0)?;
        folder::close_to_others(path);
        checkpoint(&conn);
    }
    Ok(Some((conn, None)))
}

/// Opens an existing file read-only. Returns its format, too.
pub(crate) fn open_read_only(path: &Path) -> Result<(Connection, i64), StoryError> {
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let (conn, version) = match version(&conn, path) {
        Ok(version) => (conn, version),
        Err(error) => {
            let (conn, _) = open_frozen(path, error)?;
            let version = version(&conn, path)?;
            (conn, version)
        }
    };
    match version {
        0 => Err(StoryError::NotAStory { path: path.to_owned(), what: EMPTY.to_owned() }),
        version => check_schema(&conn, path, version).map(|()| (conn, version)),
    }
}

/// Opens a database that cannot be read in the usual way, as `failed` says, as one that no process changes.
///
/// # Errors
///
/// Returns `failed` if it has another reason, or if the log beside the database has turns, which cannot be read then.
fn open_frozen(path: &Path, failed: StoryError) -> Result<(Connection, Unwritable), StoryError> {
    let Some(why) = Unwritable::of(&failed) else { return Err(failed) };
    let [_, log, ..] = folder::database_files(path);
    if fs::symlink_metadata(log).is_ok_and(|log| log.len() > 0) {
        return Err(why.error(path));
    }
    let address = format!("file:{}?immutable=1", uri_path(path_text(path)?));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect_to(path, Path::new(&address), flags).map(|conn| (conn, why))
}

/// SQLite's smallest page, and so its shortest file.
const PAGE_BYTES_MIN: u64 = 512;

/// The fault of an empty file.
const EMPTY: &str = "it is empty";

/// Connects without `SQLITE_OPEN_URI`, so that SQLite never reads a path as a URI with options.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoryError> {
    connect_to(path, path, flags)
}

/// Connects to the database at `path`, which SQLite finds at `address`.
fn connect_to(path: &Path, address: &Path, flags: OpenFlags) -> Result<Connection, StoryError> {
    check_files(path)?;
    check_length(path)?;
    let failed = |source| StoryError::from_sqlite("open", path, source);
    let mut conn = Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed)?;
    interrupt_runaways(&mut conn).map_err(failed)?;
    conn.busy_timeout(BUSY_MAX).map_err(failed)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    conn.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    // A story may come from another person, so functions that its schema calls are not trusted.
    conn.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    Ok(conn)
}

/// Refuses a link in place of any of SQLite's files, because SQLite would follow it out of the story's folder.
fn check_files(path: &Path) -> Result<(), StoryError> {
    for file in folder::database_files(path) {
        if let Some(found) = kind(&file)?.filter(|found| *found != FILE) {
            return Err(StoryError::WrongKind { path: file, found, expected: FILE });
        }
    }
    Ok(())
}

/// Refuses a file that is too short for SQLite. SQLite refuses most foreign files itself, but takes a file of
/// one byte for an empty one and overwrites it.
///
/// Reads only the length. Opening and closing the file here would drop the locks that other connections of
/// this process hold on it.
fn check_length(path: &Path) -> Result<(), StoryError> {
    match fs::symlink_metadata(path) {
        Ok(found) if (1..PAGE_BYTES_MIN).contains(&found.len()) => {
            Err(StoryError::NotAStory { path: path.to_owned(), what: NOT_SQLITE.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Returns the format version of a story; 0 for an empty file.
fn version(conn: &Connection, path: &Path) -> Result<i64, StoryError> {
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

/// Migrates a file to the newest version. Copies an older story first.
fn migrate(
    conn: &mut Connection,
    path: &Path,
    opened_at: Timestamp,
    seed: u64,
) -> Result<(), StoryError> {
    let copy = match version(conn, path)? {
        0 => None,
        from => copy_older(conn, path, from)?,
    };
    let migrated = run_steps(conn, path, opened_at, seed);
    if let (Err(_), Some(copy)) = (&migrated, copy) {
        // The migration has changed nothing, so the copy is not needed.
        let _ = fs::remove_file(copy);
    }
    migrated
}

/// Copies a story of an older version beside itself. Returns the file, unless there is one already.
fn copy_older(conn: &Connection, path: &Path, version: i64) -> Result<Option<PathBuf>, StoryError> {
    let copy = path.with_file_name(format!("story.version-{version}.db"));
    if kind(&copy)?.is_some() && !folder::is_missing_or_empty(&copy) {
        return Ok(None);
    }
    let copy_text = path_text(&copy)?;
    folder::create_database(&copy)?;
    match conn.execute("VACUUM INTO ?1", [copy_text]) {
        Ok(_) => Ok(Some(copy)),
        Err(source) => {
            let _ = fs::remove_file(&copy);
            Err(StoryError::from_sqlite("copy the story to", &copy, source))
        }
    }
}

/// Returns a path as the text that SQLite takes.
pub(crate) fn path_text(path: &Path) -> Result<&str, StoryError> {
    path.to_str().ok_or_else(|| {
        let source = io::Error::other("the path is not Unicode");
        StoryError::Io { action: "copy the story to", path: path.to_owned(), source }
    })
}

/// Runs all missing steps in one transaction, so that a file is never between two versions.
fn run_steps(
    conn: &mut Connection,
    path: &Path,
    opened_at: Timestamp,
    seed: u64,
) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("set up", path, source);
    let tx = begin(conn).map_err(failed)?;
    // Check again under the write lock: another process may have migrated the file in the meantime.
    let from = version(&tx, path)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
        tx.execute_batch(step).map_err(failed)?;
    }
    let older_folders = match (1..older_assets::STORED_BY_CONTENT).contains(&from) {
        true => older_assets::store_by_content(&tx, path)?,
        false => older_assets::OlderFolders::default(),
    };
    if (1..DIGESTS_SINCE).contains(&from) {
        digests::seal_all(&tx).map_err(failed)?;
    }
    if from == 0 {
        let mut insert =
            tx.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)").map_err(failed)?;
        insert.execute(("seed", seed.to_string())).map_err(failed)?;
        insert.execute(("opened_at", opened_at.to_string())).map_err(failed)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    tx.pragma_update(None, "user_version", FORMAT_VERSION).map_err(failed)?;
    tx.commit().map_err(failed)?;
    older_folders.put_aside(path, from);
    Ok(())
}

/// Begins a transaction that holds the write lock from the start, so that its reads stay valid until its end.
pub(crate) fn begin(conn: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// The durability of a committed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Survives a power failure: SQLite forces it to the disk.
    Disk,
    /// Survives the end of this process at once, but a power failure only after the next [`Durability::Disk`].
    ///
    /// This is `synchronous = NORMAL`: a committed transaction is in the file as the operating system sees it,
    /// so a killed process loses nothing of it. SQLite does not force it to the disk, so a power failure may
    /// lose the last of these transactions, each as a whole; in WAL mode never more than that, and never the
    /// file. The journal can afford it, because a step that is missing from it runs again, and because the
    /// turn's own transaction forces everything before it to the disk. Without WAL, NORMAL is weaker than
    /// that, and the connection stays with FULL.
    Process,
}

/// Runs `work` in a transaction that holds the write lock, and commits if it succeeds.
pub(crate) fn write<T>(
    conn: &mut Connection,
    path: &Path,
    durability: Durability,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoryError>,
) -> Result<T, StoryError> {
    let failed = |source| StoryError::from_sqlite("write", path, source);
    let is_relaxed = durability == Durability::Process && {
        let mode: String = conn.pragma_query_one(None, "journal_mode").map_err(failed)?;
        mode.eq_ignore_ascii_case("wal")
    };
    if is_relaxed {
        conn.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    }
    let done = begin(conn).map_err(failed).and_then(|tx| {
        // A newer program may have migrated the file since this one opened it.
        version(&tx, path)?;
        let done = work(&tx)?;
        tx.commit().map_err(failed)?;
        Ok(done)
    });
    if is_relaxed {
        conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    }
    done
}
