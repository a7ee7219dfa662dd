//! Selects the lore and people of a campaign for planners and storytellers, by relevance to the sentence and to what is
//! in scope. Each note says why it was chosen.

use std::collections::BTreeMap;

use super::scope::names_in_scope;
use narratoria_narrator::SeenNote;
use narratoria_protocol::{
    CompiledCampaign, LORE_DOCUMENT, LoreEntry, Object, PEOPLE_DOCUMENT, PersonEntry, visible::clip,
};
use narratoria_story::Story;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Most notes of one turn.
const NOTES_MAX: usize = 8;

/// Most bytes of all notes of one turn. A small model reads some thousand words in all.
const NOTES_BYTES_MAX: usize = 6 << 10;

/// Longest note, in characters.
const NOTE_CHARS_MAX: usize = 800;

/// Most names in scope for which notes are searched.
const SCOPE_NAMES_MAX: usize = 400;

/// The lists of `/world/scope` whose names count, the nearest first.
const SCOPE_LISTS: [&str; 5] = ["people", "things", "carried", "doors", "here"];

/// The notes of a turn, the most relevant first, and the number of those that did not fit.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct SeenNotes {
    pub(crate) notes: Vec<SeenNote>,
    pub(crate) cut: usize,
}

/// Lore and people of a story's campaign.
#[derive(Debug, Default)]
pub(crate) struct CampaignNotes(Vec<CampaignNote>);

#[derive(Debug)]
struct CampaignNote {
    name: String,
    text: String,
    /// In lower case, each between spaces.
    keywords: Vec<String>,
    always: bool,
}

impl CampaignNotes {
    /// Returns the notes of a story; without a campaign there are none.
    pub(crate) fn of(story: &Story) -> CampaignNotes {
        let campaign = story.campaign().unwrap_or_else(|error| {
            // Scripts cannot read it either, and their steps report that.
            tracing::warn!("the story's campaign cannot be read: {error}");
            None
        });
        let Some(campaign) = campaign else { return CampaignNotes::default() };
        let lore = entries::<LoreEntry>(&campaign, LORE_DOCUMENT);
        let people = entries::<PersonEntry>(&campaign, PEOPLE_DOCUMENT);
        CampaignNotes::from_entries(lore, people)
    }

    fn from_entries(lore: Vec<LoreEntry>, people: Vec<PersonEntry>) -> CampaignNotes {
        let of_lore = |entry: LoreEntry| CampaignNote {
            keywords: entry.keywords.iter().chain([&entry.name]).map(|word| spaced(word)).collect(),
            name: entry.name,
            text: entry.text,
            always: entry.always,
        };
        let of_person = |entry: PersonEntry| CampaignNote {
            keywords: entry.aliases.iter().chain([&entry.name]).map(|word| spaced(word)).collect(),
            name: entry.name,
            text: entry.text,
            always: false,
        };
        let notes = people.into_iter().map(of_person).chain(lore.into_iter().map(of_lore));
        CampaignNotes(notes.filter(|note| !note.text.trim().is_empty()).collect())
    }

    /// Returns the notes for a sentence in this state.
    pub(crate) fn relevant(&self, sentence: &str, state: &Object) -> SeenNotes {
        if self.0.is_empty() {
            return SeenNotes::default();
        }
        let (sentence, scope) = (spaced(sentence), scope_names(state));
        // Each entry has up to fifty keywords, and the scope hundreds of names, so each name is normalised only once.
        let mut nearness = BTreeMap::new();
        for (at, name) in scope.iter().enumerate() {
            nearness.entry(spaced(name)).or_insert(at);
        }
        let mut found: Vec<(u8, &CampaignNote, String)> = Vec::new();
        for note in &self.0 {
            let named =
                note.keywords.iter().find(|word| word.len() > 2 && sentence.contains(&**word));
            let here = || note.keywords.iter().filter_map(|word| nearness.get(word)).min();
            if let Some(word) = named {
                found.push((1, note, format!("the sentence says `{}`", word.trim())));
            } else if note.always {
                found.push((0, note, "it is read at each turn".to_owned()));
            } else if let Some(at) = here() {
                found.push((2, note, format!("`{}` is near", scope[*at])));
            }
        }
        found.sort_by_key(|(rank, ..)| *rank);
        within_budget(found)
    }
}

