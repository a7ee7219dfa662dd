//! Arguments of `narratoria skill check` and `narratoria skill test`.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use super::{FleetArgs, seconds::parse_seconds};

/// Which packages.
#[derive(Debug, Args)]
pub(crate) struct PackagesArgs {
    /// A folder that is a package or that has packages in it, or the name of one of `--skills` or of those that
    /// are built in [default: those of `--skills`, else the current folder]
    #[arg(value_name = "PACKAGE")]
    pub(crate) packages: Vec<PathBuf>,
    /// Folder with skill packages that may be named [repeatable]
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SkillTestArgs {
    #[command(flatten)]
    pub(crate) packages: PackagesArgs,
    /// Run only these examples: the name of a script, or of an example without `.json` [repeatable]
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Write what came out into the `expect` of each example that differs, and of each that expects nothing yet; before,
    /// write the schemas that scripts describe into the files that are older
    #[arg(long)]
    pub(crate) update: bool,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = TestFormat::Plain)]
    pub(crate) format: TestFormat,
}

/// Format of the results of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people
    Plain,
    /// For programs; `contracts/skill-test-report.schema.json`
    Json,
    /// JUnit XML, for GitLab and Jenkins
    Junit,
}

#[derive(Debug, Args)]
pub(crate) struct SkillCheckArgs {
    #[command(flatten)]
    pub(crate) packages: PackagesArgs,
    /// Count warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// What packages may ask for: a file with the tables `[limits]`, `[grants]` and `[packages]` [default: those of
    /// `config.toml`]
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
    /// Write the report into a file too, such as `sarif=check.sarif` [repeatable]
    #[arg(long, value_name = "FORMAT=FILE", value_parser = ReportFile::parse)]
    pub(crate) also: Vec<ReportFile>,
    /// Packages checked at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Time for the whole check; a part that does not end within it is an error, and is named
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub(crate) time_budget: Duration,
    /// Repeat a check exactly: the seed that its report names [default: drawn]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How stderr says how far the check is
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ProgressForm::Human)]
    pub(crate) progress: ProgressForm,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
}

/// How a check says how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A bar on a terminal, elsewhere a line from time to time
    Human,
    /// A line of JSON for each change; `contracts/check-progress.schema.json`
    Json,
}

/// Format of the report of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Human,
    /// For programs; `contracts/skill-check-report.schema.json`
    Json,
    /// JUnit XML, for GitLab and Jenkins
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions; the job's summary gets the report as Markdown
    Github,
    /// Markdown, for the page of a job
    Markdown,
}

/// A report that goes into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportFile {
    pub(crate) format: CheckFormat,
    pub(crate) file: PathBuf,
}

impl ReportFile {
    fn parse(text: &str) -> Result<ReportFile, String> {
        let wanted = "it must be a format, `=` and a file, such as `sarif=check.sarif`";
        let (format, file) = text.split_once('=').ok_or(wanted)?;
        let format = CheckFormat::from_str(format, false).map_err(
            |_| "the format must be `human`, `json`, `junit`, `sarif`, `github` or `markdown`",
        )?;
        if file.is_empty() {
            return Err(wanted.to_owned());
        }
        Ok(ReportFile { format, file: file.into() })
    }
}
