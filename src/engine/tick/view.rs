//! Converts a story's tables into the narrator's plain data.

use std::collections::BTreeMap;

use serde_json::Value;

use narratoria_narrator::tick::{
    SCENE_TEXTS_MAX, TickCharacter, TickLocation, TickLoop, TickMemory, TickRelationship,
    TickScene, TickStory, UNTITLED,
};
use narratoria_protocol::{
    Character, EntityId, EntityKind, Location, MemoryQuery, Relationship, Scene, Stored, TickRecord,
};
use narratoria_story::{Story, StoryError};

use super::world_view::{TickWorldView, world_view};

/// The tag of a memory that is known only to the characters among its entities.
pub(super) const SECRET_TAG: &str = "secret";

/// Most secrets against which a scene is checked.
const SECRETS_MAX: usize = 50;

/// The key in [`TickRecord::extra`] for the text of the lexical planner about the thread of the scene.
pub(super) const EXTRA_THREAD: &str = "thread";

pub(super) fn story_view(story: &Story) -> Result<TickStory, StoryError> {
    let novel = story.novel()?;
    let id = |id: &EntityId| id.to_string();
    let is_authored = story.campaign_heading()?.is_some();
    let loops = story.open_loops()?.into_iter().map(|(one, weight)| TickLoop {
        is_kept: is_authored && one.value.is_of_campaign(),
        id: id(&one.id),
        description: one.value.description,
        importance: one.value.importance.as_str().to_owned(),
        category: one.value.category,
        created_in_scene: one.value.created_in_scene.as_ref().map(id).unwrap_or_default(),
        weight: weight as f64,
    });
    let TickWorldView { title, mut world } = world_view(story)?;
    let novel_name = match (novel.novel_name == UNTITLED, title) {
        (true, Some(title)) => title,
        (true, None) => story.title()?,
        (false, _) => novel.novel_name,
    };
    let loops: Vec<TickLoop> = loops.collect();
    if let Some(world) = &mut world {
        let kept = loops.iter().filter(|one| one.is_kept);
        world.threads.extend(kept.map(|one| one.description.clone()));
    }
    let locations: Vec<Stored<Location>> = story.entities()?;
    let scenes = scenes(story, &locations)?;
    Ok(TickStory {
        novel_name,
        current_tick: novel.current_tick,
        active_character: novel.active_character.as_ref().map(id),
        characters: story.entities()?.into_iter().map(character).collect(),
        locations: locations.into_iter().map(location).collect(),
        relationships: story.entities()?.into_iter().map(relationship).collect(),
        scenes,
        loops,
        memories: secrets(story)?,
        world,
    })
}

fn character(stored: Stored<Character>) -> TickCharacter {
    let Stored { id, value } = stored;
    let is_dead = value.is_dead();
    let Character { name, role, description, traits, goals, current_state } = value;
    TickCharacter {
        id: id.to_string(),
        name,
        role,
        description,
        traits,
        goals: if current_state.goals.is_empty() { goals } else { current_state.goals },
        emotional_state: current_state.emotional_state,
        location: current_state.location.map(|id| id.to_string()),
        is_dead,
    }
}

fn location(stored: Stored<Location>) -> TickLocation {
    let Location { name, description, atmosphere, features } = stored.value;
    TickLocation { id: stored.id.to_string(), name, description, atmosphere, features }
}

fn relationship(stored: Stored<Relationship>) -> TickRelationship {
    let Relationship {
        character_a,
        character_b,
        relationship_type,
        status,
        intensity,
        perspective_a,
        perspective_b,
        ..
    } = stored.value;
    TickRelationship {
        character_a: character_a.to_string(),
        character_b: character_b.to_string(),
        relationship_type,
        status,
        intensity,
        perspective_a,
        perspective_b,
    }
}

/// Returns all scenes, with the threads of the last ones.
fn scenes(story: &Story, places: &[Stored<Location>]) -> Result<Vec<TickScene>, StoryError> {
    let records: Vec<Stored<TickRecord>> = story.last_entities(SCENE_TEXTS_MAX)?;
    let thread = |scene: EntityId| {
        let record = records.iter().find(|record| record.value.scene == Some(scene))?;
        record.value.extra.get(EXTRA_THREAD).and_then(Value::as_object).cloned()
    };
    let all: Vec<Stored<Scene>> = story.entities()?;
    let names: BTreeMap<EntityId, &str> =
        places.iter().map(|one| (one.id, one.value.name.as_str())).collect();
    let place = |id: Option<EntityId>| {
        id.and_then(|id| names.get(&id).copied()).unwrap_or_default().to_owned()
    };
    let first_text = all.len().saturating_sub(SCENE_TEXTS_MAX);
    let scene = |(at, stored): (usize, Stored<Scene>)| TickScene {
        id: stored.id.to_string(),
        thread: thread(stored.id),
        title: stored.value.title,
        tick: stored.value.tick,
        summary: stored.value.summary,
        place: place(stored.value.location),
        text: if at < first_text { String::new() } else { stored.value.text },
    };
    Ok(all.into_iter().enumerate().map(scene).collect())
}

fn secrets(story: &Story) -> Result<Vec<TickMemory>, StoryError> {
    let query = MemoryQuery {
        tags: vec![SECRET_TAG.to_owned()],
        limit: SECRETS_MAX,
        ..MemoryQuery::default()
    };
    let known_by = |entities: &[EntityId]| {
        let people = entities.iter().filter(|id| id.kind == EntityKind::Character);
        people.map(ToString::to_string).collect()
    };
    let found = story.search_memories(&query)?.into_iter().map(|hit| TickMemory {
        known_by: known_by(&hit.memory.entities),
        summary: hit.memory.summary,
    });
    Ok(found.collect())
}
