//! Exit codes (docs/commands.md, "Output").

use std::process::ExitCode;

use narratoria_engine::TurnErrorKind;

/// How the program ends. The order is by severity: of two, the larger one is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The work itself failed: a plan, a script, a check.
    Failed = 1,
    /// A named file, story or skill does not exist.
    BadInput = 2,
    /// Something named does not exist.
    NotFound = 3,
    /// A policy or a person refused it.
    Refused = 4,
    /// A fault of this program or of the machine.
    Internal = 70,
    /// Ctrl-C or a request to end.
    Interrupted = 130,
}

impl Exit {
    /// The process's exit code, for code that cannot return from `main`.
    pub(super) fn code(self) -> i32 {
        i32::from(self as u8)
    }
}

impl From<TurnErrorKind> for Exit {
    fn from(kind: TurnErrorKind) -> Exit {
        match kind {
            TurnErrorKind::Failed => Exit::Failed,
            TurnErrorKind::BadInput => Exit::BadInput,
            TurnErrorKind::NotFound => Exit::NotFound,
            TurnErrorKind::Refused => Exit::Refused,
            TurnErrorKind::Internal => Exit::Internal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
