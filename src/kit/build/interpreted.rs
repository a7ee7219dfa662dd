//! Scripts in Python and JavaScript: an interpreter and the sources become one component, by the tools of the
//! component model. Their world is the package's own `wit` folder.

use std::path::Path;

use super::{BuildTools, PackageBuildError};

/// The world in `wit/skill.wit`.
const WORLD: &str = "skill";

const NO_WIT: &str =
    "it says what the component imports and exports; `narratoria skill new` writes one";

/// Builds with componentize-py, the package's own in `.venv` first.
pub(super) fn build_python(
    folder: &Path,
    from: &Path,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    check_wit(folder)?;
    let program =
        tools.find_near(folder, ".venv/bin", "componentize-py").ok_or_else(|| PackageBuildError::NoTool {
            what: "there is no `componentize-py`, neither in `.venv` nor on the search path".to_owned(),
            help: vec![
                "`python3 -m venv .venv && .venv/bin/pip install -r requirements.txt` in the package installs it".to_owned(),
            ],
        })?;
    let mut command = tools.command(&program, folder);
    command.args(["--quiet", "-d", "wit", "-w", WORLD, "componentize", "-p", "src"]);
    command.arg(from.file_stem().unwrap_or_default()).arg("-o").arg(to);
    tools.run(command)
}

/// Builds with componentize-js, the package's own in `node_modules` first.
pub(super) fn build_javascript(
    folder: &Path,
    from: &Path,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    check_wit(folder)?;
    let place = "node_modules/.bin";
    let program = tools.find_near(folder, place, "componentize-js").ok_or_else(|| {
        PackageBuildError::NoTool {
            what: "there is no `componentize-js`, neither in `node_modules` nor on the search path"
                .to_owned(),
            help: vec!["`npm install` in the package installs it".to_owned()],
        }
    })?;
    let mut command = tools.command(&program, folder);
    // Relative, because the path ends up in the component and must not name this machine's folders.
    command.arg(from.strip_prefix(folder).unwrap_or(from));
    command.args(["--wit", "wit", "--world-name", WORLD]);
    // Without these two options the component imports `wasi:http`, which needs a grant.
    command.args(["--disable", "http", "--disable", "fetch-event", "--out"]).arg(to);
    tools.run(command)
}

fn check_wit(folder: &Path) -> Result<(), PackageBuildError> {
    let path = folder.join("wit").join("skill.wit");
    match path.is_file() {
        true => Ok(()),
        false => Err(PackageBuildError::Missing { path, why: NO_WIT }),
    }
}
