//! Caches the tool set of the last catalog, because building one compiles grammars and the catalog rarely changes.

use std::sync::Arc;

use serde_json::Value;

use super::tool_set::ToolSet;
use narratoria_skills::{Catalog, Skill};

/// The key is the identity of the skills. Reloading a skill gives a new `Arc`, even if name and version stay the same.
/// The cache owns the old `Arc`s, so no new one can have the same address.
#[derive(Debug, Default)]
pub(super) struct ToolSetCache {
    last: Option<(Vec<Arc<Skill>>, ToolSet)>,
}

impl ToolSetCache {
    /// The tool set of this catalog with no skill disabled. `can_write` is as in [`ToolSet::from_catalog`].
    pub(super) fn get(
        &mut self,
        catalog: &Catalog,
        can_write: &dyn Fn(&Value) -> Result<(), String>,
    ) -> &ToolSet {
        let is_current = |(skills, _): &(Vec<Arc<Skill>>, ToolSet)| catalog.consists_of(skills);
        let cached = self.last.take().filter(is_current);
        let (_, tool_set) = self.last.insert(cached.unwrap_or_else(|| {
            let tool_set = ToolSet::from_catalog(catalog, &[], can_write);
            for (path, why) in tool_set.left_out() {
                tracing::warn!("the model cannot use `{path}`: {why}");
            }
            (catalog.iter().cloned().collect(), tool_set)
        }));
        tool_set
    }
}
