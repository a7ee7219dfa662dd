//! `narratoria compile-component`, a hidden command: the process that compiles one component for the parent that
//! waits for it.

use std::{env, io, process};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_sandbox::{Compiler, compile_for_parent};

use super::{Exit, args::COMPILE_COMPONENT, error::CliError};
use crate::ui::raw_stdout;

/// Returns this program as the compiler. If its file cannot be found, this process compiles.
pub(super) fn compiler() -> Compiler {
    match env::current_exe() {
        Ok(program) => Compiler::Subprocess { program, args: vec![COMPILE_COMPONENT.to_owned()] },
        Err(error) => {
            tracing::warn!("components are compiled without a bound on time and memory: {error}");
            Compiler::InProcess
        }
    }
}

/// Compiles the component on stdin.
pub(super) fn compile() -> Result<Exit, TurnError> {
    let gone = || process::exit(Exit::Interrupted.code());
    match compile_for_parent(io::stdin(), &mut raw_stdout(), gone) {
        Ok(()) => Ok(Exit::Done),
        Err(why) => {
            let error = CliError::Terminal { action: "compile what came on stdin", why };
            Err(TurnError::new(TurnErrorKind::Internal, error))
        }
    }
}
