//! A log in PostgreSQL, for servers of many machines.

use std::{fmt, sync::mpsc, time::Duration};

use narratoria_postgres::{
    Database, DatabaseConnection, DatabaseError, DatabaseOptions, DatabaseSchema, DatabaseUrl,
    Migration, Row, SqlState, ToSql,
};
use narratoria_story::{LogPosition, StoryName};
use tokio::runtime::{Builder, Runtime};

use crate::{
    HostedStory, Lease, LeaseOutcome, LogError, NewChange, PlayerId, PlayerUse, StoredChange,
    StoryId, StoryLog,
    limits::{LOG_TIME_MAX, PLAYER_STORIES_MAX, READ_BYTES_MAX, READ_CHANGES_MAX},
    packed_lines::{pack, unpack},
};

/// The tables of hosted stories. A migration only adds. `lines` is packed here, so the server leaves it as it is.
pub const HOSTING_TABLES: DatabaseSchema = DatabaseSchema {
    name: "hosting",
    migrations: &[Migration {
        usable_from: 1,
        sql: "
            CREATE TABLE hosted_story (
                id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                player       text COLLATE \"C\" NOT NULL,
                name         text COLLATE \"C\" NOT NULL,
                holder       text NOT NULL DEFAULT '',
                fence        bigint NOT NULL DEFAULT 0,
                lease_until  timestamptz NOT NULL DEFAULT 'epoch',
                head_ordinal bigint NOT NULL DEFAULT 0,
                head_digest  text NOT NULL DEFAULT '',
                bytes        bigint NOT NULL DEFAULT 0,
                open_request text,
                UNIQUE (player, name)
            ) WITH (fillfactor = 50);
            CREATE TABLE story_change (
                story       bigint NOT NULL REFERENCES hosted_story (id),
                ordinal     bigint NOT NULL,
                fence       bigint NOT NULL,
                request_id  text,
                branch      text NOT NULL,
                format      bigint NOT NULL,
                lines       bytea NOT NULL,
                lines_bytes bigint NOT NULL,
                digest      text NOT NULL,
                prev_digest text NOT NULL,
                stored_at   timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (story, ordinal),
                UNIQUE (story, request_id)
            );
            ALTER TABLE story_change ALTER COLUMN lines SET STORAGE EXTERNAL;
            CREATE TABLE player_day (
                player  text COLLATE \"C\" NOT NULL,
                day     date NOT NULL,
                turns   bigint NOT NULL,
                work_ms bigint NOT NULL,
                PRIMARY KEY (player, day)
            );",
    }],
};

const STORY: &str = "SELECT id, name, head_ordinal, head_digest, bytes FROM hosted_story
    WHERE player = $1 AND name = $2";

const STORIES: &str = "SELECT id, name, head_ordinal, head_digest, bytes FROM hosted_story
    WHERE player = $1 ORDER BY name";

const CREATE: &str = "INSERT INTO hosted_story (player, name)
    SELECT $1::text, $2::text
    WHERE (SELECT count(*) FROM hosted_story WHERE player = $1) < $3::bigint
    ON CONFLICT DO NOTHING";

const TAKE: &str = "UPDATE hosted_story SET holder = $2, fence = fence + 1,
        lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    WHERE id = $1 AND (holder = $2 OR lease_until <= clock_timestamp())
    RETURNING fence, head_ordinal, head_digest, open_request";

const HOLDER: &str = "SELECT holder,
        greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint
    FROM hosted_story WHERE id = $1::bigint";

const RENEW: &str = "UPDATE hosted_story
    SET lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    WHERE id = $1 AND fence = $2 RETURNING 1";

const GIVE_UP: &str = "UPDATE hosted_story
    SET holder = '', lease_until = 'epoch', open_request = NULL WHERE id = $1 AND fence = $2";

