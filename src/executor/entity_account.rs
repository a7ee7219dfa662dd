//! Counts a story's entities while a plan runs: those of the story, with those that the plan's steps have written. Pure
//! but for the reader.

use std::collections::BTreeMap;

use narratoria_protocol::{
    EntityAmounts, EntityId, EntityKind, EntityReader, StoreWrite, read_entity,
};

/// The text of an entity that was deleted.
const DELETED: &str = "null";

#[derive(Debug, Default)]
pub(crate) struct EntityAccount {
    pub(crate) amounts: EntityAmounts,
    /// The entities that the plan has written, each with its present amounts.
    written: BTreeMap<EntityId, EntityAmounts>,
}

impl EntityAccount {
    /// Creates the account before anything is written.
    pub(crate) fn new(amounts: EntityAmounts) -> EntityAccount {
        EntityAccount { amounts, written: BTreeMap::new() }
    }

    /// Returns the amounts that a write adds if there was no such entity before.
    pub(crate) fn amounts_of_write(write: &StoreWrite) -> EntityAmounts {
        write.key.parse().map_or_else(
            |_| EntityAmounts::default(),
            |id: EntityId| amounts_of(id, write.value.as_deref()),
        )
    }

    /// Returns the amounts that writes remove and add. Of several writes to one entity, the last one counts.
    pub(crate) fn growth<'w>(
        &self,
        reader: &dyn EntityReader,
        writes: impl Iterator<Item = &'w StoreWrite>,
    ) -> (EntityAmounts, EntityAmounts) {
        let none = EntityAmounts::default();
        last_writes(writes).into_iter().fold((none, none), |(removed, added), (id, text)| {
            (removed.plus(self.amounts_now(reader, id)), added.plus(amounts_of(id, text)))
        })
    }

    pub(crate) fn apply<'w>(
        &mut self,
        reader: &dyn EntityReader,
        writes: impl Iterator<Item = &'w StoreWrite>,
    ) {
        for (id, text) in last_writes(writes) {
            let (before, after) = (self.amounts_now(reader, id), amounts_of(id, text));
            self.amounts = self.amounts.plus(after).minus(before);
            self.written.insert(id, after);
        }
    }

    fn amounts_now(&self, reader: &dyn EntityReader, id: EntityId) -> EntityAmounts {
        match self.written.get(&id) {
            Some(written) => *written,
            None => amounts_of(id, reader.get(id).unwrap_or_default().as_deref()),
        }
    }
}

fn last_writes<'w>(
    writes: impl Iterator<Item = &'w StoreWrite>,
) -> BTreeMap<EntityId, Option<&'w str>> {
    let entity = |write: &'w StoreWrite| Some((write.key.parse().ok()?, write.value.as_deref()));
    writes.filter_map(entity).collect()
}

fn amounts_of(id: EntityId, text: Option<&str>) -> EntityAmounts {
    let Some(text) = text.filter(|text| *text != DELETED) else { return EntityAmounts::default() };
    let mut amounts = EntityAmounts { bytes: text.len(), ..EntityAmounts::default() };
    amounts.counts[id.kind as usize] = 1;
    if id.kind == EntityKind::Memory {
        let memory = read_entity(id.kind, text).ok().and_then(|index| index.memory);
        amounts.pinned = usize::from(memory.is_some_and(|memory| memory.pinned));
    }
    amounts
}
