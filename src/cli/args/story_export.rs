//! The arguments of `narratoria story export` and `import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::Format;

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text with the player's sentences as quotations
    Markdown,
    /// One page with its pictures, for any browser
    Html,
    /// A book, EPUB 3
    Epub,
    /// Everything, in lines that `story import` takes back
    Ndjson,
}

#[derive(Debug, Args)]
pub(crate) struct StoryExportArgs {
    /// Name of the story [default: the one that was played last]
    #[arg(value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Format of the export
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// File to write, which must not be there [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The branch to read [default: the one that is played]; `ndjson` always has all branches
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StoryImportArgs {
    /// A file of `story export --format ndjson`, or `-` for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Name for the story [default: the name that it had]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Format of stdout
    #[arg(long = "format", value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}
