//! The files that an import writes.

use serde_json::json;

use super::make::{imported, lines, text};
use crate::{FolderFiles, ImportFile, ImportNotes, import};

/// All files that people read, one after the other.
fn shown(files: &FolderFiles) -> String {
    let is_read = |path: &String| !path.starts_with("cards/") && !path.starts_with("art/");
    let shown = files
        .keys()
        .filter(|path| is_read(path))
        .map(|path| format!("=== {path}\n{}", text(files, path)));
    shown.collect::<Vec<_>>().join("\n")
}

fn card() -> serde_json::Value {
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": "Mina \"Knots\" Holt", "description": "{{char}} mends nets. She taught {{user}} to tie one.\nAppearance: grey hair, a patched coat", "personality": "patient, dry, quick",
        "scenario": "{{user}} comes to the harbour in the rain.", "first_mes": "*{{char}} looks up.* \"Mind the rope, {{user}},\" she says. {{user}}'s boots are wet.",
        "alternate_greetings": ["# Later\nThe harbour is {{random:dark,bright}}."], "mes_example": "<START>\n{{user}}: Hello.\n{{char}}: You are wet.\nCome in.\n<START>\n{{char}}: Sit.",
        "creator_notes": "For wet days.", "system_prompt": "Write well.", "post_history_instructions": "", "tags": ["harbour", "work"], "creator": "A. Writer", "character_version": "2",
        "extensions": { "fav": true }, "character_book": { "extensions": {}, "entries": [
            { "keys": ["rope", "ropes; lines"], "content": "{{char}} tars the ropes.", "extensions": {}, "enabled": true, "insertion_order": 1, "constant": true },
            { "keys": ["cellar"], "content": "Nobody goes there.", "extensions": {}, "enabled": false, "insertion_order": 2 },
            { "keys": [], "content": "{{unknownmacro}}A gull waits.", "extensions": {}, "enabled": true, "insertion_order": 3, "comment": "The gull" }
        ] }
    } })
}

#[test]
fn a_card_becomes_a_person_with_lore_and_a_beginning() {
    let (files, notes) = imported("mina.json", card().to_string().as_bytes());
    insta::assert_snapshot!(format!("{}\n=== notes\n{}", shown(&files), lines(&notes)));
}

#[test]
fn a_book_becomes_lore_with_keywords() {
    let book = json!({ "name": "Harbour", "entries": {
        "0": { "uid": 0, "key": ["rope"], "keysecondary": ["tar"], "comment": "Ropes", "content": "Tarred.", "constant": false, "order": 100, "disable": false, "probability": 40 },
        "1": { "uid": 1, "key": ["/gull/i", "bird"], "keysecondary": [], "comment": "Ropes", "content": "It waits.", "constant": true, "order": 90, "disable": false }
    } });
    let (files, notes) = imported("world.json", book.to_string().as_bytes());
    insta::assert_snapshot!(format!("{}\n=== notes\n{}", shown(&files), lines(&notes)));
}

#[test]
fn a_chat_becomes_lore_and_a_recap() {
    let chat = "{\"user_name\":\"Sam\",\"character_name\":\"Mina\"}\n\
        {\"name\":\"Mina\",\"is_user\":false,\"mes\":\"Mind the rope, {{user}}.\",\"swipes\":[\"a\",\"b\"]}\n\
        {\"name\":\"Sam\",\"is_user\":true,\"mes\":\"*I step aside.* Which one?\"}\n\
        {\"name\":\"\",\"is_user\":false,\"mes\":\"The wet one.\"}\n";
    let (files, notes) = imported("evening.jsonl", chat.as_bytes());
    insta::assert_snapshot!(format!("{}\n=== notes\n{}", shown(&files), lines(&notes)));
}

