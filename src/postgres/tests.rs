//! Against a real server; left out with a sentence where there is none.

use std::{fs, time::Duration};

use narratoria_test_postgres::PostgresServer;

use crate::{Database, DatabaseError, DatabaseOptions, DatabaseSchema, DatabaseUrl, Migration};

async fn open(url: &str) -> Database {
    let url = DatabaseUrl::parse(url).unwrap();
    Database::connect(&url, DatabaseOptions::default()).await.unwrap()
}

const FIRST: Migration =
    Migration { usable_from: 1, sql: "CREATE TABLE tale (name text PRIMARY KEY)" };
const ADDS: Migration = Migration {
    usable_from: 1,
    sql: "ALTER TABLE tale ADD COLUMN pages integer NOT NULL DEFAULT 0",
};
const ENDS_FIRST: Migration =
    Migration { usable_from: 3, sql: "ALTER TABLE tale DROP COLUMN pages" };

const ONE: DatabaseSchema = DatabaseSchema { name: "tales", migrations: &[FIRST] };
const TWO: DatabaseSchema = DatabaseSchema { name: "tales", migrations: &[FIRST, ADDS] };
const THREE: DatabaseSchema =
    DatabaseSchema { name: "tales", migrations: &[FIRST, ADDS, ENDS_FIRST] };

#[tokio::test]
async fn two_neighbouring_versions_use_one_schema_and_a_much_older_one_is_refused() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let (old, new) = (open(&url).await, open(&url).await);
    old.migrate(&ONE).await.unwrap();
    new.migrate(&TWO).await.unwrap();
    // Version N after N + 1, and on a connection that has read the statement before.
    let add = "INSERT INTO tale (name) VALUES ($1)";
    let mut connection = old.connection().await.unwrap();
    connection.execute(add, &[&"moon"]).await.unwrap();
    drop(connection);
    old.migrate(&ONE).await.unwrap();
    old.connection().await.unwrap().execute(add, &[&"sea"]).await.unwrap();
    let rows = new.connection().await.unwrap().query("SELECT name, pages FROM tale", &[]).await;
    assert_eq!(rows.unwrap().len(), 2);
    new.migrate(&THREE).await.unwrap();
    let error = old.migrate(&TWO).await.unwrap_err();
    assert!(
        error.to_string().ends_with(
            "have version 3, which programs may use that know version 3; this one knows 2"
        )
    );
}

#[tokio::test]
async fn many_programs_that_start_together_make_the_tables_once() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let starts = (0..8).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { open(&url).await.migrate(&TWO).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_server_that_was_away_is_used_again() {
    let Some(server) = PostgresServer::start() else { return };
    let database = open(&server.database()).await;
    let mut connection = database.connection().await.unwrap();
    connection.query("SELECT 1", &[]).await.unwrap();
    server.stop_at_once();
    let error = connection.query("SELECT 1", &[]).await.unwrap_err();
    assert!(error.is_passing(), "{error:?}");
    drop(connection);
    let wait = tokio::spawn({
        let database = database.clone();
        async move { database.connection().await?.query("SELECT 2", &[]).await }
    });
    server.start_again();
    assert_eq!(wait.await.unwrap().unwrap()[0].get::<_, i32>(0), 2);
}

#[tokio::test]
async fn a_server_that_stays_away_is_an_error_with_its_name_and_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("postgres://zoe:tide@/t?host={}", folder.path().display());
    let options =
        DatabaseOptions { connect_wait: Duration::from_millis(200), ..DatabaseOptions::default() };
    let error = Database::connect(&DatabaseUrl::parse(&url).unwrap(), options).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(matches!(error, DatabaseError::Unreachable { .. }), "{shown}");
    assert!(shown.contains("5432/t` cannot be reached") && !shown.contains("tide"), "{shown}");
}

#[tokio::test]
async fn a_dropped_transaction_changes_nothing_and_leaves_the_connection_usable() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = open(&server.database()).await;
    database.migrate(&ONE).await.unwrap();
    let mut connection = database.connection().await.unwrap();
    let add = "INSERT INTO tale (name) VALUES ($1)";
    let mut left = connection.begin().await.unwrap();
    left.execute(add, &[&"moon"]).await.unwrap();
    drop(left);
    let mut kept = connection.begin().await.unwrap();
    kept.execute(add, &[&"sea"]).await.unwrap();
    kept.commit().await.unwrap();
    let rows = connection.query("SELECT name FROM tale", &[]).await.unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(names, ["sea"]);
}

/// The server ends a client of ours that holds locks and says nothing; others go on.
#[tokio::test]
async fn a_transaction_that_is_left_open_ends_within_its_time() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = open(&server.database()).await;
    database.migrate(&ONE).await.unwrap();
    let (mut idle, mut other) =
        (database.connection().await.unwrap(), database.connection().await.unwrap());
    other.execute("INSERT INTO tale (name) VALUES ('moon')", &[]).await.unwrap();
    let mut open = idle.begin().await.unwrap();
    open.execute("UPDATE tale SET name = 'sun'", &[]).await.unwrap();
    // Waits for the lock, which the end of the idle client gives free. The limit of the lock is as long, so it may try twice.
    let take = "UPDATE tale SET name = 'sea'";
    let mut taken = other.execute(take, &[]).await;
    if taken.as_ref().is_err_and(DatabaseError::is_passing) {
        taken = other.execute(take, &[]).await;
    }
    assert_eq!(taken.unwrap(), 1);
    assert!(open.commit().await.is_err());
}

#[tokio::test]
async fn tls_needs_a_certificate_that_holds() {
    let Some(server) = PostgresServer::start_with_tls() else { return };
    let _ = server.database();
    let tcp = |host: &str, options: &str| {
        format!(
            "postgres://postgres:{}@{host}:{}/postgres?{options}",
            server.password(),
            server.port()
        )
    };
    let authority = server.certificate().display().to_string();
    let trusted = format!("sslmode=require&sslrootcert={authority}");
    let mut connection = open(&tcp("localhost", &trusted)).await.connection().await.unwrap();
    let rows =
        connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &[]).await;
    assert!(rows.unwrap()[0].get::<_, bool>(0));
    for refused in [tcp("localhost", "sslmode=require"), tcp("127.0.0.1", &trusted)] {
        let url = DatabaseUrl::parse(&refused).unwrap();
        let error = Database::connect(&url, DatabaseOptions::default()).await.unwrap_err();
        assert!(matches!(error, DatabaseError::Refused { .. }), "{error:?}");
    }
    let wrong = tcp("localhost", &trusted).replace(server.password(), "wrong");
    let error =
        Database::connect(&DatabaseUrl::parse(&wrong).unwrap(), DatabaseOptions::default()).await;
    assert!(matches!(error, Err(DatabaseError::Refused { .. })), "{error:?}");
    fs::write(server.folder().join("empty.pem"), "").unwrap();
    let empty =
        format!("sslmode=require&sslrootcert={}", server.folder().join("empty.pem").display());
    let url = DatabaseUrl::parse(&tcp("localhost", &empty)).unwrap();
    let error = Database::connect(&url, DatabaseOptions::default()).await.unwrap_err();
    assert!(error.to_string().ends_with("which has no certificate of an authority"), "{error}");
}
