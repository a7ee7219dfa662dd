//! The rules for a field of an answer: its schema, and the check that words under it belong to this campaign.

use serde_json::{Map, Value, json};
use world_model::{definition::DIRECTIONS, words};

use super::{
    given::{GivenWords, has_name, normal, words_of},
    rename::NameForm,
};

/// Longest name of a place or a person, in characters: a player types it.
const WORDED_NAME_CHARS_MAX: usize = 32;

/// Most words of a name.
const NAME_WORDS_MAX: usize = 3;

/// Fewest characters of a text: less says nothing.
const TEXT_CHARS_MIN: usize = 12;

/// Marks that a text may have beside letters, digits and blanks. Others are markup, or speech within speech.
const MARKS: &str = ",.;:!?'()-\u{2019}\u{2013}\u{2014}\u{2026}";

/// Words that a name of a place cannot have: sentences use them for something else.
const NO_NAME_WORDS: [&str; 26] = [
    "a",
    "all",
    "an",
    "and",
    "at",
    "everything",
    "from",
    "her",
    "here",
    "him",
    "in",
    "it",
    "me",
    "my",
    "of",
    "on",
    "out",
    "the",
    "them",
    "then",
    "there",
    "to",
    "up",
    "with",
    "you",
    "your",
];

/// The rule for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordingRule {
    /// Another name.
    Name(NameForm),
    /// Sentences.
    Text { chars_max: usize },
    /// Several of them.
    Lines { count: usize, chars_max: usize },
}

impl WordingRule {
    /// Most characters of the field.
    pub(super) fn chars_max(self) -> usize {
        match self {
            WordingRule::Name(_) => WORDED_NAME_CHARS_MAX,
            WordingRule::Text { chars_max } => chars_max,
            WordingRule::Lines { count, chars_max } => count * (chars_max + 4),
        }
    }

    /// The schema of the field. It allows fewer characters than the check, so that a model cannot write markup.
    pub(super) fn schema(self) -> Value {
        match self {
            WordingRule::Name(NameForm::Place) => {
                json!({"type": "string", "pattern": "^[a-z]{3,12}( [a-z]{3,12})?$"})
            }
            WordingRule::Name(NameForm::Person) => {
                json!({"type": "string", "pattern": "^[A-Z][a-z]{1,11}( [A-Z][a-z]{1,13})?$"})
            }
            WordingRule::Text { chars_max } => text_schema(chars_max),
            WordingRule::Lines { count, chars_max } => json!({
                "type": "array",
                "items": text_schema(chars_max),
                "minItems": count,
                "maxItems": count,
            }),
        }
    }
}

fn text_schema(chars_max: usize) -> Value {
    let (least, most) = (TEXT_CHARS_MIN - 2, chars_max - 2);
    let pattern = format!(
        "^[A-Z][A-Za-z\u{c0}-\u{d6}\u{d8}-\u{f6}\u{f8}-\u{ff}0-9 ,.;:!?'-]{{{least},{most}}}[.!?]$"
    );
    json!({"type": "string", "pattern": pattern})
}

/// A field of an answer, and where its words go.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WordingSlot {
    /// The field.
    pub(super) key: String,
    /// The pointer to the words in the draft.
    pub(super) pointer: String,
    pub(super) rule: WordingRule,
    /// The words of the building blocks.
    pub(super) before: String,
}

/// The texts and names that words are compared with.
pub(super) struct WordingContext<'c> {
    pub(super) draft: &'c Value,
    pub(super) given: &'c GivenWords,
    /// All names of the campaign's places, doors, things and people.
    pub(super) names: &'c [String],
}

impl WordingSlot {
    /// The names that the words of the building blocks have, and that others must have too.
    pub(super) fn required_names<'n>(&self, names: &'n [String]) -> Vec<&'n str> {
        let before = normal(&self.before);
        let is_text = matches!(self.rule, WordingRule::Text { .. });
        let has = |name: &&String| is_text && has_name(&before, &normal(name));
        names.iter().filter(has).map(String::as_str).collect()
    }

    /// A name of the campaign in a description that the words of the building blocks do not have, and that is not the part's
    /// own: what is said there of another place or person may be wrong, and nobody there can look at it.
    fn added_name<'n>(
        &self,
        plain: &str,
        own: &str,
        context: &WordingContext<'n>,
    ) -> Option<&'n str> {
        let part = self.pointer.strip_suffix("/description")?;
        let before = normal(&self.before);
        let old = context.draft.pointer(&format!("{part}/name")).and_then(Value::as_str);
        let is_own = |name: &str| Some(name) == old || name == own;
        let is_added = |name: &&str| {
            let known = normal(name);
            !is_own(name) && has_name(plain, &known) && !has_name(&before, &known)
        };
        context.names.iter().map(String::as_str).find(is_added)
    }

    /// The words of this field, or why they do not count.
    pub(super) fn read(
        &self,
        fields: &Map<String, Value>,
        context: &WordingContext<'_>,
    ) -> Result<Value, String> {
        let value = fields.get(&self.key).ok_or("the answer lacks it")?;
        // The part may have its new name in its own texts.
        let own = fields.get("name").and_then(Value::as_str).unwrap_or_default();
        match self.rule {
            WordingRule::Name(form) => {
                let name = value.as_str().ok_or("it is no text")?;
                context.check_name(name, form)?;
                Ok(json!(name))
            }
            WordingRule::Text { chars_max } => {
                let text = value.as_str().ok_or("it is no text")?;
                let text = context.checked_text(text, chars_max, own)?;
                let plain = normal(&text);
                let lacks = |name: &&str| !has_name(&plain, &normal(name));
                if let Some(name) = self.required_names(context.names).into_iter().find(lacks) {
                    return Err(format!("it does not name `{name}`"));
                }
                match self.added_name(&plain, own, context) {
                    Some(name) => Err(format!("it names `{name}`, of which it was to say nothing")),
                    None => Ok(json!(text)),
                }
            }
            WordingRule::Lines { count, chars_max } => {
                let lines = value.as_array().filter(|lines| lines.len() == count);
                let lines = lines.ok_or_else(|| format!("it is no list of {count} texts"))?;
                let line = |line: &Value| {
                    context.checked_text(line.as_str().unwrap_or_default(), chars_max, own)
                };
                Ok(json!(lines.iter().map(line).collect::<Result<Vec<_>, _>>()?))
            }
        }
    }

    /// Writes words where they belong.
    pub(super) fn put(&self, draft: &mut Value, words: &Value) {
        let Some((parent, key)) = self.pointer.rsplit_once('/') else { return };
        if let Some(Value::Object(fields)) = draft.pointer_mut(parent) {
            fields.insert(key.to_owned(), words.clone());
        }
    }
}

