//! A chat as lore: its messages in parts that a planner can read, and a recap.

use super::{
    folder_import::{CampaignText, FolderImport},
    lore::LORE_PARTS_MAX,
    paths::{CHATS, keywords_path},
    plain_text::{shorten, slug},
    profile::{NAME_CHARS, person_name},
    toml_text::toml_string,
};
use crate::{ChatLine, ChatLog, card_text::one_line};
use narratoria_protocol::visible::clip;

/// Characters of one part: as much as an entry of lore holds.
const PART_CHARS: usize = 2_000;

/// Parts of one chat. Older messages are kept in the chat alone.
const PARTS: usize = 60;

/// Words of the recap.
const RECAP_WORDS: usize = 80;

/// Writes the files of a chat into a folder.
pub(super) fn import_chat(chat: &ChatLog, stem: &str, folder: &mut FolderImport<'_>) {
    let name = folder.free_name(&slug(stem, "chat"), &["lore/{}-", "cards/chats/{}.jsonl"]);
    folder.put(format!("{CHATS}{name}.jsonl"), chat.write());
    let character = person_name(&chat.character);
    let mut names = folder.names(&character);
    if names.player.is_empty() && !chat.player.trim().is_empty() {
        names.player = person_name(&chat.player);
    }
    let said: Vec<String> = chat
        .messages
        .iter()
        .filter(|message| !message.hidden && !message.text.trim().is_empty())
        .map(|message| {
            format!(
                "{}: {}",
                speaker(message, &names.player, &character),
                names.tell(&message.text, "messages", folder.notes).trim()
            )
        })
        .collect();
    let mut parts = in_parts(&said);
    let room = LORE_PARTS_MAX.saturating_sub(folder.lore_size().0).min(PARTS);
    if parts.len() > room {
        let older = parts.len() - room;
        folder.notes.not_mapped(
            "older messages",
            format!("the newest {room} parts of the chat become lore, {older} older ones do not"),
        );
        parts.drain(..older);
    }
    for (at, part) in parts.iter().enumerate() {
        let path = format!("lore/{name}-{:02}.md", at + 1);
        folder.put(path.clone(), format!("# What was said, part {}\n\n{part}\n", at + 1));
        folder.put(keywords_path(&path), format!("{character}\n"));
    }
    let title = if chat.character.trim().is_empty() { name.clone() } else { character.clone() };
    let recap = said.last().map(|last| shorten(last, RECAP_WORDS)).unwrap_or_default();
    let setting = format!("Where {title} and the player left off.");
    folder.complete(&CampaignText { title: &title, setting: &setting, ..CampaignText::default() });
    // A world is made of what the premise says: the last words of the chat, and none of the importer's.
    let premise = if recap.is_empty() { &title } else { &recap };
    folder.put_if_missing("plot/premise.md", format!("{premise}\n"));
    let opening = shorten(&recap.replace('*', ""), 90);
    let start = format!("opening = {}\nrecap = {}\n", toml_string(&opening), toml_string(&recap));
    if !folder.put_if_missing("plot/start.toml", start) {
        folder.notes.not_mapped(
            "last message",
            "the campaign has an opening, plot/start.toml, so the chat gives no recap",
        );
    }
    folder.record(&format!("{CHATS}{name}"), &names.player, "");
}

fn speaker(message: &ChatLine, player: &str, character: &str) -> String {
    match (one_line(&message.name).as_str(), message.by_player) {
        ("", true) if !player.is_empty() => player.to_owned(),
        ("", true) => "You".to_owned(),
        ("", false) => character.to_owned(),
        (name, _) => clip(name, NAME_CHARS).into_owned(),
    }
}

/// Messages in parts of bounded length. A message that is longer alone is taken apart at its blanks.
fn in_parts(said: &[String]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut length = 0;
    for message in said {
        let chars = message.chars().count();
        if parts.is_empty() || length + chars > PART_CHARS {
            parts.push(String::new());
            length = 0;
        }
        for word in message.split_inclusive([' ', '\n']) {
            let word_chars = word.chars().count();
            if length + word_chars > PART_CHARS && length > 0 {
                parts.push(String::new());
                length = 0;
            }
            if let Some(part) = parts.last_mut() {
                // A word beyond all bounds is no word.
                part.extend(word.chars().take(PART_CHARS));
            }
            length += word_chars;
        }
        if let Some(part) = parts.last_mut() {
            part.push_str("\n\n");
        }
        length += 2;
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
