//! Who and what a scene of a story that is there has: the point of view, somebody else, and the place. In a story with a
//! world they are where the world has them now; nobody else comes into it.

use serde_json::{Value, json};

use super::{
    names::{Pronouns, pronouns_of_word},
    story_view::{TickCharacter, TickLocation, TickStory, TickWorld},
};
use narratoria_protocol::Object;

/// Most characters of a description that a plan passes on: tools bound their texts.
const DESCRIPTION_CHARS_MAX: usize = 400;

/// The names of a scene; each may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CastNames {
    pub(super) pov: String,
    pub(super) other: String,
    pub(super) place: String,
}

impl CastNames {
    pub(super) fn to_value(&self) -> Value {
        json!({"pov": self.pov, "other": self.other, "place": self.place})
    }

    pub(super) fn from_object(object: &Object) -> CastNames {
        let name =
            |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        CastNames { pov: name("pov"), other: name("other"), place: name("place") }
    }
}

/// Somebody of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CastMember {
    pub(super) name: String,
    /// `None` if the story's tables do not have the person yet.
    pub(super) id: Option<String>,
    pub(super) description: String,
}

/// The place of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CastPlace {
    pub(super) name: String,
    /// `None` if the story's tables do not have the place yet.
    pub(super) id: Option<String>,
    pub(super) description: String,
    pub(super) features: Vec<String>,
}

/// Who and what a scene has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cast {
    pub(super) pov: Option<CastMember>,
    pub(super) other: Option<CastMember>,
    pub(super) place: Option<CastPlace>,
}

impl Cast {
    /// The people and the place of the next scene. `pov` is the id of a chosen point of view; `nth` picks among several.
    pub(super) fn of(story: &TickStory, pov: Option<&str>, nth: u64) -> Cast {
        match &story.world {
            Some(world) => Cast::of_world(story, world, pov, nth),
            None => Cast::of_tables(story, pov, nth),
        }
    }

    fn of_world(story: &TickStory, world: &TickWorld, pov: Option<&str>, nth: u64) -> Cast {
        let named = pov.and_then(|id| story.character(id)).or_else(|| story.active());
        let pov = named.and_then(|one| world.person(&one.name));
        let Some(pov) = pov.or_else(|| world.person(&world.player)) else {
            return Cast::default();
        };
        let member = |name: &str, description: &str| CastMember {
            name: name.to_owned(),
            id: story.characters.iter().find(|one| one.name == name).map(|one| one.id.clone()),
            description: clipped(description),
        };
        let is_here = |name: &str, place: &str| name != pov.name && place == pov.place;
        let here: Vec<_> =
            world.people.iter().filter(|one| is_here(&one.name, &one.place)).collect();
        let other = pick(&here, nth);
        let place = world.place(&pov.place).map(|place| CastPlace {
            name: place.name.clone(),
            id: story.locations.iter().find(|one| one.name == place.name).map(|one| one.id.clone()),
            description: clipped(&place.description),
            features: place.features.clone(),
        });
        Cast {
            pov: Some(member(&pov.name, &pov.description)),
            other: other.map(|one| member(&one.name, &one.description)),
            place,
        }
    }

    fn of_tables(story: &TickStory, pov: Option<&str>, nth: u64) -> Cast {
        let Some(pov) = point_of_view(story, pov) else { return Cast::default() };
        let member = |one: &TickCharacter| CastMember {
            name: one.name.clone(),
            id: Some(one.id.clone()),
            description: one.description.clone(),
        };
        let place = |one: &TickLocation| CastPlace {
            name: one.name.clone(),
            id: Some(one.id.clone()),
            description: one.description.clone(),
            features: one.features.clone(),
        };
        Cast {
            pov: Some(member(pov)),
            other: companion(story, pov, nth).map(member),
            place: scene_place(story, pov, nth).map(place),
        }
    }

    pub(super) fn names(&self) -> CastNames {
        let name =
            |one: &Option<CastMember>| one.as_ref().map(|one| one.name.clone()).unwrap_or_default();
        CastNames {
            pov: name(&self.pov),
            other: name(&self.other),
            place: self.place.as_ref().map(|place| place.name.clone()).unwrap_or_default(),
        }
    }
}

/// The character whose story it is; another one if that character is dead or unknown.
pub(super) fn point_of_view<'a>(
    story: &'a TickStory,
    pov: Option<&str>,
) -> Option<&'a TickCharacter> {
    let chosen = pov.and_then(|id| story.character(id)).or_else(|| story.active());
    let alive = || story.characters.iter().find(|character| !character.is_dead);
    chosen.filter(|chosen| !chosen.is_dead || pov.is_some()).or_else(alive)
}

/// Somebody alive for the point of view to talk to: of those with a relationship first.
pub(super) fn companion<'a>(
    story: &'a TickStory,
    pov: &TickCharacter,
    nth: u64,
) -> Option<&'a TickCharacter> {
    let is_other = |one: &&TickCharacter| one.id != pov.id && !one.is_dead;
    let known: Vec<&TickCharacter> = story
        .characters
        .iter()
        .filter(|one| is_other(one) && story.relationship(&pov.id, &one.id).is_some())
        .collect();
    pick(&known, nth).or_else(|| story.characters.iter().find(is_other))
}

/// The place of a scene in a story without a world: where the point of view is, or another place of the story.
fn scene_place<'a>(
    story: &'a TickStory,
    pov: &TickCharacter,
    nth: u64,
) -> Option<&'a TickLocation> {
    let here = pov.location.as_deref().and_then(|id| story.location(id));
    let all: Vec<&TickLocation> = story.locations.iter().collect();
    match (nth, here) {
        (0, Some(here)) => Some(here),
        _ => pick(&all, nth.wrapping_add(story.current_tick)),
    }
}

/// The pronouns that the world gives somebody.
pub(super) fn pronouns_in_world(story: &TickStory, name: &str) -> Option<Pronouns> {
    pronouns_of_word(&story.world.as_ref()?.person(name)?.pronoun)
}

fn pick<'a, T>(from: &[&'a T], nth: u64) -> Option<&'a T> {
    let at = nth.checked_rem(from.len() as u64)?;
    from.get(usize::try_from(at).ok()?).copied()
}

fn clipped(text: &str) -> String {
    text.chars().take(DESCRIPTION_CHARS_MAX).collect()
}
