//! A card's fields as the profile of a person.

use serde_json::{Map, Value, json};

use super::plain_text::shorten;
use crate::{CardFields, ImportNotes, MacroNames, card_text::one_line};

/// Longest trait, in characters. A longer part is a sentence and stays one trait with the others.
const TRAIT_CHARS: usize = 60;

/// Longest trait that a profile can hold, in characters.
const TRAIT_TEXT_CHARS: usize = 400;

/// Traits that a profile can hold.
const TRAITS_MOST: usize = 50;

/// Longest background that a profile can hold, in characters, and a little less.
pub(crate) const BACKGROUND_CHARS: usize = 7_800;

/// Traits that a list may have.
const TRAITS: usize = 24;

/// Examples of speech that a profile holds.
pub(crate) const EXAMPLES: usize = 20;

/// Longest example, in words.
const EXAMPLE_WORDS: usize = 60;

/// Longest name of a person, in characters, as worlds have it.
pub(crate) const NAME_CHARS: usize = 60;

/// The name of a person as a world can have it.
pub(crate) fn person_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|char| !char.is_control() && !"{}<>\u{201c}\u{201d}\"".contains(*char))
        .collect();
    let cut: String = one_line(&plain).chars().take(NAME_CHARS).collect();
    let cut = without_article(cut.trim());
    if cut.chars().any(char::is_alphanumeric) { cut.to_owned() } else { "Somebody".to_owned() }
}

/// `The Innkeeper` is the `Innkeeper` of a world, which puts the article before the name itself.
fn without_article(mut name: &str) -> &str {
    loop {
        let (first, rest) = name.split_once(' ').unwrap_or((name, ""));
        if !["a", "an", "the"].contains(&first.to_lowercase().as_str()) {
            return name;
        }
        name = rest.trim_start();
    }
}

/// The profile of a card. `portrait` is its path, or empty.
pub(crate) fn profile(
    fields: &CardFields,
    names: &MacroNames,
    who: &str,
    portrait: &str,
    notes: &mut ImportNotes,
) -> Value {
    let tell = |text: &str, what: &str, notes: &mut ImportNotes| {
        names.tell(text, what, notes).trim().to_owned()
    };
    let personality = tell(&fields.personality, "personality", notes);
    let mut profile = Map::new();
    profile.insert("name".to_owned(), json!(who));
    profile.insert("role".to_owned(), json!(role(fields)));
    profile.insert("personality".to_owned(), json!({ "traits": traits(&personality) }));
    let examples = examples(fields, names, notes);
    if !examples.is_empty() {
        profile.insert("speech_patterns".to_owned(), json!({ "examples": examples }));
    }
    let description = tell(&fields.description, "description", notes);
    let appearance = match fields.appearance.trim() {
        "" => appearance_line(&description),
        text => tell(text, "appearance", notes),
    };
    let background = description.chars().take(BACKGROUND_CHARS).collect::<String>();
    let appearance = appearance.chars().take(TRAIT_TEXT_CHARS * 4).collect::<String>();
    for (field, text) in
        [("appearance", appearance.as_str()), ("portrait", portrait), ("background", &background)]
    {
        if !text.is_empty() {
            profile.insert(field.to_owned(), json!(text));
        }
    }
    let mut metadata = json!({ "importance": "major" });
    if !fields.tags.is_empty() {
        metadata["tags"] = json!(tags(fields));
    }
    profile.insert("metadata".to_owned(), metadata);
    Value::Object(profile)
}

/// Tags as a profile and a manifest can hold them.
pub(crate) fn tags(fields: &CardFields) -> Vec<String> {
    let cut = |tag: &String| one_line(tag).chars().take(60).collect();
    fields.tags.iter().take(50).map(cut).collect()
}

/// Long enough not to become another name of the person, as a trade would.
fn role(fields: &CardFields) -> String {
    let tags: Vec<String> = fields.tags.iter().take(3).map(|tag| one_line(tag)).collect();
    let role = match tags.is_empty() {
        true => "somebody from a character card, as the background says".to_owned(),
        false => format!("somebody from a character card with the tags {}", tags.join(", ")),
    };
    role.chars().take(200).collect()
}

