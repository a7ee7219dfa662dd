//! How much goes into the log: a level such as `debug`, or a filter such as `warn,narratoria=debug`. Pure.

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

/// The default: everything that this program logs, and the warnings of its libraries. The TLS library logs each failed
/// handshake; the command that made the request reports it.
pub(super) const LOG_FILTER_DEFAULT: &str = "warn,narratoria=info,hf_hub=off,xet=off";

/// A text that is neither a level nor a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be `error`, `warn`, `info`, `debug`, `trace`, `off` or a filter such as `warn,narratoria=debug`"
)]
pub(crate) struct LogFilterError;

/// Reads a level or a filter. A bare word must be a level: a filter would take it for the name of a crate, and log nothing.
pub(super) fn parse_log_filter(text: &str) -> Result<EnvFilter, LogFilterError> {
    let text = text.trim();
    let is_word = |part: &str| !part.contains(['=', '[']);
    let is_known = |part: &str| part.trim().parse::<LevelFilter>().is_ok();
    if text.is_empty() || text.split(',').any(|part| is_word(part) && !is_known(part)) {
        return Err(LogFilterError);
    }
    EnvFilter::try_new(text).map_err(|_| LogFilterError)
}
