//! No two modules of a crate import each other, not even around several corners. A module is a file; an import
//! counts for the file that declares the item, however many `pub use` lie between.
//!
//! A parent may name its children in `mod` and `pub use`. If two files cannot do without each other, a comment
//! above one of the imports says `Cycle because …`, and that import does not count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    code::{ident_at, without_tests, without_text},
    sources::{Package, each_source_file, packages},
    tidy::{is_within, test_modules},
};

/// Packages whose imports are not checked.
const UNREAD: &[&str] = &["benches"];

/// The comment that excuses an import.
const EXCUSE: &str = "Cycle because";

/// Names as in a path: `["attempt", "retry"]` is `attempt/retry.rs`, and none is the root of the crate.
type ModulePath = Vec<String>;

/// For each module the ones that it imports.
type Imports = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

#[test]
fn no_modules_of_a_crate_import_each_other() {
    let mut faults = Vec::new();
    let is_read =
        |package: &Package| !UNREAD.iter().any(|folder| package.folder.starts_with(folder));
    for package in packages().into_iter().filter(is_read) {
        let modules = CrateModules::build(&package.lib_name, &package.sources, &sources(&package));
        faults.extend(cycles(&package.sources, &modules.imports()));
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Returns the library's files, or the program's if there is no library, with their paths within its folder.
fn sources(package: &Package) -> Vec<(String, String)> {
    let root = &package.sources;
    let mut files = Vec::new();
    each_source_file(root, &mut |path, text| {
        let within = path.strip_prefix(root.as_str()).unwrap_or(&path).trim_start_matches('/');
        let is_apart = package.apart.iter().any(|apart| is_within(within, apart));
        if !is_apart {
            files.push((within.to_owned(), text));
        }
    });
    assert!(!files.is_empty(), "there is nothing in {root}");
    if files.iter().any(|(path, _)| path == "lib.rs") {
        files.retain(|(path, _)| {
            path != "main.rs" && path != "build.rs" && !path.starts_with("bin/")
        });
    }
    files
}

/// A file: its code without tests, and the places of excused imports.
struct Module {
    code: String,
    excused: BTreeSet<usize>,
}

/// The modules of one crate, and the items that they re-export with `pub use`.
struct CrateModules {
    /// How other crates call it; a path through this name is a path from the root.
    name: String,
    modules: BTreeMap<ModulePath, Module>,
    reexports: BTreeMap<(ModulePath, String), ModulePath>,
}

/// Every circle of the crate in this folder, each once and in its shortest form.
fn cycles(root: &str, imports: &Imports) -> Vec<String> {
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for start in imports.keys() {
        if told.contains(start) {
            continue;
        }
        if let Some(circle) = way_back(imports, start) {
            let names: Vec<String> = circle.iter().map(shown).collect();
            faults.push(format!("{root}: modules import each other: {}", names.join(" -> ")));
            told.extend(circle);
        }
    }
    faults
}

fn shown(module: &ModulePath) -> String {
    if module.is_empty() { "(root)".to_owned() } else { module.join("/") }
}

/// The shortest way from a module to itself, both ends included.
fn way_back(imports: &Imports, start: &ModulePath) -> Option<Vec<ModulePath>> {
    let mut from = BTreeMap::<&ModulePath, &ModulePath>::new();
    let mut open = VecDeque::from([start]);
    while let Some(module) = open.pop_front() {
        for next in imports.get(module).into_iter().flatten() {
            if next == start {
                let mut way = vec![start.clone()];
                let mut at = module;
                while at != start {
                    way.insert(0, at.clone());
                    at = from[at];
                }
                way.insert(0, start.clone());
                return Some(way);
            }
            if !from.contains_key(next) {
                from.insert(next, module);
                open.push_back(next);
            }
        }
    }
    None
}

impl CrateModules {
    fn build(name: &str, root: &str, files: &[(String, String)]) -> CrateModules {
        let whole = |path: &str| format!("{root}/{path}");
        let tests: Vec<String> = files
            .iter()
            .flat_map(|(path, text)| test_modules(&whole(path), &without_text(text)))
            .collect();
        let is_test = |path: &str| {
            tests.iter().any(|test| is_within(&whole(path), test))
                || path.ends_with("testing.rs")
                || path.contains("embed_sdk")
        };
        let mut modules = BTreeMap::new();
        for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
            let stem = path.trim_end_matches(".rs");
            let names: ModulePath = match stem {
                "lib" | "main" => Vec::new(),
                _ => stem.split('/').map(str::to_owned).collect(),
            };
            modules.insert(
                names,
                Module { code: without_tests(&without_text(text)), excused: excused(text) },
            );
        }
        let mut built = CrateModules { name: name.to_owned(), modules, reexports: BTreeMap::new() };
        for (module, Module { code, .. }) in &built.modules {
            for (import, _) in uses(code).into_iter().filter(|(import, _)| import.is_public) {
                for path in flat(import.tree) {
                    let Some(name) = path.last().cloned() else { continue };
                    let target =
                        built.absolute(module, &path).unwrap_or_else(|| joined(module, &path));
                    built.reexports.insert((module.clone(), name), target);
                }
            }
        }
        built
    }

    fn imports(&self) -> Imports {
        let mut found = BTreeMap::new();
        for (module, Module { code, excused }) in &self.modules {
            let mut paths: Vec<(Vec<String>, usize)> = Vec::new();
            let mut body = code.clone();
            for (import, at) in uses(code) {
                let end = at + import.text.len();
                body.replace_range(at..end, &blank(&code[at..end]));
                let line = code[..at].matches('\n').count();
                paths.extend(flat(import.tree).into_iter().filter_map(|path| {
                    let is_own = self.absolute(module, &path).is_some();
                    // A parent may re-export its child's items, but not use them.
                    (is_own || !import.is_public).then_some((path, line))
                }));
            }
            paths.extend(self.paths_in(module, &body));
            let targets = paths
                .iter()
                .filter(|(_, line)| !excused.contains(line))
                .filter_map(|(path, _)| self.declares(self.target(module, path)?, 0))
                .filter(|target| target != module);
            found.insert(module.clone(), targets.collect());
        }
        found
    }

    /// Paths in code that is no `use`: from the root, from a parent, or into a child.
    fn paths_in(&self, module: &ModulePath, code: &str) -> Vec<(Vec<String>, usize)> {
        let mut found = Vec::new();
        for (at, _) in code.match_indices("::") {
            let first = code[..at].rfind(|c: char| !is_ident(c)).map_or(0, |at| at + 1);
            if first == at || code[..first].ends_with(':') {
                continue;
            }
            let mut path = Vec::new();
            let mut rest = &code[first..];
            loop {
                let name = ident_at(rest);
                path.push(name.to_owned());
                let after = rest[name.len()..].strip_prefix("::");
                match after {
                    Some(after) if after.starts_with(is_ident) => rest = after,
                    _ => break,
                }
            }
            found.push((path, code[..first].matches('\n').count()));
        }
        found.retain(|(path, _)| self.target(module, path).is_some());
        found
    }

    /// Returns the target of a path, from the root of this crate. Returns `None` for a path of another crate.
    fn target(&self, module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let child = || {
            let first = [&module[..], path.get(..1)?].concat();
            self.modules.contains_key(&first).then(|| joined(module, path))
        };
        self.absolute(module, path).or_else(child)
    }

    /// Returns the target of a path that begins with `crate`, the crate's name, `self` or `super`.
    fn absolute(&self, module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let ups = path.iter().take_while(|name| *name == "super").count();
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            name if name == self.name => Some(rest.to_vec()),
            "self" => Some(joined(module, rest)),
            "super" => Some(joined(&module[..module.len().saturating_sub(ups)], &path[ups..])),
            _ => None,
        }
    }

    /// Returns the module that declares the item at the end of a path.
    fn declares(&self, path: ModulePath, depth: usize) -> Option<ModulePath> {
        let longest =
            (0..=path.len()).rev().find(|len| self.modules.contains_key(&path[..*len]))?;
        let (module, rest) = path.split_at(longest);
        let handed_on = rest.first().and_then(|name| {
            let target = self.reexports.get(&(module.to_vec(), name.clone()))?;
            let leads_on = depth < 8 && !target.starts_with(&path);
            leads_on.then(|| self.declares([&target[..], &rest[1..]].concat(), depth + 1))?
        });
        Some(handed_on.unwrap_or_else(|| module.to_vec()))
    }
}

