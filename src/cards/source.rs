//! Bytes of a file to import → its content: a card, a book, a chat or a story.

use std::collections::BTreeMap;

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use narratoria_protocol::{JsonBounds, StrictJsonError, read_json, visible::visible_word};
use serde_json::Value;

use crate::{
    BranchingStory, CARD_DEPTH_MAX, CARD_JSON_BYTES_MAX, CARD_VALUES_MAX, CardError, CardProblem,
    CharacterCard, CharxFiles, ChatLog, IMPORT_FILE_BYTES_MAX, ImportNotes, PngPicture, PngText,
    WorldBook,
    book_words::book_format,
    card::card_format,
    charx::{CARD_FILE, holds_zip},
    damaged_book::parse_damaged_book,
    ink::{is_ink, parse_ink},
    png::PNG_SIGNATURE,
    stored_files::{is_plain_path, storable_files},
    twee::{is_twee, parse_twee},
    twine_html::{is_twine_page, twee_of_page},
};

/// Keyword of a text that holds an asset of a card.
pub(crate) const ASSET_KEYWORD: &str = "chara-ext-asset_";

/// The content of a file, by its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportContent {
    /// A character card.
    Card(Box<CardFile>),
    /// A world book.
    Book(WorldBook),
    /// A chat.
    Chat(ChatLog),
    /// A branching story.
    Story(BranchingStory),
}

/// A card and the files that came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFile {
    /// The card.
    pub card: CharacterCard,
    /// The picture that it was in, without the card.
    pub picture: Option<PngPicture>,
    /// Files of the archive, without `card.json`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Assets in texts of the picture.
    pub png_assets: BTreeMap<String, Vec<u8>>,
}

/// A file to import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportFile {
    /// Its name, without folders.
    pub name: String,
    /// The content of the file.
    pub content: ImportContent,
}

impl ImportFile {
    /// Reads a file. Its first bytes say what it is; its name only decides between kinds of text.
    pub fn parse(
        name: &str,
        bytes: &[u8],
        notes: &mut ImportNotes,
    ) -> Result<ImportFile, CardError> {
        let content = parse_content(name, bytes, notes).map_err(|problem| problem.in_file(name))?;
        Ok(ImportFile { name: name.to_owned(), content })
    }
}

fn parse_content(
    name: &str,
    bytes: &[u8],
    notes: &mut ImportNotes,
) -> Result<ImportContent, CardProblem> {
    if bytes.len() > IMPORT_FILE_BYTES_MAX {
        return Err(CardProblem::TooLong { bytes: bytes.len(), limit: IMPORT_FILE_BYTES_MAX });
    }
    if bytes.starts_with(PNG_SIGNATURE) {
        // A picture may have an archive behind it.
        let read = parse_png_card(bytes, notes);
        return match read {
            Err(CardProblem::NoCardInPng { .. }) if holds_zip(bytes) => parse_charx(bytes, notes),
            read => read.map(|card| ImportContent::Card(Box::new(card))),
        };
    }
    if let Some(problem) = picture_problem(bytes) {
        return if holds_zip(bytes) { parse_charx(bytes, notes) } else { Err(problem) };
    }
    if holds_zip(bytes) {
        return parse_charx(bytes, notes);
    }
    let lower = name.to_lowercase();
    let ends = |ending: &str| lower.ends_with(ending);
    let text = std::str::from_utf8(narratoria_protocol::without_byte_order_mark(bytes)).ok();
    if text.is_some_and(is_twine_page) {
        let twee = twee_of_page(bytes, notes)?;
        return parse_twee(twee.as_bytes(), notes).map(ImportContent::Story);
    }
    if ends(".twee") || ends(".tw") || text.is_some_and(is_twee) {
        return parse_twee(bytes, notes).map(ImportContent::Story);
    }
    if ends(".ink") {
        return parse_ink(bytes, notes).map(ImportContent::Story);
    }
    if ends(".jsonl") {
        return ChatLog::parse(bytes, notes).map(ImportContent::Chat);
    }
    let first = text.and_then(|text| text.trim_start().chars().next());
    match first {
        Some('{' | '[') => parse_json(bytes, notes),
        _ if text.is_some_and(is_ink) => parse_ink(bytes, notes).map(ImportContent::Story),
        _ if ends(".json") || ends(".card") => {
            let problem = read_document(bytes, "it").err();
            Err(problem.unwrap_or_else(|| unknown(text)))
        }
        _ => Err(unknown(text)),
    }
}

