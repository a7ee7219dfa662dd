//! Verbs of the campaign's author: a look-up of the names in the map, not a rule of English.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    definition::VerbDefinition,
    words,
    world::World,
};

/// The action of a clause that begins with a verb of the author.
pub(crate) fn read(world: &World, clause: &str) -> Option<Vec<Action>> {
    if world.definition.verbs.is_empty() {
        return None;
    }
    let said = words::split(clause);
    let (verb, len) = world.definition.verbs.iter().find_map(|verb| {
        names_of(verb).find_map(|name| length_of(&said, name)).map(|len| (verb, len))
    })?;
    let rest = &said[len..];
    // `tag` alone means a tag that is there.
    if rest.is_empty() && world.seen().any(|id| world.is_named_by(id, clause)) {
        return None;
    }
    let mut action = Action::new(Verb::Own).text(&verb.name);
    let is_preposition = |word: &String| WordClass::OwnVerbPreposition.has(word.as_str());
    let mut parts = rest.split(is_preposition).filter(|part| !part.is_empty());
    for place in [&mut action.target, &mut action.with] {
        let Some(part) = parts.next().map(|part| part.join(" ")) else { break };
        match called(world, &part) {
            Some(name) => *place = Some(name),
            None => action.missing = Some(part),
        }
    }
    Some(vec![action])
}

fn names_of(verb: &VerbDefinition) -> impl Iterator<Item = &String> {
    std::iter::once(&verb.name).chain(&verb.aliases)
}

/// How many words the name has, if the clause begins with it.
fn length_of(said: &[String], name: &str) -> Option<usize> {
    let name = words::split(name);
    (!name.is_empty() && said.starts_with(&name)).then_some(name.len())
}

/// What is called so: something in sight, something that a pronoun means, or a word of a description.
fn called(world: &World, part: &str) -> Option<String> {
    let last = &world.last;
    let meant = match part {
        "it" | "that" | "this" => last.it.clone(),
        "him" => last.him.clone(),
        "her" => last.her.clone(),
        "them" => last.them.first().cloned(),
        _ => None,
    };
    let seen = || world.seen().find(|id| world.is_named_by(*id, part));
    let known = || world.existing().find(|id| world.is_named_by(*id, part));
    meant
        .or_else(|| seen().map(|id| world.name(id).to_owned()))
        .or_else(|| world.mention(part).map(|(word, _)| word))
        .or_else(|| known().map(|id| world.name(id).to_owned()))
}

/// Returns true if the word is in the name of a verb of the author.
pub(crate) fn has_word(world: &World, word: &str) -> bool {
    let mut names = world.definition.verbs.iter().flat_map(names_of);
    names.any(|name| words::split(name).iter().any(|known| known == word))
}
