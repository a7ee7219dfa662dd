//! `toolPath` → the scripts that can run the step. A path is looked up in the catalog and never executed.

use std::{cmp::Reverse, collections::HashSet, sync::Arc};

use super::{PlanError, error::quote, wire::ToolJson};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{Catalog, Script, Skill, ToolPathError};

/// Prefix of a path that asks for any skill with a capability.
const CAPABILITY_PREFIX: &str = "capability:";

/// Longest path that is looked up. Skill and script names are far shorter.
const TOOL_PATH_BYTES_MAX: usize = 512;

/// A script of the catalog that can run a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateRef<'a> {
    pub(super) skill: &'a Arc<Skill>,
    pub(super) script_idx: usize,
}

impl<'a> CandidateRef<'a> {
    pub(super) fn script(self) -> &'a Script {
        &self.skill.scripts[self.script_idx]
    }

    /// `<skill>/<script>`.
    pub(super) fn tool_path(self) -> String {
        format!("{}/{}", self.skill.name, self.script().name)
    }
}

/// The fields of a step that decide its candidates.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateQuery<'a> {
    pub(super) step: &'a str,
    pub(super) path: &'a str,
    /// `suggestedSkill`.
    pub(super) suggested: Option<&'a str>,
    /// True if the step may use a disabled skill: its result is reused, it is skipped, or it repairs the failed call with
    /// other input.
    pub(super) may_be_disabled: bool,
}

impl<'a> CandidateQuery<'a> {
    pub(super) fn of(tool: &'a ToolJson, may_be_disabled: bool) -> CandidateQuery<'a> {
        CandidateQuery {
            step: &tool.tool_id,
            path: &tool.tool_path,
            suggested: tool.suggested_skill.as_deref(),
            may_be_disabled,
        }
    }
}

/// Resolves the paths of one plan.
pub(super) struct ToolPathResolver<'a> {
    catalog: &'a Catalog,
    disabled: HashSet<&'a str>,
}

impl<'a> ToolPathResolver<'a> {
    pub(super) fn new(catalog: &'a Catalog, disabled: &'a [String]) -> ToolPathResolver<'a> {
        ToolPathResolver { catalog, disabled: disabled.iter().map(String::as_str).collect() }
    }

    /// Returns all candidates, the first choice first (S3's `suggestedAgent`); never empty.
    pub(super) fn candidates(
        &self,
        query: CandidateQuery<'_>,
    ) -> Result<Vec<CandidateRef<'a>>, PlanError> {
        if let Some(tag) = query.path.strip_prefix(CAPABILITY_PREFIX) {
            return self.candidates_by_capability(query, tag);
        }
        let found = if query.path.len() > TOOL_PATH_BYTES_MAX {
            Err(ToolPathError::Malformed { path: quote(query.path) })
        } else {
            self.catalog.resolve(query.path)
        };
        let (skill, script_idx) = found.map_err(|why| {
            let known = self.known_scripts();
            PlanError::ToolPath { step: quote(query.step), why, known }
        })?;
        if !self.may_run(skill, query) {
            let (step, skill) = (quote(query.step), skill.name.clone());
            return Err(PlanError::SkillDisabled { step, skill, known: self.known_scripts() });
        }
        let named = CandidateRef { skill, script_idx };
        let suggested = query.suggested.and_then(|name| self.catalog.get(name));
        let other = suggested
            .filter(|other| other.name != skill.name && self.may_run(other, query))
            .and_then(|skill| {
                let is_same = |script: &Script| script.name == named.script().name;
                let script_idx = skill.scripts.iter().position(is_same)?;
                Some(CandidateRef { skill, script_idx })
            });
        Ok(other.into_iter().chain([named]).collect())
    }

    /// Returns the enabled skills with the tag: the suggested one first, then by priority, then by name. Each runs the
    /// first script of its manifest, because the tags describe that one.
    fn candidates_by_capability(
        &self,
        query: CandidateQuery<'_>,
        tag: &str,
    ) -> Result<Vec<CandidateRef<'a>>, PlanError> {
        let has_tag = |skill: &&Arc<Skill>| skill.capabilities.iter().any(|other| other == tag);
        let all: Vec<&'a Arc<Skill>> = self.catalog.iter().filter(has_tag).collect();
        let mut enabled: Vec<&'a Arc<Skill>> =
            all.iter().copied().filter(|skill| self.may_run(skill, query)).collect();
        if all.is_empty() {
            let why = ToolPathError::UnknownCapability { tag: quote(tag) };
            let known = self.known_capabilities();
            return Err(PlanError::ToolPath { step: quote(query.step), why, known });
        }
        if enabled.is_empty() {
            return Err(PlanError::CapabilityDisabled {
                step: quote(query.step),
                tag: quote(tag),
                skills: all.iter().map(|skill| skill.name.clone()).collect(),
            });
        }
        let is_suggested = |skill: &Skill| query.suggested == Some(skill.name.as_str());
        enabled.sort_by_key(|skill| (!is_suggested(skill), Reverse(skill.priority)));
        Ok(enabled.into_iter().map(|skill| CandidateRef { skill, script_idx: 0 }).collect())
    }

    /// Checks the suggested skill. An unknown skill is an error. One that does not fit the path is ignored.
    pub(super) fn check_suggested(&self, step: &str, suggested: &str) -> Result<(), PlanError> {
        if self.catalog.get(suggested).is_some() {
            return Ok(());
        }
        let near = nearest(suggested, self.enabled().map(|skill| &skill.name));
        Err(PlanError::UnknownSuggestion { step: quote(step), skill: quote(suggested), near })
    }

    fn may_run(&self, skill: &Skill, query: CandidateQuery<'_>) -> bool {
        query.may_be_disabled || !self.disabled.contains(skill.name.as_str())
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
