//! What the caller decides, and why nothing can be sent.

use std::time::Duration;

/// Longest time of one request to the collector, and of the last ones at the end of the program.
pub const EXPORT_TIME_MAX: Duration = Duration::from_secs(2);

/// Whether the sentences of players and the messages of scripts may leave the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    LeftOut,
    Included,
}

/// Why nothing can be sent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error(
        "`{address}` is no address of a collector; it is `http://HOST:PORT` or `https://HOST[:PORT]`, such as \
             `http://127.0.0.1:4318`"
    )]
    Address { address: String },
    #[error("the exporter of OpenTelemetry cannot be made: {0}")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
}
