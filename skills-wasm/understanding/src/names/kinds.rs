//! Words for kinds of things and people: a fish is the herring where there is one.

use world_model::{
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::names::scoring::is_harmless;

/// Words for all things of a quality.
const QUALITIES: &[(&str, Want)] = &[
    (" food snack morsel titbit grub meal nosh victuals edibles ", Want::Edible),
    (" drink beverage ", Want::Drinkable),
    (" light lights lamp ", Want::Unlit),
];

/// The things here of the kind that the last word names, where no name has the word; the one that suits the verb.
pub(crate) fn of_kind(world: &World, content: &[&str], want: Want) -> Vec<NamedId> {
    let Some((head, before)) = content.split_last() else { return Vec::new() };
    let spaced = format!(" {head} ");
    let mut found: Vec<NamedId> = Vec::new();
    for (_, quality) in QUALITIES.iter().filter(|(known, _)| known.contains(&spaced)) {
        let is_it = |id: &NamedId| before.is_empty() && suits(world, *id, *quality);
        found.extend(world.seen().filter(is_it));
    }
    if !english::is_kind(head) {
        return found;
    }
    for kind in english::kinds_of(head) {
        let is_it = |id: &NamedId| {
            // The other words must be those of the thing too: `the black trunk` for a black box, `the big white bird` for a
            // swan that is said to be white.
            let looks = words::split(world.description(*id));
            let fits = |word: &&str| {
                is_harmless(word)
                    || words::is_hollow(word)
                    || world.has_name_with(*id, word)
                    || looks.iter().any(|known| known == word)
            };
            let is_of_kind = |name: &Vec<String>| {
                let last = name.last().map(String::as_str).unwrap_or_default();
                let first = name.first().filter(|_| name.len() > 2);
                kind.joins(head, last) || first.is_some_and(|first| kind.joins(head, first))
            };
            world.names(*id).iter().any(is_of_kind) && before.iter().all(fits)
        };
        found.extend(world.seen().filter(is_it));
    }
    found.retain(|id| !world.is_place(*id));
    let suiting: Vec<NamedId> =
        found.iter().copied().filter(|id| suits(world, *id, want)).collect();
    let mut ids = if suiting.is_empty() { found } else { suiting };
    ids.sort_unstable_by_key(|id| id.0);
    ids.dedup();
    ids
}
