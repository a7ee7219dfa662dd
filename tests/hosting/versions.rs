//! Two neighbouring versions of the program on one database: the newer one has added to the tables while the older one plays, and the
//! older one starts again on tables that it does not know.

use narratoria_hosting::{HOSTING_TABLES, PostgresStoryLog, verify_chain};
use narratoria_postgres::{Database, DatabaseOptions, DatabaseSchema, DatabaseUrl, Migration};
use narratoria_test_postgres::PostgresServer;
use tokio::runtime::Runtime;

use super::{
    ada,
    copies::{digest, now, play},
    postgres, quest, stories,
};

/// What a next version may add: a column with a default on each table that is written, and an index.
const ADDS: &str = "
    ALTER TABLE hosted_story ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE story_change ADD COLUMN mood text;
    ALTER TABLE player_day ADD COLUMN calls bigint NOT NULL DEFAULT 0;
    CREATE INDEX story_change_by_time ON story_change (stored_at);";

/// Makes the tables as a program does that knows one migration more.
fn migrate_further(url: &str, migration: Migration) {
    let mut migrations = HOSTING_TABLES.migrations.to_vec();
    migrations.push(migration);
    // A schema lives as long as its program.
    let schema = DatabaseSchema { migrations: migrations.leak(), ..HOSTING_TABLES };
    let url = DatabaseUrl::parse(url).unwrap();
    Runtime::new().unwrap().block_on(async {
        let database = Database::connect(&url, DatabaseOptions::default()).await.unwrap();
        database.migrate(&schema).await.unwrap();
    });
}

#[test]
fn the_older_of_two_versions_plays_on_and_starts_again_on_the_tables_of_the_newer_one() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let before = postgres(&url);
    let older = stories(&before, "older", one.path());
    let mut played = play(&older, one.path()).unwrap();
    played.commit("r0", 0).unwrap();

    // In the middle of its play, with statements that its connections have prepared.
    migrate_further(&url, Migration { usable_from: 1, sql: ADDS });
    played.commit("r1", 1).unwrap();
    played.story.undo(1).unwrap();
    drop(played);

    // A new version plays: what it writes has the new columns.
    let after = postgres(&url);
    let newer = stories(&after, "newer", two.path());
    let mut played = play(&newer, two.path()).unwrap();
    played.commit("r2", 2).unwrap();
    drop(played);
    server.sql(url.rsplit('/').next().unwrap(), "UPDATE story_change SET mood = 'calm'");

    // And back: the older one, which reads and writes what it knows.
    let mut played = play(&older, one.path()).unwrap();
    assert_eq!(played.story.turns(), 2);
    played.commit("r3", 3).unwrap();
    drop(played);
    newer.refresh(&ada(), two.path(), &quest(), now()).unwrap();
    assert_eq!(digest(one.path()), digest(two.path()));
    let story = before.story(&ada(), &quest()).unwrap().unwrap();
    assert_eq!(verify_chain(before.as_ref(), &story), None);
}

#[test]
fn a_version_that_may_not_use_newer_tables_says_so() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    drop(postgres(&url));
    let next = HOSTING_TABLES.version() + 1;
    migrate_further(
        &url,
        Migration { usable_from: next, sql: "ALTER TABLE hosted_story DROP COLUMN open_request" },
    );
    let error = PostgresStoryLog::open(&DatabaseUrl::parse(&url).unwrap()).unwrap_err().to_string();
    let expected = format!(
        "have version {next}, which programs may use that know version {next}; this one knows {}",
        next - 1
    );
    assert!(error.contains(&expected), "{error}");
}
