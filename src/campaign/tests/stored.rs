//! Compiled campaigns from elsewhere.

use std::collections::BTreeMap;

use narratoria_protocol::CompiledCampaign;

use crate::{CampaignSource, check_stored, compile};

fn changed(path: &str, text: Option<&str>) -> String {
    let whole = compile(&CampaignSource::in_memory(super::full()), "full", None).campaign.unwrap();
    let mut documents: BTreeMap<String, String> = whole.documents().clone();
    match text {
        Some(text) => documents.insert(path.to_owned(), text.to_owned()),
        None => documents.remove(path),
    };
    let campaign =
        CompiledCampaign::build(whole.name(), whole.version(), whole.title(), documents).unwrap();
    check_stored(&campaign).err().unwrap_or_default()
}

#[test]
fn what_was_compiled_can_be_played() {
    assert_eq!(changed("notes.json", Some("[]")), "");
}

/// The author writes them in files of the campaign, the compiler into a document, and the host reads them there.
#[test]
fn what_the_author_says_to_the_host_arrives() {
    let files = CampaignSource::in_memory(super::full());
    let start = compile(&files, "full", None).campaign.unwrap().start().unwrap();
    assert!(start.strangers_in_ticks);
    assert!(!start.opening.is_empty() && !start.first.examples.is_empty());
}

#[test]
fn a_document_that_no_script_could_read_is_named() {
    let found = [
        ("world.json", None),
        ("world.json", Some("{")),
        ("world.json", Some(r#"{"title": "Nowhere"}"#)),
        ("plot.json", Some(r#"{"version": 99, "conditions": 1}"#)),
        ("plot.json", Some(r#"{"version": 2, "conditions": 1, "strangers_in_ticks": "yes"}"#)),
        ("gates.json", Some("[]")),
        ("conditions.json", Some(r#"{"version": 9, "conditions": {}}"#)),
        ("lore.json", Some("7")),
        ("people.json", Some("{}")),
        ("texts/harbour.json", None),
    ]
    .map(|(path, text)| changed(path, text));
    insta::assert_snapshot!(found.join("\n"), @r#"
    its campaign has no `world.json`
    `world.json` of its campaign cannot be read: EOF while parsing an object at line 1 column 1
    `world.json` of its campaign cannot be read: missing field `player` at line 1 column 20
    `plot.json` of its campaign cannot be read: the plot has version 99, this program knows 2 at line 1 column 14
    `plot.json` of its campaign cannot be read: invalid type: string "yes", expected a boolean at line 1 column 59
    `gates.json` of its campaign cannot be read: invalid length 0, expected struct GatesDocument with 5 elements at line 1 column 2
    `conditions.json` of its campaign cannot be read: the conditions have form 9, this program knows 1 at line 1 column 13
    `lore.json` of its campaign cannot be read: invalid type: integer `7`, expected a sequence at line 1 column 1
    `people.json` of its campaign cannot be read: invalid type: map, expected a sequence at line 1 column 0
    its campaign has no `texts/harbour.json`
    "#);
}
