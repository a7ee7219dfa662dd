//! Files as programs really write them, after their public sources: every field, in their order, with their defaults.

use serde_json::{Value, json};

use super::make::{as_text, imported, lines, png, small_png, text_chunk, zip};
use crate::{ExportForm, ImportContent, ImportFile, ImportNotes, export};

/// SillyTavern: V1 fields at the top, V2 in `data`, a world converted into a book, and both texts at the end of the picture.
fn silly_tavern() -> Value {
    let entry = |id: u32, keys: Value, content: &str| {
        json!({
            "id": id, "keys": keys, "secondary_keys": [], "comment": "Ropes", "content": content, "constant": false, "selective": true,
            "insertion_order": 100, "enabled": true, "position": "before_char", "use_regex": true,
            "extensions": {
                "position": 0, "exclude_recursion": false, "display_index": 0, "probability": 100, "useProbability": true, "depth": 4,
                "selectiveLogic": 0, "group": "", "group_override": false, "group_weight": 100, "prevent_recursion": false,
                "delay_until_recursion": false, "scan_depth": null, "match_whole_words": null, "use_group_scoring": false,
                "case_sensitive": null, "automation_id": "", "role": 0, "vectorized": false, "sticky": 0, "cooldown": 0, "delay": 0
            }
        })
    };
    json!({
        "name": "Mina Holt", "description": "She mends nets.", "personality": "dry", "scenario": "A harbour.", "first_mes": "\"Mind the rope.\"",
        "mes_example": "", "creatorcomment": "Notes.", "avatar": "none", "chat": "Mina Holt - 2024-5-1 @10h 00m 00s 000ms",
        "talkativeness": "0.5", "fav": false, "tags": ["harbour"], "spec": "chara_card_v2", "spec_version": "2.0",
        "data": {
            "name": "Mina Holt", "description": "She mends nets.", "personality": "dry", "scenario": "A harbour.", "first_mes": "\"Mind the rope.\"",
            "mes_example": "", "creator_notes": "Notes.", "system_prompt": "", "post_history_instructions": "", "tags": ["harbour"],
            "creator": "", "character_version": "", "alternate_greetings": [],
            "extensions": { "talkativeness": "0.5", "fav": false, "world": "Harbour", "depth_prompt": { "prompt": "", "depth": 4, "role": "system" } },
            "group_only_greetings": [],
            "character_book": { "entries": [entry(0, json!(["rope", "ropes"]), "Tarred."), entry(1, json!(["/gulls?/i"]), "They wait.")], "name": "Harbour" }
        },
        "create_date": "2024-5-1 @10h 00m 00s 000ms"
    })
}

#[test]
fn a_picture_of_silly_tavern_loses_nothing() {
    let old = silly_tavern();
    let mut new = old.clone();
    new["spec"] = json!("chara_card_v3");
    new["spec_version"] = json!("3.0");
    // Both texts lie behind the pixels, before the end.
    let bytes =
        png(&[], &[text_chunk("chara", &as_text(&old)), text_chunk("ccv3", &as_text(&new))]);
    let (files, notes) = imported("Mina Holt.png", &bytes);
    insta::assert_snapshot!(lines(&notes));
    let card = export(&files, ExportForm::Card, None).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&card.bytes).unwrap(), new);
}

