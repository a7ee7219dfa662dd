//! People, factions and the player's visible traits, as the world writes them into the state for other skills.

use std::collections::{BTreeMap, BTreeSet};

use english::WordClass;
use serde::Serialize;

use crate::{
    definition::PersonDefinition,
    entity::NamedKind,
    scope::SCOPE_NAMES_MAX,
    words,
    world::{Holder, World},
};

/// Most traits that people see at once.
pub const TRAITS_MAX: usize = 12;

/// A name of a person, as other skills know the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PersonInState {
    /// The person's own name, where this is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The faction that the person belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faction: Option<String>,
}

/// A name of a faction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FactionInState {
    /// The faction's own name, where this is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// The player, as people see them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlayerInState {
    /// In no order: `armed`, `polite`.
    pub traits: BTreeSet<String>,
}

/// Everybody of this world by name, wherever they are, alive or not; then other names that only one person has.
pub fn everybody(world: &World) -> BTreeMap<String, PersonInState> {
    let people = &world.definition.people;
    let own = people.iter().take(SCOPE_NAMES_MAX).map(|person| {
        (person.name.clone(), PersonInState { of: None, faction: person.faction.clone() })
    });
    let mut known: BTreeMap<String, PersonInState> = own.collect();
    let others = || people.iter().flat_map(|one| one.aliases.iter().map(move |alias| (alias, one)));
    for (alias, person) in others() {
        let is_shared = others().any(|(other, one)| other == alias && one.name != person.name);
        if known.len() < SCOPE_NAMES_MAX && !is_shared && !known.contains_key(alias) {
            let of = Some(person.name.clone());
            known.insert(alias.clone(), PersonInState { of, faction: None });
        }
    }
    known
}

/// The person's own name, by any of the person's names.
pub fn own_name(world: &World, name: &str) -> Option<String> {
    let is_of = |person: &&PersonDefinition| {
        let mut names = [&person.name].into_iter().chain(&person.aliases);
        names.any(|known| known.eq_ignore_ascii_case(name))
    };
    world.definition.people.iter().find(is_of).map(|person| person.name.clone())
}

/// Every name of every faction: those of the map, and those that people belong to.
pub fn factions(world: &World) -> BTreeMap<String, FactionInState> {
    let mut known = BTreeMap::new();
    for faction in &world.definition.factions {
        for alias in &faction.aliases {
            known.insert(alias.clone(), FactionInState { of: Some(faction.name.clone()) });
        }
    }
    // A name of its own comes before one that another faction has as well.
    let named = world.definition.factions.iter().map(|faction| &faction.name);
    let joined = world.definition.people.iter().filter_map(|person| person.faction.as_ref());
    known.extend(named.chain(joined).map(|name| (name.clone(), FactionInState::default())));
    known
}

/// Collects the player's visible traits: the author's, those that held and worn things show, and those that the names of
/// weapons and masks tell.
pub fn player(world: &World) -> PlayerInState {
    let mut traits: BTreeSet<String> = world.definition.player.traits.iter().cloned().collect();
    for id in world.thing_ids().filter(|id| world.is_held(*id)) {
        let NamedKind::Thing(idx) = world.entity(id).kind else { continue };
        let shown = world.definition.things[idx].shows.clone();
        let is_worn = world.holders[id.0] == Holder::Worn;
        traits.extend(shown.or_else(|| named_trait(world.name(id), is_worn)));
    }
    PlayerInState { traits: traits.into_iter().take(TRAITS_MAX).collect() }
}

/// Returns true for the last word of the name of a weapon.
pub fn is_weapon(word: &str) -> bool {
    WordClass::Weapon.has(word)
}

/// The trait that a thing's name tells.
fn named_trait(name: &str, is_worn: bool) -> Option<String> {
    let last = words::split(name).pop()?;
    match last.as_str() {
        weapon if is_weapon(weapon) => Some("armed".to_owned()),
        mask if is_worn && WordClass::Mask.has(mask) => Some("masked".to_owned()),
        _ => None,
    }
}