/// One statement, so one answer: the row of the story says that the lease is ours and that the chain goes on here, and its lock
/// keeps a taker waiting until the change is there.
const APPEND: &str = "WITH mine AS (
        UPDATE hosted_story SET head_ordinal = $3::bigint, head_digest = $4::text,
               bytes = bytes + octet_length($9::bytea), open_request = NULL
        WHERE id = $1::bigint AND fence = $2::bigint AND head_ordinal = $3::bigint - 1
            AND head_digest = $5::text
        RETURNING id, player
    ), used AS (
        INSERT INTO player_day (player, day, turns, work_ms)
        SELECT player, (now() AT TIME ZONE 'UTC')::date, $10::bigint, $11::bigint FROM mine
        ON CONFLICT (player, day) DO UPDATE
        SET turns = player_day.turns + excluded.turns, work_ms = player_day.work_ms + excluded.work_ms
    )
    INSERT INTO story_change
        (story, ordinal, fence, request_id, branch, format, lines, lines_bytes, digest, prev_digest)
    SELECT id, $3::bigint, $2::bigint, $6::text, $7::text, $8::bigint, $9::bytea, $12::bigint, $4::text, $5::text
    FROM mine RETURNING 1";

/// The sizes are summed first, so that a long story is not read at once. They are those of the unpacked lines.
const CHANGES: &str = "WITH next AS (
        SELECT ordinal, sum(lines_bytes) OVER (ORDER BY ordinal) - lines_bytes AS bytes_before
        FROM story_change WHERE story = $1 AND ordinal > $2::bigint AND ordinal <= $2::bigint + $3::bigint
    )
    SELECT ordinal, digest, prev_digest, fence, request_id, branch, format, lines
    FROM story_change WHERE story = $1
        AND ordinal IN (SELECT ordinal FROM next WHERE bytes_before < $4::bigint)
    ORDER BY ordinal";

const REQUEST: &str = "SELECT ordinal FROM story_change WHERE story = $1 AND request_id = $2";

const BEGIN_REQUEST: &str =
    "UPDATE hosted_story SET open_request = $3 WHERE id = $1 AND fence = $2 RETURNING 1";

const USE: &str = "SELECT
    coalesce((SELECT turns FROM player_day
              WHERE player = $1 AND day = (now() AT TIME ZONE 'UTC')::date), 0),
    coalesce((SELECT work_ms FROM player_day
              WHERE player = $1 AND day = (now() AT TIME ZONE 'UTC')::date), 0),
    coalesce((SELECT sum(bytes) FROM hosted_story WHERE player = $1), 0)::bigint";

const PING: &str = "SELECT 1";

/// Stories in PostgreSQL. Its calls may be made from any thread, and also within another runtime.
pub struct PostgresStoryLog {
    database: Database,
    /// Its own, because the callers block. `None` on drop alone.
    runtime: Option<Runtime>,
}

impl PostgresStoryLog {
    /// Connects, and makes the tables that are missing.
    pub fn open(url: &DatabaseUrl) -> Result<PostgresStoryLog, LogError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("database")
            .enable_all()
            .build()
            .map_err(|error| LogError::Refused { what: error.to_string() })?;
        let options = DatabaseOptions {
            connect_wait: LOG_TIME_MAX,
            statement_time: LOG_TIME_MAX,
            application: "narratoria serve",
            ..DatabaseOptions::default()
        };
        let url = url.clone();
        let connected = block(&runtime, async move {
            let database = Database::connect(&url, options).await?;
            database.migrate(&HOSTING_TABLES).await?;
            Ok(database)
        });
        match connected {
            Ok(database) => Ok(PostgresStoryLog { database, runtime: Some(runtime) }),
            Err(error) => {
                runtime.shutdown_background();
                Err(log_error(error))
            }
        }
    }

    /// Runs one statement on the thread of the database.
    fn ask(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<Row>, DatabaseError> {
        let database = self.database.clone();
        self.block(async move {
            let mut connection = database.connection().await?;
            query(&mut connection, sql, &values).await
        })
    }

    /// As [`PostgresStoryLog::ask`], again after a lost connection: for what may run twice.
    fn ask_again(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<Row>, LogError> {
        let database = self.database.clone();
        let asked = self.block(async move {
            let mut attempts = database.attempts();
            loop {
                let answer = match database.connection().await {
                    Ok(mut connection) => query(&mut connection, sql, &values).await,
                    Err(error) => Err(error),
                };
                let error = match answer {
                    Ok(rows) => return Ok(rows),
                    Err(error) => error,
                };
                if !attempts.wait_after(&error).await {
                    return Err(error);
                }
            }
        });
        asked.map_err(log_error)
    }

    fn block<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, DatabaseError>> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let runtime = self.runtime.as_ref().expect("it is taken on drop alone");
        block(runtime, work)
    }

    /// The error of a lease that holds no longer, or whose log is another.
    fn fenced(&self, story: StoryId) -> LogError {
        let holder = self.ask_again(HOLDER, vec![Box::new(story.0)]);
        match holder.map(|rows| rows.first().map(|row| row.get::<_, String>(0))) {
            Ok(Some(holder)) if holder.is_empty() => {
                LogError::Fenced { holder: "nobody; open it again".to_owned() }
            }
            Ok(Some(holder)) => LogError::Fenced { holder },
            Ok(None) => LogError::NoStory,
            Err(error) => error,
        }
    }

    /// The statement changed the story's row if it returned one.
    fn changed(&self, rows: &[Row], story: StoryId) -> Result<(), LogError> {
        if rows.is_empty() { Err(self.fenced(story)) } else { Ok(()) }
    }
}

