//! The files of a new package: those under `template/`, one folder for each language and `shared` for files of all
//! languages. Knows texts and names; touches no disk.
//!
//! A template has another name than its file if cargo or git would read the real one in this repository:
//! `manifest.toml` becomes `Cargo.toml`, `ignore.txt` becomes `.gitignore`.

/// A language for the scripts of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// With the SDK.
    Rust,
    C,
    /// Built by componentize-js.
    JavaScript,
    /// Built by componentize-py.
    Python,
}

/// Where a new package in Rust has its SDK from. Other languages need none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SdkSource {
    /// A copy of this program's SDK lies in the package, with a `Cargo.lock` of crates that were tried.
    Copy,
    /// The crate of this program's version comes from the registry. Cargo writes `Cargo.lock` at the first build, because
    /// this program does not know the checksum of the published crate.
    Registry,
}

/// Version of this program's SDK.
pub(super) const SDK_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Folder of the SDK's copy in a package.
pub(super) const SDK_FOLDER: &str = "vendor/narratoria-sdk";

// `SDK_SOURCES`: the files of `sdk/src`, each by its path from there.
include!(concat!(env!("OUT_DIR"), "/sdk_sources.rs"));

/// A file of a package: its path with `/`, and its text with places to fill in.
pub(super) type TemplateFile = (&'static str, &'static str);

const SHARED: &[TemplateFile] = &[
    ("skill.json", include_str!("template/shared/skill.json")),
    ("SKILL.md", include_str!("template/shared/SKILL.md")),
    ("LICENSE", include_str!("template/shared/LICENSE")),
    ("schemas/tell.input.json", include_str!("template/shared/tell.input.json")),
    ("schemas/tell.output.json", include_str!("template/shared/tell.output.json")),
    ("examples/a-fair-sign.json", include_str!("template/shared/a-fair-sign.json")),
    ("examples/nothing-asked.json", include_str!("template/shared/nothing-asked.json")),
];

/// The contracts that editors check the package's files against, as `$schema` in those files names them.
const CONTRACTS: &[TemplateFile] = &[
    (
        ".narratoria/schemas/skill-manifest.schema.json",
        include_str!("../../contracts/skill-manifest.schema.json"),
    ),
    (
        ".narratoria/schemas/skill-example.schema.json",
        include_str!("../../contracts/skill-example.schema.json"),
    ),
    (
        ".narratoria/schemas/config-schema.meta.json",
        include_str!("../../contracts/config-schema.meta.json"),
    ),
];

/// The beginning of the `.gitignore` for each language.
const IGNORE: &str = include_str!("template/shared/ignore.txt");

/// The beginning of the README for each language.
const README: &str = include_str!("template/shared/README.md");

const RUST: &[TemplateFile] = &[
    ("README.md", include_str!("template/rust/README.md")),
    (".gitignore", include_str!("template/rust/ignore.txt")),
    ("Cargo.toml", include_str!("template/rust/manifest.toml")),
    (LOCK, include_str!("template/rust/lock.toml")),
    ("src/tell.rs", include_str!("template/rust/tell.rs")),
];

const LOCK: &str = "Cargo.lock";

/// The manifest of the SDK's copy, which has no workspace to inherit from.
const SDK_MANIFEST: &str = include_str!("template/rust/sdk.toml");

const C: &[TemplateFile] = &[
    ("README.md", include_str!("template/c/README.md")),
    (".gitignore", ""),
    ("src/tell.c", include_str!("template/c/tell.c")),
    ("src/wire.h", include_str!("template/c/wire.h")),
    ("tests/stubs.h", include_str!("template/c/stubs.h")),
    ("tests/tell.test.c", include_str!("template/c/tell.test.c")),
];

