//! `toolPath` → who can run the step. A path is looked up in the catalog and is never executed as such.

use std::{cmp::Reverse, collections::HashSet, sync::Arc};

use super::{PlanError, error::quote};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{Catalog, Script, Skill, ToolPathError};

/// How a path asks for whoever can do something.
const CAPABILITY_PREFIX: &str = "capability:";

/// Longest path that is worth looking up; skill and script names are far shorter.
const TOOL_PATH_BYTES_MAX: usize = 512;

/// Somebody who can run a step.
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

/// What a step says about who should run it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateQuery<'a> {
    /// The step's id.
    pub(super) step: &'a str,
    /// As written.
    pub(super) path: &'a str,
    /// `suggestedSkill`.
    pub(super) suggested: Option<&'a str>,
    /// It does no harm if its skill is disabled: its result is there already, it is to be skipped, or it tries
    /// something else than what the skill was disabled for.
    pub(super) may_be_disabled: bool,
}

/// Answers for one plan.
pub(super) struct ToolPathResolver<'a> {
    catalog: &'a Catalog,
    disabled: HashSet<&'a str>,
}

impl<'a> ToolPathResolver<'a> {
    pub(super) fn new(catalog: &'a Catalog, disabled: &'a [String]) -> ToolPathResolver<'a> {
        ToolPathResolver { catalog, disabled: disabled.iter().map(String::as_str).collect() }
    }

    /// Everybody who can run the step, the first choice first; never empty (S3's `suggestedAgent`).
    pub(super) fn candidates(
        &self,
        asked: CandidateQuery<'_>,
    ) -> Result<Vec<CandidateRef<'a>>, PlanError> {
        if let Some(tag) = asked.path.strip_prefix(CAPABILITY_PREFIX) {
            return self.candidates_by_capability(asked, tag);
        }
        let found = if asked.path.len() > TOOL_PATH_BYTES_MAX {
            Err(ToolPathError::Malformed { path: quote(asked.path) })
        } else {
            self.catalog.resolve(asked.path)
        };
        let (skill, script_idx) = found.map_err(|why| {
            let known = self.known_scripts();
            PlanError::ToolPath { step: quote(asked.step), why, known }
        })?;
        if !self.may_run(skill, asked) {
            let (step, skill) = (quote(asked.step), skill.name.clone());
            return Err(PlanError::SkillDisabled { step, skill, known: self.known_scripts() });
        }
        let named = CandidateRef { skill, script_idx };
        let suggested = asked.suggested.and_then(|name| self.catalog.get(name));
        let other = suggested
            .filter(|other| other.name != skill.name && self.may_run(other, asked))
            .and_then(|skill| {
                let is_same = |script: &Script| script.name == named.script().name;
                let script_idx = skill.scripts.iter().position(is_same)?;
                Some(CandidateRef { skill, script_idx })
            });
        Ok(other.into_iter().chain([named]).collect())
    }

    /// Enabled skills with the tag by priority, the first by name among equals, but the suggested one
    /// before all; of their scripts the first of the manifest, which is the one that the tags describe.
    fn candidates_by_capability(
        &self,
        asked: CandidateQuery<'_>,
        tag: &str,
    ) -> Result<Vec<CandidateRef<'a>>, PlanError> {
        let has_tag = |skill: &&Arc<Skill>| skill.capabilities.iter().any(|other| other == tag);
        let all: Vec<&'a Arc<Skill>> = self.catalog.iter().filter(has_tag).collect();
        let mut enabled: Vec<&'a Arc<Skill>> =
            all.iter().copied().filter(|skill| self.may_run(skill, asked)).collect();
        if all.is_empty() {
            let why = ToolPathError::UnknownCapability { tag: quote(tag) };
            let known = self.known_capabilities();
            return Err(PlanError::ToolPath { step: quote(asked.step), why, known });
        }
        if enabled.is_empty() {
            return Err(PlanError::CapabilityDisabled {
                step: quote(asked.step),
                tag: quote(tag),
                skills: all.iter().map(|skill| skill.name.clone()).collect(),
            });
        }
        let is_suggested = |skill: &Skill| asked.suggested == Some(skill.name.as_str());
        enabled.sort_by_key(|skill| (!is_suggested(skill), Reverse(skill.priority)));
        Ok(enabled.into_iter().map(|skill| CandidateRef { skill, script_idx: 0 }).collect())
    }

    /// A suggestion that names nobody is a slip; one that does not fit the path is only not followed.
    pub(super) fn check_suggested(&self, step: &str, suggested: &str) -> Result<(), PlanError> {
        if self.catalog.get(suggested).is_some() {
            return Ok(());
        }
        let near = nearest(suggested, self.enabled().map(|skill| &skill.name));
        Err(PlanError::UnknownSuggestion { step: quote(step), skill: quote(suggested), near })
    }

    fn may_run(&self, skill: &Skill, asked: CandidateQuery<'_>) -> bool {
        asked.may_be_disabled || !self.disabled.contains(skill.name.as_str())
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