type SqlValue = Box<dyn ToSql + Sync + Send>;

async fn query(
    connection: &mut DatabaseConnection,
    sql: &'static str,
    values: &[SqlValue],
) -> Result<Vec<Row>, DatabaseError> {
    let values: Vec<&(dyn ToSql + Sync)> =
        values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
    connection.query(sql, &values).await
}

/// Waits for work on the runtime's own thread: the caller's may belong to another runtime, which must not be entered twice.
fn block<T: Send + 'static>(
    runtime: &Runtime,
    work: impl Future<Output = Result<T, DatabaseError>> + Send + 'static,
) -> Result<T, DatabaseError> {
    let (done, answer) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        // The caller waits for it.
        let _ = done.send(work.await);
    });
    answer.recv().expect("the work does not panic, and each of its waits has an end")
}

impl Drop for PostgresStoryLog {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for PostgresStoryLog {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresStoryLog").field("database", &self.database).finish()
    }
}

/// A statement that was not answered may have run. One that was refused has not.
fn log_error(error: DatabaseError) -> LogError {
    let is_unknown = error.is_passing() || matches!(error, DatabaseError::Unreachable { .. });
    let cause = std::error::Error::source(&error).map(|why| format!(": {why}"));
    let what = format!("{error}{}", cause.unwrap_or_default());
    if is_unknown { LogError::Unknown { what } } else { LogError::Refused { what } }
}

