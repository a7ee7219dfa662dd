//! Tables in versions. A program knows the versions up to its own, and makes the missing ones. It uses newer ones as long as
//! these say that it may: programs of two neighbouring versions work on one database while a fleet is renewed.
//!
//! A migration therefore only adds. What an older program does not know has a default; a later migration takes away what no
//! program uses any more, and raises `usable_from`.

use std::time::Duration;

use crate::{Database, DatabaseConnection, DatabaseError, SqlState};

/// Longest time of all migrations of a start.
pub const MIGRATION_TIME_MAX: Duration = Duration::from_secs(600);

/// The tables of one user of a database.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseSchema {
    /// Its name in `narratoria_schema`.
    pub name: &'static str,
    /// The first makes version 1.
    pub migrations: &'static [Migration],
}

/// The way from one version to the next.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The lowest version that a program may know and still use tables of this one.
    pub usable_from: i32,
    /// Statements without values.
    pub sql: &'static str,
}

/// The version of tables that are there.
struct FoundSchema {
    version: i32,
    usable_from: i32,
}

const FIND: &str = "SELECT version, usable_from FROM narratoria_schema WHERE name = $1";

const CREATE: &str = "CREATE TABLE IF NOT EXISTS narratoria_schema (
    name text PRIMARY KEY,
    version integer NOT NULL,
    usable_from integer NOT NULL,
    changed timestamptz NOT NULL DEFAULT now()
)";

const RECORD: &str =
    "INSERT INTO narratoria_schema (name, version, usable_from) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET version = $2, usable_from = $3, changed = now()";

/// Stands for all migrations of all tables: one program at a time makes some.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended('narratoria_schema', 0))";

impl DatabaseSchema {
    /// The version that this program knows.
    pub fn version(&self) -> i32 {
        i32::try_from(self.migrations.len()).unwrap_or(i32::MAX)
    }
}

impl Database {
    /// Makes the tables, or what is missing of them. Refuses tables that are too new for this program.
    pub async fn migrate(&self, schema: &DatabaseSchema) -> Result<(), DatabaseError> {
        let mut connection = self.connection().await?;
        let found = match find(&mut connection, schema).await {
            Ok(found) => found,
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = found
            && found.version >= schema.version()
        {
            return self.accept(schema, &found);
        }
        let mut transaction = connection.begin().await?;
        let wait = format!(
            "SET LOCAL statement_timeout = {0}; SET LOCAL lock_timeout = {0}; {LOCK}",
            MIGRATION_TIME_MAX.as_millis()
        );
        transaction.run(&wait, MIGRATION_TIME_MAX).await?;
        // Claims and turns must not queue up behind a migration that waits for a table.
        transaction.run("SET LOCAL lock_timeout = '5s'", MIGRATION_TIME_MAX).await?;
        transaction.run(CREATE, MIGRATION_TIME_MAX).await?;
        let rows = transaction.query(FIND, &[&schema.name]).await?;
        let found = rows.first().map_or(FoundSchema { version: 0, usable_from: 0 }, |row| {
            FoundSchema { version: row.get(0), usable_from: row.get(1) }
        });
        if found.version >= schema.version() {
            return self.accept(schema, &found);
        }
        let known = usize::try_from(found.version).unwrap_or(0);
        let mut usable_from = found.usable_from;
        for migration in &schema.migrations[known..] {
            transaction.run(migration.sql, MIGRATION_TIME_MAX).await?;
            usable_from = migration.usable_from;
        }
        transaction.execute(RECORD, &[&schema.name, &schema.version(), &usable_from]).await?;
        transaction.commit().await
    }

    fn accept(&self, schema: &DatabaseSchema, found: &FoundSchema) -> Result<(), DatabaseError> {
        if found.usable_from <= schema.version() {
            return Ok(());
        }
        Err(DatabaseError::TooNew {
            server: self.server().to_owned(),
            tables: schema.name,
            found: found.version,
            usable_from: found.usable_from,
            known: schema.version(),
        })
    }
}

async fn find(
    connection: &mut DatabaseConnection,
    schema: &DatabaseSchema,
) -> Result<Option<FoundSchema>, DatabaseError> {
    let rows = connection.query(FIND, &[&schema.name]).await?;
    Ok(rows.first().map(|row| FoundSchema { version: row.get(0), usable_from: row.get(1) }))
}
