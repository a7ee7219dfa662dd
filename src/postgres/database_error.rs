//! Why a database could not be used. No message has the password of an address.

use std::time::Duration;

use tokio_postgres::error::SqlState;

#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// `why` is a part of a sentence, without the address.
    #[error("the address of the database {why}")]
    BadUrl { why: String },
    #[error("the database at {server} cannot be reached")]
    Unreachable {
        server: String,
        #[source]
        why: tokio_postgres::Error,
    },
    /// The server answers and does not let this program in.
    #[error("the database at {server} refuses the connection")]
    Refused {
        server: String,
        #[source]
        why: tokio_postgres::Error,
    },
    /// All connections of this process are in use.
    #[error("no connection to the database at {server} was free for {} ms", waited.as_millis())]
    Busy { server: String, waited: Duration },
    #[error("the connection to the database at {server} was lost")]
    Lost {
        server: String,
        #[source]
        why: tokio_postgres::Error,
    },
    #[error("the database at {server} did not answer for {} ms", waited.as_millis())]
    Silent { server: String, waited: Duration },
    /// The connection was lost between the request to commit and its answer.
    #[error(
        "the database at {server} has stored a change or not: the connection was lost before its answer"
    )]
    CommitUnknown { server: String },
    #[error("the database at {server} refuses a statement")]
    Statement {
        server: String,
        #[source]
        why: tokio_postgres::Error,
    },
    #[error(
        "the tables `{tables}` of the database at {server} have version {found}, which programs may use that know version \
         {usable_from}; this one knows {known}"
    )]
    TooNew { server: String, tables: &'static str, found: i32, usable_from: i32, known: i32 },
}

impl DatabaseError {
    /// The error of a statement on a connection that was made.
    pub(crate) fn of_statement(server: &str, why: tokio_postgres::Error) -> DatabaseError {
        let server = server.to_owned();
        match is_lost(&why) {
            true => DatabaseError::Lost { server, why },
            false => DatabaseError::Statement { server, why },
        }
    }

    /// Returns true if a statement that changes nothing, or that may run twice, may be tried again.
    pub fn is_passing(&self) -> bool {
        match self {
            DatabaseError::Lost { .. }
            | DatabaseError::Silent { .. }
            | DatabaseError::CommitUnknown { .. }
            | DatabaseError::Busy { .. } => true,
            DatabaseError::Statement { why, .. } => why.code().is_some_and(|code| {
                [
                    &SqlState::T_R_SERIALIZATION_FAILURE,
                    &SqlState::T_R_DEADLOCK_DETECTED,
                    &SqlState::LOCK_NOT_AVAILABLE,
                ]
                .contains(&code)
            }),
            _ => false,
        }
    }

    /// The code of the server's answer, if it gave one.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            DatabaseError::Unreachable { why, .. }
            | DatabaseError::Refused { why, .. }
            | DatabaseError::Lost { why, .. }
            | DatabaseError::Statement { why, .. } => why.code(),
            _ => None,
        }
    }

    /// The way out, if there is one that the player can take.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            DatabaseError::BadUrl { .. } => Some(
                "write `postgres://USER:PASSWORD@HOST/DATABASE`, or `postgres:///DATABASE?host=FOLDER` for a socket",
            ),
            DatabaseError::Unreachable { .. } => {
                Some("look whether the server runs, and whether the address is its own")
            }
            DatabaseError::Refused { .. } => Some(
                "look at user, password and database of the address; for a certificate of your own write `sslrootcert=FILE`",
            ),
            DatabaseError::TooNew { .. } => {
                Some("take the version of this program that has last used the database")
            }
            _ => None,
        }
    }
}

/// Returns true if the connection is gone with this error.
pub(crate) fn is_lost(error: &tokio_postgres::Error) -> bool {
    if error.is_closed() || io_kind(error).is_some() {
        return true;
    }
    error.code().is_some_and(is_away)
}

/// Returns true for the answers of a server that starts, stops or has fallen.
fn is_away(code: &SqlState) -> bool {
    let away = [
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    away.contains(&code) || code.code().starts_with("08")
}

/// Returns true if another try to connect may succeed.
pub(crate) fn may_connect_later(error: &tokio_postgres::Error) -> bool {
    match (error.code(), io_kind(error)) {
        (Some(code), _) => is_away(code) || code == &SqlState::TOO_MANY_CONNECTIONS,
        // A certificate that does not hold will not hold later.
        (None, Some(kind)) => kind != std::io::ErrorKind::InvalidData,
        (None, None) => error.is_closed(),
    }
}

fn io_kind(error: &tokio_postgres::Error) -> Option<std::io::ErrorKind> {
    let source = std::error::Error::source(error)?;
    source.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
}
