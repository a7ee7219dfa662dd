//! The log. Its lines go to a file; a terminal never shows them, because they would tear the story apart.

use std::io;

use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    field::MakeExt,
    fmt::{self, FormatFields, MakeWriter, format::debug_fn},
    layer::SubscriberExt,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use super::visible;

/// Writes the log entries that `filter` lets through: into `file` if there is one, and to stderr if `to_stderr`.
pub fn open_log<W>(filter: EnvFilter, file: Option<W>, to_stderr: bool)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let file = file.map(|file| lines(file));
    let stderr = to_stderr.then(|| lines(io::stderr));
    Registry::default().with(filter).with(file).with(stderr).init();
}

/// Entries as lines of text. They quote packages and scripts, so their text is escaped.
fn lines<S, W>(writer: W) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    fmt::layer().fmt_fields(fields()).with_writer(writer).with_ansi(false)
}

fn fields() -> impl for<'a> FormatFields<'a> + Send + Sync + 'static {
    let fields = debug_fn(|writer, field, value| {
        let text = format!("{value:?}");
        let text = visible(&text).replace(['\n', '\t'], " ");
        match field.name() {
            "message" => write!(writer, "{text}"),
            name => write!(writer, "{name}={text}"),
        }
    });
    fields.delimited(" ")
}