fn joined(module: &[String], path: &[String]) -> ModulePath {
    [module, path].concat()
}

fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn blank(code: &str) -> String {
    code.chars()
        .flat_map(|c| std::iter::repeat_n(if c == '\n' { '\n' } else { ' ' }, c.len_utf8()))
        .collect()
}

/// The lines below a comment that excuses them, up to the end of the statement.
fn excused(text: &str) -> BTreeSet<usize> {
    let (mut found, mut is_excused) = (BTreeSet::new(), false);
    for (line, words) in text.lines().map(str::trim).enumerate() {
        if words.starts_with("//") {
            is_excused |= words.contains(EXCUSE);
        } else if is_excused {
            found.insert(line);
            is_excused = !words.ends_with([';', '}']);
        }
    }
    found
}

/// One `use`.
struct Import<'c> {
    is_public: bool,
    text: &'c str,
    tree: &'c str,
}

/// Each `use` and where it begins.
fn uses(code: &str) -> Vec<(Import<'_>, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let Some(len) = code[at..].find(';') else { continue };
        if code[..at].ends_with(is_ident) {
            continue;
        }
        let before = code[..at].trim_end();
        let is_public = before.ends_with("pub")
            || before.strip_suffix(')').is_some_and(|before| {
                before.rfind('(').is_some_and(|open| before[..open].ends_with("pub"))
            });
        let text = &code[at..at + len];
        found.push((Import { is_public, text, tree: &text["use ".len()..] }, at));
    }
    found
}

