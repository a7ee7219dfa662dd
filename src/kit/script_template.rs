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

/// The part of a script that shows the feature, and its native test.
fn body(language: Language, feature: Option<ScriptFeature>) -> (&'static str, &'static str) {
    macro_rules! part {
        ($path:literal) => {
            include_str!(concat!("template/script/", $path))
        };
    }
    use ScriptFeature::{Ask, Assets, Config, Http, Llm, Memory, Store};
    match (language, feature) {
        (Language::Rust, None) => (part!("rust/plain.rs"), part!("rust/plain.test.rs")),
        (Language::Rust, Some(Store)) => (part!("rust/store.rs"), part!("rust/store.test.rs")),
        (Language::Rust, Some(Http)) => (part!("rust/http.rs"), part!("rust/http.test.rs")),
        (Language::Rust, Some(Assets)) => (part!("rust/assets.rs"), part!("rust/assets.test.rs")),
        (Language::Rust, Some(Config)) => (part!("rust/config.rs"), part!("rust/config.test.rs")),
        (Language::Rust, Some(Ask)) => (part!("rust/ask.rs"), part!("rust/ask.test.rs")),
        (Language::Rust, Some(Llm)) => (part!("rust/llm.rs"), part!("rust/llm.test.rs")),
        (Language::Rust, Some(Memory)) => (part!("rust/memory.rs"), part!("rust/memory.test.rs")),
        (Language::Python, None) => (part!("python/plain.py"), ""),
        (Language::Python, Some(Store)) => (part!("python/store.py"), ""),
        (Language::Python, Some(Http)) => (part!("python/http.py"), ""),
        (Language::Python, Some(Assets)) => (part!("python/assets.py"), ""),
        (Language::Python, Some(Config)) => (part!("python/config.py"), ""),
        (Language::Python, Some(Ask)) => (part!("python/ask.py"), ""),
        (Language::Python, Some(Llm)) => (part!("python/llm.py"), ""),
        (Language::Python, Some(Memory)) => (part!("python/memory.py"), ""),
        (Language::JavaScript, None) => (part!("javascript/plain.mjs"), ""),
        (Language::JavaScript, Some(Store)) => (part!("javascript/store.mjs"), ""),
        (Language::JavaScript, Some(Http)) => (part!("javascript/http.mjs"), ""),
        (Language::JavaScript, Some(Assets)) => (part!("javascript/assets.mjs"), ""),
        (Language::JavaScript, Some(Config)) => (part!("javascript/config.mjs"), ""),
        (Language::JavaScript, Some(Ask)) => (part!("javascript/ask.mjs"), ""),
        (Language::JavaScript, Some(Llm)) => (part!("javascript/llm.mjs"), ""),
        (Language::JavaScript, Some(Memory)) => (part!("javascript/memory.mjs"), ""),
        (Language::C, None) => (part!("c/plain.c"), ""),
        (Language::C, Some(Store)) => (part!("c/store.c"), ""),
        (Language::C, Some(Http)) => (part!("c/http.c"), ""),
        (Language::C, Some(Assets)) => (part!("c/assets.c"), ""),
        (Language::C, Some(Config)) => (part!("c/config.c"), ""),
        (Language::C, Some(Ask)) => (part!("c/ask.c"), ""),
        (Language::C, Some(Llm)) => (part!("c/llm.c"), ""),
        (Language::C, Some(Memory)) => (part!("c/memory.c"), ""),
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
