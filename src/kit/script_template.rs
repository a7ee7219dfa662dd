//! The files of one more script: those under `template/script/`. A frame for each language, and in it the part that
//! shows a feature of the host. Knows texts and names; touches no disk.
//!
//! All of these scripts have the same input and the same output, so that an author replaces only what matters.

use super::{
    script_feature::{PLAIN, ScriptFeature},
    script_service::service_parts,
    template::{Language, fill},
};

const INPUT: &str = include_str!("template/script/input.json");
const OUTPUT: &str = include_str!("template/script/output.json");
const ENTRY: &str = include_str!("template/script/entry.json");
const TRIGGER: &str = include_str!("template/script/trigger.json");
const EXAMPLE: &str = include_str!("template/script/example.json");
const BIN: &str = include_str!("template/script/rust/bin.toml");
const CONFIG_SCHEMA: &str = include_str!("template/script/config-schema.json");
const SETTING: &str = include_str!("template/script/setting.json");

/// A setting: its name, and its schema.
pub(super) const EXAMPLE_SETTING: (&str, &str) = ("greeting", SETTING);

/// One more script of a package.
pub(super) struct ScriptFiles {
    /// Its own files, by their paths in the package.
    pub(super) own: Vec<(String, String)>,
    /// Files that it shares with other scripts.
    pub(super) shared: Vec<(String, String)>,
    /// Its entry in `scripts` of the manifest.
    pub(super) entry: String,
    /// Its entry in `triggers`.
    pub(super) trigger: String,
    /// Its entry in `Cargo.toml`; empty for other languages.
    pub(super) bin: String,
}

/// The part of a script that shows the feature, and its native test: a part of the source in Rust, otherwise of a file of
/// its own ([`test_frame`]).
fn body(language: Language, feature: Option<ScriptFeature>) -> (&'static str, &'static str) {
    macro_rules! parts {
        ($path:literal, $end:literal) => {
            (
                include_str!(concat!("template/script/", $path, ".", $end)),
                include_str!(concat!("template/script/", $path, ".test.", $end)),
            )
        };
    }
    use ScriptFeature::{Ask, Assets, Config, Http, Llm, Memory, Store};
    match (language, feature) {
        (Language::Rust, None) => parts!("rust/plain", "rs"),
        (Language::Rust, Some(Store)) => parts!("rust/store", "rs"),
        (Language::Rust, Some(Http)) => parts!("rust/http", "rs"),
        (Language::Rust, Some(Assets)) => parts!("rust/assets", "rs"),
        (Language::Rust, Some(Config)) => parts!("rust/config", "rs"),
        (Language::Rust, Some(Ask)) => parts!("rust/ask", "rs"),
        (Language::Rust, Some(Llm)) => parts!("rust/llm", "rs"),
        (Language::Rust, Some(Memory)) => parts!("rust/memory", "rs"),
        (Language::Python, None) => parts!("python/plain", "py"),
        (Language::Python, Some(Store)) => parts!("python/store", "py"),
        (Language::Python, Some(Http)) => parts!("python/http", "py"),
        (Language::Python, Some(Assets)) => parts!("python/assets", "py"),
        (Language::Python, Some(Config)) => parts!("python/config", "py"),
        (Language::Python, Some(Ask)) => parts!("python/ask", "py"),
        (Language::Python, Some(Llm)) => parts!("python/llm", "py"),
        (Language::Python, Some(Memory)) => parts!("python/memory", "py"),
        (Language::JavaScript, None) => parts!("javascript/plain", "mjs"),
        (Language::JavaScript, Some(Store)) => parts!("javascript/store", "mjs"),
        (Language::JavaScript, Some(Http)) => parts!("javascript/http", "mjs"),
        (Language::JavaScript, Some(Assets)) => parts!("javascript/assets", "mjs"),
        (Language::JavaScript, Some(Config)) => parts!("javascript/config", "mjs"),
        (Language::JavaScript, Some(Ask)) => parts!("javascript/ask", "mjs"),
        (Language::JavaScript, Some(Llm)) => parts!("javascript/llm", "mjs"),
        (Language::JavaScript, Some(Memory)) => parts!("javascript/memory", "mjs"),
        (Language::C, None) => parts!("c/plain", "c"),
        (Language::C, Some(Store)) => parts!("c/store", "c"),
        (Language::C, Some(Http)) => parts!("c/http", "c"),
        (Language::C, Some(Assets)) => parts!("c/assets", "c"),
        (Language::C, Some(Config)) => parts!("c/config", "c"),
        (Language::C, Some(Ask)) => parts!("c/ask", "c"),
        (Language::C, Some(Llm)) => parts!("c/llm", "c"),
        (Language::C, Some(Memory)) => parts!("c/memory", "c"),
    }
}

