//! Scripts in Python and JavaScript: an interpreter and the sources become one component, by the tools of the
//! component model. Their world is the package's own `wit` folder.

use std::path::{Path, PathBuf};

use super::{BuildTools, PackageBuildError};
use narratoria_skills::read_outside;

/// Longest description of a world. One that names every interface of WASI is some KiB.
const WIT_BYTES_MAX: u64 = 256 << 10;

/// The world of scripts that have none of their own.
const WORLD: &str = "skill";

/// How the import of an interface for requests begins.
const HTTP_IMPORT: &str = "import wasi:http/";

/// The imports and exports of a component, as the `wit` folder declares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptWorld {
    pub(super) name: String,
    /// True if it imports `wasi:http`.
    pub(super) has_http: bool,
}

const NO_WIT: &str =
    "it says what the component imports and exports; `narratoria skill new` writes one";

const NO_WORLD: &str = "it has no `world NAME {`";

/// componentize-py, the package's own in `.venv` first.
pub(super) fn python_tool(folder: &Path, tools: &BuildTools) -> Result<PathBuf, PackageBuildError> {
    tools.find_near(folder, ".venv/bin", "componentize-py").ok_or_else(|| PackageBuildError::NoTool {
        what: "there is no `componentize-py`, neither in `.venv` nor on the search path".to_owned(),
        help: vec![
            "`python3 -m venv .venv && .venv/bin/pip install -r requirements.txt` in the package installs it".to_owned(),
        ],
    })
}

/// componentize-js, the package's own in `node_modules` first.
pub(super) fn javascript_tool(
    folder: &Path,
    tools: &BuildTools,
) -> Result<PathBuf, PackageBuildError> {
    let place = "node_modules/.bin";
    tools.find_near(folder, place, "componentize-js").ok_or_else(|| PackageBuildError::NoTool {
        what: "there is no `componentize-js`, neither in `node_modules` nor on the search path"
            .to_owned(),
        help: vec!["`npm install` in the package installs it".to_owned()],
    })
}

/// Builds a script in Python.
pub(super) fn build_python(
    folder: &Path,
    from: &Path,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    let world = world_of(folder, from)?;
    componentize_python(folder, (Path::new("src"), from), &world, to, tools)
}

/// Makes a component of the module `app` in the folder `sources`.
pub(super) fn componentize_python(
    folder: &Path,
    (sources, app): (&Path, &Path),
    world: &ScriptWorld,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    let mut command = tools.command(&python_tool(folder, tools)?, folder);
    command.args(["--quiet", "-d", "wit", "-w", &world.name, "componentize", "-p"]).arg(sources);
    command.arg(app.file_stem().unwrap_or_default()).arg("-o").arg(to);
    tools.run(command)
}

/// Builds a script in JavaScript.
pub(super) fn build_javascript(
    folder: &Path,
    from: &Path,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    // Relative, because the path ends up in the component and must not name this machine's folders.
    let source = from.strip_prefix(folder).unwrap_or(from);
    componentize_javascript(folder, source, &world_of(folder, from)?, to, tools)
}

/// Makes a component of a module.
pub(super) fn componentize_javascript(
    folder: &Path,
    source: &Path,
    world: &ScriptWorld,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    let mut command = tools.command(&javascript_tool(folder, tools)?, folder);
    command.arg(source).args(["--wit", "wit", "--world-name", &world.name]);
    // With either of the two features every component imports `wasi:http`, which needs a grant. Without `http` a call of
    // `wasi:http` traps.
    if !world.has_http {
        command.args(["--disable", "http"]);
    }
    command.args(["--disable", "fetch-event", "--out"]).arg(to);
    tools.run(command)
}

/// The world of a script: the first one of `wit/NAME.wit` if the script has such a file, so that only this script
/// imports what is in it; else the world of `wit/skill.wit`.
pub(super) fn world_of(folder: &Path, source: &Path) -> Result<ScriptWorld, PackageBuildError> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let text_of = |path: &Path| {
        let bytes = read_outside(path, WIT_BYTES_MAX).ok()?;
        String::from_utf8(bytes).ok()
    };
    let has_http = |text: &str| text.lines().any(|line| line.trim_start().starts_with(HTTP_IMPORT));
    // Python's module names have no hyphens.
    for name in [&*stem, &stem.replace('_', "-")] {
        let own = folder.join("wit").join(format!("{name}.wit"));
        if let Some(text) = text_of(&own) {
            let world = text.lines().find_map(|line| line.trim_start().strip_prefix("world "));
            let world = world.and_then(|rest| rest.split([' ', '{']).next());
            let world = world.map(|world| ScriptWorld {
                name: world.trim_start_matches('%').to_owned(),
                has_http: has_http(&text),
            });
            return world.ok_or(PackageBuildError::Missing { path: own, why: NO_WORLD });
        }
    }
    let path = folder.join("wit").join("skill.wit");
    match path.is_file() {
        true => Ok(ScriptWorld {
            name: WORLD.to_owned(),
            has_http: text_of(&path).is_some_and(|text| has_http(&text)),
        }),
        false => Err(PackageBuildError::Missing { path, why: NO_WIT }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_script_has_the_world_of_its_own_file_or_the_common_one() {
        let dir = tempfile::tempdir().unwrap();
        let wit = dir.path().join("wit");
        fs::create_dir(&wit).unwrap();
        let world = |source: &str| {
            let world = world_of(dir.path(), Path::new(source)).map_err(|error| {
                error.to_string().replace(&format!("{}/", dir.path().display()), "")
            })?;
            Ok::<_, String>(world.name + if world.has_http { " with http" } else { "" })
        };
        assert_eq!(world("src/a.py").unwrap_err(), format!("`wit/skill.wit` is missing: {NO_WIT}"));
        fs::write(wit.join("skill.wit"), "world skill {}").unwrap();
        fs::write(wit.join("count-visits.wit"), "// c\npackage a:b;\n\nworld %count-visits {\n}")
            .unwrap();
        let http = "world ask-sky {\n  import wasi:http/types@0.2.0;\n}";
        fs::write(wit.join("ask-sky.wit"), http).unwrap();
        fs::write(wit.join("empty.wit"), "package a:b;").unwrap();
        assert_eq!(world("src/tell.mjs").unwrap(), "skill");
        assert_eq!(world("src/count_visits.py").unwrap(), "count-visits");
        assert_eq!(world("src/count-visits.mjs").unwrap(), "count-visits");
        assert_eq!(world("src/ask-sky.mjs").unwrap(), "ask-sky with http");
        assert_eq!(
            world("src/empty.py").unwrap_err(),
            format!("`wit/empty.wit` is missing: {NO_WORLD}")
        );
    }
}
