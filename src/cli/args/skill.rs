//! Arguments of `narratoria skill …`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::options::{CommonArgs, Format, SeedArgs};

#[derive(Debug, Args)]
pub(crate) struct SkillArgs {
    #[command(subcommand)]
    pub(crate) verb: SkillCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the usable skills
    List(SkillListArgs),
    /// Run one script with the input on stdin
    Run(SkillRunArgs),
    /// Begins a package that builds and passes `check` as it is
    New(SkillNewArgs),
    /// Builds the scripts of packages into their `scripts` folders
    Build(SkillBuildArgs),
    /// Runs the examples of packages in the sandbox and compares their output
    Test(SkillTestArgs),
    /// Checks packages as CI should: reads them, runs them, attacks them
    Check(SkillCheckArgs),
    /// Shows what a package is: imports, exports, sizes, grants, limits, fuel of each example
    ///
    /// The components are read, not run; the examples run in the sandbox. `skill check` is the command that
    /// judges.
    Inspect(SkillInspectArgs),
    /// Shows and changes the settings of a package
    ///
    /// A terminal asks for every setting, for secrets without echo. `config.json` in the package's folder holds
    /// the values that differ from the defaults.
    Config(SkillConfigArgs),
    /// Writes a package into an archive with digests, the same bytes each time
    Pack(SkillPackArgs),
    /// Installs packages from archives whose every digest holds
    ///
    /// An installed package replaces an older version and keeps your `config.json`. Packages of `--skills` win
    /// over it; it wins over built-in ones.
    Install(SkillInstallArgs),
    /// Removes an installed package
    Remove(SkillRemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SkillListArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillRunArgs {
    /// Which script, as `skill list` shows it; with `--replay` it is the one of the record
    #[arg(value_name = "NAME/SCRIPT", required_unless_present = "replay")]
    pub(crate) script: Option<String>,
    /// JSON file with the state that the script gets to see [default: nothing]
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// JSON file with the outputs of the steps it would depend on, by id [default: none]
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// Answer to a question that it asks; the first one to the first question, and so on [repeatable]
    #[arg(long = "answer", value_name = "TEXT")]
    pub(crate) answers: Vec<String>,
    /// Record input and output; without network, in fresh folders, without secrets
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Run a record again and compare; nothing is read from stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["state", "inputs", "answers", "seed"])]
    pub(crate) replay: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillNewArgs {
    /// Its name, and that of its folder: lower case letters, digits and single hyphens
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Language of its scripts
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value_t = SkillLanguage::Rust)]
    pub(crate) lang: SkillLanguage,
    /// Parent of the new folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

/// Language of the scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillLanguage {
    /// With the SDK; built by cargo
    Rust,
    /// Built by the wasi-sdk or clang
    C,
    /// JavaScript, built by componentize-js
    Js,
    /// Built by componentize-py
    Python,
}

#[derive(Debug, Args)]
pub(crate) struct SkillBuildArgs {
    /// Folders of packages
    #[arg(value_name = "PACKAGE", default_value = ".")]
    pub(crate) packages: Vec<PathBuf>,
    /// First put this program's SDK in the place of the copy in `vendor/narratoria-sdk`
    #[arg(long)]
    pub(crate) update_sdk: bool,
}

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
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct SkillCheckArgs {
    #[command(flatten)]
    pub(crate) packages: PackagesArgs,
    /// Count warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// How the report is written
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
    /// Write the report into a file too, such as `sarif=check.sarif` [repeatable]
    #[arg(long, value_name = "FORMAT=FILE", value_parser = ReportFile::parse)]
    pub(crate) also: Vec<ReportFile>,
    /// Packages checked at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// How a report of a check is written.
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
    /// Annotations of GitHub Actions
    Github,
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
        let format = CheckFormat::from_str(format, false)
            .map_err(|_| "the format must be `human`, `json`, `junit`, `sarif` or `github`")?;
        if file.is_empty() {
            return Err(wanted.to_owned());
        }
        Ok(ReportFile { format, file: file.into() })
    }
}

#[derive(Debug, Args)]
pub(crate) struct SkillInspectArgs {
    /// Which package: its folder, or the name of a skill
    #[arg(value_name = "PACKAGE")]
    pub(crate) package: String,
    /// Run no examples; only read the files
    #[arg(long)]
    pub(crate) no_run: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillConfigArgs {
    /// Which package: its folder, or the name of a skill
    #[arg(value_name = "PACKAGE")]
    pub(crate) package: String,
    // Caught here: an author who forgets the `=` of a secret must not see the secret in the error.
    #[arg(hide = true, num_args = 0.., allow_hyphen_values = false)]
    pub(crate) stray: Vec<String>,
    /// Set a value without asking. Once for each item of a list, or the whole list as JSON. `${VAR}` stays as
    /// written and is read from the environment when the skill loads [repeatable]
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Take the value of a setting away, so that its default holds again [repeatable]
    #[arg(long, value_name = "NAME")]
    pub(crate) unset: Vec<String>,
    /// Show the settings and their values, secrets masked
    #[arg(long, conflicts_with_all = ["set", "unset"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillPackArgs {
    /// Folder of the package
    #[arg(value_name = "PACKAGE", default_value = ".")]
    pub(crate) package: PathBuf,
    /// File to write [default: <name>-<version>.skill.tar.gz in this folder]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillInstallArgs {
    /// Archives that `skill pack` has written
    #[arg(value_name = "ARCHIVE", required = true)]
    pub(crate) archives: Vec<PathBuf>,
    /// Replace an equal or newer version too
    #[arg(long)]
    pub(crate) force: bool,
    /// SHA-256 that the archive must have, as `skill pack` printed it; only with one archive
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillRemoveArgs {
    /// Name of the package, as `skill list` shows it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