fn unknown(text: Option<&str>) -> CardProblem {
    let known = "a character card (PNG, JSON or CHARX), a world book or a chat of SillyTavern, a page of Twine, Twee 3 or ink";
    let first = text.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    CardProblem::NotKnown(match first {
        Some(line) => {
            let shown: String = line.trim().chars().take(40).collect();
            format!(
                "is none of what can be imported: {known}; it begins with `{}`",
                visible_word(&shown)
            )
        }
        None if text.is_some() => format!("is empty; what can be imported is {known}"),
        None => format!("is none of what can be imported: {known}"),
    })
}

/// Pictures that can hold no card that this program reads.
fn picture_problem(bytes: &[u8]) -> Option<CardProblem> {
    let kind = match bytes {
        [0xff, 0xd8, 0xff, ..] => "JPEG",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "WebP",
        [b'G', b'I', b'F', b'8', ..] => "GIF",
        _ => return None,
    };
    let what = format!(
        "is a {kind} picture; cards are read from PNG pictures, JSON and CHARX, so export the card as one of these"
    );
    Some(CardProblem::NotKnown(what))
}

fn parse_json(bytes: &[u8], notes: &mut ImportNotes) -> Result<ImportContent, CardProblem> {
    // A chat is JSON lines: its first line is a whole object and another follows.
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_object =
        |line: &[u8]| line.trim_ascii().starts_with(b"{") && line.trim_ascii().ends_with(b"}");
    if let (Some(first), Some(second)) = (lines.next(), lines.next())
        && is_object(first)
        && is_object(second)
        && first.trim_ascii().len() > 2
    {
        return ChatLog::parse(bytes, notes).map(ImportContent::Chat);
    }
    let document = match read_document(bytes, "it") {
        Ok(document) => document,
        Err(problem) => {
            let bytes = narratoria_protocol::without_byte_order_mark(bytes);
            let Ok(text) = std::str::from_utf8(bytes) else { return Err(problem) };
            return parse_damaged_book(text, problem, notes).map(ImportContent::Book);
        }
    };
    if card_format(&document).is_some() {
        return CharacterCard::parse(document, notes)
            .map(|card| ImportContent::Card(Box::new(card_alone(card))));
    }
    if book_format(&document).is_some() {
        return WorldBook::parse(document, notes).map(ImportContent::Book);
    }
    if document.get("mes").is_some() {
        return ChatLog::parse(bytes, notes).map(ImportContent::Chat);
    }
    // A card's own error names the missing part.
    CharacterCard::parse(document, notes)
        .map(|card| ImportContent::Card(Box::new(card_alone(card))))
}

fn card_alone(card: CharacterCard) -> CardFile {
    CardFile { card, picture: None, files: BTreeMap::new(), png_assets: BTreeMap::new() }
}

pub(crate) fn read_document(bytes: &[u8], what: &str) -> Result<Value, CardProblem> {
    let bounds = JsonBounds {
        bytes_max: CARD_JSON_BYTES_MAX,
        depth_max: CARD_DEPTH_MAX,
        values_max: CARD_VALUES_MAX,
    };
    read_json(bytes, bounds).map_err(|problem| match problem {
        StrictJsonError::TooLong { bytes, limit } => CardProblem::TooLong { bytes, limit },
        problem => CardProblem::Json { what: what.to_owned(), problem },
    })
}

fn parse_charx(bytes: &[u8], notes: &mut ImportNotes) -> Result<ImportContent, CardProblem> {
    let CharxFiles { mut files } = CharxFiles::parse(bytes, notes)?;
    let archive = CharxFiles { files: std::mem::take(&mut files) };
    let document = read_document(archive.card()?, "its file `card.json`")?;
    let card = CharacterCard::parse(document, notes)?;
    let mut files = archive.files;
    files.remove(CARD_FILE);
    Ok(ImportContent::Card(Box::new(CardFile {
        card,
        picture: None,
        files,
        png_assets: BTreeMap::new(),
    })))
}