const JAVASCRIPT: &[TemplateFile] = &[
    ("README.md", include_str!("template/javascript/README.md")),
    (".gitignore", include_str!("template/javascript/ignore.txt")),
    ("package.json", include_str!("template/javascript/package.json")),
    ("jsconfig.json", include_str!("template/javascript/jsconfig.json")),
    ("src/tell.mjs", include_str!("template/javascript/tell.mjs")),
    ("src/omen.mjs", include_str!("template/javascript/omen.mjs")),
    ("src/stdio.mjs", include_str!("template/javascript/stdio.mjs")),
    ("src/wire.mjs", include_str!("template/javascript/wire.mjs")),
    ("tests/omen.test.mjs", include_str!("template/javascript/omen.test.mjs")),
    ("tests/stubs.mjs", include_str!("template/javascript/stubs.mjs")),
    ("types/host.d.ts", include_str!("template/javascript/host.d.ts")),
    ("wit/skill.wit", include_str!("template/javascript/skill.wit")),
    ("wit/deps/cli.wit", include_str!("template/shared/cli.wit")),
    ("wit/deps/io.wit", include_str!("template/shared/io.wit")),
];

const PYTHON: &[TemplateFile] = &[
    ("README.md", include_str!("template/python/README.md")),
    (".gitignore", include_str!("template/python/ignore.txt")),
    ("requirements.txt", include_str!("template/python/requirements.txt")),
    ("src/tell.py", include_str!("template/python/tell.py")),
    ("src/wire.py", include_str!("template/python/wire.py")),
    ("tests/stubs.py", include_str!("template/python/stubs.py")),
    ("tests/test_tell.py", include_str!("template/python/test_tell.py")),
    ("wit/skill.wit", include_str!("template/python/skill.wit")),
    ("wit/deps/cli.wit", include_str!("template/shared/cli.wit")),
    ("wit/deps/io.wit", include_str!("template/shared/io.wit")),
];

/// The files of a package without the omens that differ from those of one with them.
const EMPTY: &[TemplateFile] = &[
    ("skill.json", include_str!("template/empty/skill.json")),
    ("SKILL.md", include_str!("template/empty/SKILL.md")),
    ("README.md", include_str!("template/empty/README.md")),
];

/// The program of the omens in `Cargo.toml`.
const PROGRAM: &str = "[[bin]]\nname = \"tell\"\npath = \"src/tell.rs\"\n\n";

impl Language {
    fn files(self) -> &'static [TemplateFile] {
        match self {
            Language::Rust => RUST,
            Language::C => C,
            Language::JavaScript => JAVASCRIPT,
            Language::Python => PYTHON,
        }
    }

    /// `{{fuel}}` and `{{memory}}`: about ten times the template's usage. A script in Python or JavaScript contains an
    /// interpreter, which must start before the first line runs.
    pub(super) fn limits(self) -> (&'static str, &'static str) {
        match self {
            Language::Rust | Language::C => ("500000000", "64"),
            Language::JavaScript => ("10000000000", "128"),
            Language::Python => ("10000000000", "256"),
        }
    }
}

impl SdkSource {
    /// `{{sdk-dependency}}`: the SDK in `Cargo.toml`.
    fn dependency(self) -> &'static str {
        match self {
            SdkSource::Copy => "{ path = \"vendor/narratoria-sdk\" }",
            SdkSource::Registry => concat!("\"", env!("CARGO_PKG_VERSION"), "\""),
        }
    }

    /// `{{sdk-origin}}`: the line of the README on the SDK.
    fn origin(self) -> &'static str {
        match self {
            SdkSource::Copy => {
                "| `vendor/narratoria-sdk/` | the SDK, a copy; `narratoria skill build --update-sdk .` renews it |"
            }
            SdkSource::Registry => {
                "| `Cargo.toml` | the SDK comes from the registry, and `Cargo.lock` after the first build says which one; \
                 `cargo update -p narratoria-sdk` renews it |"
            }
        }
    }
}

