//! Character cards: JSON of several formats → plain fields. The JSON itself is kept, so that nothing is lost.

use narratoria_protocol::{
    json_kind,
    visible::{clip, visible_word},
};
use serde_json::{Map, Value, json};

use crate::{
    AssetPlace, CARD_ASSETS_MAX, CardAsset, CardFields, CardFormat, CardProblem, GREETINGS_MAX,
    ImportNotes, WorldBook,
    card_dialects::{parse_agnai, parse_pygmalion},
    card_fields::{MODEL, PROGRAM, ParsedCard},
    card_text::one_line,
    loose::{ListSyntax, LooseObject},
};

/// A character card.
#[derive(Debug, Clone, PartialEq)]
pub struct CharacterCard {
    /// Its format.
    pub format: CardFormat,
    /// The document as it was read.
    pub original: Value,
    /// The fields, independent of the format.
    pub fields: CardFields,
    /// Its world book.
    pub book: Option<WorldBook>,
    /// Its pictures and sounds.
    pub assets: Vec<CardAsset>,
}

/// Fields of a card that are read, wherever they lie.
const FIELDS: &[&str] = &[
    "name",
    "nickname",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "alternate_greetings",
    "mes_example",
    "creator_notes",
    "creatorcomment",
    "system_prompt",
    "post_history_instructions",
    "tags",
    "creator",
    "character_version",
    "character_book",
    "assets",
    "extensions",
    "group_only_greetings",
    "spec",
    "spec_version",
    "data",
];

/// Fields at the top of a V2 or V3 document that other programs write for themselves.
const AT_THE_TOP: &[&str] = &[
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "tags",
    "creatorcomment",
    "spec",
    "spec_version",
    "data",
];

impl CharacterCard {
    /// Reads a card from its document.
    pub fn parse(document: Value, notes: &mut ImportNotes) -> Result<CharacterCard, CardProblem> {
        let Some(format) = card_format(&document) else {
            return Err(CardProblem::Shape(not_a_card(&document)));
        };
        let (fields, book, assets) = match format {
            CardFormat::V2 | CardFormat::V3 => {
                let data = document.get("data").filter(|data| data.is_object());
                // Some programs say V2 and leave the fields at the top.
                let (data, path) = data.map_or((&document, ""), |data| (data, "data"));
                if !path.is_empty() {
                    LooseObject::new(&document, "", notes).rest_is_not_mapped(AT_THE_TOP, PROGRAM);
                } else {
                    notes.loose("data", "missing, so the fields at the top were read");
                }
                parse_fields(data, path, notes)?
            }
            CardFormat::V1 => parse_fields(&document, "", notes)?,
            CardFormat::Pygmalion => (parse_pygmalion(&document, notes), None, Vec::new()),
            CardFormat::Agnai => parse_agnai(&document, notes)?,
        };
        if fields.name.trim().is_empty() {
            return Err(CardProblem::Shape(
                "is a character card without a name; write one into its field `name`".to_owned(),
            ));
        }
        if let Some(version) = document.get("spec_version").and_then(Value::as_str)
            && version.parse::<f64>().is_ok_and(|version| version >= 4.0)
        {
            notes.loose("spec_version", format!("{version} is newer than 3.0, read as 3.0"));
        }
        Ok(CharacterCard { format, original: document, fields, book, assets })
    }

    /// Returns the document as a V3 card. Fields that V3 does not know stay in their places.
    pub fn to_v3(&self) -> Value {
        match self.format {
            CardFormat::V3 => self.original.clone(),
            _ => self.with_spec("chara_card_v3", "3.0"),
        }
    }

    /// Returns the document as a V2 card. Fields that V2 does not know stay in their places.
    pub fn to_v2(&self) -> Value {
        match self.format {
            CardFormat::V2 => self.original.clone(),
            _ => self.with_spec("chara_card_v2", "2.0"),
        }
    }

