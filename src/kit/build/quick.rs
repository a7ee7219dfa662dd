//! Scripts in Python and JavaScript while their author plays them. Their tools take many seconds for each change, because
//! they start the interpreter and compile it. So the interpreter is built once as a component of its own, a *base*, and
//! each change puts the source behind it ([`append_source`]). A base depends on the world of the script and on the modules
//! that the script imports from elsewhere, and stays for the next package.
//!
//! The tools still build scripts that a base would run differently: sources that read files while they are loaded,
//! modules that import each other, top-level `await`. No base is ever packed: only copies for play contain them.

mod bases;
mod javascript;
mod python;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use narratoria_sandbox::{SOURCE_BYTES_MAX, append_source};

use super::{
    BuildScope, BuildTools, PackageBuildError, ScriptSource, build, is_same, read_scripts,
    source_of, watch::publish_package,
};

/// The code of the error of a script whose source a base cannot load. It has to be built.
pub const SOURCE_NOT_LOADED: &str = "SOURCE_NOT_LOADED";

/// A package that was built for play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayBuild {
    /// The names of the scripts that are different now.
    pub changed: Vec<String>,
    /// The names of the scripts that run from their source.
    pub from_source: BTreeSet<String>,
}

/// Builds the changed scripts of `folder`, and puts a copy of the files that a host reads into `to`. Scripts in Python
/// and JavaScript run there from their source, except those in `slow`. `last` is an earlier copy.
pub fn build_for_play(
    folder: &Path,
    (to, last): (&Path, &Path),
    tools: &BuildTools,
    slow: &BTreeSet<String>,
) -> Result<PlayBuild, PackageBuildError> {
    let mut ready: Vec<(String, PathBuf, Vec<u8>)> = Vec::new();
    for script in read_scripts(folder)? {
        let source = source_of(folder, &script)?;
        if slow.contains(&script.name) {
            continue;
        }
        if let Some(component) = from_source(folder, &source, tools)? {
            ready.push((script.name, PathBuf::from(script.path), component));
        }
    }
    let from_source: BTreeSet<String> = ready.iter().map(|(name, _, _)| name.clone()).collect();
    let is_built = |name: &str| !from_source.contains(name);
    let built = build(folder, tools, BuildScope::Changed, &is_built)?;
    let mut changed: Vec<String> = built.into_iter().map(|script| script.name).collect();
    publish_package(folder, to).map_err(|error| PackageBuildError::io(to, error))?;
    for (name, path, component) in ready {
        let place = to.join(&path);
        let within = place.parent().unwrap_or(to);
        fs::create_dir_all(within).map_err(|error| PackageBuildError::io(within, error))?;
        fs::write(&place, component).map_err(|error| PackageBuildError::io(&place, error))?;
        if !is_same(&place, &last.join(&path)) {
            changed.push(name);
        }
    }
    Ok(PlayBuild { changed, from_source })
}

/// The component of a script that runs from its source; `None` if it has to be built.
fn from_source(
    folder: &Path,
    source: &ScriptSource,
    tools: &BuildTools,
) -> Result<Option<Vec<u8>>, PackageBuildError> {
    let Some(cache) = &tools.base_cache else { return Ok(None) };
    let (script, base) = match source {
        ScriptSource::Python(from) => {
            let Some(script) = python::read(folder, from) else { return Ok(None) };
            let base = python::base(folder, from, &script.imports, tools)?;
            (script, base)
        }
        ScriptSource::JavaScript(from) => {
            let Some(script) = javascript::read(folder, from, tools)? else { return Ok(None) };
            let Some(base) = javascript::base(folder, from, &script.imports, tools)? else {
                return Ok(None);
            };
            (script, base)
        }
        ScriptSource::Cargo(_) | ScriptSource::C(_) => return Ok(None),
    };
    if script.bundle.len() > SOURCE_BYTES_MAX {
        return Ok(None);
    }
    let component = base.load_or_build(cache, folder, tools)?;
    Ok(Some(append_source(&component, &script.bundle)))
}
