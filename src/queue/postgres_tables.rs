//! The tables of a queue in PostgreSQL, by version.

use narratoria_postgres::{DatabaseSchema, Migration};

pub(crate) const SCHEMA: DatabaseSchema = DatabaseSchema {
    name: "queue",
    migrations: &[Migration { usable_from: 1, sql: include_str!("postgres_tables_1.sql") }],
};
