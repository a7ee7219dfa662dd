//! The story's people, places and memories for the scripts of a plan, and the moment at which the plan runs.

use std::sync::Arc;

use narratoria_protocol::{EntityReader, NoEntities, StoreWrite};
use narratoria_sandbox::{EntityIds, EntityInput, MemoryAuthor};
use narratoria_story::{EntityAccess, Story};

/// The part of the story's entities that the scripts of a plan see.
#[derive(Clone)]
pub(crate) struct EntityPlace {
    /// `None` if the story's entities cannot be read; scripts then find none.
    reader: Option<Arc<EntityAccess>>,
    turn: u64,
    tick: u64,
    is_tick: bool,
}

impl EntityPlace {
    /// Opens the entities for the next turn of a story. Reuses the reader of the turn before.
    pub(crate) fn of_turn(story: &Story, before: Option<EntityPlace>) -> EntityPlace {
        let reader = before.and_then(|place| place.reader).or_else(|| open_reader(story));
        let tick = story.novel().map_or(0, |novel| novel.current_tick);
        EntityPlace { reader, turn: story.turns() + 1, tick, is_tick: false }
    }

    /// Opens the entities for a tick of a story.
    pub(crate) fn of_tick(story: &Story, tick: u64) -> EntityPlace {
        EntityPlace { reader: open_reader(story), turn: story.turns() + 1, tick, is_tick: true }
    }

    pub(crate) fn reader(&self) -> Arc<dyn EntityReader> {
        match &self.reader {
            Some(reader) => Arc::<EntityAccess>::clone(reader),
            None => Arc::new(NoEntities),
        }
    }

    /// The entities for one attempt of a script.
    pub(crate) fn input(
        &self,
        ids: &Arc<EntityIds>,
        earlier: Vec<StoreWrite>,
        author: MemoryAuthor,
    ) -> EntityInput {
        EntityInput {
            reader: self.reader(),
            ids: Arc::clone(ids),
            earlier,
            turn: self.turn,
            tick: self.tick,
            is_tick: self.is_tick,
            author,
        }
    }
}

fn open_reader(story: &Story) -> Option<Arc<EntityAccess>> {
    match story.entity_access() {
        Ok(access) => Some(Arc::new(access)),
        Err(error) => {
            // If the file is gone, committing the turn reports it.
            tracing::warn!("the story's entities cannot be read: {error}");
            None
        }
    }
}