fn parse_png_card(bytes: &[u8], notes: &mut ImportNotes) -> Result<CardFile, CardProblem> {
    let picture = PngPicture::parse(bytes)?;
    let (texts, names) =
        picture.texts(|keyword| is_card_keyword(keyword) || keyword.starts_with(ASSET_KEYWORD))?;
    let named = |wanted: &str| texts.iter().find(|text| text.keyword.eq_ignore_ascii_case(wanted));
    let Some(text) = named("ccv3").or_else(|| named("chara")) else {
        let assets = texts.iter().map(|text| text.keyword.clone());
        return Err(CardProblem::NoCardInPng { names: names.into_iter().chain(assets).collect() });
    };
    let document = card_text(text)?;
    if text.keyword.eq_ignore_ascii_case("ccv3")
        && let Some(old) = named("chara")
    {
        note_other_card(&document, old, notes);
    }
    let card = CharacterCard::parse(document, notes)?;
    let mut png_assets = BTreeMap::new();
    for text in texts.iter().filter(|text| text.keyword.starts_with(ASSET_KEYWORD)) {
        let key = text.keyword[ASSET_KEYWORD.len()..].trim_start_matches(':');
        match (is_plain_path(key), decode(&text.text)) {
            (true, Some(bytes)) => {
                png_assets.insert(key.to_owned(), bytes);
            }
            (false, _) => {
                notes.not_mapped(&text.keyword, "a path that leads elsewhere or has odd characters")
            }
            (_, None) => notes.not_mapped(&text.keyword, "no base64"),
        }
    }
    let png_assets = storable_files(png_assets, notes);
    let is_ours = |keyword: &str| is_card_keyword(keyword) || keyword.starts_with(ASSET_KEYWORD);
    let picture = Some(picture.without_texts(is_ours));
    Ok(CardFile { card, picture, files: BTreeMap::new(), png_assets })
}

pub(crate) fn is_card_keyword(keyword: &str) -> bool {
    keyword.eq_ignore_ascii_case("ccv3") || keyword.eq_ignore_ascii_case("chara")
}

/// `chara` beside `ccv3` is a copy for programs that know V2 alone.
fn note_other_card(document: &Value, old: &PngText, notes: &mut ImportNotes) {
    let without_spec = |document: &Value| {
        let mut copy = document.clone();
        for field in ["spec", "spec_version"] {
            copy.as_object_mut().map(|fields| fields.remove(field));
        }
        copy
    };
    match card_text(old) {
        Ok(old) if without_spec(&old) == without_spec(document) => {}
        Ok(_) => notes
            .changed("chara", "it differs from `ccv3`, which is read; both are written from it"),
        Err(problem) => notes.not_mapped("chara", format!("it {problem}")),
    }
}

/// The JSON of a text: base64, or as it stands.
fn card_text(text: &PngText) -> Result<Value, CardProblem> {
    let fault = |what: &str| CardProblem::PngText {
        chunk: text.chunk.clone(),
        keyword: text.keyword.clone(),
        what: what.to_owned(),
    };
    if text.text.starts_with(b"rcc||") {
        return Err(fault("it is encrypted by RisuAI; export the card again without a password"));
    }
    let what = format!("the text `{}`", text.keyword);
    if text.text.trim_ascii_start().starts_with(b"{") {
        return read_document(&text.text, &what);
    }
    let bytes = decode(&text.text).ok_or_else(|| fault("it is neither base64 nor JSON"))?;
    read_document(&bytes, &what)
}

/// Base64 as programs write it: with or without padding, in lines or in one.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let plain: Vec<u8> = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() && **byte != 0)
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => *byte,
        })
        .collect();
    GeneralPurpose::new(&STANDARD, config).decode(plain).ok().filter(|bytes| !bytes.is_empty())
}

/// Base64 for a text of a picture.
pub(crate) fn encode(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
