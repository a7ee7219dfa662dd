//! Steps by id, and their dependencies: through `dependencies`, and through references.

use std::collections::{HashMap, HashSet};

use crate::{
    PlanError, PlanErrors, error::quote, reference::grammar::ReferenceNames, wire::ToolJson,
};
use narratoria_protocol::nearest::nearest;

/// Shortest id that a hint suggests, because ids of one letter are all similar.
const NEAR_BYTES_MIN: usize = 3;

/// The steps of one plan by id, and their `dependencies`, all as indices in the text.
pub(super) struct DependencyIndex<'a> {
    pub(super) ids: &'a [String],
    /// If two steps share an id, the first.
    pub(super) by_id: HashMap<&'a str, usize>,
    pub(super) ids_are_unique: bool,
    explicit: Vec<Vec<usize>>,
}

impl<'a> DependencyIndex<'a> {
    pub(super) fn new(
        ids: &'a [String],
        tools: &[ToolJson],
        errors: &mut PlanErrors,
    ) -> DependencyIndex<'a> {
        let mut index = DependencyIndex {
            ids,
            by_id: HashMap::with_capacity(ids.len()),
            ids_are_unique: true,
            explicit: Vec::new(),
        };
        for (second, id) in ids.iter().enumerate() {
            if let Some(first) = index.by_id.get(id.as_str()).copied() {
                index.ids_are_unique = false;
                errors.push(PlanError::DuplicateId { step: quote(id), first, second });
            } else {
                index.by_id.insert(id, second);
            }
        }
        index.explicit =
            tools.iter().map(|tool| index.resolve_dependencies(tool, errors)).collect();
        index
    }

    fn resolve_dependencies(&self, tool: &ToolJson, errors: &mut PlanErrors) -> Vec<usize> {
        let mut needs = Vec::with_capacity(tool.dependencies.len());
        let mut seen = HashSet::with_capacity(tool.dependencies.len());
        for dependency in &tool.dependencies {
            let step = || quote(&tool.tool_id);
            match self.by_id.get(dependency.as_str()) {
                _ if !seen.insert(dependency.as_str()) => {
                    let dependency = quote(dependency);
                    errors.push(PlanError::DuplicateDependency { step: step(), dependency });
                }
                _ if *dependency == tool.tool_id => {
                    errors.push(PlanError::SelfDependency { step: step() });
                }
                Some(need) => needs.push(*need),
                None => {
                    let near = self.nearest_id(dependency, &tool.tool_id, errors);
                    let missing = quote(dependency);
                    errors.push(PlanError::UnknownDependency { step: step(), missing, near });
                }
            }
        }
        needs
    }

    /// Returns the id that the planner most likely meant. Returns `None` once further errors are only counted, because
    /// every step of a long plan may be wrong.
    pub(super) fn nearest_id(&self, word: &str, own: &str, errors: &PlanErrors) -> Option<String> {
        if errors.is_full() {
            return None;
        }
        let others = self.ids.iter().filter(|id| *id != own);
        nearest(word, others).filter(|near| near.len() >= NEAR_BYTES_MIN)
    }

    pub(super) fn reference_names(&self, own: usize, in_loop: bool) -> ReferenceNames<'_> {
        // If two steps share an id, neither may refer to it.
        let own = self.by_id.get(self.ids[own].as_str()).copied().unwrap_or(own);
        ReferenceNames { by_id: &self.by_id, own, in_loop }
    }

    /// Returns all steps that the step at this index waits for, each once, its `dependencies` first.
    pub(super) fn needs(&self, at: usize, implied: Vec<usize>) -> Vec<usize> {
        let mut seen = HashSet::from([at]);
        self.explicit[at].iter().copied().chain(implied).filter(|need| seen.insert(*need)).collect()
    }

    /// Returns the error for a cycle, in which each step needs the next one.
    pub(super) fn cycle_error(&self, cycle: &[usize]) -> PlanError {
        let id = |at: usize| quote(&self.ids[at]);
        let next = |place: usize| cycle[(place + 1) % cycle.len()];
        let implied = cycle.iter().enumerate().map(|(place, at)| (*at, next(place)));
        let implied = implied.into_iter().find(|(at, need)| !self.explicit[*at].contains(need));
        PlanError::Cycle {
            steps: cycle.iter().map(|at| id(*at)).collect(),
            implied: implied.map(|(at, need)| (id(at), id(need))),
        }
    }
}