    fn with_spec(&self, spec: &str, version: &str) -> Value {
        let mut document = self.original.clone();
        let Some(top) = document.as_object_mut() else { return document };
        let has_data = top.get("data").is_some_and(Value::is_object)
            && matches!(self.format, CardFormat::V2 | CardFormat::V3);
        if !has_data {
            top.insert("data".to_owned(), self.fields.to_data());
            if let Some(extensions) = self.original.get("extensions").filter(|it| it.is_object()) {
                top["data"]["extensions"] = extensions.clone();
            }
        }
        top.insert("spec".to_owned(), json!(spec));
        top.insert("spec_version".to_owned(), json!(version));
        if spec == "chara_card_v3"
            && let Some(data) = top.get_mut("data").and_then(Value::as_object_mut)
        {
            data.entry("group_only_greetings").or_insert_with(|| json!([]));
        }
        document
    }
}

/// The format of a document, if it is a card.
pub(crate) fn card_format(document: &Value) -> Option<CardFormat> {
    let fields = document.as_object()?;
    let has = |name: &str| fields.contains_key(name);
    let spec = fields.get("spec").and_then(Value::as_str).unwrap_or_default();
    match spec {
        "chara_card_v2" => return Some(CardFormat::V2),
        "lorebook_v3" => return None,
        spec if spec.starts_with("chara_card_v") => return Some(CardFormat::V3),
        _ => {}
    }
    if has("char_name") {
        return Some(CardFormat::Pygmalion);
    }
    if has("name") && has("persona") && (has("greeting") || has("sampleChat")) {
        return Some(CardFormat::Agnai);
    }
    let data = fields.get("data").and_then(Value::as_object);
    if data.is_some_and(|data| data.contains_key("name") && data.contains_key("first_mes")) {
        return Some(CardFormat::V2);
    }
    let of_a_card = ["first_mes", "mes_example", "personality", "scenario", "description"];
    let count = of_a_card.iter().filter(|field| has(field)).count();
    (has("name") && !has("entries") && count >= 2).then_some(CardFormat::V1)
}

fn not_a_card(document: &Value) -> String {
    let Some(fields) = document.as_object() else {
        return format!("holds {}, and a card or a book is an object", json_kind(document));
    };
    let keys: Vec<String> =
        fields.keys().take(6).map(|key| format!("`{}`", visible_word(&clip(key, 40)))).collect();
    let keys = if keys.is_empty() { "no fields".to_owned() } else { keys.join(", ") };
    format!(
        "holds JSON, but neither a character card (`spec` and `data`, or `name` and `first_mes`) nor a world book \
         (`entries`): it has {keys}"
    )
}

fn parse_fields(
    data: &Value,
    path: &str,
    notes: &mut ImportNotes,
) -> Result<ParsedCard, CardProblem> {
    let mut card = LooseObject::new(data, path, notes);
    let mut fields = CardFields {
        name: one_line(&card.text(&["name"])),
        nickname: one_line(&card.text(&["nickname"])),
        description: card.text(&["description"]),
        personality: card.text(&["personality"]),
        scenario: card.text(&["scenario"]),
        first_message: card.text(&["first_mes"]),
        greetings: card.texts("alternate_greetings", ListSyntax::Whole),
        examples: card.text(&["mes_example"]),
        creator_notes: card.text(&["creator_notes", "creatorcomment"]),
        system_prompt: card.text(&["system_prompt"]),
        post_history_instructions: card.text(&["post_history_instructions"]),
        tags: card.texts("tags", ListSyntax::Commas),
        creator: one_line(&card.text(&["creator"])),
        character_version: one_line(&card.text(&["character_version"])),
        appearance: String::new(),
    };
    if fields.greetings.len() > GREETINGS_MAX {
        let (count, limit) = (fields.greetings.len(), GREETINGS_MAX);
        return Err(CardProblem::TooMany { count, what: "greetings", limit });
    }
    for (name, text) in [
        ("system_prompt", &fields.system_prompt),
        ("post_history_instructions", &fields.post_history_instructions),
    ] {
        if !text.trim().is_empty() {
            card.notes.not_mapped(
                if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") },
                MODEL,
            );
        }
    }
    if !card.texts("group_only_greetings", ListSyntax::Whole).is_empty() {
        let name = card.name("group_only_greetings");
        card.notes.not_mapped(name, "greetings for several characters at once");
    }
    card.rest_is_not_mapped(FIELDS, "no field of a campaign");
    let (extensions, book) = (card.get("extensions"), card.get("character_book"));
    let (inner, book_path) = (card.name("extensions"), card.name("character_book"));
    let assets = parse_assets(&mut card)?;
    if let Some(extensions) = extensions {
        let appearance = extensions.pointer("/agnai/appearance").and_then(Value::as_str);
        fields.appearance = appearance.unwrap_or_default().to_owned();
        let why = "a setting of the program that wrote the card";
        LooseObject::new(extensions, &inner, notes).rest_is_not_mapped(&[], why);
    }
    let book = book.map(|book| WorldBook::parse_in(book.clone(), &book_path, notes)).transpose();
    Ok((fields, book?, assets))
}

