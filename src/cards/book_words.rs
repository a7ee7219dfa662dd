//! The words of each program for world books and their entries.

use serde_json::{Value, json};

/// The program whose words a book is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldBookFormat {
    /// A file of SillyTavern: `key`, `keysecondary`, `order`, `disable`.
    SillyTavern,
    /// The book in a card: `keys`, `secondary_keys`, `insertion_order`, `enabled`.
    CharacterBook,
    /// A book of V3 in a file of its own.
    LorebookV3,
    /// RisuAI: `key` with commas, `alwaysActive`.
    Risu,
    /// Agnai: `keywords`, `entry`, `weight`.
    Agnai,
    /// NovelAI: `keys`, `text`, `displayName`.
    NovelAi,
}

/// The names of an entry's fields in a format. An empty name means that the format has no such field.
pub(crate) struct BookWords {
    pub(crate) entries: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) secondary: &'static str,
    pub(crate) content: &'static str,
    pub(crate) title: &'static [&'static str],
    pub(crate) order: &'static str,
    pub(crate) constant: &'static str,
    /// And whether it says `disabled`.
    pub(crate) enabled: (&'static str, bool),
    pub(crate) known: &'static [&'static str],
}

const SILLY_TAVERN: BookWords = BookWords {
    entries: "/entries",
    keys: "key",
    secondary: "keysecondary",
    content: "content",
    title: &["comment"],
    order: "order",
    constant: "constant",
    enabled: ("disable", true),
    known: &[
        "uid",
        "key",
        "keysecondary",
        "comment",
        "content",
        "constant",
        "order",
        "disable",
        "addMemo",
        "displayIndex",
        "selective",
        "useProbability",
    ],
};

const CHARACTER_BOOK: BookWords = BookWords {
    entries: "/entries",
    keys: "keys",
    secondary: "secondary_keys",
    content: "content",
    title: &["name", "comment"],
    order: "insertion_order",
    constant: "constant",
    enabled: ("enabled", false),
    known: &[
        "id",
        "uid",
        "keys",
        "secondary_keys",
        "name",
        "comment",
        "content",
        "constant",
        "insertion_order",
        "enabled",
        "selective",
        "use_regex",
        "extensions",
    ],
};

const RISU: BookWords = BookWords {
    entries: "/data",
    keys: "key",
    secondary: "secondkey",
    content: "content",
    title: &["comment"],
    order: "insertorder",
    constant: "alwaysActive",
    enabled: ("", false),
    known: &[
        "key",
        "secondkey",
        "comment",
        "content",
        "alwaysActive",
        "insertorder",
        "selective",
        "useRegex",
    ],
};

const AGNAI: BookWords = BookWords {
    entries: "/entries",
    keys: "keywords",
    secondary: "secondaryKeys",
    content: "entry",
    title: &["name"],
    order: "weight",
    constant: "constant",
    enabled: ("enabled", false),
    known: &[
        "id",
        "name",
        "entry",
        "keywords",
        "weight",
        "enabled",
        "secondaryKeys",
        "constant",
        "selective",
        "comment",
    ],
};

const NOVEL_AI: BookWords = BookWords {
    entries: "/entries",
    keys: "keys",
    secondary: "",
    content: "text",
    title: &["displayName"],
    order: "",
    constant: "forceActivation",
    enabled: ("enabled", false),
    known: &["id", "text", "displayName", "keys", "enabled", "forceActivation", "lastUpdatedAt"],
};

impl WorldBookFormat {
    pub(crate) fn words(self) -> &'static BookWords {
        const LOREBOOK_V3: BookWords = BookWords { entries: "/data/entries", ..CHARACTER_BOOK };
        match self {
            WorldBookFormat::SillyTavern => &SILLY_TAVERN,
            WorldBookFormat::CharacterBook => &CHARACTER_BOOK,
            WorldBookFormat::LorebookV3 => &LOREBOOK_V3,
            WorldBookFormat::Risu => &RISU,
            WorldBookFormat::Agnai => &AGNAI,
            WorldBookFormat::NovelAi => &NOVEL_AI,
        }
    }
}

/// Returns the fields that SillyTavern expects in an entry besides its texts.
pub(crate) fn silly_tavern_rest(uid: usize) -> Vec<(String, Value)> {
    let rest = json!({
        "uid": uid, "keysecondary": [], "selective": true, "selectiveLogic": 0, "addMemo": true, "position": 0,
        "excludeRecursion": false, "preventRecursion": false, "probability": 100, "useProbability": true,
        "depth": 4, "displayIndex": uid
    });
    rest.as_object().map(|rest| rest.clone().into_iter().collect()).unwrap_or_default()
}

/// The format of a document, if it is a book.
pub(crate) fn book_format(document: &Value) -> Option<WorldBookFormat> {
    let fields = document.as_object()?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("spec") == "lorebook_v3" {
        return Some(WorldBookFormat::LorebookV3);
    }
    if text("type") == "risu" && fields.get("data").is_some_and(Value::is_array) {
        return Some(WorldBookFormat::Risu);
    }
    let entries = fields.get("entries")?;
    if fields.contains_key("lorebookVersion") {
        return Some(WorldBookFormat::NovelAi);
    }
    let first = match entries {
        Value::Array(entries) => entries.first(),
        Value::Object(entries) => entries.values().next(),
        _ => return None,
    };
    if text("kind") == "memory" {
        return Some(WorldBookFormat::Agnai);
    }
    let has = |field: &str| first.is_some_and(|first| first.get(field).is_some());
    Some(match () {
        () if has("keys") && has("text") && !has("content") => WorldBookFormat::NovelAi,
        () if has("entry") && has("keywords") => WorldBookFormat::Agnai,
        () if has("keys") => WorldBookFormat::CharacterBook,
        () if has("key") => WorldBookFormat::SillyTavern,
        () if entries.is_array() => WorldBookFormat::CharacterBook,
        () => WorldBookFormat::SillyTavern,
    })
}