/// The files of a new package that is a plain Agent Skill.
pub(super) fn prompt_only_files(name: &str) -> Vec<(String, String)> {
    let text = include_str!("template/prompt-only/SKILL.md");
    let text = text.replace("{{name}}", name).replace("{{title}}", &title(name));
    vec![("SKILL.md".to_owned(), text)]
}

/// The files of a new package without any script, which is no package yet.
pub(super) fn empty_package_files(
    name: &str,
    language: Language,
    sdk: SdkSource,
) -> Vec<(String, String)> {
    let is_kept = |path: &str| {
        !["skill.json", "SKILL.md", "README.md"].contains(&path)
            && !["src/", "schemas/", "examples/", "tests/"].iter().any(|it| path.starts_with(it))
    };
    let mut files = package_files(name, language, sdk);
    files.retain(|(path, _)| is_kept(path));
    for (path, text) in &mut files {
        if path == "Cargo.toml" {
            *text = text.replace(PROGRAM, "");
        }
    }
    let title = title(name);
    let own = EMPTY
        .iter()
        .map(|(path, text)| ((*path).to_owned(), fill(text, &[("name", name), ("title", &title)])));
    files.extend(own);
    files.sort();
    files
}

/// Every file of a new package, by its path inside it, sorted.
pub(super) fn package_files(
    name: &str,
    language: Language,
    sdk: SdkSource,
) -> Vec<(String, String)> {
    let (fuel, memory) = language.limits();
    let title = title(name);
    let filled = |text: &str| {
        let places = [
            ("name", name),
            ("title", &title),
            ("sdk-dependency", sdk.dependency()),
            ("sdk-origin", sdk.origin()),
            ("version", SDK_VERSION),
            ("fuel", fuel),
            ("memory", memory),
        ];
        fill(text, &places)
    };
    let mut files: Vec<(String, String)> = Vec::new();
    for (path, text) in SHARED.iter().chain(language.files()) {
        let text = match *path {
            "README.md" => filled(README) + &filled(text),
            ".gitignore" => IGNORE.to_owned() + text,
            _ => filled(text),
        };
        files.push(((*path).to_owned(), text));
    }
    files.extend(CONTRACTS.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    match (language, sdk) {
        (Language::Rust, SdkSource::Copy) => files.extend(sdk_files()),
        (Language::Rust, SdkSource::Registry) => files.retain(|(path, _)| path != LOCK),
        _ => {}
    }
    files.sort();
    files
}

/// A text with `{{place}}` replaced by its value, for each place.
pub(super) fn fill(text: &str, places: &[(&str, &str)]) -> String {
    places.iter().fold(text.to_owned(), |text, (place, with)| {
        text.replace(&format!("{{{{{place}}}}}"), with)
    })
}

/// The files that any script of the language needs beside its own, by their paths. Rust has the SDK in their place.
pub(super) fn support_files(language: Language) -> impl Iterator<Item = TemplateFile> {
    let is_support = |(path, _): &&TemplateFile| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.starts_with("wire.")
            || name.starts_with("stubs.")
            || matches!(name, "stdio.mjs" | "package.json" | "jsconfig.json" | "requirements.txt")
            || ["types/", "wit/"].iter().any(|folder| path.starts_with(folder))
    };
    language.files().iter().filter(is_support).copied()
}

/// The copy of the SDK: a crate that stands alone.
pub(super) fn sdk_files() -> Vec<(String, String)> {
    let manifest = SDK_MANIFEST.replace("{{version}}", SDK_VERSION);
    let sources = SDK_SOURCES
        .iter()
        .map(|(path, text)| (format!("{SDK_FOLDER}/src/{path}"), (*text).to_owned()));
    sources.chain([(format!("{SDK_FOLDER}/Cargo.toml"), manifest)]).collect()
}