fn number(row: &Row, at: usize) -> u64 {
    row.get::<_, i64>(at).max(0).unsigned_abs()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn head(ordinal: u64, digest: String) -> Option<LogPosition> {
    (ordinal > 0).then_some(LogPosition { ordinal, digest })
}

fn story_of(row: &Row) -> HostedStory {
    HostedStory {
        id: StoryId(row.get(0)),
        name: row.get(1),
        head: head(number(row, 2), row.get(3)),
        bytes: number(row, 4),
    }
}

fn text(text: &str) -> SqlValue {
    Box::new(text.to_owned())
}

fn count(number: usize) -> SqlValue {
    Box::new(i64::try_from(number).unwrap_or(i64::MAX))
}

fn fence(lease: Lease) -> SqlValue {
    Box::new(lease.fence.cast_signed())
}

impl StoryLog for PostgresStoryLog {
    fn story(&self, player: &PlayerId, name: &StoryName) -> Result<Option<HostedStory>, LogError> {
        let rows = self.ask_again(STORY, vec![text(player.as_str()), text(name.as_str())])?;
        Ok(rows.first().map(story_of))
    }

    fn create_story(&self, player: &PlayerId, name: &StoryName) -> Result<HostedStory, LogError> {
        if let Some(story) = self.story(player, name)? {
            return Ok(story);
        }
        let limit = PLAYER_STORIES_MAX;
        self.ask_again(CREATE, vec![text(player.as_str()), text(name.as_str()), count(limit)])?;
        self.story(player, name)?.ok_or(LogError::TooManyStories { limit })
    }

    fn stories(&self, player: &PlayerId) -> Result<Vec<HostedStory>, LogError> {
        let rows = self.ask_again(STORIES, vec![text(player.as_str())])?;
        Ok(rows.iter().map(story_of).collect())
    }

    fn take_lease(
        &self,
        story: StoryId,
        holder: &str,
        time: Duration,
    ) -> Result<LeaseOutcome, LogError> {
        let values: Vec<SqlValue> = vec![Box::new(story.0), text(holder), Box::new(millis(time))];
        if let Some(row) = self.ask_again(TAKE, values)?.first() {
            let lease = Lease { story, fence: number(row, 0) };
            let head = head(number(row, 1), row.get(2));
            return Ok(LeaseOutcome::Taken { lease, head, open_request: row.get(3) });
        }
        let rows = self.ask_again(HOLDER, vec![Box::new(story.0)])?;
        let row = rows.first().ok_or(LogError::NoStory)?;
        let left = Duration::from_millis(number(row, 1));
        Ok(LeaseOutcome::Held { holder: row.get(0), left })
    }

    fn renew_lease(&self, lease: Lease, time: Duration) -> Result<(), LogError> {
        let values: Vec<SqlValue> =
            vec![Box::new(lease.story.0), fence(lease), Box::new(millis(time))];
        self.changed(&self.ask_again(RENEW, values)?, lease.story)
    }

    fn give_up_lease(&self, lease: Lease) -> Result<(), LogError> {
        self.ask_again(GIVE_UP, vec![Box::new(lease.story.0), fence(lease)]).map(drop)
    }

    fn append(&self, lease: Lease, change: &NewChange<'_>) -> Result<(), LogError> {
        let NewChange { at, prev_digest, request_id, branch, format, lines, turns, work_ms } =
            *change;
        let values: Vec<SqlValue> = vec![
            Box::new(lease.story.0),
            fence(lease),
            Box::new(at.ordinal.cast_signed()),
            text(&at.digest),
            text(prev_digest),
            Box::new(request_id.map(str::to_owned)),
            text(branch),
            Box::new(format),
            Box::new(pack(lines)),
            Box::new(turns.cast_signed()),
            Box::new(work_ms.cast_signed()),
            count(lines.len()),
        ];
        match self.ask(APPEND, values) {
            Ok(rows) => self.changed(&rows, lease.story),
            Err(error) => match (error.code(), request_id) {
                (Some(code), Some(id)) if *code == SqlState::UNIQUE_VIOLATION => {
                    Err(LogError::RequestTaken { request_id: id.to_owned() })
                }
                _ => Err(log_error(error)),
            },
        }
    }

    fn changes_after(&self, story: StoryId, ordinal: u64) -> Result<Vec<StoredChange>, LogError> {
        let ordinal: SqlValue = Box::new(ordinal.cast_signed());
        let values: Vec<SqlValue> =
            vec![Box::new(story.0), ordinal, count(READ_CHANGES_MAX), count(READ_BYTES_MAX)];
        let rows = self.ask_again(CHANGES, values)?;
        let stored = |row: &Row| StoredChange {
            at: LogPosition { ordinal: number(row, 0), digest: row.get(1) },
            prev_digest: row.get(2),
            fence: number(row, 3),
            request_id: row.get(4),
            branch: row.get(5),
            format: row.get(6),
            // Bytes that are no lines have the digest of no change.
            lines: unpack(row.get(7)).unwrap_or_default(),
        };
        Ok(rows.iter().map(stored).collect())
    }

    fn change_of_request(&self, story: StoryId, request_id: &str) -> Result<Option<u64>, LogError> {
        let rows = self.ask_again(REQUEST, vec![Box::new(story.0), text(request_id)])?;
        Ok(rows.first().map(|row| number(row, 0)))
    }

    fn begin_request(&self, lease: Lease, request_id: &str) -> Result<(), LogError> {
        let values: Vec<SqlValue> = vec![Box::new(lease.story.0), fence(lease), text(request_id)];
        self.changed(&self.ask_again(BEGIN_REQUEST, values)?, lease.story)
    }

    fn use_of(&self, player: &PlayerId) -> Result<PlayerUse, LogError> {
        let rows = self.ask_again(USE, vec![text(player.as_str())])?;
        Ok(rows.first().map_or_else(PlayerUse::default, |row| PlayerUse {
            turns: number(row, 0),
            work_ms: number(row, 1),
            bytes: number(row, 2),
        }))
    }

    fn ping(&self) -> Result<(), LogError> {
        self.ask_again(PING, Vec::new()).map(drop)
    }
}
