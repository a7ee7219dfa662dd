//! The files of one more script: those under `template/script/`. A frame for each language, and in it the part that
//! shows a feature of the host. Knows texts and names; touches no disk.
//!
//! All of these scripts have the same input and the same output, so that an author replaces only what matters.

use super::template::{Language, fill};

/// A feature of the host that a script shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFeature {
    /// Values that the skill keeps from turn to turn.
    Store,
    /// Requests to a host.
    Http,
    /// Files that the story keeps.
    Assets,
    /// Settings of the player.
    Config,
    /// Questions to the player.
    Ask,
    /// The language model.
    Llm,
    /// The story's memory.
    Memory,
}

/// Facts of a script that no language changes.
struct FeatureTemplate {
    description: &'static str,
    /// Empty: the words of the script's name.
    phrase: &'static str,
    /// The text that its example expects.
    text: &'static str,
    grants: &'static str,
    timeout_ms: &'static str,
}

/// The script without a feature.
const PLAIN: FeatureTemplate = FeatureTemplate {
    description: "Does what you write into it.",
    phrase: "",
    text: "It works.",
    grants: "{}",
    timeout_ms: "5000",
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

/// The WIT package of the host's services, in `wit/deps` of a package.
const HOST_WIT: &str = "wit/deps/narratoria-host";

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

impl ScriptFeature {
    pub const ALL: [ScriptFeature; 7] = [
        ScriptFeature::Store,
        ScriptFeature::Http,
        ScriptFeature::Assets,
        ScriptFeature::Config,
        ScriptFeature::Ask,
        ScriptFeature::Llm,
        ScriptFeature::Memory,
    ];

    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            ScriptFeature::Store => "store",
            ScriptFeature::Http => "http",
            ScriptFeature::Assets => "assets",
            ScriptFeature::Config => "config",
            ScriptFeature::Ask => "ask",
            ScriptFeature::Llm => "llm",
            ScriptFeature::Memory => "memory",
        }
    }

    /// The name of its script in a new package.
    pub fn script_name(self) -> &'static str {
        match self {
            ScriptFeature::Store => "count-visits",
            ScriptFeature::Http => "ask-sky",
            ScriptFeature::Assets => "draw-map",
            ScriptFeature::Config => "greet",
            ScriptFeature::Ask => "meet-guard",
            ScriptFeature::Llm => "describe-harbour",
            ScriptFeature::Memory => "recall-ferry",
        }
    }

    /// The interface of the host's WIT package that it imports, if it is one of those.
    fn interface(self) -> Option<(&'static str, &'static str)> {
        match self {
            ScriptFeature::Store => Some(("store", include_str!("../../contracts/wit/store.wit"))),
            ScriptFeature::Llm => Some(("llm", include_str!("../../contracts/wit/llm.wit"))),
            ScriptFeature::Memory => {
                Some(("memory", include_str!("../../contracts/wit/memory.wit")))
            }
            _ => None,
        }
    }

    fn facts(self) -> FeatureTemplate {
        match self {
            ScriptFeature::Store => FeatureTemplate {
                description: "Counts the player's visits and keeps their number.",
                phrase: "count my visits",
                text: "This is visit number 1.",
                grants: r#"{ "store": true }"#,
                ..PLAIN
            },
            ScriptFeature::Http => FeatureTemplate {
                description: "Asks a host how the sky looks.",
                phrase: "look at the sky",
                text: "The sky is grey.",
                grants: r#"{ "http": ["api.example.com"] }"#,
                timeout_ms: "15000",
            },
            ScriptFeature::Assets => FeatureTemplate {
                description: "Draws a map and keeps it with the story.",
                phrase: "draw a map",
                text: "You draw a map of the way to the harbour.",
                grants: r#"{ "assets": true }"#,
                ..PLAIN
            },
            ScriptFeature::Config => FeatureTemplate {
                description: "Greets the player with a word from the settings.",
                phrase: "enter the inn",
                text: "Welcome, traveller.",
                ..PLAIN
            },
            ScriptFeature::Ask => FeatureTemplate {
                description: "Asks the player for a name.",
                phrase: "go to the guard",
                text: "The guard lets a stranger pass.",
                ..PLAIN
            },
            ScriptFeature::Llm => FeatureTemplate {
                description: "Describes the harbour, with the language model if there is one.",
                phrase: "describe the harbour",
                text: "The harbour is quiet.",
                grants: r#"{ "llm": { "optional": true } }"#,
                timeout_ms: "15000",
            },
            ScriptFeature::Memory => FeatureTemplate {
                description: "Tells what the story remembers about the ferry.",
                phrase: "ask about the ferry",
                text: "Nobody has spoken of the ferry yet.",
                grants: r#"{ "memory": true }"#,
                ..PLAIN
            },
        }
    }
}

