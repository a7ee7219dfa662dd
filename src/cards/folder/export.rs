//! A campaign folder as a file that other programs read.

use std::collections::BTreeMap;

use narratoria_protocol::{nearest::nearest, visible::visible_word};
use serde_json::{Value, json};

use super::{
    from_card::picture_extension,
    from_story::{deck_path, story_texts},
    lore::found_lore,
    overlay::{add_lore, examples_text, update_card, update_own_book},
    paths::{BOOKS, CARDS, CHATS, FolderFiles, PNG_TEXTS, RECORD, STORIES},
    plain_text::{pretty, slug},
    sections::split_sections,
    to_story::story_of,
};
use crate::{
    AssetPlace, CardProblem, CharacterCard, CharxFiles, ChatLog, ImportNotes, PngPicture,
    WorldBook,
    card::card_data,
    card_text::one_line,
    charx::CARD_FILE,
    source::{ASSET_KEYWORD, encode, read_document},
    twee::{parse_twee, write_twee},
};

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// A card as JSON.
    Card,
    /// A card in a PNG picture, as `ccv3` and as `chara`.
    Png,
    /// A card with its assets in an archive.
    Charx,
    /// A world book.
    Book,
    /// A chat.
    Chat,
    /// Twee 3.
    Twee,
}

/// A file for other programs.
#[derive(Debug, Clone)]
pub struct ExportResult {
    /// A name for it.
    pub file_name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Notes about parts that the exported format has no place for.
    pub notes: ImportNotes,
}

/// Exports a part of a folder. `name` chooses among several people, books, chats or stories.
pub fn export(
    files: &FolderFiles,
    form: ExportForm,
    name: Option<&str>,
) -> Result<ExportResult, CardProblem> {
    let mut notes = ImportNotes::default();
    let (file_name, bytes) = match form {
        ExportForm::Card | ExportForm::Png | ExportForm::Charx => {
            let (stem, mut card) = card_of(files, name, &mut notes)?;
            match form {
                ExportForm::Card => (format!("{stem}.json"), pretty(&card.original).into_bytes()),
                ExportForm::Png => (format!("{stem}.png"), png_of(&stem, &card, files)),
                _ => (format!("{stem}.charx"), charx_of(&stem, &mut card, files)?),
            }
        }
        ExportForm::Book => {
            let (stem, book) = book_of(files, name, &mut notes)?;
            (format!("{stem}.json"), pretty(&book.original).into_bytes())
        }
        ExportForm::Chat => {
            let chats = stems(files, CHATS, ".jsonl");
            let stem = choose(
                &chats,
                name,
                "chat",
                "a chat comes into a campaign by `narratoria campaign import CHAT.jsonl`",
            )?;
            let bytes = files.get(&format!("{CHATS}{stem}.jsonl")).cloned().unwrap_or_default();
            ChatLog::parse(&bytes, &mut ImportNotes::default())?;
            (format!("{stem}.jsonl"), bytes)
        }
        ExportForm::Twee => twee_of(files, name, &mut notes)?,
    };
    Ok(ExportResult { file_name, bytes, notes })
}

/// The names of the files `FOLDER NAME ENDING`.
fn stems(files: &FolderFiles, folder: &str, ending: &str) -> Vec<String> {
    let names = files.keys().filter(|path| !path.ends_with(RECORD));
    let names = names.filter_map(|path| path.strip_prefix(folder)?.strip_suffix(ending));
    names.filter(|name| !name.contains('/')).map(str::to_owned).collect()
}

/// The one that is named, or the only one.
fn choose(
    known: &[String],
    name: Option<&str>,
    what: &str,
    way_out: &str,
) -> Result<String, CardProblem> {
    let list = || known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let nothing = |text: String| Err(CardProblem::NothingToExport(text));
    match (known, name) {
        ([], _) => nothing(format!("has no {what} to export: {way_out}")),
        ([only], None) => Ok(only.clone()),
        (_, None) => nothing(format!(
            "has several: `narratoria campaign export FOLDER --name NAME` takes one: {}",
            list()
        )),
        (_, Some(name)) => {
            let wanted = slug(name, name);
            if let Some(found) =
                known.iter().find(|known| **known == wanted || known.as_str() == name)
            {
                return Ok(found.clone());
            }
            let near = nearest(&wanted, known).map(|near| format!("; did you mean `{near}`?"));
            nothing(format!(
                "has no {what} `{}`{}",
                visible_word(name),
                near.unwrap_or_else(|| format!("; it has {}", list()))
            ))
        }
    }
}

