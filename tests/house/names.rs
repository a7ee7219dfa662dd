//! A name means one thing: few types of the workspace share theirs with another.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    code::{ident_at, without_text},
    sources::each_source_file,
};

/// Most names that may occur in two files or more. Each skill has its own `Input` and `Output`, for instance.
const SHARED_NAMES_MAX: usize = 10;

const ROOTS: &[&str] = &["src", "sdk", "skills-wasm", "scripts", "tests", "benches"];

/// The words before the name of a type.
const TYPE_WORDS: &[&str] = &["struct", "enum", "union", "trait", "type"];

#[test]
fn few_types_share_their_name_with_another() {
    let mut files = BTreeMap::<String, BTreeSet<String>>::new();
    for root in ROOTS {
        each_source_file(root, &mut |path, text| {
            for name in type_names(&without_text(&text)) {
                files.entry(name).or_default().insert(path.clone());
            }
        });
    }
    assert!(files.len() > 500, "only {} types were found: is this the workspace?", files.len());
    let shared: Vec<String> = files
        .iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| format!("`{name}`: {}", Vec::from_iter(files.clone()).join(", ")))
        .collect();
    assert!(
        shared.len() <= SHARED_NAMES_MAX,
        "{} names stand for several types, at most {SHARED_NAMES_MAX} may:\n{}",
        shared.len(),
        shared.join("\n")
    );
}

/// Each type that is declared here, tests included. A `type` inside an `impl` or a trait belongs to its trait.
fn type_names(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in code.lines() {
        let is_indented = line.starts_with([' ', '\t']);
        let mut words = line.trim_start();
        if let Some(rest) = words.strip_prefix("pub") {
            words = rest.trim_start();
            if words.starts_with('(') {
                words = words.split_once(')').map_or("", |(_, rest)| rest).trim_start();
            }
        }
        let word = ident_at(words);
        let belongs_to_a_trait = word == "type" && is_indented;
        if TYPE_WORDS.contains(&word) && !belongs_to_a_trait {
            let name = ident_at(words[word.len()..].trim_start());
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
    }
    names
}

#[test]
fn types_are_found_wherever_they_are_declared() {
    let code = "pub struct A(u8);\npub(crate) enum B {}\nmod tests {\n    trait C {\n        type D;\n    }\n}\n\
                type E = u8;\nfn f(structure: u8) {}\npub(in crate::x) struct G<T>(T);\nunion = 1;";
    assert_eq!(type_names(code), ["A", "B", "C", "E", "G"]);
}
