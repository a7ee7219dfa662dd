//! `toolPath` → skill and script. A path is looked up in the catalog and is never executed as such.

use std::{cmp::Reverse, collections::HashSet, sync::Arc};

use super::{PlanError, error::quote};
use crate::skills::{Catalog, Skill, ToolPathError};

/// How a path asks for whoever can do something.
const CAPABILITY_PREFIX: &str = "capability:";

/// Longest path that is worth looking up; skill and script names are far shorter.
const TOOL_PATH_BYTES_MAX: usize = 512;

/// Answers for one plan.
pub(super) struct Resolver<'a> {
    catalog: &'a Catalog,
    disabled: HashSet<&'a str>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(catalog: &'a Catalog, disabled: &'a [String]) -> Resolver<'a> {
        Resolver { catalog, disabled: disabled.iter().map(String::as_str).collect() }
    }

    /// The skill and the index of its script.
    pub(super) fn resolve(
        &self,
        step: &str,
        path: &str,
    ) -> Result<(&'a Arc<Skill>, usize), PlanError> {
        if let Some(tag) = path.strip_prefix(CAPABILITY_PREFIX) {
            return self.by_capability(step, tag);
        }
        let found = if path.len() > TOOL_PATH_BYTES_MAX {
            Err(ToolPathError::Malformed { path: quote(path) })
        } else {
            self.catalog.resolve(path)
        };
        let (skill, script_idx) = found.map_err(|why| {
            let known = self.known_scripts();
            PlanError::ToolPath { step: quote(step), why, known }
        })?;
        if self.disabled.contains(skill.name.as_str()) {
            let (step, skill) = (quote(step), skill.name.clone());
            return Err(PlanError::SkillDisabled { step, skill, known: self.known_scripts() });
        }
        Ok((skill, script_idx))
    }

    /// The enabled skill of highest priority that has the tag, the first by name among equals; of its
    /// scripts the first of the manifest, which is the one that the tags of a skill describe.
    fn by_capability(&self, step: &str, tag: &str) -> Result<(&'a Arc<Skill>, usize), PlanError> {
        let has_tag = |skill: &&Arc<Skill>| skill.capabilities.iter().any(|other| other == tag);
        let able: Vec<&Arc<Skill>> = self.catalog.iter().filter(has_tag).collect();
        let best = able
            .iter()
            .filter(|skill| !self.disabled.contains(skill.name.as_str()))
            .min_by_key(|skill| Reverse(skill.priority));
        match best {
            Some(skill) => Ok((skill, 0)),
            None if able.is_empty() => Err(PlanError::ToolPath {
                step: quote(step),
                why: ToolPathError::UnknownCapability { tag: quote(tag) },
                known: self.known_capabilities(),
            }),
            None => Err(PlanError::CapabilityDisabled {
                step: quote(step),
                tag: quote(tag),
                skills: able.iter().map(|skill| skill.name.clone()).collect(),
            }),
        }
    }

    fn enabled(&self) -> impl Iterator<Item = &'a Arc<Skill>> {
        self.catalog.iter().filter(|skill| !self.disabled.contains(skill.name.as_str()))
    }

    fn known_scripts(&self) -> Vec<String> {
        self.enabled()
            .flat_map(|skill| {
                skill.scripts.iter().map(|script| format!("{}/{}", skill.name, script.name))
            })
            .collect()
    }

    fn known_capabilities(&self) -> Vec<String> {
        let mut tags: Vec<String> =
            self.enabled().flat_map(|skill| skill.capabilities.iter().cloned()).collect();
        tags.sort();
        tags.dedup();
        tags
    }
}
