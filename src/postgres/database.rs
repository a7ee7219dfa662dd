//! A few connections to one database. One that was lost is made again; each wait has an end.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_postgres::{Client, GenericClient, Row, Statement, types::ToSql};

use crate::{Attempts, DatabaseError, DatabaseUrl, database_error::may_connect_later, tls::Tls};

/// Most connections of one process to a database, unless its holder asks for fewer. A server has a hundred for everybody.
pub const DATABASE_CONNECTIONS_MAX: usize = 8;
/// Longest time of one statement; it takes some milliseconds.
pub const STATEMENT_TIME_MAX: Duration = Duration::from_secs(30);
/// Longest wait of a statement for a lock that another program holds.
pub const LOCK_WAIT_MAX: Duration = Duration::from_secs(5);
/// Longest time in which an open transaction gets no statement; the server then ends its connection, and its locks.
pub const UNUSED_TRANSACTION_MAX: Duration = Duration::from_secs(5);

/// A server that is away is waited for this long.
const CONNECT_WAIT: Duration = Duration::from_secs(10);
/// How much later than the server's own limit a statement counts as unanswered.
const ANSWER_MARGIN: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// Most connections at the same time.
    pub connections: usize,
    /// How long to wait for a server that is away, and for a free connection.
    pub connect_wait: Duration,
    pub statement_time: Duration,
    pub lock_wait: Duration,
    /// The name that the server shows for these connections.
    pub application: &'static str,
}

impl Default for DatabaseOptions {
    /// [`DATABASE_CONNECTIONS_MAX`] connections, ten seconds for a server that is away, [`STATEMENT_TIME_MAX`], [`LOCK_WAIT_MAX`].
    fn default() -> DatabaseOptions {
        DatabaseOptions {
            connections: DATABASE_CONNECTIONS_MAX,
            connect_wait: CONNECT_WAIT,
            statement_time: STATEMENT_TIME_MAX,
            lock_wait: LOCK_WAIT_MAX,
            application: "narratoria",
        }
    }
}

/// A database. Clones share its connections.
#[derive(Clone)]
pub struct Database(Arc<DatabaseState>);

struct DatabaseState {
    url: DatabaseUrl,
    config: tokio_postgres::Config,
    tls: Tls,
    options: DatabaseOptions,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<DatabaseSession>>,
}

/// One connection and the statements that the server has read on it.
struct DatabaseSession {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    /// A statement of it was not answered.
    is_silent: AtomicBool,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("url", &self.0.url).finish_non_exhaustive()
    }
}

impl Database {
    /// Connects once, so that a wrong address is an error here.
    pub async fn connect(
        url: &DatabaseUrl,
        options: DatabaseOptions,
    ) -> Result<Database, DatabaseError> {
        let mut config = url.config().clone();
        let limits = format!(
            "-c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} -c timezone=UTC",
            options.statement_time.as_millis(),
            options.lock_wait.as_millis(),
            UNUSED_TRANSACTION_MAX.as_millis(),
        );
        let given = config.get_options().map(|given| format!("{given} ")).unwrap_or_default();
        config.options(format!("{given}{limits}"));
        if config.get_application_name().is_none() {
            config.application_name(options.application);
        }
        let database = Database(Arc::new(DatabaseState {
            url: url.clone(),
            config,
            tls: Tls::build(url.authorities())?,
            permits: Arc::new(Semaphore::new(options.connections.max(1))),
            options,
            idle: Mutex::new(Vec::new()),
        }));
        drop(database.connection().await?);
        Ok(database)
    }

    /// Host, port and database, for messages.
    pub fn server(&self) -> &str {
        self.0.url.server()
    }

    /// How long a caller may try something again.
    pub fn attempts(&self) -> Attempts {
        Attempts::within(self.0.options.connect_wait)
    }

    /// Returns a connection that nobody else has, and makes one if none is idle.
    pub async fn connection(&self) -> Result<DatabaseConnection, DatabaseError> {
        let waited = self.0.options.connect_wait;
        let permit = timeout(waited, Arc::clone(&self.0.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(DatabaseError::Busy { server: self.server().to_owned(), waited });
        };
        let session = match self.0.take_idle() {
            Some(session) => session,
            None => self.0.open_session().await?,
        };
        Ok(DatabaseConnection {
            database: Arc::clone(&self.0),
            session: Some(session),
            _permit: permit,
        })
    }
}

impl DatabaseState {
    fn idle(&self) -> MutexGuard<'_, Vec<DatabaseSession>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_idle(&self) -> Option<DatabaseSession> {
        let mut idle = self.idle();
        idle.retain(|session| !session.client.is_closed());
        idle.pop()
    }

    /// Connects, and waits for a server that is away.
    async fn open_session(&self) -> Result<DatabaseSession, DatabaseError> {
        let mut attempts = Attempts::within(self.options.connect_wait);
        let server = || self.url.server().to_owned();
        loop {
            let why = match self.config.connect(self.tls.clone()).await {
                Ok((client, connection)) => {
                    let server = server();
                    tokio::spawn(async move {
                        // The statement that meets the error reports it.
                        if let Err(error) = connection.await {
                            tracing::debug!("the connection to {server} ended: {error}");
                        }
                    });
                    let (statements, is_silent) = (HashMap::new(), AtomicBool::new(false));
                    return Ok(DatabaseSession { client, statements, is_silent });
                }
                Err(why) => why,
            };
            if !may_connect_later(&why) {
                return Err(DatabaseError::Refused { server: server(), why });
            }
            tracing::debug!("{} cannot be reached: {why}", self.url.server());
            if !attempts.wait().await {
                return Err(DatabaseError::Unreachable { server: server(), why });
            }
        }
    }
}

