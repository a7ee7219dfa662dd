//! Errors of an import.

use std::io;

use crate::{StoryError, StoryName};

/// Why an export cannot become a story. The import then leaves no files.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Story(#[from] StoryError),
    #[error("the export cannot be read")]
    Input(#[source] io::Error),
    #[error(
        "it is no exported story: {what}; `narratoria story export --format ndjson` writes one"
    )]
    NotAnExport { what: String },
    #[error(
        "the export has version {found}, this program reads up to {known}; use a newer narratoria"
    )]
    NewerVersion { found: u64, known: u64 },
    #[error(
        "the export has story format {found}, this program reads up to {known}; use a newer narratoria"
    )]
    NewerFormat { found: i64, known: i64 },
    #[error("line {number} of the export: {what}")]
    Line { number: u64, what: String },
    #[error(
        "the export was cut off after line {lines}; export the story again, or copy the whole file"
    )]
    CutOff { lines: u64 },
    #[error("the export was changed after it was written: its last line has another digest")]
    Changed,
    #[error("the export is no whole story: {what}")]
    NotWhole { what: String },
    #[error(
        "there is a story `{name}` already; choose another name with `narratoria story import FILE --name NAME`"
    )]
    NameTaken { name: StoryName },
}
