//! From a name to what has it, without a look at each name.

use crate::entity::{Named, NamedId};

/// The ids of all entities by their names in lower case.
#[derive(Debug, Clone, Default)]
pub(super) struct NameIndex(Vec<(String, NamedId)>);

impl NameIndex {
    pub(super) fn of(entities: &[Named]) -> NameIndex {
        let named = entities.iter().enumerate();
        let mut sorted: Vec<(String, NamedId)> =
            named.map(|(n, entity)| (entity.name.to_ascii_lowercase(), NamedId(n))).collect();
        sorted.sort();
        NameIndex(sorted)
    }

    /// Everything of this name, in the order of the definition.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = NamedId> + use<'_> {
        let name = name.to_ascii_lowercase();
        let start = self.0.partition_point(|(known, _)| *known < name);
        self.0[start..].iter().take_while(move |(known, _)| *known == name).map(|(_, id)| *id)
    }
}