/// The part of a script that shows the feature, and its native test; `None` if the language has no way to it.
fn body(
    language: Language,
    feature: Option<ScriptFeature>,
) -> Option<(&'static str, &'static str)> {
    macro_rules! part {
        ($path:literal) => {
            include_str!(concat!("template/script/", $path))
        };
    }
    use ScriptFeature::{Ask, Assets, Config, Http, Llm, Memory, Store};
    Some(match (language, feature) {
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
        (Language::Python, Some(Assets)) => (part!("python/assets.py"), ""),
        (Language::Python, Some(Config)) => (part!("python/config.py"), ""),
        (Language::Python, Some(Ask)) => (part!("python/ask.py"), ""),
        (Language::Python, Some(Llm)) => (part!("python/llm.py"), ""),
        (Language::Python, Some(Memory)) => (part!("python/memory.py"), ""),
        (Language::JavaScript, None) => (part!("javascript/plain.mjs"), ""),
        (Language::JavaScript, Some(Store)) => (part!("javascript/store.mjs"), ""),
        (Language::JavaScript, Some(Config)) => (part!("javascript/config.mjs"), ""),
        (Language::JavaScript, Some(Ask)) => (part!("javascript/ask.mjs"), ""),
        (Language::JavaScript, Some(Llm)) => (part!("javascript/llm.mjs"), ""),
        (Language::JavaScript, Some(Memory)) => (part!("javascript/memory.mjs"), ""),
        (Language::C, None) => (part!("c/plain.c"), ""),
        (Language::C, Some(Assets)) => (part!("c/assets.c"), ""),
        (Language::C, Some(Config)) => (part!("c/config.c"), ""),
        (Language::C, Some(Ask)) => (part!("c/ask.c"), ""),
        // C has no bindings here, and the standard libraries of the interpreters reach neither `wasi:http` nor, in
        // JavaScript, files.
        (Language::Python | Language::JavaScript, Some(Http))
        | (Language::JavaScript, Some(Assets))
        | (Language::C, Some(Http | Store | Llm | Memory)) => return None,
    })
}

/// Returns true if a new script in this language can show the feature.
pub fn has_template(language: Language, feature: ScriptFeature) -> bool {
    body(language, Some(feature)).is_some()
}

/// Everything that a script `name` adds to its package; `None` if the language has no way to the feature.
pub(super) fn script_files(
    name: &str,
    language: Language,
    feature: Option<ScriptFeature>,
) -> Option<ScriptFiles> {
    let (body, test) = body(language, feature)?;
    let facts = feature.map_or(PLAIN, ScriptFeature::facts);
    let words = name.replace('-', " ");
    let phrase = if facts.phrase.is_empty() { &words } else { facts.phrase };
    let sentence = format!("I {phrase}");
    let (fuel, memory) = language.limits();
    let service = feature.and_then(ScriptFeature::interface);
    let world = world_of(name);
    let world_file = match service {
        Some(_) => format!("wit/{name}.wit"),
        None => "wit/skill.wit".to_owned(),
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
        (source, fill(&filled(&frame), &imports(language, feature))),
        (format!("schemas/{name}.input.json"), INPUT.to_owned()),
        (format!("schemas/{name}.output.json"), OUTPUT.to_owned()),
        (format!("examples/{name}.json"), filled(EXAMPLE)),
    ];
    let mut shared = Vec::new();
    let world_text = match language {
        Language::Python => Some(include_str!("template/script/python/world.wit")),
        Language::JavaScript => Some(include_str!("template/script/javascript/world.wit")),
        Language::Rust | Language::C => None,
    };
    if let (Some((interface, wit)), Some(text)) = (service, world_text) {
        let import = format!("  import narratoria:host/{interface}@0.1.0;\n");
        own.push((world_file.clone(), fill(&filled(text), &[("imports", &import)])));
        shared.push((format!("{HOST_WIT}/{interface}.wit"), wit.to_owned()));
    }
    if feature == Some(ScriptFeature::Config) {
        let setting = SETTING.trim_end().replace('\n', "\n    ");
        shared
            .push(("config-schema.json".to_owned(), fill(CONFIG_SCHEMA, &[("setting", &setting)])));
    }
    let bin = if language == Language::Rust { filled(BIN) } else { String::new() };
    Some(ScriptFiles { own, shared, entry: filled(ENTRY), trigger: filled(TRIGGER), bin })
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

/// The lines at the top of a source that only this feature needs.
fn imports(
    language: Language,
    feature: Option<ScriptFeature>,
) -> [(&'static str, &'static str); 3] {
    use ScriptFeature::{Config, Llm, Memory, Store};
    let (standard, bindings, wire) = match (language, feature) {
        (Language::Python, Some(Store)) => {
            ("import json\n", "from wit_world.imports import store\n", "")
        }
        (Language::Python, Some(Memory)) => ("", "from wit_world.imports import memory\n", ""),
        (Language::Python, Some(Llm)) => {
            ("", "from componentize_py_types import Err\nfrom wit_world.imports import llm\n", "")
        }
        (Language::JavaScript, Some(Store)) => {
            ("", "import { get, set } from \"narratoria:host/store@0.1.0\";\n\n", "inputOf")
        }
        (Language::JavaScript, Some(Memory)) => (
            "",
            "import { recall, remember } from \"narratoria:host/memory@0.1.0\";\n\n",
            "inputOf",
        ),
        (Language::JavaScript, Some(Llm)) => {
            ("", "import { generate } from \"narratoria:host/llm@0.1.0\";\n\n", "inputOf")
        }
        (Language::JavaScript, Some(Config)) => ("", "", "inputOf, quote, Refused"),
        (Language::JavaScript, _) => ("", "", "inputOf"),
        _ => ("", "", ""),
    };
    [("standard", standard), ("imports", bindings), ("wire", wire)]
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
            let Some(files) = script_files("look-up", language, feature) else { continue };
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
    fn rust_shows_every_feature() {
        assert!(ScriptFeature::ALL.iter().all(|feature| has_template(Language::Rust, *feature)));
    }

    #[test]
    fn a_world_has_a_name_that_wit_accepts() {
        assert_eq!(world_of("count-visits"), "%count-visits");
        assert_eq!(world_of("3d-2"), "%n3d-n2");
    }
}