fn card_of(
    files: &FolderFiles,
    name: Option<&str>,
    notes: &mut ImportNotes,
) -> Result<(String, CharacterCard), CardProblem> {
    let mut known = stems(files, CARDS, ".json");
    let people = files.keys().filter_map(|path| {
        path.strip_prefix("characters/npcs/")?.strip_suffix("/profile.json").map(str::to_owned)
    });
    for person in people {
        if !known.contains(&person) {
            known.push(person);
        }
    }
    let way_out = "write a person into characters/npcs/NAME/profile.json";
    let stem = choose(&known, name, "person", way_out)?;
    match files.get(&format!("{CARDS}{stem}.json")) {
        Some(original) => {
            let document = read_document(original, &format!("file `{CARDS}{stem}.json`"))?;
            let mut card = CharacterCard::parse(document, &mut ImportNotes::default())?;
            update_card(&mut card, &stem, files, notes);
            Ok((stem, card))
        }
        None => {
            let card = new_card(&stem, files, notes)?;
            Ok((stem, card))
        }
    }
}

/// A card of a person who was not imported.
fn new_card(
    stem: &str,
    files: &FolderFiles,
    notes: &mut ImportNotes,
) -> Result<CharacterCard, CardProblem> {
    let path = format!("characters/npcs/{stem}/profile.json");
    let bytes = files.get(&path).map(Vec::as_slice).unwrap_or_default();
    let profile = read_document(bytes, &format!("file `{path}`"))?;
    let manifest =
        files.get("manifest.json").and_then(|bytes| read_document(bytes, "manifest").ok());
    let manifest = manifest.unwrap_or_default();
    let text = |of: &Value, pointer: &str| {
        of.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let texts = |pointer: &str| -> Vec<String> {
        let items = profile.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let premise =
        files.get("plot/premise.md").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let scenario =
        split_sections(&premise.unwrap_or_default()).into_iter().next().map(|(_, text)| text);
    let start = files
        .get("plot/start.toml")
        .and_then(|bytes| std::str::from_utf8(bytes).ok()?.parse::<toml::Table>().ok());
    let opening =
        start.as_ref().and_then(|start| start.get("opening")?.as_str()).unwrap_or_default();
    let description = [text(&profile, "/appearance"), text(&profile, "/background")];
    let description: Vec<String> =
        description.into_iter().filter(|text| !text.is_empty()).collect();
    let mut book = WorldBook::empty_in_card(stem);
    for found in found_lore(files) {
        add_lore(&mut book, &found);
    }
    let mut data = json!({
        "name": text(&profile, "/name"),
        "description": description.join("\n\n"),
        "personality": texts("/personality/traits").join(", "),
        "scenario": scenario.unwrap_or_default(),
        "first_mes": opening.trim(),
        "mes_example": examples_text(&texts("/speech_patterns/examples")),
        "creator_notes": text(&manifest, "/description"),
        "system_prompt": "", "post_history_instructions": "",
        "alternate_greetings": [], "group_only_greetings": [],
        "tags": manifest.get("tags").cloned().unwrap_or_else(|| json!([])),
        "creator": text(&manifest, "/author"),
        "character_version": text(&manifest, "/version"),
        "extensions": { "narratoria": { "profile": profile } },
    });
    if !book.entries.is_empty() {
        data["character_book"] = book.original;
    }
    notes.changed(
        "profile",
        "the whole profile stands in `extensions.narratoria`, where this program finds it again",
    );
    let document = json!({ "spec": "chara_card_v3", "spec_version": "3.0", "data": data });
    CharacterCard::parse(document, &mut ImportNotes::default())
}

/// The card in its portrait.
fn png_of(stem: &str, card: &CharacterCard, files: &FolderFiles) -> Vec<u8> {
    let portrait = files
        .get(&format!("art/{stem}.png"))
        .or_else(|| files.get(&format!("{CARDS}{stem}/portrait.png")));
    let is_ours = |keyword: &str| {
        crate::source::is_card_keyword(keyword) || keyword.starts_with(ASSET_KEYWORD)
    };
    let picture = portrait.and_then(|bytes| PngPicture::parse(bytes).ok());
    let mut picture = picture.unwrap_or_else(PngPicture::plain).without_texts(is_ours);
    let prefix = format!("{CARDS}{stem}/{PNG_TEXTS}");
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with(&prefix)) {
        picture.add_text(&format!("{ASSET_KEYWORD}:{}", &path[prefix.len()..]), &encode(bytes));
    }
    // A card of V1 stands in `chara` as it is.
    let old = match card.format {
        crate::CardFormat::V3 => card.to_v2(),
        _ => card.original.clone(),
    };
    picture.add_text("chara", &encode(old.to_string().as_bytes()));
    picture.add_text("ccv3", &encode(card.to_v3().to_string().as_bytes()));
    picture.write()
}

/// The card in an archive, with the files that came with it.
fn charx_of(
    stem: &str,
    card: &mut CharacterCard,
    files: &FolderFiles,
) -> Result<Vec<u8>, CardProblem> {
    let prefix = format!("{CARDS}{stem}/");
    let texts = format!("{prefix}{PNG_TEXTS}");
    let kept =
        files.iter().filter(|(path, _)| path.starts_with(&prefix) && !path.starts_with(&texts));
    let mut archive: BTreeMap<String, Vec<u8>> =
        kept.map(|(path, bytes)| (path[prefix.len()..].to_owned(), bytes.clone())).collect();
    let mut document = card.to_v3();
    let portraits = format!("art/{stem}.");
    let portrait = files.iter().find(|(path, _)| path.starts_with(&portraits));
    if let Some((_, bytes)) = portrait
        && card.assets.iter().all(|asset| matches!(asset.place, AssetPlace::Default))
        && let Some(extension) = picture_extension(bytes)
        && let Some(data) = card_data(&mut document)
    {
        let path = format!("assets/icon/images/main.{extension}");
        let icon = json!({ "type": "icon", "uri": format!("embeded://{path}"), "name": "main", "ext": extension });
        // A card that names only its own picture keeps its list.
        data.entry("assets").or_insert_with(|| json!([icon]));
        archive.insert(path, bytes.clone());
    }
    archive.insert(CARD_FILE.to_owned(), pretty(&document).into_bytes());
    CharxFiles { files: archive }.write()
}

fn book_of(
    files: &FolderFiles,
    name: Option<&str>,
    notes: &mut ImportNotes,
) -> Result<(String, WorldBook), CardProblem> {
    let known = stems(files, BOOKS, ".json");
    if known.is_empty() {
        let lore = found_lore(files);
        if lore.is_empty() {
            return Err(CardProblem::NothingToExport(
                "has no world book to export: write pages into lore/NAME.md".to_owned(),
            ));
        }
        let manifest =
            files.get("manifest.json").and_then(|bytes| read_document(bytes, "manifest").ok());
        let title = manifest.and_then(|manifest| Some(one_line(manifest.get("title")?.as_str()?)));
        let title = title.unwrap_or_else(|| "book".to_owned());
        let mut book = WorldBook::empty(&title);
        lore.iter().for_each(|found| add_lore(&mut book, found));
        return Ok((slug(&title, "book"), book));
    }
    let stem = choose(&known, name, "world book", "")?;
    let path = format!("{BOOKS}{stem}.json");
    let bytes = files.get(&path).map(Vec::as_slice).unwrap_or_default();
    let document = read_document(bytes, &format!("file `{path}`"))?;
    let mut book = WorldBook::parse(document, &mut ImportNotes::default())?;
    update_own_book(&mut book, &stem, files, notes);
    Ok((stem, book))
}

/// Returns the imported story if its deck has not changed, otherwise all decks as passages.
fn twee_of(
    files: &FolderFiles,
    name: Option<&str>,
    notes: &mut ImportNotes,
) -> Result<(String, Vec<u8>), CardProblem> {
    let stories = stems(files, STORIES, ".twee");
    if !stories.is_empty() && (stories.len() == 1 || name.is_some()) {
        let stem = choose(&stories, name, "story", "")?;
        let original = files.get(&format!("{STORIES}{stem}.twee")).cloned().unwrap_or_default();
        let story = parse_twee(&original, &mut ImportNotes::default())?;
        let decks = story_texts(&story, &stem, &mut ImportNotes::default()).decks;
        let is_as_it_was = decks.iter().enumerate().all(|(at, deck)| {
            files.get(&deck_path(&stem, at)).is_some_and(|now| now == deck.as_bytes())
        });
        if is_as_it_was {
            return Ok((format!("{stem}.twee"), original));
        }
        notes.changed(
            format!("plot/decks/{stem}.toml"),
            "it was changed, so the story is written from the decks",
        );
    }
    let story = story_of(files, notes)?;
    let title = slug(&story.title, "story");
    let text = write_twee(&story, &ifid_of(&story.title));
    Ok((format!("{title}.twee"), text.into_bytes()))
}

/// An identifier that is the same for the same title.
fn ifid_of(title: &str) -> String {
    let digest = narratoria_protocol::digest::sha256(title.as_bytes()).to_uppercase();
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or("0000").to_owned();
    // The digits that say that it was chosen, not measured.
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
