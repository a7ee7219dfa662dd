//! The source of a script in Python, and the base that runs it.

use std::{collections::BTreeSet, path::Path};

use narratoria_sandbox::{SOURCE_BYTES_MAX, SOURCE_HEAD_BYTES};
use narratoria_skills::read_outside;
use serde_json::{Map, Value, json};

use super::{
    super::{
        BuildTools, PackageBuildError,
        interpreted::{python_tool, world_of},
        watch::author_files,
    },
    bases::{ScriptBase, SourceScript},
};

const PROGRAM: &str = include_str!("base.py");

/// Reads the modules in `src`; `None` if they are not all of them text, or too long.
pub(super) fn read(folder: &Path, from: &Path) -> Option<SourceScript> {
    let sources = folder.join("src");
    let mut modules = Map::new();
    let mut imports = BTreeSet::new();
    for path in author_files(sources.clone()) {
        if path.extension().is_none_or(|ending| ending != "py") {
            continue;
        }
        let text = String::from_utf8(read_outside(&path, SOURCE_BYTES_MAX as u64).ok()?).ok()?;
        let within = path.strip_prefix(&sources).ok()?.with_extension("");
        let mut parts: Vec<&str> = Vec::new();
        for part in &within {
            parts.push(part.to_str()?);
        }
        let is_package = parts.last() == Some(&"__init__");
        if is_package {
            parts.pop();
        }
        imports.extend(imported(&text));
        let shown = format!("src/{}.py", within.display());
        modules.insert(parts.join("."), json!([shown, text, is_package]));
    }
    let top = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let own: BTreeSet<String> = modules.keys().map(|name| top(name)).collect();
    imports.retain(|name| !own.contains(&top(name)));
    let entry = from.file_stem()?.to_str()?;
    let bundle = json!({ "entry": entry, "modules": Value::Object(modules) });
    Some(SourceScript {
        imports: imports.into_iter().collect(),
        bundle: bundle.to_string().into_bytes(),
    })
}

pub(super) fn base(
    folder: &Path,
    from: &Path,
    imports: &[String],
    tools: &BuildTools,
) -> Result<ScriptBase, PackageBuildError> {
    // A list of JSON texts is one of Python too.
    let head = format!("IMPORTED = {}\nHEAD_BYTES = {SOURCE_HEAD_BYTES}\n\n", json!(imports));
    Ok(ScriptBase {
        is_python: true,
        tool: python_tool(folder, tools)?,
        world: world_of(folder, from)?,
        program: head + PROGRAM,
    })
}

/// The modules that a text may import, more rather than fewer: lines of a string may look like imports, and `from a
/// import b` may mean a module `a.b`. The base ignores those that are none.
fn imported(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut names = |prefix: &str, list: &str| {
        for one in list.split('#').next().unwrap_or_default().split([',', ';']) {
            let one = one.trim_matches([' ', '\t', '(', ')', '\\']);
            let name = one.split_whitespace().next().unwrap_or_default();
            let is_name = |part: &str| {
                part.chars().all(|char| char.is_alphanumeric() || char == '_') && !part.is_empty()
            };
            if name.split('.').all(is_name) {
                found.push(format!("{prefix}{name}"));
            }
        }
    };
    for line in text.lines().map(str::trim_start) {
        if let Some(list) = line.strip_prefix("import ") {
            names("", list);
        } else if let Some((module, list)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            names("", module);
            names(&format!("{}.", module.trim()), list);
        }
    }
    found.retain(|name| !name.starts_with('.'));
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_line_that_may_import_counts() {
        let text = "import json, re as expressions  # and more\n    from os import path\nfrom . import mine\n\
                    from wit_world.imports import store\nimportant = 3\nfrom a import (b, c\n";
        let expect = [
            "json",
            "re",
            "os",
            "os.path",
            "wit_world.imports",
            "wit_world.imports.store",
            "a",
            "a.b",
            "a.c",
        ];
        assert_eq!(imported(text), expect);
    }

    #[test]
    fn the_modules_of_a_package_are_its_own_and_the_rest_is_the_base_s() {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("tell.py", "import json\nimport wire\nfrom lore import omens\n"),
            ("wire.py", "import sys\n"),
            ("lore/__init__.py", ""),
            ("lore/omens.py", "from . import more\n"),
            ("notes.txt", "import nothing"),
        ] {
            let path = dir.path().join("src").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let script = read(dir.path(), Path::new("src/tell.py")).unwrap();
        assert_eq!(script.imports, ["json", "sys"]);
        let bundle: Value = serde_json::from_slice(&script.bundle).unwrap();
        assert_eq!(bundle["entry"], "tell");
        let modules: Vec<&String> = bundle["modules"].as_object().unwrap().keys().collect();
        assert_eq!(modules, ["lore", "lore.omens", "tell", "wire"]);
        assert_eq!(bundle["modules"]["lore"], json!(["src/lore/__init__.py", "", true]));
    }
}
