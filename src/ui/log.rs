//! The log, on stderr.

use std::io;

use tracing_subscriber::{EnvFilter, field::MakeExt, fmt::format::debug_fn};

use super::{Look, visible};

/// Shows the log entries that `filter` lets through.
pub(crate) fn open_log(filter: EnvFilter, look: Look) {
    // Entries quote packages and scripts, so their text is escaped; colours come from the log itself.
    let fields = debug_fn(|writer, field, value| {
        let text = format!("{value:?}");
        let text = visible(&text).replace(['\n', '\t'], " ");
        match field.name() {
            "message" => write!(writer, "{text}"),
            name => write!(writer, "{name}={text}"),
        }
    });
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .fmt_fields(fields.delimited(" "))
        .with_writer(io::stderr)
        .with_ansi(look.colour_err)
        .init();
}
