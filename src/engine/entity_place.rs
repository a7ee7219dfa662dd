//! The story's people, places and memories for the scripts of a plan, and the moment at which the plan runs.

use std::sync::Arc;

use narratoria_protocol::{EntityReader, NoEntities, StoreWrite};
use narratoria_sandbox::{EntityIds, EntityInput};
use narratoria_story::Story;

/// What the scripts of a plan see of the story's entities.
#[derive(Clone)]
pub(crate) struct EntityPlace {
    reader: Arc<dyn EntityReader>,
    turn: u64,
    tick: u64,
    is_tick: bool,
}

impl EntityPlace {
    /// For the next turn of a story.
    pub(crate) fn of_turn(story: &Story) -> EntityPlace {
        let tick = story.novel().map_or(0, |novel| novel.current_tick);
        EntityPlace { is_tick: false, ..EntityPlace::of_tick(story, tick) }
    }

    /// For a tick of a story.
    pub(crate) fn of_tick(story: &Story, tick: u64) -> EntityPlace {
        let reader: Arc<dyn EntityReader> = match story.entity_access() {
            Ok(access) => Arc::new(access),
            Err(error) => {
                // If the file is gone, committing the turn reports it.
                tracing::warn!("the story's entities cannot be read: {error}");
                Arc::new(NoEntities)
            }
        };
        EntityPlace { reader, turn: story.turns() + 1, tick, is_tick: true }
    }

    /// The entities for one attempt of a script.
    pub(crate) fn input(
        &self,
        ids: &Arc<EntityIds>,
        earlier: Vec<StoreWrite>,
        skill: &str,
    ) -> EntityInput {
        EntityInput {
            reader: Arc::clone(&self.reader),
            ids: Arc::clone(ids),
            earlier,
            turn: self.turn,
            tick: self.tick,
            is_tick: self.is_tick,
            skill: skill.to_owned(),
        }
    }
}
