//! Who acts or speaks in a scene, and may not: the dead, and those who are elsewhere.

use english::WordClass;

use super::{
    finding::{SceneFault, SceneFaultKind, fault, without_quotations},
    names::SceneNames,
};
use crate::tick::story_view::TickCharacter;

pub(super) fn check(names: &SceneNames<'_>, sentence: &str) -> Vec<SceneFault> {
    let text = without_quotations(sentence);
    let mut faults = Vec::new();
    for (one, called) in &names.people {
        let acts = called.iter().any(|name| is_subject(&text, name));
        if !acts {
            continue;
        }
        if one.is_dead {
            if !is_about_another_time(&text) {
                let what = format!("{} is dead, and does something in the scene", one.name);
                faults.push(fault(SceneFaultKind::Dead, what));
            }
        } else if let Some(place) = elsewhere(names, one)
            && !is_about_another_time(&text)
            && !has_arrived(names, called)
        {
            let what = format!("{} is at {place}, and does something in the scene", one.name);
            faults.push(fault(SceneFaultKind::Elsewhere, what));
        }
    }
    faults
}

/// Prepositions of where somebody is; `to` and `into` say that somebody goes.
const WHERE: [&str; 6] = ["in ", "In ", "at ", "At ", "inside ", "on "];

/// Somebody who is there does something at another place of the story.
pub(super) fn at_another_place(names: &SceneNames<'_>, sentence: &str) -> Vec<SceneFault> {
    let text = without_quotations(sentence);
    let request = names.request;
    if request.place.is_empty() || is_about_another_time(&text) {
        return Vec::new();
    }
    let plain = |name: &str| name.strip_prefix("The ").unwrap_or(name).to_owned();
    let here = plain(request.place);
    let mut faults = Vec::new();
    for (one, called) in &names.people {
        if !names.is_present(one) || !called.iter().any(|name| is_subject(&text, name)) {
            continue;
        }
        let others = request.story.locations.iter().map(|place| plain(&place.name));
        let found =
            others.filter(|place| *place != here && !here.contains(place.as_str())).find(|place| {
                WHERE.iter().any(|where_| {
                    let marks = [format!("{where_}the {place}"), format!("{where_}{place}")];
                    marks.iter().any(|mark| after(&text, mark).next().is_some())
                })
            });
        if let Some(place) = found {
            let what = format!("the scene is at {}, and {} is at {place}", request.place, one.name);
            faults.push(fault(SceneFaultKind::OtherPlace, what));
        }
    }
    faults
}

/// The name of the place where a character is, if the scene is at another one.
fn elsewhere<'a>(names: &SceneNames<'a>, one: &TickCharacter) -> Option<&'a str> {
    if names.is_present(one) || names.request.place.is_empty() {
        return None;
    }
    let story = names.request.story;
    let place = story.locations.iter().find(|place| Some(&place.id) == one.location.as_ref())?;
    (place.name != names.request.place).then_some(place.name.as_str())
}

/// True if the scene says that the character comes.
fn has_arrived(names: &SceneNames<'_>, called: &[&str]) -> bool {
    let text = without_quotations(names.request.text);
    called.iter().any(|name| {
        after(&text, name).any(|rest| {
            rest.split_whitespace().take(4).any(|word| WordClass::Arriving.has(bare(word)))
        })
    })
}

/// The texts that follow a name.
pub(super) fn after<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let rest = &text[at + name.len()..];
        let starts_word = !text[..at].ends_with(char::is_alphanumeric);
        (starts_word && !rest.starts_with(char::is_alphanumeric)).then_some(rest)
    })
}

/// True if the name does something: a verb follows it, or it follows a verb of speech.
fn is_subject(text: &str, name: &str) -> bool {
    let follows = after(text, name).any(|rest| {
        if rest.starts_with("'s") || rest.starts_with("’s") {
            return false;
        }
        // An adverb may stand between, and a few words between commas.
        let rest = match rest.strip_prefix(", ").and_then(|rest| rest.split_once(", ")) {
            Some((_, after)) => after,
            None => rest,
        };
        let mut words = rest.split_whitespace().map(bare);
        let first = words.next().unwrap_or_default();
        WordClass::DeedOfPresentPerson.has(first)
            || (first.ends_with("ly")
                && words.next().is_some_and(|word| WordClass::DeedOfPresentPerson.has(word)))
    });
    let speech = ["said ", "asked ", "answered ", "replied ", "whispered ", "murmured ", "cried "];
    follows
        || speech.iter().any(|verb| {
            text.match_indices(&format!("{verb}{name}")).any(|(at, _)| {
                // Behind a quotation: `"…" said Marcus`.
                text[..at].trim_end().ends_with(['"', '”', '\''])
            })
        })
}

fn is_about_another_time(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| WordClass::AboutAnotherTime.has(bare(word).to_lowercase().as_str()))
        || text.split_whitespace().any(|word| bare(word) == "had")
}

pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}
