//! The facts of a turn and what the world says of the moment, read from the request. What cannot be read counts as
//! missing, because the facts come from steps of any skill.

use std::collections::BTreeSet;

use narratoria_facts::{Fact, name_of};
use narratoria_sdk::{Ctx, Value};
use serde::Deserialize;

/// Most facts of a beat. A look at a full room gives about eight; three actions in one sentence some twenty.
pub(crate) const FACTS_MAX: usize = 32;
/// Longest text of a fact, in characters.
pub(crate) const FACT_CHARS_MAX: usize = 1_200;
/// Longest text of all facts of a beat, in characters.
pub(crate) const BEAT_CHARS_MAX: usize = 6_000;
/// Longest text of an author that is told word for word, and of all of them in a beat, in characters.
pub(crate) const AUTHORED_CHARS_MAX: usize = 4_000;
pub(crate) const AUTHORED_BEAT_CHARS_MAX: usize = 12_000;
/// Most names of the world that are read, of each kind.
const NAMES_MAX: usize = 200;
/// Most details of a fact.
const DETAILS_MAX: usize = 40;

/// What is told.
#[derive(Debug, Default, Clone)]
pub(crate) struct KnownFacts {
    pub(crate) facts: Vec<Fact>,
    /// Texts of a campaign's author, which are told word for word and as paragraphs of their own.
    pub(crate) authored: Vec<String>,
    /// What happened because of them.
    pub(crate) after: Vec<Fact>,
}

impl KnownFacts {
    /// The facts of all earlier steps, in the order of the plan. A step with a text of its own has been told by the
    /// host.
    pub(crate) fn read(ctx: &Ctx) -> KnownFacts {
        let mut known = KnownFacts::default();
        let (mut chars, mut authored, mut deeds) = (0, 0, Vec::new());
        for (_, output) in ctx.inputs() {
            let Some(output) = output else { continue };
            let has_text =
                output.get("text").and_then(Value::as_str).is_some_and(|it| !it.trim().is_empty());
            if has_text {
                continue;
            }
            let stated = output.get("facts").and_then(Value::as_array);
            for fact in stated.into_iter().flatten().filter_map(|it| Fact::deserialize(it).ok()) {
                if let Some(text) = authored_text(&fact) {
                    authored += text.chars().count();
                    if authored <= AUTHORED_BEAT_CHARS_MAX {
                        if fact.fact == "told" && fact.because.as_deref() == Some("deed") {
                            deeds.push(fact.object);
                        }
                        known.authored.push(text);
                    }
                    continue;
                }
                let Some(fact) = plain_fact(fact) else { continue };
                chars += fact.text.chars().count();
                if known.facts.len() + known.after.len() < FACTS_MAX && chars <= BEAT_CHARS_MAX {
                    let follows = !known.authored.is_empty();
                    if follows { known.after.push(fact) } else { known.facts.push(fact) }
                }
            }
        }
        known.facts.retain(|fact| !deeds.iter().any(|deed| is_answered(fact, deed.as_deref())));
        known
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.authored.is_empty()
    }

    /// What is told after the author's texts, as facts of their own.
    pub(crate) fn afterwards(&self) -> KnownFacts {
        KnownFacts { facts: self.after.clone(), ..KnownFacts::default() }
    }

    pub(crate) fn has(&self, kind: &str) -> bool {
        self.facts.iter().any(|fact| fact.fact == kind)
    }

    /// Returns true if a fact says how an attempt went.
    pub(crate) fn tell_of_a_check(&self) -> bool {
        let ends = |fact: &Fact| {
            matches!(fact.because.as_deref(), Some("success" | "failure" | "picked" | "forced"))
                || matches!(fact.fact.as_str(), "persuaded" | "unmoved" | "stolen" | "noticed")
        };
        self.facts.iter().any(ends)
    }
}

/// Returns true if the fact is the world's own line about a deed that an author's text answers, done to this or to nothing: it
/// changes nothing and says nothing that the author could not say better. Author's words are among the details.
fn is_answered(fact: &Fact, deed: Option<&str>) -> bool {
    let is_of_deed = deed.is_none_or(|target| {
        fact.object.as_deref() == Some(target) || fact.subject.as_str() == target
    });
    let is_idle = match fact.fact.as_str() {
        "gesture" => fact.details.is_empty(),
        "silent" | "nothing_found" => true,
        "used" => nothing_happened(fact),
        _ => false,
    };
    is_of_deed && is_idle
}

/// Returns true if the use of something did nothing.
pub(super) fn nothing_happened(fact: &Fact) -> bool {
    fact.text.ends_with("nothing happens.")
}

