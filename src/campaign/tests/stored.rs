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

#[test]
fn a_document_that_no_script_could_read_is_named() {
    let found = [
        ("world.json", None),
        ("world.json", Some("{")),
        ("world.json", Some(r#"{"title": "Nowhere"}"#)),
        ("plot.json", Some(r#"{"version": 99, "conditions": 1}"#)),
        ("gates.json", Some("[]")),
        ("conditions.json", Some(r#"{"version": 9, "conditions": {}}"#)),
        ("lore.json", Some("7")),
        ("people.json", Some("{}")),
        ("texts/harbour.json", None),
    ]
    .map(|(path, text)| changed(path, text));
    insta::assert_snapshot!(found.join("\n"), @"");
}