/// `old-mill` for people: `Old Mill`.
fn title(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
    });
    words.flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: [Language; 4] =
        [Language::Rust, Language::C, Language::JavaScript, Language::Python];

    #[test]
    fn every_placeholder_is_filled() {
        for language in LANGUAGES {
            for sdk in [SdkSource::Copy, SdkSource::Registry] {
                for (path, text) in package_files("old-mill", language, sdk) {
                    assert!(!text.contains("{{"), "{language:?}, {sdk:?}: {path}");
                }
            }
        }
    }

    #[test]
    fn a_package_with_the_sdk_of_the_registry_has_no_copy_and_locks_nothing() {
        let registry = package_files("old-mill", Language::Rust, SdkSource::Registry);
        let of = |file: &str| registry.iter().find(|(path, _)| path == file).map(|(_, text)| text);
        assert!(!registry.iter().any(|(path, _)| path.starts_with("vendor/")), "{registry:?}");
        assert_eq!(of(LOCK), None);
        let dependency = format!("\nnarratoria-sdk = \"{SDK_VERSION}\"\n");
        assert!(of("Cargo.toml").unwrap().contains(&dependency));
        assert!(!of("README.md").unwrap().contains("vendor"));
        // All else is as it is with a copy.
        let copy = package_files("old-mill", Language::Rust, SdkSource::Copy);
        let same = copy.iter().filter(|file| registry.contains(file)).count();
        assert_eq!(same, registry.len() - 2);
    }

    #[test]
    fn where_the_sdk_comes_from_changes_nothing_in_other_languages() {
        for language in [Language::C, Language::JavaScript, Language::Python] {
            let files = |sdk| package_files("old-mill", language, sdk);
            assert_eq!(files(SdkSource::Copy), files(SdkSource::Registry), "{language:?}");
        }
    }

    #[test]
    fn a_name_becomes_a_title() {
        assert_eq!(title("old-mill"), "Old Mill");
        assert_eq!(title("3d-dice"), "3d Dice");
    }

    /// The copy has no workspace to inherit from, so its manifest repeats the workspace's versions.
    #[test]
    fn the_copy_of_the_sdk_depends_on_what_the_sdk_depends_on() {
        let workspace = include_str!("../../Cargo.toml");
        let of_the_workspace = |name: &str| {
            let (_, table) = workspace.split_once("[workspace.dependencies]\n").unwrap();
            let line = table.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
            line.to_owned()
        };
        let dependencies = |manifest: &str, heading: &str| -> Vec<String> {
            let (_, table) = manifest.split_once(&format!("{heading}\n")).unwrap();
            let table = table.split("\n[").next().unwrap();
            let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
            lines
                .map(|line| match line.strip_suffix(".workspace = true") {
                    Some(name) => of_the_workspace(name),
                    None => line.to_owned(),
                })
                .collect()
        };
        for heading in ["[dependencies]", "[target.'cfg(target_os = \"wasi\")'.dependencies]"] {
            assert_eq!(
                dependencies(SDK_MANIFEST, heading),
                dependencies(include_str!("../../sdk/Cargo.toml"), heading),
                "src/kit/template/rust/sdk.toml must follow sdk/Cargo.toml"
            );
        }
    }

    /// A new package then builds with crates that are on the machine already.
    #[test]
    fn a_new_package_locks_the_versions_that_the_program_has() {
        let locked = |text: &str| -> Vec<String> {
            let blocks = text.split("\n[[package]]\n").skip(1);
            let parts = ["name = ", "version = ", "checksum = "];
            let part = |block: &str, name: &str| {
                block.lines().find(|line| line.starts_with(name)).map(str::to_owned)
            };
            blocks
                .filter_map(|block| {
                    let parts = parts.map(|name| part(block, name));
                    parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.join(", "))
                })
                .collect()
        };
        let ours = locked(include_str!("../../Cargo.lock"));
        let theirs = locked(include_str!("template/rust/lock.toml"));
        assert!(theirs.len() > 10, "{theirs:?}");
        for package in theirs {
            assert!(
                ours.contains(&package),
                "src/kit/template/rust/lock.toml has {package}, and Cargo.lock has not"
            );
        }
    }
}
