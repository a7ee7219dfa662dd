//! A character card as files: a person with a profile, a portrait, lore, and a beginning.

use serde_json::Value;

use super::{
    folder_import::{CampaignText, FolderImport},
    lore::{put_lore, topics},
    paths::{CARDS, PNG_TEXTS, keywords_path},
    plain_text::{plain_prose, pretty, shorten, slug},
    profile,
    profile::person_name,
    sections::{lore_text, without_headings},
    toml_text::{toml_line, toml_string, toml_strings},
};
use crate::{
    AssetPlace, CardFields, CardFile, ImportNotes, MacroNames, card_text::one_line, source::decode,
};
use narratoria_protocol::visible::clip;

/// Words of an opening, as campaigns have it.
const OPENING_WORDS: usize = 95;

/// Longest greeting, in words.
const GREETING_WORDS: usize = 60;

/// Longest text of a card that a story narrates, in characters.
const TOLD_CHARS: usize = 40_000;

/// Most bytes of a premise, below the limit of a campaign's file.
const PREMISE_BYTES: usize = 800_000;

/// Longest picture or sound that a campaign shows, in bytes.
const MEDIA_BYTES: usize = 16 << 20;

/// The place of a campaign that begins with a card: where the person is, so that the player can talk at once.
const PLACE: &str = "meeting place";

/// Words of its description.
const PLACE_WORDS: usize = 60;

/// Headings of `plot/premise.md` below its first part.
pub(crate) const FIRST_MESSAGE: &str = "How it begins";
pub(crate) const OTHER_GREETING: &str = "Another beginning";

/// The texts of a card. They depend on the card and the names alone.
pub(crate) struct CardTexts {
    pub(crate) profile: Value,
    pub(crate) premise: String,
    pub(crate) setting: String,
    pub(crate) opening: String,
    pub(crate) greeting: String,
}

pub(crate) fn card_texts(
    fields: &CardFields,
    names: &MacroNames,
    who: &str,
    portrait: &str,
    notes: &mut ImportNotes,
) -> CardTexts {
    let tell = |text: &str, what: &str, notes: &mut ImportNotes| {
        let told = names.tell(text, what, notes);
        clip(without_headings(&told).trim(), TOLD_CHARS).into_owned()
    };
    let scenario = tell(&fields.scenario, "scenario", notes);
    let first = tell(&fields.first_message, "first_mes", notes);
    let situation = if scenario.is_empty() { format!("You meet {who}.") } else { scenario };
    let mut premise = format!("# {who}\n\n{situation}\n");
    if !first.is_empty() {
        premise += &format!("\n## {FIRST_MESSAGE}\n\n{first}\n");
    }
    for greeting in &fields.greetings {
        let told = tell(greeting, "alternate_greetings", notes);
        if premise.len() + told.len() > PREMISE_BYTES {
            notes.not_mapped("alternate_greetings", "more than a premise can hold");
            break;
        }
        premise += &format!("\n## {OTHER_GREETING}\n\n{told}\n");
    }
    let spoken = plain_prose(&first);
    let opening = if spoken.is_empty() {
        shorten(&situation, OPENING_WORDS)
    } else {
        shorten(&spoken, OPENING_WORDS)
    };
    CardTexts {
        profile: profile::profile(fields, names, who, portrait, notes),
        premise,
        setting: situation,
        opening,
        greeting: shorten(&first_speech(&first, &fields.name), GREETING_WORDS),
    }
}

/// The first words in quotation marks that are no part of the name.
fn first_speech(text: &str, name: &str) -> String {
    for (open, close) in [('“', '”'), ('"', '"'), ('«', '»')] {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((said, after)) = after.split_once(close) else { break };
            if !said.trim().is_empty() && !name.contains(said.trim()) {
                let said = plain_prose(&one_line(said));
                // The sentence goes on behind the mark; the greeting does not.
                return match said.strip_suffix(',') {
                    Some(said) => format!("{said}."),
                    None => said,
                };
            }
            rest = after;
        }
    }
    String::new()
}

