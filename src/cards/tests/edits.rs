//! An export contains the author's changes, and no other ones.

use serde_json::{Value, json};

use super::make::{imported, lines, text};
use crate::{ExportForm, FolderFiles, export};

fn card() -> Value {
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Mina", "description": "{{char}} mends nets.", "personality": "patient, dry", "scenario": "A harbour.", "first_mes": "\"Mind the rope, {{user}}.\"",
        "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": ["Again."], "tags": [], "creator": "",
        "character_version": "", "extensions": { "x": 1 }, "character_book": { "extensions": {}, "entries": [
            { "keys": ["rope"], "content": "Tarred by {{char}}.", "extensions": {}, "enabled": true, "insertion_order": 1 },
            { "keys": ["gull"], "content": "It waits.", "extensions": {}, "enabled": true, "insertion_order": 2 }
        ] }
    } })
}

fn change(files: &mut FolderFiles, path: &str, from: &str, to: &str) {
    let before = text(files, path);
    assert!(before.contains(from), "{before}");
    let after = before.replace(from, to);
    files.insert(path.to_owned(), after.into_bytes());
}

#[test]
fn changed_files_change_the_card_and_the_rest_stays() {
    let (mut files, _) = imported("mina.json", card().to_string().as_bytes());
    change(&mut files, "characters/npcs/mina/profile.json", "Mina mends nets.", "Mina sells nets.");
    change(&mut files, "plot/premise.md", "A harbour.", "A quiet harbour.");
    change(&mut files, "lore/mina-rope.md", "Tarred", "Oiled");
    change(&mut files, "lore/mina-gull.keywords.txt", "gull", "gull\nbird");
    files.insert("lore/tides.md".to_owned(), b"# Tides\n\nTwice a day.\n".to_vec());
    files.insert("lore/tides.keywords.txt".to_owned(), b"tide, water\n*\n".to_vec());
    let exported = export(&files, ExportForm::Card, None).unwrap();
    let now: Value = serde_json::from_slice(&exported.bytes).unwrap();
    let mut expect = card();
    expect["data"]["description"] = json!("Mina sells nets.");
    expect["data"]["scenario"] = json!("A quiet harbour.");
    let entries = &mut expect["data"]["character_book"]["entries"];
    entries[0]["content"] = json!("Oiled by Mina.");
    entries[1]["keys"] = json!(["gull", "bird"]);
    entries.as_array_mut().unwrap().push(json!({
        "keys": ["tide", "water"], "content": "Twice a day.", "name": "Tides", "constant": true, "insertion_order": 102, "enabled": true, "extensions": {}, "use_regex": false
    }));
    assert_eq!(now, expect, "{}", lines(&exported.notes));
    insta::assert_snapshot!(lines(&exported.notes));
}

#[test]
fn an_entry_whose_file_is_gone_is_switched_off() {
    let (mut files, _) = imported("mina.json", card().to_string().as_bytes());
    files.remove("lore/mina-gull.md");
    let exported = export(&files, ExportForm::Card, None).unwrap();
    let now: Value = serde_json::from_slice(&exported.bytes).unwrap();
    let mut expect = card();
    expect["data"]["character_book"]["entries"][1]["enabled"] = json!(false);
    assert_eq!(now, expect);
}

#[test]
fn a_person_of_a_campaign_becomes_a_card() {
    let files: FolderFiles = [
        ("manifest.json", "{\"title\": \"Harbour\", \"version\": \"1.0.0\", \"author\": \"me\", \"tags\": [\"sea\"]}"),
        ("plot/premise.md", "# Harbour\n\nThe ropes are cut.\n"),
        ("plot/start.toml", "opening = \"Rain.\"\n"),
        ("characters/npcs/mina-holt/profile.json", "{\"name\": \"Mina Holt\", \"role\": \"rope maker\", \"personality\": {\"traits\": [\"dry\"]}, \"background\": \"Born here.\", \"speech_patterns\": {\"examples\": [\"Hm.\"]}}"),
        ("lore/ropes.md", "The ropes are tarred.\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .into();
    let exported = export(&files, ExportForm::Card, Some("Mina Holt")).unwrap();
    insta::assert_snapshot!(String::from_utf8(exported.bytes).unwrap());
    let book = export(&files, ExportForm::Book, None).unwrap();
    insta::assert_snapshot!(String::from_utf8(book.bytes).unwrap());
}