/// The words of a fact that an author has written for the player, in paragraphs; `None` for other facts. An ending closes
/// with its title.
fn authored_text(fact: &Fact) -> Option<String> {
    if !matches!(fact.fact.as_str(), "told" | "ended") {
        return None;
    }
    let kept: String = fact.text.chars().take(AUTHORED_CHARS_MAX).collect();
    let plain = |paragraph: &str| {
        let visible = paragraph.chars().filter(|c| !crate::words::is_invisible(*c));
        let spaced: String = visible.map(|c| if c.is_control() { ' ' } else { c }).collect();
        spaced.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let paragraphs = kept.split("\n\n").map(plain);
    let title = fact.object.as_deref().filter(|_| fact.fact == "ended");
    let title = title.map(plain).filter(|title| !title.is_empty());
    let end = title.map(|title| format!("The end: {title}"));
    let told: Vec<String> =
        paragraphs.filter(|text| text.chars().any(char::is_alphanumeric)).chain(end).collect();
    (!told.is_empty()).then(|| told.join("\n\n"))
}

/// The fact with plain names and a text that ends; `None` where it has no text.
fn plain_fact(fact: Fact) -> Option<Fact> {
    let name = |text: Option<String>| text.as_deref().and_then(name_of);
    let in_words =
        |text: String| if fact.fact == "waited" { with_number_word(&text) } else { text };
    let text = in_words(plain_text(&fact.text)?);
    let details = fact.details.iter().take(DETAILS_MAX).filter_map(|detail| plain_text(detail));
    let details = details.map(|detail| in_words(detail.trim_end_matches('.').to_owned())).collect();
    Some(Fact {
        subject: name_of(&fact.subject).unwrap_or_else(|| "you".to_owned()),
        object: name(fact.object),
        other: name(fact.other),
        place: name(fact.place),
        because: fact
            .because
            .as_deref()
            .and_then(plain_text)
            .map(|why| why.trim_end_matches('.').to_owned()),
        details,
        text,
        fact: fact.fact,
    })
}

/// The text with a time such as `10 minutes` in words, as prose has it.
fn with_number_word(text: &str) -> String {
    let is_said = |number: &u64| matches!(number, 2..=12 | 15 | 20 | 30 | 40 | 45);
    let word = |word: &str| {
        let number = word.parse().ok().filter(is_said);
        // `+5` and `05` stay as they are.
        let number = number.filter(|number| number.to_string() == word);
        number.and_then(english::in_words).unwrap_or_else(|| word.to_owned())
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The text in visible characters and single spaces, cut at a sentence or a word, with an end.
fn plain_text(text: &str) -> Option<String> {
    let visible = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
    let kept: String = text
        .chars()
        .take(FACT_CHARS_MAX)
        .filter(|c| !crate::words::is_invisible(*c))
        .map(visible)
        .collect();
    let joined = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    if !joined.chars().any(char::is_alphanumeric) {
        return None;
    }
    let has_end = joined.ends_with(['.', '!', '?', '…', '"', '”', '\'', '’', ')']);
    Some(if has_end { joined } else { format!("{joined}.") })
}

/// What the world says of this moment.
#[derive(Debug, Default, Clone)]
pub(crate) struct WorldView {
    /// The place, as the world names it.
    pub(crate) here: Option<String>,
    /// The people who are here.
    pub(crate) people: Vec<String>,
    /// Those of them who do not see what the player does.
    pub(crate) unseeing: Vec<String>,
    /// Every name in scope.
    pub(crate) names: Vec<String>,
    /// Directions that lead somewhere from here.
    pub(crate) directions: Vec<String>,
    pub(crate) is_dark: bool,
    /// The player has come here within the beat, so that a fact may have happened elsewhere.
    pub(crate) has_moved: bool,
}

impl WorldView {
    pub(crate) fn read(ctx: &Ctx) -> WorldView {
        let at = |pointer: &str| ctx.state().pointer(pointer);
        let here = at("/world/scope/here").and_then(one_name);
        let people = at("/world/scope/people").map(names).unwrap_or_default();
        let unseeing = at("/world/scope/unseeing").map(names).unwrap_or_default();
        let directions = at("/world/scope/directions").map(names).unwrap_or_default();
        let mut all = BTreeSet::new();
        for part in
            ["things", "people", "carried", "doors", "exits", "topics", "scenery", "targets"]
        {
            let pointer = format!("/world/scope/{part}");
            all.extend(at(&pointer).map(names).unwrap_or_default());
        }
        all.extend(here.clone());
        let light = at("/world/now/light").and_then(Value::as_str);
        let is_dark =
            light == Some("dark") || at("/world/now/dark").and_then(Value::as_bool) == Some(true);
        WorldView {
            here,
            people,
            unseeing,
            names: all.into_iter().collect(),
            directions,
            is_dark,
            has_moved: false,
        }
    }
}

/// The names of a list of texts or of objects with a `name`, or the keys of an object.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().take(NAMES_MAX).filter_map(one_name).collect(),
        Value::Object(fields) => {
            fields.keys().take(NAMES_MAX).filter_map(|name| name_of(name)).collect()
        }
        _ => Vec::new(),
    }
}

fn one_name(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("name").and_then(Value::as_str));
    text.and_then(name_of)
}