/// Waits for an answer of the server a little longer than it works on it. After silence the session is not used again.
async fn answered<T>(
    server: &str,
    statement_time: Duration,
    is_silent: &AtomicBool,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, DatabaseError> {
    let waited = statement_time + ANSWER_MARGIN;
    match timeout(waited, work).await {
        Ok(answer) => answer.map_err(|why| DatabaseError::of_statement(server, why)),
        Err(_) => {
            is_silent.store(true, Ordering::Relaxed);
            Err(DatabaseError::Silent { server: server.to_owned(), waited })
        }
    }
}

/// What runs statements: a connection, or a transaction on one.
struct StatementRunner<'r, C> {
    database: &'r DatabaseState,
    client: &'r C,
    statements: &'r mut HashMap<&'static str, Statement>,
    is_silent: &'r AtomicBool,
}

impl<C: GenericClient + Sync> StatementRunner<'_, C> {
    async fn answer<T>(
        &self,
        statement_time: Duration,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, DatabaseError> {
        answered(self.database.url.server(), statement_time, self.is_silent, work).await
    }

    /// The statement of this text, which the server reads once for a connection.
    async fn prepare(&mut self, sql: &'static str) -> Result<Statement, DatabaseError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let time = self.database.options.statement_time;
        let statement = self.answer(time, self.client.prepare(sql)).await?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    async fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        let statement = self.prepare(sql).await?;
        let time = self.database.options.statement_time;
        self.answer(time, self.client.query(&statement, values)).await
    }

    async fn execute(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, DatabaseError> {
        let statement = self.prepare(sql).await?;
        let time = self.database.options.statement_time;
        self.answer(time, self.client.execute(&statement, values)).await
    }
}

/// A connection for one holder. It goes back when it is dropped.
pub struct DatabaseConnection {
    database: Arc<DatabaseState>,
    session: Option<DatabaseSession>,
    _permit: OwnedSemaphorePermit,
}

impl DatabaseConnection {
    fn runner(&mut self) -> StatementRunner<'_, Client> {
        let session = self.session.as_mut().expect("it is taken on drop alone");
        let DatabaseSession { client, statements, is_silent } = session;
        StatementRunner { database: &self.database, client, statements, is_silent }
    }

    /// Runs one statement by itself and returns its rows.
    pub async fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        self.runner().query(sql, values).await
    }

    /// Runs one statement by itself and returns the number of rows that it changed.
    pub async fn execute(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, DatabaseError> {
        self.runner().execute(sql, values).await
    }

    /// Opens a transaction. It changes nothing unless it is committed.
    pub async fn begin(&mut self) -> Result<DatabaseTransaction<'_>, DatabaseError> {
        let database = &*self.database;
        let session = self.session.as_mut().expect("it is taken on drop alone");
        let DatabaseSession { client, statements, is_silent } = session;
        let (server, time) = (database.url.server(), database.options.statement_time);
        let inner = answered(server, time, is_silent, client.transaction()).await?;
        Ok(DatabaseTransaction { database, inner, statements, is_silent })
    }
}

impl Drop for DatabaseConnection {
    fn drop(&mut self) {
        let is_usable = |session: &DatabaseSession| {
            !session.client.is_closed() && !session.is_silent.load(Ordering::Relaxed)
        };
        let session = self.session.take().filter(is_usable);
        self.database.idle().extend(session);
    }
}

/// An open transaction. It is rolled back when it is dropped.
pub struct DatabaseTransaction<'c> {
    database: &'c DatabaseState,
    inner: tokio_postgres::Transaction<'c>,
    statements: &'c mut HashMap<&'static str, Statement>,
    is_silent: &'c AtomicBool,
}

impl<'c> DatabaseTransaction<'c> {
    fn runner(&mut self) -> StatementRunner<'_, tokio_postgres::Transaction<'c>> {
        StatementRunner {
            database: self.database,
            client: &self.inner,
            statements: self.statements,
            is_silent: self.is_silent,
        }
    }

    pub async fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, DatabaseError> {
        self.runner().query(sql, values).await
    }

    pub async fn execute(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, DatabaseError> {
        self.runner().execute(sql, values).await
    }

    /// Runs statements without values, such as those that make tables, within this time.
    pub(crate) async fn run(&mut self, sql: &str, time: Duration) -> Result<(), DatabaseError> {
        let runner = self.runner();
        runner.answer(time, runner.client.batch_execute(sql)).await
    }

    /// Makes the changes last. After [`DatabaseError::CommitUnknown`] the caller has to look whether they do.
    pub async fn commit(self) -> Result<(), DatabaseError> {
        let DatabaseState { url, options, .. } = self.database;
        let commit = self.inner.commit();
        let answer = answered(url.server(), options.statement_time, self.is_silent, commit).await;
        answer.map_err(|error| match error {
            DatabaseError::Lost { server, .. } | DatabaseError::Silent { server, .. } => {
                DatabaseError::CommitUnknown { server }
            }
            refused => refused,
        })
    }
}