/// Writes the files of a card into a folder.
pub(super) fn import_card(file: &CardFile, folder: &mut FolderImport<'_>) {
    let fields = &file.card.fields;
    let patterns = ["cards/{}.json", "cards/{}/", "characters/npcs/{}/", "lore/{}-", "art/{}."];
    let name = folder.free_name(&slug(&fields.name, "person"), &patterns);
    let names = folder.names(fields.called());
    folder.put(format!("{CARDS}{name}.json"), pretty(&file.card.original));
    let portrait = put_pictures(file, &name, folder);
    let who = folder.free_person(&person_name(&fields.name));
    let texts = card_texts(fields, &names, &who, &portrait, folder.notes);
    folder.put(format!("characters/npcs/{name}/profile.json"), pretty(&texts.profile));
    let place = put_place(&texts, folder);
    let known = file.card.book.as_ref();
    let known = known.map(|book| topics(book, &name, &names, folder.notes)).unwrap_or_default();
    put_person(fields, &who, place, (&texts.greeting, &known), folder);
    put_background(fields, &names, &name, folder);
    if let Some(book) = &file.card.book {
        put_lore(book, &name, &names, folder);
    }
    put_beginning(fields, &texts, &name, folder);
    let description =
        shorten(&names.tell(&fields.creator_notes, "creator_notes", folder.notes), 400);
    let tags = profile::tags(fields);
    folder.complete(&CampaignText {
        title: &who,
        version: &fields.character_version,
        author: &one_line(&fields.creator).chars().take(200).collect::<String>(),
        description: &description.chars().take(4_000).collect::<String>(),
        setting: &texts.setting,
        tags: &tags,
    });
    folder.record(&format!("{CARDS}{name}"), &names.player, &who);
}