fn within_budget(found: Vec<(u8, &CampaignNote, String)>) -> SeenNotes {
    let mut seen = SeenNotes::default();
    let mut bytes = 0;
    for (_, note, why) in found {
        let text = clip(note.text.trim(), NOTE_CHARS_MAX).into_owned();
        if seen.notes.len() == NOTES_MAX || bytes + text.len() > NOTES_BYTES_MAX {
            seen.cut += 1;
            continue;
        }
        bytes += text.len();
        seen.notes.push(SeenNote { name: note.name.clone(), text, why });
    }
    seen
}

/// Returns the entries of a document; none if it cannot be read, because that must not cost a turn.
fn entries<T: DeserializeOwned>(campaign: &CompiledCampaign, path: &str) -> Vec<T> {
    let read = campaign.read(path).unwrap_or_else(|error| {
        tracing::warn!("the campaign's `{path}` cannot be read: {error}");
        None
    });
    read.unwrap_or_default()
}

/// Returns the names in scope, the place first.
fn scope_names(state: &Object) -> Vec<String> {
    let Some(world) = state.get("world") else { return Vec::new() };
    let place = world.pointer("/now/place").and_then(Value::as_str).map(str::to_owned);
    let names = SCOPE_LISTS.iter().flat_map(|list| names_in_scope(state, list));
    place.into_iter().chain(names.map(str::to_owned)).take(SCOPE_NAMES_MAX).collect()
}

/// Returns the words of a text in lower case, each between spaces, so that only whole words are found.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn notes() -> CampaignNotes {
        let lore = |name: &str, keywords: &[&str], text: &str, always| LoreEntry {
            name: name.to_owned(),
            keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
            text: text.to_owned(),
            always,
        };
        let person = PersonEntry {
            name: "Mina Holt".to_owned(),
            aliases: vec!["Mina".to_owned()],
            text: "She mends nets.".to_owned(),
        };
        CampaignNotes::from_entries(
            vec![
                lore("The tide", &["ebb", "spring tide"], "It comes twice a day.", false),
                lore("Tone", &[], "Dry and exact.", true),
                lore("The bell", &["bell"], "It cracked in 1911.", false),
            ],
            vec![person],
        )
    }

    #[track_caller]
    fn check(sentence: &str, state: Value, expect: &str) {
        let seen = notes().relevant(sentence, state.as_object().unwrap());
        let lines: Vec<String> =
            seen.notes.iter().map(|note| format!("{}: {}", note.name, note.why)).collect();
        assert_eq!(lines.join("; "), expect);
    }

    #[test]
    fn a_note_is_chosen_by_the_sentence_or_by_what_is_near_and_says_why() {
        let none = json!({});
        check("I wait", none.clone(), "Tone: it is read at each turn");
        check(
            "I ask about the Spring Tide.",
            none.clone(),
            "Tone: it is read at each turn; The tide: the sentence says `spring tide`",
        );
        // Only whole words count.
        check("the bellows", none, "Tone: it is read at each turn");
        let here = json!({"world": {"now": {"place": "quay"}, "scope": {"people": ["Mina Holt"], "things": ["bell"]}}});
        check(
            "I wait",
            here.clone(),
            "Tone: it is read at each turn; Mina Holt: `Mina Holt` is near; The bell: `bell` is near",
        );
        check(
            "I greet mina",
            here,
            "Tone: it is read at each turn; Mina Holt: the sentence says `mina`; The bell: `bell` is near",
        );
    }

    #[test]
    fn notes_stay_within_their_budget() {
        let entry = |number: usize| LoreEntry {
            name: format!("n{number}"),
            text: "x".repeat(NOTE_CHARS_MAX * 2),
            always: true,
            ..LoreEntry::default()
        };
        let notes = CampaignNotes::from_entries((0..40).map(entry).collect(), Vec::new());
        let seen = notes.relevant("", &Object::new());
        let bytes: usize = seen.notes.iter().map(|note| note.text.len()).sum();
        assert!(bytes <= NOTES_BYTES_MAX && seen.notes.len() <= NOTES_MAX);
        assert_eq!(seen.notes.len() + seen.cut, 40);
    }
}
