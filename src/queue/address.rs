//! Finds a queue by its address: `sqlite:PATH` on one machine, `postgres://…` for a fleet.

use std::path::PathBuf;

use narratoria_postgres::DatabaseUrl;

use crate::{PostgresQueue, QueueError, SqliteQueue, WorkQueue};

/// The address of a queue. `Debug` shows no password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueAddress {
    Sqlite(PathBuf),
    Postgres(Box<DatabaseUrl>),
}

impl QueueAddress {
    pub fn parse(text: &str) -> Result<QueueAddress, QueueError> {
        if DatabaseUrl::is_meant(text) {
            return Ok(QueueAddress::Postgres(Box::new(DatabaseUrl::parse(text)?)));
        }
        match text.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => Ok(QueueAddress::Sqlite(PathBuf::from(path))),
            _ => Err(QueueError::BadAddress),
        }
    }
}

/// Opens a queue, and makes it if it is not there.
pub async fn open_queue(address: &QueueAddress) -> Result<Box<dyn WorkQueue>, QueueError> {
    Ok(match address {
        QueueAddress::Sqlite(path) => Box::new(SqliteQueue::open(path.clone()).await?),
        QueueAddress::Postgres(url) => Box::new(PostgresQueue::open(url).await?),
    })
}