/// Gives a new campaign a place for the person and returns its name. Returns `None` for a campaign with places of its
/// own,
/// which puts the person somewhere itself.
fn put_place(texts: &CardTexts, folder: &mut FolderImport<'_>) -> Option<&'static str> {
    const PLACES: &str = "world/places.toml";
    let head = format!("[[place]]\nname = {}\n", toml_string(PLACE));
    if let Some(there) = folder.get(PLACES) {
        return there.starts_with(head.as_bytes()).then_some(PLACE);
    }
    if folder.has("plot/premise.md") {
        return None;
    }
    let description = one_line(&plain_prose(&shorten(&texts.setting, PLACE_WORDS)));
    folder.put(PLACES, format!("{head}description = {}\n", toml_line(&description)));
    Some(PLACE)
}

/// The entry in `characters/people.toml`, behind those that are there.
fn put_person(
    fields: &CardFields,
    name: &str,
    place: Option<&str>,
    (greeting, topics): (&str, &[(Vec<String>, String)]),
    folder: &mut FolderImport<'_>,
) {
    const PEOPLE: &str = "characters/people.toml";
    let before = folder.get(PEOPLE).map(|text| String::from_utf8_lossy(text).into_owned());
    let mut text = before.unwrap_or_default();
    let entry = format!("name = {}", toml_string(name));
    if text.lines().any(|line| line.trim() == entry) {
        folder.notes.changed(
            format!("person `{name}`"),
            "characters/people.toml has this person, who stays as they are",
        );
        return;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text += &format!("[[person]]\n{entry}\n");
    let nickname = person_name(fields.called());
    // Two people cannot have one name.
    if nickname != name && !text.contains(&toml_string(&nickname)) {
        text += &format!("aliases = {}\n", toml_strings(&[nickname]));
    }
    if let Some(place) = place {
        text += &format!("place = {}\n", toml_string(place));
    }
    if let Some(pronoun) = profile::pronoun(fields) {
        text += &format!("pronoun = {}\n", toml_string(pronoun));
    }
    if !greeting.is_empty() {
        text += &format!("greeting = {}\n", toml_line(greeting));
    }
    if !topics.is_empty() {
        text += "topics = [\n";
        for (about, says) in topics {
            let (about, says) = (toml_strings(about), toml_line(says));
            text += &format!("  {{ about = {about}, says = {says} }},\n");
        }
        text += "]\n";
    }
    folder.put(PEOPLE, text);
}

/// A background that no profile can hold is lore.
fn put_background(
    fields: &CardFields,
    names: &MacroNames,
    name: &str,
    folder: &mut FolderImport<'_>,
) {
    let told = names.tell(&fields.description, "description", folder.notes);
    let told = clip(&told, TOLD_CHARS);
    if told.trim().chars().count() <= profile::BACKGROUND_CHARS {
        return;
    }
    let path = format!("lore/{name}-background.md");
    folder
        .notes
        .changed("description", format!("longer than a profile can hold: it stands in {path} too"));
    folder.put(path.clone(), format!("# {}\n\n{}\n", person_name(&fields.name), lore_text(&told)));
    folder.put(keywords_path(&path), format!("{}\n", person_name(fields.called())));
}

/// Writes the premise and the opening, or a page of lore if the folder has a premise.
fn put_beginning(
    fields: &CardFields,
    texts: &CardTexts,
    name: &str,
    folder: &mut FolderImport<'_>,
) {
    if folder.put_if_missing("plot/premise.md", texts.premise.clone()) {
        let start = format!("opening = {}\n", toml_string(&texts.opening));
        if !folder.put_if_missing("plot/start.toml", start) {
            folder.notes.not_mapped("first_mes", "the campaign has an opening, plot/start.toml; the message stands in plot/premise.md");
        }
        return;
    }
    let path = format!("lore/{name}-scenario.md");
    folder
        .notes
        .changed("scenario", format!("the campaign has a premise, so this stands in {path}"));
    folder.put(path.clone(), texts.premise.clone());
    folder.put(keywords_path(&path), format!("{}\n", person_name(fields.called())));
}

/// Writes the portrait into `art`, and everything that came with the card below `cards/NAME`. Returns the portrait's path.
fn put_pictures(file: &CardFile, name: &str, folder: &mut FolderImport<'_>) -> String {
    for (path, content) in &file.files {
        folder.put(format!("{CARDS}{name}/{path}"), content.clone());
    }
    for (key, content) in &file.png_assets {
        folder.put(format!("{CARDS}{name}/{PNG_TEXTS}{key}"), content.clone());
    }
    for asset in &file.card.assets {
        if let AssetPlace::File(path) = &asset.place
            && !file.files.contains_key(path)
        {
            folder.notes.not_mapped(
                format!("asset `{}`", asset.name),
                format!("`{path}` is not in the archive"),
            );
        }
    }
    let Some((extension, picture)) = portrait_of(file) else { return String::new() };
    let path = format!("art/{name}.{extension}");
    if picture.len() > MEDIA_BYTES {
        let kept = format!("{CARDS}{name}/portrait.{extension}");
        folder.notes.not_mapped(
            "portrait",
            format!("larger than {MEDIA_BYTES} bytes; it stands in {kept}"),
        );
        folder.put(kept, picture);
        return String::new();
    }
    let count = file.card.assets.len().saturating_sub(1);
    if count > 0 {
        folder.notes.not_mapped(
            "assets",
            format!(
                "{count} pictures and sounds besides the portrait; they stand in {CARDS}{name}"
            ),
        );
    }
    folder.put(path.clone(), picture);
    path
}

/// Returns the picture of a card: the one that contains it, otherwise its icon.
fn portrait_of(file: &CardFile) -> Option<(String, Vec<u8>)> {
    if let Some(picture) = &file.picture {
        return Some(("png".to_owned(), picture.write()));
    }
    let icons =
        || file.card.assets.iter().filter(|asset| asset.kind == "icon" || asset.kind.is_empty());
    let chosen = icons().find(|asset| asset.name == "main").or_else(|| icons().next())?;
    let bytes = match &chosen.place {
        AssetPlace::File(path) => file.files.get(path)?.clone(),
        AssetPlace::PngText(key) => file.png_assets.get(key)?.clone(),
        AssetPlace::Data(data) => decode(data.as_bytes())?,
        AssetPlace::Default | AssetPlace::Elsewhere(_) => return None,
    };
    picture_extension(&bytes).map(|extension| (extension.to_owned(), bytes))
}

/// The kind of a picture by its first bytes.
pub(crate) fn picture_extension(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xff, 0xd8, 0xff, ..] => "jpg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => "avif",
        _ => return None,
    })
}