/// A list of traits, or the text as it is.
pub(crate) fn traits(personality: &str) -> Vec<String> {
    let parts: Vec<String> = personality
        .split([',', ';', '\n'])
        .map(|part| one_line(part.trim().trim_matches(['"', '+', '(', ')', '.', '-', '•', '*'])))
        .filter(|part| !part.is_empty())
        .collect();
    let is_list =
        parts.len() <= TRAITS && parts.iter().all(|part| part.chars().count() <= TRAIT_CHARS);
    match (personality.trim().is_empty(), is_list && !parts.is_empty()) {
        (true, _) => vec!["as the background says".to_owned()],
        (false, true) => parts,
        (false, false) => sentences(personality),
    }
}

/// The text in pieces that a list of traits can hold.
fn sentences(text: &str) -> Vec<String> {
    let text = one_line(text);
    let mut pieces: Vec<String> = Vec::new();
    for sentence in text.split_inclusive(['.', '!', '?', ';']) {
        for word in sentence.split_inclusive(' ') {
            let room =
                |piece: &String| piece.chars().count() + word.chars().count() < TRAIT_TEXT_CHARS;
            match pieces.last_mut().filter(|piece| room(piece)) {
                Some(piece) => piece.push_str(word),
                None => pieces.push(word.chars().take(TRAIT_TEXT_CHARS - 1).collect()),
            }
        }
    }
    pieces.iter().map(|piece| piece.trim().to_owned()).take(TRAITS_MOST).collect()
}

/// The words that the character says in the examples.
fn examples(fields: &CardFields, names: &MacroNames, notes: &mut ImportNotes) -> Vec<String> {
    let text = names.tell(&fields.examples.replace("<START>", "\n"), "mes_example", notes);
    let starts = [format!("{}:", names.character), format!("{}:", fields.name)];
    let mut said: Vec<String> = Vec::new();
    let mut by_character = false;
    let mut has_speakers = false;
    for line in text.lines().map(str::trim) {
        let speech = starts.iter().find_map(|start| line.strip_prefix(start.as_str()));
        match speech {
            Some(speech) => {
                has_speakers = true;
                by_character = true;
                said.push(speech.trim().to_owned());
            }
            None if line.is_empty()
                || line.split_once(':').is_some_and(|(name, _)| is_speaker(name)) =>
            {
                by_character = false;
            }
            None if by_character => {
                if let Some(last) = said.last_mut() {
                    last.push(' ');
                    last.push_str(line);
                }
            }
            None => {}
        }
    }
    if !has_speakers {
        said = text
            .lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect();
    }
    said.retain(|text| !text.is_empty());
    if said.len() > EXAMPLES {
        let more = said.len() - EXAMPLES;
        notes.not_mapped(
            "mes_example",
            format!("a profile has {EXAMPLES} examples of speech, {more} more are left out"),
        );
    }
    said.iter().take(EXAMPLES).map(|text| shorten(&one_line(text), EXAMPLE_WORDS)).collect()
}

fn is_speaker(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= 40
        && name.split_whitespace().count() <= 4
        && !name.contains(['*', '"', '.'])
}

/// Returns the text of a line such as `Appearance: …`; empty if there is none.
fn appearance_line(description: &str) -> String {
    let labels = ["appearance", "looks", "physical appearance", "physical description"];
    let mut lines = description.lines().filter_map(|line| {
        line.trim().trim_start_matches(['-', '*', '[', ' ']).split_once([':', '='])
    });
    let found = lines.find(|(label, _)| {
        labels.contains(&label.trim().trim_matches('*').to_lowercase().as_str())
    });
    found
        .map(|(_, text)| shorten(&one_line(text.trim().trim_matches(['"', ']', '*'])), 80))
        .unwrap_or_default()
}

/// `he`, `she` or `it`, where the texts leave no doubt.
pub(crate) fn pronoun(fields: &CardFields) -> Option<&'static str> {
    let text =
        format!("{} {} {}", fields.description, fields.personality, fields.scenario).to_lowercase();
    let mut counts = [("she", 0_usize), ("he", 0), ("it", 0)];
    for word in text.split(|char: char| !char.is_alphanumeric()) {
        match word {
            "she" | "her" | "hers" | "herself" | "female" | "woman" | "girl" => counts[0].1 += 1,
            "he" | "him" | "his" | "himself" | "male" | "man" | "boy" => counts[1].1 += 1,
            _ => {}
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    (counts[0].1 >= 2 && counts[0].1 >= 3 * counts[1].1).then_some(counts[0].0)
}
