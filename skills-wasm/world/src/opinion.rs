//! Questions for the opinion of somebody who does not exist. What people and factions think is another skill's answer; a
//! sentence that names nobody comes here.

use english::WordClass;
use world_model::{
    company::{everybody, factions},
    entity::NamedId,
    fact::{FactKind, WorldFact},
    words,
    world::World,
};

/// Most names that a refusal offers.
const NEAR_MAX: usize = 3;
/// Most words of a name that is asked about.
const NAME_WORDS_MAX: usize = 5;

/// The refusal of a question for the opinion of somebody whom this world does not have; none for another sentence.
pub(super) fn opinion_of_nobody(world: &World, sentence: &str) -> Option<WorldFact> {
    let name = asked_about(sentence)?;
    let is_same = |known: &String| bare(known) == bare(&name);
    let is_known = everybody(world).keys().any(is_same) || factions(world).keys().any(is_same);
    // `people here` are no name either.
    let first = bare(&name).split(' ').next().unwrap_or_default().to_owned();
    let is_pronoun = WordClass::NoName.has(first.as_str());
    if is_known || is_pronoun {
        return None;
    }
    let near = near_people(world, &name);
    let mut text = format!("You know no {name}, and no {name} knows you.");
    if !near.is_empty() {
        text += &format!(" You could ask about {}.", english::list(&near).replace(" and ", " or "));
    }
    Some(WorldFact::you(FactKind::Refused, text).because("unknown_person").details(near))
}

/// The name in `what does NAME think of me` and its like, in the player's own letters.
fn asked_about(sentence: &str) -> Option<String> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\'' && c != '-';
    let said: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_matches(is_mark)).collect();
    let lower: Vec<String> = said.iter().map(|word| word.to_lowercase()).collect();
    let at = lower.iter().position(|word| WordClass::AsksOpinion.has(word.as_str()))?;
    let begins = at == 0 || at == 1 && ["what", "how"].contains(&lower[0].as_str());
    let rest = lower.get(at + 1..).filter(|_| begins)?;
    let asks = |n: &usize| {
        rest[*n..].split_last().is_some_and(|(me, ending)| {
            WordClass::PlayerObject.has(me) && WordClass::EndsOpinion.has(&ending.join(" "))
        })
    };
    let count = (1..=NAME_WORDS_MAX.min(rest.len())).find(asks)?;
    let name = said[at + 1..at + 1 + count].join(" ");
    let really = name.strip_suffix(" really").unwrap_or(&name);
    Some(really.strip_prefix("the ").unwrap_or(really).to_owned()).filter(|name| !name.is_empty())
}

fn bare(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.strip_prefix("the ").unwrap_or(&lower).to_owned()
}

/// People whom the player sees or knows: those with a name like this first, then those who are here.
fn near_people(world: &World, name: &str) -> Vec<String> {
    let said = words::split(name);
    let likeness = |id: NamedId| -> u32 {
        let known = words::split(world.name(id));
        let best =
            |word: &String| known.iter().map(|k| u32::from(english::likeness(word, k))).max();
        said.iter().filter_map(best).sum()
    };
    let is_known = |id: &NamedId| world.is_seen(*id) || world.conditions[id.0].known;
    let mut known: Vec<NamedId> = world.person_ids().filter(is_known).collect();
    known.sort_by_key(|id| (std::cmp::Reverse(likeness(*id)), !world.is_seen(*id)));
    known.into_iter().take(NEAR_MAX).map(|id| world.the(id)).collect()
}