fn parse_assets(card: &mut LooseObject<'_, '_>) -> Result<Vec<CardAsset>, CardProblem> {
    let Some(list) = card.get("assets") else { return Ok(Vec::new()) };
    let items: Vec<&Value> = match list {
        Value::Array(items) => items.iter().collect(),
        Value::Object(items) => items.values().collect(),
        _ => Vec::new(),
    };
    if items.len() > CARD_ASSETS_MAX {
        let (count, limit) = (items.len(), CARD_ASSETS_MAX);
        return Err(CardProblem::TooMany { count, what: "assets", limit });
    }
    let mut assets = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        let path = card.name(&format!("assets[{at}]"));
        let mut item = LooseObject::new(item, &path, card.notes);
        let uri = item.text(&["uri"]);
        let place = asset_place(&uri);
        if let AssetPlace::Elsewhere(uri) = &place {
            item.notes
                .not_mapped(&path, format!("`{uri}` is not in the file, and nothing is fetched"));
        }
        let (kind, name) = (item.text(&["type"]), item.text(&["name"]));
        assets.push(CardAsset { kind, name, extension: item.text(&["ext"]), place });
    }
    Ok(assets)
}

/// `embeded://` is how the format spells it, `embedded://` how some programs do.
fn asset_place(uri: &str) -> AssetPlace {
    for prefix in ["embeded://", "embedded://"] {
        if let Some(path) = uri.strip_prefix(prefix) {
            return AssetPlace::File(path.trim_start_matches('/').to_owned());
        }
    }
    if let Some(key) = uri.strip_prefix("__asset:") {
        return AssetPlace::PngText(key.to_owned());
    }
    if uri.starts_with("ccdefault:") || uri.is_empty() {
        return AssetPlace::Default;
    }
    match uri.strip_prefix("data:").and_then(|data| data.split_once(";base64,")) {
        Some((_, data)) => AssetPlace::Data(data.to_owned()),
        None => AssetPlace::Elsewhere(uri.to_owned()),
    }
}

/// Writes a text into the field of a card where its format keeps it. Returns false if it has no such field.
pub(crate) fn set_field(card: &mut CharacterCard, field: &str, text: Value) -> bool {
    let name = match (card.format, field) {
        (CardFormat::Pygmalion, "name") => "char_name",
        (CardFormat::Pygmalion, "description") => "char_persona",
        (CardFormat::Pygmalion, "scenario") => "world_scenario",
        (CardFormat::Pygmalion, "first_mes") => "char_greeting",
        (CardFormat::Pygmalion | CardFormat::Agnai, "personality") => return false,
        (CardFormat::Agnai, "first_mes") => "greeting",
        (CardFormat::Agnai, "mes_example") => "sampleChat",
        (CardFormat::Agnai, "alternate_greetings") => "alternateGreetings",
        (CardFormat::Agnai, "character_book") => "characterBook",
        (CardFormat::Pygmalion, "mes_example") => "example_dialogue",
        (CardFormat::Agnai, "description") => return false,
        (_, name) => name,
    };
    let Some(top) = card.original.as_object_mut() else { return false };
    let in_data = matches!(card.format, CardFormat::V2 | CardFormat::V3);
    if let Some(data) = top.get_mut("data").and_then(Value::as_object_mut).filter(|_| in_data) {
        data.insert(name.to_owned(), text.clone());
        // Programs that know V1 alone read the copy at the top.
        if top.contains_key(name) {
            top.insert(name.to_owned(), text);
        }
    } else {
        top.insert(name.to_owned(), text);
    }
    true
}

/// The object that holds the fields of a card.
pub(crate) fn card_data(document: &mut Value) -> Option<&mut Map<String, Value>> {
    let has_data = document.get("data").is_some_and(Value::is_object);
    let holder = if has_data { document.get_mut("data")? } else { document };
    holder.as_object_mut()
}
