//! Issues the ids of new entities. All invocations of a plan share one issuer, so that no two of them get the same id,
//! whether they see each other or not.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use narratoria_protocol::{EntityId, EntityKind, Owner, StoreWrite, read_entity};

/// Ids and unique names that invocations of a plan have taken.
#[derive(Debug, Default)]
pub struct EntityIds {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    ids: BTreeSet<EntityId>,
    names: BTreeMap<(EntityKind, String), EntityId>,
}

impl EntityIds {
    /// Creates an issuer for a plan that reuses the results of steps. The ids that these steps have used are taken.
    pub fn after<'w>(writes: impl Iterator<Item = &'w StoreWrite>) -> EntityIds {
        let ids = EntityIds::default();
        for write in writes.filter(|write| write.owner == Owner::Entities) {
            let Ok(id) = write.key.parse::<EntityId>() else { continue };
            let mut taken = ids.taken();
            taken.ids.insert(id);
            let index = write.value.as_deref().map(|text| read_entity(id.kind, text));
            if let Some(Ok(index)) = index
                && let Some(name) = index.unique_name
            {
                taken.names.insert((id.kind, name), id);
            }
        }
        ids
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Issues the lowest free id from a number on.
    pub(crate) fn issue(&self, kind: EntityKind, from: u64) -> EntityId {
        let mut taken = self.taken();
        let mut id = EntityId::new(kind, from);
        while !taken.ids.insert(id) {
            id.number += 1;
        }
        id
    }

    /// Takes a unique name, which no other invocation of the plan may have taken.
    pub(crate) fn claim_name(&self, id: EntityId, name: &str) -> Result<(), String> {
        let mut taken = self.taken();
        let other = *taken.names.entry((id.kind, name.to_owned())).or_insert(id);
        match other == id {
            true => Ok(()),
            false => Err(format!(
                "another step of this plan creates the {} `{name}`: `{other}`",
                id.kind.as_str()
            )),
        }
    }

    /// Releases ids with their names, because their attempt has failed.
    pub fn release(&self, ids: &[EntityId]) {
        let mut taken = self.taken();
        for id in ids {
            taken.ids.remove(id);
        }
        taken.names.retain(|_, id| !ids.contains(id));
    }
}
