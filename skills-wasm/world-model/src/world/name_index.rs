//! From a name to what has it, without a look at each name.

use crate::entity::{Named, NamedId};

/// The ids of all entities, sorted by a hash of their names without case, and those of one hash by id.
#[derive(Debug, Clone, Default)]
pub(super) struct NameIndex(Vec<(u32, NamedId)>);

impl NameIndex {
    pub(super) fn of(entities: &[Named]) -> NameIndex {
        let named = entities.iter().enumerate();
        let mut sorted: Vec<(u32, NamedId)> =
            named.map(|(n, entity)| (hash(&entity.name), NamedId(n))).collect();
        sorted.sort_unstable();
        NameIndex(sorted)
    }

    /// Everything of this name among the entities that the index was made of, in the order of the definition.
    pub(super) fn all<'a>(
        &'a self,
        entities: &'a [Named],
        name: &'a str,
    ) -> impl Iterator<Item = NamedId> + use<'a> {
        let wanted = hash(name);
        let start = self.0.partition_point(|(hash, _)| *hash < wanted);
        let same_hash = self.0[start..].iter().take_while(move |(hash, _)| *hash == wanted);
        let ids = same_hash.map(|(_, id)| *id);
        ids.filter(move |id| entities[id.0].name.eq_ignore_ascii_case(name))
    }
}

/// FNV-1a of the name in lower case: a few instructions for each byte.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::NamedKind;

    #[test]
    fn names_are_found_without_case_and_in_their_order() {
        let named = ["quay", "Mina Holt", "floor", "Quay", "floor", "Zo\u{eb}"];
        let entity = |(n, name): (usize, &&str)| Named::new(NamedKind::Thing(n), name, false);
        let entities: Vec<Named> = named.iter().enumerate().map(entity).collect();
        let index = NameIndex::of(&entities);
        let ids = |name: &str| index.all(&entities, name).map(|id| id.0).collect::<Vec<_>>();
        assert_eq!(ids("QUAY"), [0, 3]);
        assert_eq!(ids("floor"), [2, 4]);
        assert_eq!(ids("mina holt"), [1]);
        assert_eq!(ids("zo\u{eb}"), [5]);
        assert_eq!(ids("mina"), [0; 0]);
    }

    /// Hashes of different names may be equal.
    #[test]
    fn names_of_one_hash_are_told_apart() {
        let entity = |n, name: &str| Named::new(NamedKind::Thing(n), name, false);
        let entities = [entity(0, "costarring"), entity(1, "liquid")];
        assert_eq!(hash("costarring"), hash("liquid"));
        let index = NameIndex::of(&entities);
        assert_eq!(index.all(&entities, "liquid").collect::<Vec<_>>(), [NamedId(1)]);
    }
}
