//! A class of words is there to be asked for: by a rule, or by a pattern or a frame as `@class`.

use std::collections::BTreeSet;

use crate::sources::{each_source_file, names_in, read};

/// The text of the class's variant in Rust: `way-word` becomes `WayWord`.
fn variant(class: &str) -> String {
    class.split('-').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

#[test]
fn every_class_of_words_is_asked_for() {
    let mut asked = BTreeSet::new();
    let mut ask = |text: &str, mark: &str| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        asked.extend(text.split(mark).skip(1).map(|name| {
            let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
            name[..end].to_owned()
        }));
    };
    for root in ["skills-wasm", "src"] {
        each_source_file(root, &mut |_, text| ask(&text, "WordClass::"));
    }
    for folder in ["skills-wasm/understanding/wordings", "skills-wasm/understanding/grammar"] {
        for table in names_in(folder) {
            ask(&read(&format!("{folder}/{table}")), "@");
        }
    }
    let classes = read("skills-wasm/english/data/classes.tsv");
    let names = classes.lines().filter_map(|row| row.split('\t').next());
    let unasked: Vec<&str> =
        names.filter(|name| !asked.contains(*name) && !asked.contains(&variant(name))).collect();
    assert_eq!(unasked, [""; 0], "nothing asks for these classes of `english/data/classes.tsv`");
}
