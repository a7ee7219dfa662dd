//! Arguments of `narratoria skill …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{
    options::{CommonArgs, Format, OfflineArgs, SeedArgs},
    package_checks::{SkillCheckArgs, SkillTestArgs},
};

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
    /// Begin a package that builds and passes `check` as it is
    New(SkillNewArgs),
    /// Add a script to a package: its source, schemas, example and entries
    AddScript(SkillAddScriptArgs),
    /// Take a script out of a package: its entries, and the files that are its alone
    RemoveScript(SkillRemoveScriptArgs),
    /// Build, test and play a package, again after each change
    ///
    /// Each line plays one sentence with this package and the built-in skills. A version that does not build or
    /// load is not played. Each line of a pipe waits until the package on the disk is built and tested. Ctrl-D
    /// leaves.
    Dev(SkillDevArgs),
    /// Build the scripts of packages into their `scripts` folders
    Build(SkillBuildArgs),
    /// Run the examples of packages in the sandbox and compares their output
    Test(SkillTestArgs),
    /// Check packages as CI should: read them, run them, attack them
    Check(SkillCheckArgs),
    /// Show what a package is: imports, exports, sizes, grants, limits, fuel of each example
    ///
    /// The components are read, not run; the examples run in the sandbox. `skill check` is the command that
    /// judges.
    Inspect(SkillInspectArgs),
    /// Show and change the settings of a package
    ///
    /// A terminal asks for every setting, for secrets without echo. Your values lie in the folder `settings` of the
    /// home folder, readable by you alone, and are no part of any package.
    Config(SkillConfigArgs),
    /// Write a package into an archive with digests, the same bytes each time
    Pack(SkillPackArgs),
    /// Keys that sign packages
    Key(SkillKeyArgs),
    /// Publish an archive in a registry, with the signature beside it
    ///
    /// Prints the reference with its digest, which installs this very package: publish it where people trust you. The tag is
    /// set last, after everything has been read back. Credentials come from the files that `docker login` and `podman login`
    /// write.
    Push(SkillPushArgs),
    /// Install packages from archives whose every digest holds, from zip files, folders, addresses and registries
    ///
    /// Shows what a package asks for, or what more a new version asks for, and a terminal asks whether you agree.
    /// An installed package replaces an older version and keeps your settings. Packages of `--skills` win over it;
    /// it wins over built-in ones.
    Install(SkillInstallArgs),
    /// Write the `index.json` of a folder of archives, from which `skill install --from` installs
    ///
    /// Each archive is read whole, and the signature beside it must hold. The file has equal bytes for equal archives.
    Index(SkillIndexArgs),
    /// Remove an installed package with your settings of it
    ///
    /// The key that it was signed with is kept: the next package of this name by another key asks.
    Remove(SkillRemoveArgs),
    /// Compare installed packages with the archives that they came from, or with those that you name
    ///
    /// It looks at the archives, folders, indexes and packages of registries that you name, else at the place from which each
    /// package was installed: its registry, its index, or its archive and those beside it.
    Outdated(SkillOutdatedArgs),
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
    #[arg(long, value_name = "FILE", conflicts_with = "story")]
    pub(crate) state: Option<PathBuf>,
    /// Show it a story: state, store, memory, and a copy of its data. The story itself stays as it is
    #[arg(long, value_name = "NAME", conflicts_with_all = ["record", "replay"])]
    pub(crate) story: Option<String>,
    /// Keep the files that it writes, in this new or empty folder [default: they are deleted at the end]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["record", "replay"])]
    pub(crate) keep: Option<PathBuf>,
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
    /// Add a script that shows each of these features, with an example [repeatable]
    #[arg(long, value_name = "FEATURE", value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<SkillWith>,
    /// Where the SDK of scripts in Rust comes from
    #[arg(long, value_name = "SOURCE", value_enum, default_value_t = SkillSdk::Copy, conflicts_with = "prompt_only")]
    pub(crate) sdk: SkillSdk,
    /// Make a plain Agent Skill: a prompt for planner and storyteller, without scripts
    #[arg(long, conflicts_with_all = ["lang", "with"])]
    pub(crate) prompt_only: bool,
    /// Leave the omens out: one script that answers with one sentence
    #[arg(long, conflicts_with_all = ["with", "prompt_only"])]
    pub(crate) empty: bool,
    /// Parent of the new folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SkillAddScriptArgs {
    /// Its name: lower case letters, digits and single hyphens
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Folder of the package
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) package: PathBuf,
    /// Its language [default: that of the scripts that are there]
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    pub(crate) lang: Option<SkillLanguage>,
    /// The feature it shows [default: none, an empty script]
    #[arg(long, value_name = "FEATURE", value_enum)]
    pub(crate) with: Option<SkillWith>,
}

#[derive(Debug, Args)]
pub(crate) struct SkillRemoveScriptArgs {
    /// Its name, as the manifest has it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Folder of the package
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) package: PathBuf,
    /// Remove its files without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkillDevArgs {
    /// Folder of the package
    #[arg(value_name = "PACKAGE", default_value = ".")]
    pub(crate) package: PathBuf,
    /// Play this story [default: a new one, deleted at the end]
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Agree that the package's own build scripts run on this machine
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

