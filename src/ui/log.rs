//! The log is printing too: on stderr, beside the news.

use std::io;

use tracing_subscriber::{EnvFilter, field::MakeExt, fmt::format::debug_fn};

use super::{Look, visible};

/// From here on what the library logs is shown, as far as `filter` lets it through.
pub(crate) fn open_log(filter: EnvFilter, look: Look) {
    // What is logged quotes packages and scripts; colours come from the log itself.
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