/// RisuAI: a CHARX with its module, with metadata of the pictures, with a book whose entries have modes and folders.
fn risu() -> Value {
    json!({
        "spec": "chara_card_v3", "spec_version": "3.0",
        "data": {
            "name": "Old Tam", "description": "He owns the hut.", "personality": "", "scenario": "", "first_mes": "Come in.", "mes_example": "",
            "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
            "character_book": {
                "scan_depth": 5, "token_budget": 800, "recursive_scanning": false, "extensions": { "risu_fullWordMatching": false },
                "entries": [{
                    "keys": ["hut", "door"], "secondary_keys": null, "content": "@@depth 2\nThe door sticks.",
                    "extensions": { "risu_case_sensitive": false, "risu_activationPercent": null, "risu_loreCache": null },
                    "enabled": true, "insertion_order": 100, "constant": false, "selective": false, "name": "Door", "comment": "Door",
                    "case_sensitive": false, "use_regex": false, "mode": "normal", "folder": null
                }]
            },
            "tags": [], "creator": "", "character_version": "1",
            "extensions": {
                "risuai": {
                    "bias": [], "viewScreen": "none", "utilityBot": false, "sdData": [["always", "solo"]], "backgroundHTML": "", "license": "",
                    "additionalText": "", "virtualscript": "", "largePortrait": false, "lorePlus": false, "inlayViewScreen": false,
                    "newGenData": { "prompt": "", "negative": "", "instructions": "", "emotionInstructions": "" }, "vits": {},
                    "lowLevelAccess": false, "defaultVariables": "", "prebuiltAssetCommand": "", "prebuiltAssetExclude": [], "prebuiltAssetStyle": ""
                },
                "depth_prompt": { "depth": 0, "prompt": "" }
            },
            "group_only_greetings": [], "nickname": "", "source": [], "creation_date": 0, "modification_date": 1735584000,
            "assets": [
                { "type": "x-risu-asset", "uri": "embeded://assets/other/image/Song.mp3", "name": "Song", "ext": "mp3" },
                { "type": "emotion", "uri": "embeded://assets/emotion/image/happy.png", "name": "happy", "ext": "png" },
                { "type": "icon", "uri": "embeded://assets/icon/image/main.png", "name": "main", "ext": "png" }
            ]
        }
    })
}

#[test]
fn an_archive_of_risu_loses_nothing() {
    let card = risu();
    let (written, icon) = (serde_json::to_string_pretty(&card).unwrap(), small_png());
    let bytes = zip(&[
        ("x_meta/Song.json", b"{\"type\": \"Unknown\"}"),
        ("assets/other/image/Song.mp3", b"ID3 song"),
        ("x_meta/happy.json", b"{\"type\": \"PNG\"}"),
        ("assets/emotion/image/happy.png", &icon),
        ("x_meta/main.json", b"{\"type\": \"PNG\"}"),
        ("assets/icon/image/main.png", &icon),
        ("module.risum", b"o\0\x01\0\0\0x"),
        ("card.json", written.as_bytes()),
    ]);
    let (files, notes) = imported("old-tam.charx", &bytes);
    insta::assert_snapshot!(lines(&notes));
    assert_eq!(files.get("art/old-tam.png"), Some(&icon));
    let again = export(&files, ExportForm::Charx, None).unwrap().bytes;
    let read = ImportFile::parse("again.charx", &again, &mut ImportNotes::default()).unwrap();
    let ImportContent::Card(read) = read.content else { panic!("no card") };
    assert_eq!(read.card.original, card);
    assert_eq!(read.files.len(), 7);
    assert_eq!(read.files["module.risum"], b"o\0\x01\0\0\0x");
}

/// Agnai: V2 with its own persona beside the text that it makes of it.
#[test]
fn a_card_of_agnai_loses_nothing() {
    let card = json!({
        "name": "Robot", "first_mes": "*Beep!* Hello, {{user}}!", "scenario": "{{char}} sits in a cafe.", "description": "Name: Robot\nspecies: robot",
        "personality": "", "mes_example": "{{user}}: News!\n{{char}}: What?", "spec": "chara_card_v2", "spec_version": "2.0",
        "data": {
            "name": "Robot", "first_mes": "*Beep!* Hello, {{user}}!", "scenario": "{{char}} sits in a cafe.",
            "description": "Name: Robot\nspecies: robot", "personality": "", "mes_example": "{{user}}: News!\n{{char}}: What?",
            "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
            "character_book": { "name": "Cafe", "description": "", "extensions": {}, "entries": [
                { "keys": ["cafe"], "content": "Busy.", "extensions": {}, "enabled": true, "insertion_order": 0, "name": "Cafe", "priority": 0, "id": 1, "comment": "", "selective": false, "secondary_keys": [], "constant": false, "position": "before_char" }
            ] },
            "tags": [], "creator": "", "character_version": "",
            "extensions": { "agnai": { "voice": {}, "persona": { "kind": "attributes", "attributes": { "species": ["robot"] } }, "appearance": "a small robot", "json": null, "sprite": null } }
        }
    });
    let (files, notes) = imported("robot.json", card.to_string().as_bytes());
    insta::assert_snapshot!(lines(&notes));
    assert!(
        super::make::text(&files, "characters/npcs/robot/profile.json").contains("a small robot")
    );
    let again = export(&files, ExportForm::Card, None).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&again.bytes).unwrap(), card);
}
