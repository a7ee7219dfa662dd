//! What the point of view cannot know: the thoughts of others, and secrets of others.

use std::collections::BTreeSet;

use english::WordClass;

use super::{
    finding::{SceneFault, SceneFaultKind, fault, without_quotations},
    names::SceneNames,
    presence::{after, bare},
};
use crate::words::content_stems;

/// The share of a secret's words that makes a sentence about it.
const SECRET_SHARE: f64 = 0.75;

/// Fewest words of a secret.
const SECRET_WORDS_MIN: usize = 3;

pub(super) fn check(names: &SceneNames<'_>, sentence: &str) -> Vec<SceneFault> {
    let text = without_quotations(sentence);
    let mut faults = thoughts(names, &text);
    faults.extend(secrets(names, sentence, &text));
    faults
}

/// The thoughts of somebody else than the point of view, told as facts.
fn thoughts(names: &SceneNames<'_>, text: &str) -> Vec<SceneFault> {
    let Some(pov) = names.pov() else { return Vec::new() };
    let mut faults = Vec::new();
    for (one, called) in names.people.iter().filter(|(one, _)| one.id != pov.id) {
        let verb = called.iter().find_map(|name| {
            after(text, name).find_map(|rest| {
                let mut words = rest.split_whitespace().map(bare);
                let first = words.next()?;
                let verb = match first {
                    "secretly" | "never" | "always" | "silently" | "privately" | "still" => {
                        words.next()?
                    }
                    first => first,
                };
                // "A limp that Marcus knew" says nothing of his thoughts.
                let goes_on = words.next().is_some();
                (WordClass::InnerDeed.has(verb) && goes_on).then_some(verb)
            })
        });
        let Some(verb) = verb else { continue };
        // What somebody seems to think can be seen; "thought about it for a mile and said" is seen as well.
        let is_seen = ["seemed", "looked", "as if", "perhaps", "must have", "might"];
        if is_seen.iter().any(|mark| text.contains(mark)) {
            continue;
        }
        let what = format!("{} sees what {} {verb}", pov.name, one.name);
        faults.push(fault(SceneFaultKind::Knowledge, what));
    }
    faults
}

/// A secret of others that the text tells as a fact.
fn secrets(names: &SceneNames<'_>, sentence: &str, text: &str) -> Vec<SceneFault> {
    let Some(pov) = names.pov() else { return Vec::new() };
    let words: BTreeSet<String> = content_stems(text).into_iter().collect();
    let mut faults = Vec::new();
    for memory in &names.request.story.memories {
        if memory.known_by.is_empty() || memory.known_by.contains(&pov.id) {
            continue;
        }
        let secret: BTreeSet<String> = content_stems(&memory.summary).into_iter().collect();
        if secret.len() < SECRET_WORDS_MIN {
            continue;
        }
        let shared = secret.intersection(&words).count();
        let is_about_it = shared as f64 >= secret.len() as f64 * SECRET_SHARE;
        let is_told = !sentence.trim_end().ends_with('?')
            && text.split_whitespace().any(|word| WordClass::KnowingInScene.has(bare(word)));
        if is_about_it && is_told {
            let what = format!("{} cannot know this: {}", pov.name, memory.summary);
            faults.push(fault(SceneFaultKind::Knowledge, what));
        }
    }
    faults
}