/// The paths of a tree such as `a::{b, c::d as e}`. A name after `as` is not asked for.
fn flat(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let prefix: Vec<String> = before
        .split("::")
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let inside = inside.trim_end().trim_end_matches('}');
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(c);
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    // `self` is the module itself.
    parts
        .flat_map(|part| flat(part))
        .map(|path| match path.as_slice() {
            [only] if only == "self" => prefix.clone(),
            _ => joined(&prefix, &path),
        })
        .collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], expect: &[&str]) {
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let expect: Vec<String> =
        expect.iter().map(|way| format!("src/x: modules import each other: {way}")).collect();
    let imports = CrateModules::build("narratoria_x", "src/x", &files).imports();
    assert_eq!(cycles("src/x", &imports), expect);
}

#[test]
fn two_files_that_import_each_other_are_a_fault() {
    check(&[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")], &["a -> b -> a"]);
    check(&[("a.rs", "use super::b::B;"), ("b.rs", "fn f() { crate::a::f() }")], &["a -> b -> a"]);
    check(
        &[("a.rs", "use crate::{c::D, b::{self, B}};"), ("b.rs", "use narratoria_x::a::A;")],
        &["a -> b -> a"],
    );
    check(&[("a.rs", "use crate::b::B;"), ("b.rs", "use other::a::A;")], &[]);
}

#[test]
fn a_circle_over_several_files_is_a_fault() {
    let (a, b, c) = ("use crate::b::B;", "use crate::c::C;", "pub(crate) use crate::a::A;");
    check(&[("a.rs", a), ("b.rs", b), ("c.rs", c)], &["a -> b -> c -> a"]);
}

#[test]
fn an_item_belongs_to_the_file_that_declares_it() {
    let lib = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B as Bee, C};");
    check(&[lib, ("a.rs", "use crate::C;"), ("b.rs", "use crate::A;")], &["a -> b -> a"]);
    check(&[lib, ("a.rs", "use crate::C;"), ("b.rs", "")], &[]);
}

#[test]
fn a_parent_may_hand_on_what_its_child_declares_but_not_use_it_while_the_child_uses_the_parent() {
    let child = ("a/b.rs", "use super::A;");
    check(&[("a.rs", "mod b;\npub(crate) use b::B;\nstruct A;"), child], &[]);
    check(&[("a.rs", "mod b;\nuse b::B;\nstruct A;"), child], &["a -> a/b -> a"]);
    check(&[("a.rs", "mod b;\nstruct A;\nfn f() { b::f() }"), child], &["a -> a/b -> a"]);
}

#[test]
fn tests_comments_and_excused_imports_do_not_count() {
    let b = ("b.rs", "use crate::a::A;");
    check(
        &[
            (
                "a.rs",
                "/// See [`crate::b::B`].\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}",
            ),
            b,
        ],
        &[],
    );
    check(&[("a.rs", "#[cfg(test)]\nmod tests;"), ("a/tests.rs", "use crate::b::B;"), b], &[]);
    check(
        &[("a.rs", "// Cycle because each holds the other.\nuse crate::b::{\n    B,\n};"), b],
        &[],
    );
    check(
        &[("a.rs", "// Cycle because each holds the other.\nuse c::D;\nuse crate::b::B;"), b],
        &["a -> b -> a"],
    );
}
