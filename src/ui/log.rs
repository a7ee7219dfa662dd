//! The log is printing too: on stderr, beside the news.

use std::io;

use tracing_subscriber::EnvFilter;

use super::Look;

/// From here on what the library logs is shown, as far as `filter` lets it through.
pub(crate) fn open_log(filter: EnvFilter, look: Look) {
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(look.colour_err)
        .init();
}
