//! Connections to PostgreSQL. Knows addresses, TLS, waiting and versions of tables; knows nothing of what the tables are for.
//!
//! [`DatabaseUrl`] reads an address and keeps its password to itself. [`Database`] holds a few connections, makes them again when
//! the server was away, and bounds each wait. [`DatabaseSchema`] has the tables of one user of the database in versions, of which two
//! neighbours are used at the same time. Every time that a statement compares is the database's: `now()`.

mod backoff;
mod database;
mod database_error;
mod database_url;
mod schema;
#[cfg(test)]
mod tests;
mod tls;

pub use backoff::Attempts;
pub use database::{
    DATABASE_CONNECTIONS_MAX, Database, DatabaseConnection, DatabaseOptions, DatabaseTransaction,
    LOCK_WAIT_MAX, STATEMENT_TIME_MAX, UNUSED_TRANSACTION_MAX,
};
pub use database_error::DatabaseError;
pub use database_url::{DATABASE_URL_BYTES_MAX, DatabaseUrl};
pub use schema::{DatabaseSchema, MIGRATION_TIME_MAX, Migration};
pub use tokio_postgres::{Row, error::SqlState, types::ToSql};
