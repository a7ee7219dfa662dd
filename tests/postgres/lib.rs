//! A real PostgreSQL server for tests: that of the system's package or of `NARRATORIA_POSTGRES_BIN`, on a socket in a temporary
//! folder. It ends with the process that has started it, whatever happens to that: a guard waits for the end of a pipe.
//!
//! PostgreSQL refuses to run as root, so root gives it to the user `postgres`, or to `nobody`. Where there is no server, the tests
//! that need one are left out with a sentence; with `NARRATORIA_POSTGRES=required` that is an error. `make database` installs it.

mod program;
#[cfg(unix)]
mod proxy;
mod server;

#[cfg(unix)]
pub use proxy::{DatabaseProxy, Direction, TripMoment};
pub use server::PostgresServer;