impl WordingContext<'_> {
    /// A text with single blanks and a mark at its end, if it is plain, new, and about nothing that is not there.
    fn checked_text(&self, text: &str, chars_max: usize, own: &str) -> Result<String, String> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let count = text.chars().count();
        if count > chars_max {
            return Err(format!("it has {count} characters, {chars_max} are allowed"));
        }
        if count < TEXT_CHARS_MIN || !text.contains(' ') {
            return Err("it says nothing".to_owned());
        }
        let is_plain = |c: char| c.is_alphanumeric() || c == ' ' || MARKS.contains(c);
        if let Some(mark) = text.chars().find(|c| !is_plain(*c)) {
            return Err(format!("it has the character `{}`", mark.escape_debug()));
        }
        let text = words::ended(&text);
        if let Some(word) = inner_capitals(&text).into_iter().find(|word| !self.knows(word, own)) {
            return Err(format!("it names `{word}`, and there is nothing of this name"));
        }
        if holds(self.draft, &text) {
            return Err("another part has the same words".to_owned());
        }
        Ok(text)
    }

    /// Returns true if a capitalised word within a sentence belongs to this campaign.
    fn knows(&self, word: &str, own: &str) -> bool {
        let word = word.to_lowercase();
        let is_in = |text: &str| words_of(&text.to_lowercase()).any(|known| known == word);
        // `I`, `I'm`, `I'd`
        word.split(['\'', '\u{2019}']).next() == Some("i")
            || self.given.has_word(&word)
            || word.strip_suffix("'s").is_some_and(|plain| self.given.has_word(plain))
            || is_in(own)
            || self.names.iter().any(|name| is_in(name) || is_in(&format!("{name}'s")))
    }

    /// A name is new, can be typed, and is like no other one.
    fn check_name(&self, name: &str, form: NameForm) -> Result<(), String> {
        let words: Vec<&str> = name.split(' ').collect();
        let is_word = |word: &&str| {
            let is_capital = word.chars().next().is_some_and(char::is_uppercase);
            word.chars().count() > 1
                && word.chars().all(char::is_alphabetic)
                && word.chars().skip(1).all(char::is_lowercase)
                && is_capital == (form == NameForm::Person)
        };
        let count = name.chars().count();
        if count > WORDED_NAME_CHARS_MAX
            || words.len() > NAME_WORDS_MAX
            || !words.iter().all(is_word)
        {
            return Err("it is no name".to_owned());
        }
        let lower = normal(name);
        let is_spoken = |word: &&str| NO_NAME_WORDS.contains(word) || DIRECTIONS.contains(word);
        if let Some(word) = lower.split(' ').find(is_spoken) {
            return Err(format!("no name has the word `{word}`"));
        }
        let is_like = |known: &&String| {
            let known = normal(known);
            let shared = |word: &str| lower.split(' ').any(|own| own == word);
            has_name(&known, &lower)
                || has_name(&lower, &known)
                || (form == NameForm::Person && known.split(' ').any(shared))
        };
        match self.names.iter().find(is_like) {
            Some(known) => Err(format!("it is too like `{known}`")),
            None => Ok(()),
        }
    }
}

/// Capitalised words that do not begin a sentence.
fn inner_capitals(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_first = true;
    for piece in text.split(' ') {
        let word = words_of(piece).next();
        if let Some(word) = word.filter(|word| word.starts_with(char::is_uppercase) && !is_first) {
            found.push(word);
        }
        // A dash or an apostrophe before a word begins nothing.
        is_first =
            (is_first && word.is_none()) || piece.ends_with(['.', '!', '?', ':', '\u{2026}']);
    }
    found
}

/// Returns true if a text of the document equals this one, ignoring case.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(known) => known.eq_ignore_ascii_case(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(fields) => fields.values().any(|field| holds(field, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::inner_capitals;

    #[test]
    fn a_capital_within_a_sentence_is_a_name() {
        let found = inner_capitals("Cold iron. Ask Sven: He knows, and I'm tired - Mo-Ann isn't.");
        assert_eq!(found, ["Sven", "I'm", "Mo"]);
    }
}