/// Everything that a script `name` adds to its package.
pub(super) fn script_files(
    name: &str,
    language: Language,
    feature: Option<ScriptFeature>,
) -> ScriptFiles {
    let (body, test) = body(language, feature);
    let facts = feature.map_or(PLAIN, ScriptFeature::facts);
    let words = name.replace('-', " ");
    let phrase = if facts.phrase.is_empty() { &words } else { facts.phrase };
    let sentence = format!("I {phrase}");
    let (fuel, memory) = language.limits();
    let parts = service_parts(language, feature);
    let world = world_of(name);
    let world_file = match parts.interfaces {
        [] => "wit/skill.wit".to_owned(),
        _ => format!("wit/{name}.wit"),
    };
    let places = [
        ("script", name),
        ("description", facts.description),
        ("phrase", phrase),
        ("sentence", &sentence),
        ("text", facts.text),
        ("grants", facts.grants),
        ("timeout", facts.timeout_ms),
        ("fuel", fuel),
        ("memory", memory),
        ("world", &world),
        ("world_file", &world_file),
    ];
    let filled = |text: &str| fill(text, &places);
    let (source, frame) = frame(name, language);
    let frame = fill(frame, &[("body", body), ("test", test)]);
    let mut own = vec![
        (source, fill(&filled(&frame), &parts.lines())),
        (format!("schemas/{name}.input.json"), INPUT.to_owned()),
        (format!("schemas/{name}.output.json"), OUTPUT.to_owned()),
        (format!("examples/{name}.json"), filled(EXAMPLE)),
    ];
    if let Some((path, frame)) = test_frame(name, language) {
        own.push((path, filled(&fill(frame, &[("test", test.trim_end())]))));
    }
    let world_text = match language {
        Language::Python => Some(include_str!("template/script/python/world.wit")),
        Language::JavaScript => Some(include_str!("template/script/javascript/world.wit")),
        Language::Rust | Language::C => None,
    };
    if let ([_, ..], Some(text)) = (parts.interfaces, world_text) {
        let import = |interface: &&str| format!("  import {interface};\n");
        let imports: String = parts.interfaces.iter().map(import).collect();
        own.push((world_file.clone(), fill(&filled(text), &[("imports", &imports)])));
    }
    let mut shared: Vec<(String, String)> =
        parts.files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    if feature == Some(ScriptFeature::Config) {
        let setting = SETTING.trim_end().replace('\n', "\n    ");
        shared
            .push(("config-schema.json".to_owned(), fill(CONFIG_SCHEMA, &[("setting", &setting)])));
    }
    let bin = if language == Language::Rust { filled(BIN) } else { String::new() };
    ScriptFiles { own, shared, entry: filled(ENTRY), trigger: filled(TRIGGER), bin }
}

/// The path of a script's source, and the text around its body.
fn frame(name: &str, language: Language) -> (String, &'static str) {
    match language {
        Language::Rust => {
            (format!("src/{name}.rs"), include_str!("template/script/rust/script.rs"))
        }
        Language::Python => (
            format!("src/{}.py", name.replace('-', "_")),
            include_str!("template/script/python/script.py"),
        ),
        Language::JavaScript => {
            (format!("src/{name}.mjs"), include_str!("template/script/javascript/script.mjs"))
        }
        Language::C => (format!("src/{name}.c"), include_str!("template/script/c/script.c")),
    }
}

/// The path of a script's native test, and the text around it; `None` in Rust, where the source has it.
fn test_frame(name: &str, language: Language) -> Option<(String, &'static str)> {
    let frame = match language {
        Language::Rust => return None,
        Language::Python => include_str!("template/script/python/test_script.py"),
        Language::JavaScript => include_str!("template/script/javascript/script.test.mjs"),
        Language::C => include_str!("template/script/c/script.test.c"),
    };
    test_path(name, language).map(|path| (path, frame))
}

/// The path of a script's native test; `None` in Rust.
pub(super) fn test_path(name: &str, language: Language) -> Option<String> {
    match language {
        Language::Rust => None,
        Language::Python => Some(format!("tests/test_{}.py", name.replace('-', "_"))),
        Language::JavaScript => Some(format!("tests/{name}.test.mjs")),
        Language::C => Some(format!("tests/{name}.test.c")),
    }
}

/// The name of a script's world: a word of WIT begins with a letter.
fn world_of(name: &str) -> String {
    let word = |word: &str| match word.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("n{word}"),
        false => word.to_owned(),
    };
    let words: Vec<String> = name.split('-').map(word).collect();
    // Escaped: a name may be one of WIT's own words.
    format!("%{}", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: [Language; 4] =
        [Language::Rust, Language::C, Language::JavaScript, Language::Python];

    #[test]
    fn every_place_of_a_script_is_filled() {
        let features = ScriptFeature::ALL.map(Some).into_iter().chain([None]);
        for (feature, language) in
            features.flat_map(|one| LANGUAGES.map(|language| (one, language)))
        {
            let files = script_files("look-up", language, feature);
            let ScriptFiles { own, shared, entry, trigger, bin } = files;
            for text in [entry, trigger] {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            }
            for (path, text) in own.into_iter().chain(shared).chain([("bin".to_owned(), bin)]) {
                assert!(!text.contains("{{"), "{language:?}, {feature:?}, {path}:\n{text}");
            }
        }
    }

    #[test]
    fn a_world_has_a_name_that_wit_accepts() {
        assert_eq!(world_of("count-visits"), "%count-visits");
        assert_eq!(world_of("3d-2"), "%n3d-n2");
    }
}
