//! Two hidden commands that compile. `compile-component` is the process that compiles one component for the parent
//! that waits for it. `embed-compiled-skills`, which `make build` runs, compiles the built-in skills into the program.

use std::{
    env, io,
    path::{Path, PathBuf},
    process,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_sandbox::{Compiler, ComponentLoadError, compile_for_parent, embed_code};
use narratoria_skills::load;

use super::{Exit, args::COMPILE_COMPONENT, error::CliError, files};
use narratoria_ui::raw_stdout;

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

/// The file that may have compiled components at its end: this program.
pub(super) fn embedded_code() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// Replaces `program` with a copy of itself that carries the code of the built-in skills.
pub(super) fn embed_compiled_skills(program: &Path) -> Result<Exit, TurnError> {
    let internal = |error| TurnError::new(TurnErrorKind::Internal, error);
    let built_in = load(&[narratoria_built_in::built_in()]).catalog;
    let scripts = built_in.iter().flat_map(|skill| &skill.scripts);
    let components =
        scripts.map(|script| script.component.read().map_err(ComponentLoadError::from));
    let components: Vec<_> = components.collect::<Result<_, _>>().map_err(internal)?;
    let components: Vec<&[u8]> = components.iter().map(|component| &**component).collect();
    let mut copy = Vec::new();
    embed_code(program, &components, &mut copy).map_err(internal)?;
    files::replace(program, "the program", &copy)?;
    Ok(Exit::Done)
}
