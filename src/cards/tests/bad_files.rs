//! Messages about files that cannot be imported.

use serde_json::json;

use super::make::{as_text, chunk, imported, lines, packed_chunk, png, small_png, text_chunk, zip};
use crate::{ImportFile, ImportNotes};

fn message(name: &str, bytes: &[u8]) -> String {
    match ImportFile::parse(name, bytes, &mut ImportNotes::default()) {
        Ok(parsed) => panic!("`{name}` was read: {:?}", parsed.content),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_files_get_clear_messages() {
    let card = as_text(&json!({ "name": "Tam", "first_mes": "Hello.", "description": "x" }));
    let good = png(&[text_chunk("chara", &card)], &[]);
    let mut damaged = good.clone();
    damaged[60] ^= 1;
    let bomb = "0".repeat(30 << 20);
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let zip_of = |name: &str, content: &[u8]| zip(&[(name, content)]);
    let chat = "{\"name\":\"a\",\"mes\":\"x\"}\n{\"name\":\"a\",\n";
    let book =
        json!({ "entries": vec![json!({ "key": ["a"], "content": "x" }); 10_001] }).to_string();
    let keys = json!({ "entries": [{ "keys": vec!["a"; 1_001], "content": "x" }] }).to_string();
    let passages: String = (0..5_001).map(|n| format!(":: p{n}\ntext\n")).collect();
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("empty.json", Vec::new()),
        ("notes.txt", b"Dear diary, \x1b[2J today".to_vec()),
        ("binary.dat", vec![0, 159, 146, 150]),
        ("photo.jpg", b"\xff\xd8\xff\xe0 a photo".to_vec()),
        ("photo.webp", b"RIFF\0\0\0\0WEBPVP8 ".to_vec()),
        ("broken.json", b"{\"name\": \"Tam\", ".to_vec()),
        ("twice.json", b"{\"name\": \"Tam\", \"first_mes\": \"a\", \"first_mes\": \"b\", \"description\": \"\"}".to_vec()),
        ("control.json", b"{\"a\x7f\": 1, \"a\x7f\": 2}".to_vec()),
        ("latin.json", b"{\"name\": \"T\xe4m\"}".to_vec()),
        ("other.json", b"{\"dependencies\": {}, \"version\": \"1\"}".to_vec()),
        ("list.json", b"[1, 2]".to_vec()),
        ("deep.json", deep.into_bytes()),
        ("nameless.json", b"{\"spec\": \"chara_card_v2\", \"data\": {\"name\": \" \", \"first_mes\": \"x\"}}".to_vec()),
        ("book.json", b"{\"spec\": \"chara_card_v3\", \"data\": {\"name\": \"Tam\", \"character_book\": {\"name\": \"x\"}}}".to_vec()),
        ("no-card.png", small_png()),
        ("other-texts.png", png(&[text_chunk("Software", "x"), text_chunk("parameters", "y")], &[])),
        ("short.png", good[..good.len() - 20].to_vec()),
        ("damaged.png", damaged),
        ("not.png", b"\x89PNG\r\n\x1a\nxxxx".to_vec()),
        ("base64.png", png(&[text_chunk("chara", "this is no base64!")], &[])),
        ("inside.png", png(&[text_chunk("ccv3", &crate::source::encode(b"{\"name\": }"))], &[])),
        ("risu.png", png(&[text_chunk("chara", "rcc||rccv1||AAAA||x||y")], &[])),
        ("method.png", png(&[chunk(b"zTXt", b"chara\0\x07xxx")], &[])),
        ("packed.png", png(&[chunk(b"zTXt", b"chara\0\0not zlib")], &[])),
        ("itxt.png", png(&[chunk(b"iTXt", b"chara\0\0")], &[])),
        ("bomb.png", png(&[packed_chunk("chara", &bomb)], &[])),
        ("no-card.charx", zip_of("readme.txt", b"x")),
        ("folder.charx", zip_of("Tam/Card.json", b"{}")),
        ("bad-card.charx", zip_of("card.json", b"{")),
        ("bomb.charx", zip_of("card.json", bomb.as_bytes())),
        ("cut.charx", zip_of("card.json", b"{}")[..40].to_vec()),
        ("broken.jsonl", chat.as_bytes().to_vec()),
        ("none.jsonl", b"{\"a\": 1}\n{\"b\": 2}\n".to_vec()),
        ("list.jsonl", b"[1]\n".to_vec()),
        ("large-book.json", book.into_bytes()),
        ("keys.json", keys.into_bytes()),
        ("empty.twee", b"Some text.\n".to_vec()),
        ("special.twee", b":: StoryTitle\nx\n".to_vec()),
        ("large.twee", passages.into_bytes()),
        ("nothing.ink", b"VAR x = 1\n=== start ===\n".to_vec()),
        ("deep.ink", format!("=== a ===\n{} x\n", "* ".repeat(17)).into_bytes()),
    ];
    let messages: Vec<String> = files.iter().map(|(name, bytes)| message(name, bytes)).collect();
    assert!(messages.iter().all(|message| !message.contains(char::is_control)), "{messages:#?}");
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_file_beyond_the_limit_is_refused_before_it_is_read() {
    let bytes = vec![b' '; crate::IMPORT_FILE_BYTES_MAX + 1];
    assert_eq!(
        message("huge.json", &bytes),
        "`huge.json` has 67108865 bytes, the limit is 67108864"
    );
}

#[test]
fn nothing_to_export_says_what_to_write() {
    use crate::{ExportForm, FolderFiles, export};
    let empty = FolderFiles::new();
    let two: FolderFiles = ["mina", "tam"]
        .iter()
        .map(|name| (format!("characters/npcs/{name}/profile.json"), b"{}".to_vec()))
        .collect();
    let error =
        |files: &FolderFiles, form, name| export(files, form, name).unwrap_err().to_string();
    let messages = [
        error(&empty, ExportForm::Card, None),
        error(&empty, ExportForm::Book, None),
        error(&empty, ExportForm::Chat, None),
        error(&empty, ExportForm::Twee, None),
        error(&two, ExportForm::Png, None),
        error(&two, ExportForm::Png, Some("Minna")),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

/// Untrusted files beside a card: programs, files that git and shells read, and names that are files and folders at
/// once.
#[test]
fn an_archive_leaves_out_what_must_not_lie_on_a_disk() {
    let card = json!({ "spec": "chara_card_v3", "spec_version": "3.0", "data": { "name": "Tam" } })
        .to_string();
    let files: &[(&str, &[u8])] = &[
        ("card.json", card.as_bytes()),
        ("assets/icon.png", b"x"),
        ("HEAD", b"ref: refs/heads/x"),
        ("config", b"[core]"),
        ("objects/x", b"x"),
        (".git/config", b"x"),
        (".envrc", b"x"),
        ("assets/.hidden/a.png", b"x"),
        ("setup.exe", b"x"),
        ("run.desktop", b"x"),
        ("picture.png", b"\x7fELF"),
        ("notes.txt", b"#!/bin/sh"),
        ("NUL.png", b"x"),
        ("a", b"x"),
        ("A/b.png", b"x"),
        ("../out.png", b"x"),
    ];
    let (made, notes) = imported("tam.charx", &zip(files));
    let kept: Vec<&str> = made.keys().filter_map(|path| path.strip_prefix("cards/tam/")).collect();
    assert_eq!(kept, ["A/b.png", "assets/icon.png", "config", "objects/x"]);
    insta::assert_snapshot!(lines(&notes));
}