/// A feature of the host that a new script shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillWith {
    /// Values that the skill keeps from turn to turn
    Store,
    /// Requests to a host
    Http,
    /// Files that the story keeps
    Assets,
    /// Settings of the player
    Config,
    /// Questions to the player
    Ask,
    /// The language model
    Llm,
    /// The story's memory
    Memory,
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

/// Where the SDK comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillSdk {
    /// A copy of this program's SDK in the package, which builds without a network
    Copy,
    /// The published crate of this program's version
    Registry,
}

#[derive(Debug, Args)]
pub(crate) struct SkillBuildArgs {
    /// Folders of packages
    #[arg(value_name = "PACKAGE", default_value = ".")]
    pub(crate) packages: Vec<PathBuf>,
    /// Agree that the packages' own build scripts run on this machine
    #[arg(long)]
    pub(crate) yes: bool,
    /// First put this program's SDK in the place of the copy in `vendor/narratoria-sdk`
    #[arg(long)]
    pub(crate) update_sdk: bool,
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
    /// Set a value without asking. Once for each item of a list, or the whole list as JSON. The skill gets the
    /// environment variable that `${VAR}` names, each time that it loads [repeatable]
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Take the value of a setting away, so that its default holds again [repeatable]
    #[arg(long, value_name = "NAME")]
    pub(crate) unset: Vec<String>,
    /// Show the settings and their values, secrets masked
    #[arg(long, conflicts_with_all = ["set", "unset"])]
    pub(crate) list: bool,
    /// Make the values of a `config.json` in the package's folder your own, and remove the file
    #[arg(long, conflicts_with_all = ["set", "unset", "list"])]
    pub(crate) import: bool,
    /// Import without a question
    #[arg(long, requires = "import")]
    pub(crate) yes: bool,
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
    /// Pack what is there: components that are older than their sources too, and without running the examples
    #[arg(long)]
    pub(crate) unchecked: bool,
    /// Sign the archive with this secret key of minisign; the signature is a file beside it
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    /// File with the password of the key [also: NARRATORIA_KEY_PASSWORD] [default: a terminal asks]
    #[arg(long, value_name = "FILE", requires = "sign")]
    pub(crate) password_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillKeyArgs {
    #[command(subcommand)]
    pub(crate) verb: SkillKeyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillKeyCommand {
    /// Make a pair of keys that `skill pack --sign` and minisign can use
    ///
    /// The secret key is written to FILE, which only you can read; the public key to a file beside it whose name ends
    /// with `.pub`. Who has both the secret key and its password can publish in your name.
    New(SkillKeyNewArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SkillKeyNewArgs {
    /// File for the secret key, which must not exist
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Leave the secret key without a password, for a CI that keeps it as a secret
    #[arg(long, conflicts_with = "password_file")]
    pub(crate) no_password: bool,
    /// File with the password [also: NARRATORIA_KEY_PASSWORD] [default: a terminal asks]
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Format of stdout
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct SkillPushArgs {
    /// Archive that `skill pack` has written
    #[arg(value_name = "ARCHIVE")]
    pub(crate) archive: PathBuf,
    /// Where to: `oci://HOST/NAME`, with `:TAG` behind it [default tag: the version of the package]
    #[arg(value_name = "REFERENCE")]
    pub(crate) to: String,
    /// List of its parts to publish with it: a document of CycloneDX or SPDX in JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) sbom: Option<PathBuf>,
    /// Move a tag that has another package already
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillInstallArgs {
    /// Archives that `skill pack` has written, zip files (`.zip`, `.skill`) of packages, folders of packages, addresses
    /// (`https://…`) of archives, or packages of registries (`oci://HOST/NAME:VERSION@sha256:…`; without a tag the newest
    /// version); with `--from` names of packages, NAME or NAME@VERSION
    #[arg(value_name = "PATH", required = true)]
    pub(crate) archives: Vec<PathBuf>,
    /// Replace an equal or newer version too, and one whose settings are complete by one whose are not
    #[arg(long)]
    pub(crate) force: bool,
    /// Agree to everything that the packages ask for
    #[arg(long)]
    pub(crate) yes: bool,
    /// Set a setting of the package, as `skill config --set` does; only with one archive [repeatable]
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// SHA-256 that the archive must have, as `skill pack` printed it; only with one archive
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: Option<String>,
    /// Folder or address with an `index.json`, in which the packages are looked up
    #[arg(long, value_name = "PLACE")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
    /// Public key of minisign that the archives must be signed with, `RW…`
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Agree that a package is signed by another key than the version before it, or no longer signed; the same for an index
    #[arg(long)]
    pub(crate) accept_key_change: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SkillIndexArgs {
    /// Folder of archives
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Sign the index with this secret key of minisign; the signature is a file beside it
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    /// File with the password of the key [also: NARRATORIA_KEY_PASSWORD] [default: a terminal asks]
    #[arg(long, value_name = "FILE", requires = "sign")]
    pub(crate) password_file: Option<PathBuf>,
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

#[derive(Debug, Args)]
pub(crate) struct SkillOutdatedArgs {
    /// Archives, packages, folders with some of them or with an `index.json`, addresses of an index, or packages of registries
    /// (`oci://HOST/NAME`) [default: where each package was installed from]
    #[arg(value_name = "PATH")]
    pub(crate) sources: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
