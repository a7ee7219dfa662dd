//! Errors before the first turn.

use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{
    StrictJsonError,
    visible::{clip, visible_line},
};
use narratoria_skills::OutsideFileError;

#[cfg(feature = "llama")]
use super::words_time::WordsTimeError;
use super::{
    log_filter::LogFilterError,
    path_text::{named, shown},
    plan_settings::{BeyondS0Error, PlanVariableError},
    premise::PremiseError,
};

/// Characters that a message quotes of a value.
const SHOWN_CHARS_MAX: usize = 80;

/// The error with its hints on one line.
pub(crate) fn with_hints(error: &TurnError) -> String {
    error.hints.iter().fold(error.to_string(), |text, hint| format!("{text}; {hint}"))
}

/// Bad settings, files that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// There is no home directory and `NARRATORIA_HOME` is not set.
    #[error("there is no home folder to keep stories in")]
    NoHome,
    /// The home folder is a file.
    #[error("`{}` is a file, and stories need a folder", path.display())]
    HomeIsFile { path: PathBuf },
    /// `--skills` names a path that does not exist.
    #[error("the skills folder `{}` does not exist", path.display())]
    NoSkillsFolder { path: PathBuf },
    /// `--skills` names a file or a device.
    #[error("`{}` is not a folder with skill packages", path.display())]
    NotAFolder { path: PathBuf },
    /// Neither a folder nor a skill has that name.
    #[error("there is no package `{}`", package.display())]
    NoPackage { package: PathBuf, near: Option<String> },
    /// No package is named, and the current folder is none.
    #[error("the current folder is no package and has none in it")]
    NoPackageHere,
    /// A named file does not exist.
    #[error("the {what} `{}` does not exist", path.display())]
    NoFile { what: &'static str, path: PathBuf },
    /// A named file cannot be read.
    #[error("{} cannot be read", named(what, path))]
    Unreadable {
        what: &'static str,
        path: PathBuf,
        #[source]
        why: io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", named(what, path))]
    Unwritable {
        what: &'static str,
        path: PathBuf,
        #[source]
        why: io::Error,
    },
    /// The file is too long. Reading stops at the limit, so that it never fills the memory.
    #[error("{} has more than {limit} bytes", named(what, path))]
    TooLarge { what: &'static str, path: PathBuf, limit: usize },
    /// JSON was expected.
    #[error("{} {}", named(what, path), why.predicate())]
    NotJson { what: &'static str, path: PathBuf, why: StrictJsonError },
    /// A folder, a pipe, a socket or a device. Reading some of them would never end.
    #[error("{} is {kind}, not a regular file", named(what, path))]
    NotRegular { what: &'static str, path: PathBuf, kind: &'static str },
    /// A JSON object was expected.
    #[error("{} must be a JSON object, it is {found}", named(what, path))]
    NotAnObject { what: &'static str, path: PathBuf, found: &'static str },
    /// The prepared plans of `--planner scripted:` are invalid.
    #[error("the planner script {} cannot be used: {why}", shown(path))]
    BadScript { path: PathBuf, why: String },
    /// `--log-level` or `NARRATORIA_LOG` is neither a level nor a filter.
    #[error("{name} is `{}`, {why}", visible_line(&clip(value, SHOWN_CHARS_MAX)))]
    BadFilter { name: &'static str, value: String, why: LogFilterError },
    /// The variable of a setting of plans has a value that the setting does not take.
    #[error(transparent)]
    BadVariable(#[from] PlanVariableError),
    /// A setting of a turn leaves S0 without saying so.
    #[error(transparent)]
    BeyondS0(#[from] BeyondS0Error),
    /// `--premise` or its variable says nothing that a story could be about.
    #[error(transparent)]
    BadPremise(#[from] PremiseError),
    /// The value of a variable is not a time for the words of a model.
    #[cfg(feature = "llama")]
    #[error("{name}: {why}")]
    BadWordsTime { name: &'static str, why: WordsTimeError },
    /// `--sdk registry` and a language without an SDK.
    #[error("`--sdk registry` is for scripts in Rust: the other languages need no SDK")]
    SdkWithoutRust,
    /// stdin, stdout or the terminal failed.
    #[error("cannot {action}")]
    Terminal {
        action: &'static str,
        #[source]
        why: io::Error,
    },
}

impl CliError {
    /// Translates the error of a named file that cannot be read.
    pub(super) fn outside_file(
        what: &'static str,
        path: &Path,
        error: OutsideFileError,
    ) -> CliError {
        let path = path.to_owned();
        match error {
            OutsideFileError::Missing => CliError::NoFile { what, path },
            OutsideFileError::NotRegular { kind } => CliError::NotRegular { what, path, kind },
            OutsideFileError::TooLong { limit } => CliError::TooLarge {
                what,
                path,
                limit: usize::try_from(limit).unwrap_or(usize::MAX),
            },
            OutsideFileError::Io(why) => CliError::Unreadable { what, path, why },
        }
    }

    fn kind(&self) -> TurnErrorKind {
        match self {
            CliError::NoSkillsFolder { .. }
            | CliError::NoFile { .. }
            | CliError::NoPackage { .. } => TurnErrorKind::NotFound,
            CliError::NoPackageHere
            | CliError::NoHome
            | CliError::HomeIsFile { .. }
            | CliError::NotAFolder { .. }
            | CliError::Unreadable { .. }
            | CliError::Unwritable { .. }
            | CliError::TooLarge { .. }
            | CliError::NotJson { .. }
            | CliError::NotRegular { .. }
            | CliError::NotAnObject { .. }
            | CliError::BadScript { .. }
            | CliError::BadVariable(_)
            | CliError::BeyondS0(_)
            | CliError::BadPremise(_)
            | CliError::SdkWithoutRust
            | CliError::BadFilter { .. } => TurnErrorKind::BadInput,
            #[cfg(feature = "llama")]
            CliError::BadWordsTime { .. } => TurnErrorKind::BadInput,
            CliError::Terminal { .. } => TurnErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        if let CliError::NoPackage { near: Some(near), .. } = self {
            return Some(format!("did you mean `{near}`?").into());
        }
        self.fixed_hint().map(Cow::Borrowed)
    }

    fn fixed_hint(&self) -> Option<&'static str> {
        match self {
            CliError::NoPackage { .. } | CliError::NoPackageHere => Some(
                "a package is a folder with a `skill.json`, or a name of `narratoria skill list`",
            ),
            CliError::NoHome | CliError::HomeIsFile { .. } => {
                Some("set NARRATORIA_HOME to a folder of your choice")
            }
            CliError::NoSkillsFolder { .. } | CliError::NotAFolder { .. } => {
                Some("`--skills` takes a folder whose folders are skill packages")
            }
            CliError::BadFilter { .. } => Some("try `info` or `narratoria=debug`"),
            CliError::BadVariable(_) => {
                Some("`narratoria run --help` lists the settings with their bounds")
            }
            CliError::BeyondS0(_) => Some(
                "`narratoria run --plan-beyond-s0 on` allows more, and the turn then leaves what S0 asks",
            ),
            CliError::BadPremise(_) => Some(
                "such as `--premise \"a lighthouse keeper who has not slept for nine days\"`, or `none`",
            ),
            CliError::SdkWithoutRust => Some("leave `--sdk` out, or `--lang`"),
            CliError::NotJson { why, .. } if why.is_json() => None,
            CliError::NotJson { .. } | CliError::NotAnObject { .. } => {
                Some("the smallest one is `{}`")
            }
            CliError::NotRegular { .. } => Some(
                "name a regular file; where a command reads stdin, `-` in place of a file is a pipe",
            ),
            _ => None,
        }
    }
}

impl From<CliError> for TurnError {
    fn from(error: CliError) -> TurnError {
        let hint = error.hint();
        let failed = TurnError::new(error.kind(), error);
        match hint {
            Some(hint) => failed.hint(hint.into_owned()),
            None => failed,
        }
    }
}
