//! What a scene says that two people are to each other, against their relationship.

use super::{
    finding::{SceneFault, SceneFaultKind, fault, without_quotations},
    names::SceneNames,
    presence::{after, bare},
};

/// Words for a tie, by kind: two kinds contradict each other unless the story has both.
const TIES: [(&str, &[&str]); 7] = [
    (
        "kin",
        &[
            "brother", "sister", "mother", "father", "daughter", "son", "cousin", "aunt", "uncle",
            "sibling", "parent",
        ],
    ),
    ("spouse", &["husband", "wife", "spouse", "fiancé", "fiancée"]),
    ("lover", &["lover", "sweetheart"]),
    ("enemy", &["enemy", "foe", "rival", "nemesis"]),
    ("friend", &["friend", "ally", "confidant", "companion"]),
    ("teacher", &["mentor", "teacher", "master", "tutor"]),
    ("pupil", &["apprentice", "student", "pupil", "protégé"]),
];

/// Ties that can be true at the same time as another one of these.
const COMPATIBLE: [(&str, &str); 4] =
    [("friend", "teacher"), ("friend", "pupil"), ("teacher", "pupil"), ("spouse", "lover")];

/// Words for people who do not know each other.
const STRANGERS: [&str; 6] = [
    "had never met",
    "had never seen",
    "was a stranger to",
    "a stranger named",
    "did not know who",
    "a stranger called",
];

pub(super) fn check(names: &SceneNames<'_>, sentence: &str) -> Vec<SceneFault> {
    let Some(pov) = names.pov() else { return Vec::new() };
    let text = without_quotations(sentence);
    let mut faults = Vec::new();
    for (one, called) in names.people.iter().filter(|(one, _)| one.id != pov.id) {
        let Some(relationship) = names.request.story.relationship(&pov.id, &one.id) else {
            continue;
        };
        let story =
            format!("{} {}", relationship.relationship_type, relationship.status).to_lowercase();
        if let Some(mark) = STRANGERS.iter().find(|mark| is_between(&text, mark, called)) {
            let what = format!(
                "{} and {} know each other ({}), and the scene says \"{mark}\"",
                pov.name, one.name, relationship.relationship_type
            );
            faults.push(fault(SceneFaultKind::Relationship, what));
        }
        let Some((kind, word)) = called.iter().find_map(|name| tie_of(&text, name)) else {
            continue;
        };
        let own = kinds_in(&story);
        let agrees = own.is_empty()
            || own.contains(&kind)
            || own.iter().any(|own| {
                COMPATIBLE.contains(&(*own, kind)) || COMPATIBLE.contains(&(kind, *own))
            });
        if !agrees {
            let what = format!(
                "{} is {} of {} ({}), and the scene says \"{word}\"",
                one.name, relationship.relationship_type, pov.name, relationship.status
            );
            faults.push(fault(SceneFaultKind::Relationship, what));
        }
    }
    faults
}

/// True if the mark is followed or preceded by one of the names within the sentence.
fn is_between(text: &str, mark: &str, called: &[&str]) -> bool {
    let Some((before, behind)) = text.split_once(mark) else { return false };
    let near = |part: &str, name: &&str| after(part, name).next().is_some();
    let next: String = behind.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    called.iter().any(|name| near(&next, name) || (mark.starts_with("did") && near(before, name)))
}

/// The tie that stands right before or behind a name: `her enemy Marcus`, `Marcus, her brother`.
fn tie_of(text: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let possessives =
        ["her", "his", "their", "my", "old", "sworn", "dear", "younger", "older", "elder"];
    for (at, _) in text.match_indices(name) {
        let before: Vec<&str> = text[..at].split_whitespace().rev().take(3).map(bare).collect();
        if let [tie, owner, ..] = before.as_slice()
            && possessives.contains(&owner.to_lowercase().as_str())
            && !text[..at].trim_end().ends_with(['.', '!', '?', ';'])
            && let Some(found) = kind_of(tie)
        {
            return Some(found);
        }
        let rest = &text[at + name.len()..];
        if let Some(rest) = rest.strip_prefix(", ").or_else(|| rest.strip_prefix(" was ")) {
            let words: Vec<&str> = rest.split_whitespace().take(3).map(bare).collect();
            let owned = words.first().is_some_and(|word| possessives.contains(word));
            if let Some(found) =
                words.iter().skip(1).find_map(|word| kind_of(word)).filter(|_| owned)
            {
                return Some(found);
            }
        }
    }
    None
}

fn kind_of(word: &str) -> Option<(&'static str, &'static str)> {
    let word = word.to_lowercase();
    TIES.iter()
        .find_map(|(kind, words)| words.iter().find(|tie| **tie == word).map(|tie| (*kind, *tie)))
}

fn kinds_in(text: &str) -> Vec<&'static str> {
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |ties: &[&str]| ties.iter().any(|tie| words.contains(tie));
    TIES.iter().filter(|(_, ties)| has(ties)).map(|(kind, _)| *kind).collect()
}