/// A program that stopped while it wrote leaves half a line.
#[test]
fn a_damaged_line_of_a_chat_is_left_out_with_a_note_and_stays_in_the_original() {
    let chat = "{\"user_name\":\"Sam\",\"character_name\":\"Mina\"}\n\
        {\"name\":\"Mina\",\"mes\":\"Mind the rope.\"}\n\
        {\"name\":\"Sam\",\"is_user\":true,\"mes\":\"Whi\n\
        {\"name\":\"Mina\",\"mes\":\"The wet one.\"}\n[7]\n{\"name\":\"Sam\",\"is_user\":true,\"mes\":\"Oh.\"}\n";
    let (files, notes) = imported("evening.jsonl", chat.as_bytes());
    insta::assert_snapshot!(lines(&notes), @r#"
    not mapped: line 3: cannot be read: line 3 is not JSON: EOF while parsing a string at line 1 column 39
    not mapped: line 5: is no chat: line 5 is no object; each line of a chat is `{"name": …, "mes": …}`
    "#);
    assert_eq!(text(&files, "cards/chats/evening.jsonl"), chat);
    assert!(text(&files, "lore/evening-01.md").contains("The wet one."));
}

#[test]
fn a_file_that_is_imported_again_adds_nothing_and_gets_a_note() {
    let book = json!({ "name": "Harbour", "entries": { "0": { "uid": 0, "key": ["quay"], "comment": "Quay", "content": "Closed." } } });
    let chat =
        "{\"name\":\"Mina\",\"mes\":\"Mind the rope.\"}\n{\"name\":\"Sam\",\"mes\":\"Oh.\"}\n";
    let files = [
        ("mina.json", card().to_string()),
        ("world.json", book.to_string()),
        ("evening.jsonl", chat.to_owned()),
        ("door.twee", ":: Start\nA door.\n".to_owned()),
    ];
    let parsed = files.map(|(name, text)| {
        ImportFile::parse(name, text.as_bytes(), &mut ImportNotes::default()).unwrap()
    });
    let first = import(&parsed, &FolderFiles::new(), "").files;
    let again = import(&parsed, &first, "");
    assert_eq!(again.files.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    insta::assert_snapshot!(lines(&again.notes), @"
    not mapped: the file `mina.json`: it is in the campaign already, as `cards/mina-knots-holt.json`, so nothing is added
    not mapped: the file `world.json`: it is in the campaign already, as `cards/books/harbour.json`, so nothing is added
    not mapped: the file `evening.jsonl`: it is in the campaign already, as `cards/chats/evening.jsonl`, so nothing is added
    not mapped: the file `door.twee`: it is in the campaign already, as `cards/stories/door.twee`, so nothing is added
    ");
    // Within one import as well.
    let [card, ..] = &parsed;
    let twice = import(&[card.clone(), card.clone()], &FolderFiles::new(), "");
    assert!(lines(&twice.notes).contains("it is in the campaign already"));
}

#[test]
fn a_keyword_that_is_a_path_is_no_pattern() {
    let entry = |n: usize, key: &str| json!({ "uid": n, "key": [key], "comment": format!("E{n}"), "content": "x" });
    let keys = ["/srv/users", "/gull/i", "/a\\/b/", "/usr/share/my", "/dev"];
    let entries: serde_json::Map<_, _> =
        keys.iter().enumerate().map(|(n, key)| (n.to_string(), entry(n, key))).collect();
    let book = json!({ "name": "Paths", "entries": entries });
    let (files, _) = imported("world.json", book.to_string().as_bytes());
    let words: Vec<&str> = files
        .iter()
        .filter(|(path, _)| path.ends_with(".keywords.txt"))
        .map(|(path, _)| text(&files, path).trim())
        .collect();
    assert_eq!(words, ["/srv/users", "E1", "E2", "/usr/share/my", "/dev"]);
}

#[test]
fn a_long_chat_becomes_bounded_parts() {
    let message = |n: usize| {
        format!(
            "{{\"name\":\"Mina\",\"is_user\":false,\"mes\":\"Message {n}. {}\"}}\n",
            "word ".repeat(80)
        )
    };
    let chat: String = (0..2_000).map(message).collect();
    let (files, notes) = imported("long.jsonl", chat.as_bytes());
    let lore: Vec<&String> =
        files.keys().filter(|path| path.starts_with("lore/") && path.ends_with(".md")).collect();
    assert_eq!(lore.len(), 60);
    assert!(lore.iter().all(|path| text(&files, path).chars().count() < 2_100));
    assert!(text(&files, lore[59]).contains("Message 1999."));
    assert!(lines(&notes).contains("the newest 60 parts"), "{}", lines(&notes));
}

#[test]
fn several_files_make_one_campaign_and_nothing_that_is_there_changes() {
    let parse = |name: &str, bytes: &[u8]| {
        ImportFile::parse(name, bytes, &mut ImportNotes::default()).unwrap()
    };
    let there: FolderFiles = [
        ("manifest.json", "{}"),
        ("plot/premise.md", "Mine."),
        ("characters/people.toml", "[[person]]\nname = \"Tam\"\nplace = \"hut\""),
        ("characters/player/player.toml", "name = \"Robin\"\nplace = \"hut\"\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .into();
    let card = card().to_string();
    let parsed = [parse("mina.json", card.as_bytes()), parse("mina2.json", card.as_bytes())];
    let made = import(&parsed, &there, "");
    let paths: Vec<&String> = made.files.keys().collect();
    insta::assert_snapshot!(format!(
        "{paths:#?}\n{}\n{}",
        text(&made.files, "characters/people.toml"),
        text(&made.files, "lore/mina-knots-holt-scenario.md")
    ));
}

#[test]
fn a_player_has_a_name_where_one_is_given() {
    let parsed =
        ImportFile::parse("mina.json", card().to_string().as_bytes(), &mut ImportNotes::default())
            .unwrap();
    let made = import(&[parsed], &FolderFiles::new(), "Robin");
    assert!(text(&made.files, "plot/start.toml").contains("Mind the rope, Robin,"));
    assert_eq!(text(&made.files, "characters/player/player.toml"), "name = \"Robin\"\n");
}

/// Fields, entries and characters of every kind, and no file that TOML or JSON cannot read.
#[test]
fn what_is_written_can_be_read() {
    let odd = "a\u{1}\u{7f}\"\"\"\\ \t'''\r\n{{user}} \u{2028}end";
    let card = json!({ "spec": "chara_card_v2", "data": {
        "name": odd, "description": odd, "personality": odd, "scenario": odd, "first_mes": format!("\"{odd}\" {odd}"), "mes_example": odd, "tags": [odd], "creator": odd,
        "character_book": { "entries": [{ "keys": [odd], "content": odd, "comment": odd, "constant": true }] }
    } });
    let (files, _) = imported("odd.json", card.to_string().as_bytes());
    for (path, bytes) in &files {
        let text = std::str::from_utf8(bytes).unwrap();
        if path.ends_with(".toml") {
            text.parse::<toml::Table>().unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        }
        if path.ends_with(".json") {
            serde_json::from_str::<serde_json::Value>(text)
                .unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
}
