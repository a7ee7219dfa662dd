//! [`PlanJson`] + catalog → [`Plan`]. A built plan needs no further checks.

mod data_flow;
mod dependency_index;
mod step_draft;

use std::collections::{BTreeSet, HashSet};

use dependency_index::DependencyIndex;
use step_draft::{StepDraft, StepDrafter};

use super::{
    Plan, PlanError, PlanErrors, PlanJson, StepIdx,
    error::quote,
    graph::DependencyGraph,
    parse::parse_with_violations,
    tool_path::{CandidateQuery, ToolPathResolver},
    wire::OnFailureJson,
};
use narratoria_skills::{Catalog, CompileBudget, StateValueLists, limit_steps};

/// Most steps of a plan. A turn has a handful; the limit stops a planner that repeats itself.
pub const STEPS_MAX: usize = 256;

/// Most steps of checking the inputs of a plan against the schemas of scripts: about a second.
pub const PLAN_CHECK_STEPS_MAX: u64 = 100_000_000;

/// Facts about this attempt that the host adds to the plan's text.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Skills that no step may use, in addition to those that the plan lists. None by default.
    pub disabled_skills: BTreeSet<String>,
    /// `toolId`s of steps whose earlier results are reused. They do not run again, so they may name a disabled skill, as
    /// skipped steps may. None by default.
    pub reused_results: BTreeSet<String>,
    /// `toolId`s of steps that may use a disabled skill: they run its failed script again with other input. None by
    /// default.
    pub repaired_steps: BTreeSet<String>,
    /// `toolId`s of steps that the planner itself left out; a person left out the others. None by default.
    pub skipped_by_planner: BTreeSet<String>,
    /// The values that the state has for input schemas that draw from it ([`Catalog::state_values`]). Without them, as
    /// by default, those parts of inputs are checked only when the steps start.
    pub state_values: Option<StateValueLists>,
    /// [`STEPS_MAX`] by default.
    pub steps_max: Option<usize>,
}

impl BuildOptions {
    /// Returns the `disabledSkills` of a plan that these options admit: its own and those of the options, without the skills
    /// of its steps that may use them all the same. A plan must not list what it does: it could not run again.
    pub fn disabled_skills_of(&self, json: &PlanJson, catalog: &Catalog) -> Vec<String> {
        let resolver = ToolPathResolver::new(catalog, &[]);
        let admitted = json.tools.iter().filter(|tool| !tool.skip && self.admits(&tool.tool_id));
        let used: HashSet<&str> = admitted
            .filter_map(|tool| resolver.candidates(CandidateQuery::of(tool, true)).ok())
            .flatten()
            .map(|candidate| candidate.skill.name.as_str())
            .collect();
        let mut disabled = union(&json.disabled_skills, &self.disabled_skills);
        disabled.retain(|skill| !used.contains(skill.as_str()));
        disabled
    }

    /// Returns true if the step may use a disabled skill.
    fn admits(&self, step: &str) -> bool {
        self.reused_results.contains(step) || self.repaired_steps.contains(step)
    }
}

impl Plan {
    /// Reads a plan that a person hands over, and builds it. Reports violations of its schema and errors of its meaning
    /// together, as far as it can be read at all.
    pub fn from_document(
        text: &[u8],
        catalog: &Catalog,
        options: &BuildOptions,
    ) -> Result<(PlanJson, Plan), PlanErrors> {
        let (json, violations) = parse_with_violations(text)?;
        match Plan::build(json.clone(), catalog, options) {
            Ok(plan) if violations.is_empty() => Ok((json, plan)),
            Ok(_) => Err(violations),
            Err(errors) => Err(violations.with_meaning(errors)),
        }
    }

    /// Checks everything and reports every error, not only the first.
    ///
    /// Dependencies may stand in any order. The run order is Kahn's; of several ready steps, the first in the text goes
    /// first (docs/plans.md, "Order, time and failure").
    pub fn build(
        json: PlanJson,
        catalog: &Catalog,
        options: &BuildOptions,
    ) -> Result<Plan, PlanErrors> {
        limit_steps(PLAN_CHECK_STEPS_MAX, || Plan::build_within_steps(json, catalog, options))
    }

    fn build_within_steps(
        mut json: PlanJson,
        catalog: &Catalog,
        options: &BuildOptions,
    ) -> Result<Plan, PlanErrors> {
        let (steps, limit) = (json.tools.len(), options.steps_max.unwrap_or(STEPS_MAX));
        if steps > limit {
            return Err(PlanError::TooManySteps { steps, limit }.into());
        }
        let mut errors = PlanErrors::default();
        check_ids(&json, &mut errors);
        let disabled_skills = union(&json.disabled_skills, &options.disabled_skills);
        let ids: Vec<String> = json.tools.iter().map(|tool| tool.tool_id.clone()).collect();
        let dependency_index = DependencyIndex::new(&ids, &json.tools, &mut errors);
        let resolver = ToolPathResolver::new(catalog, &disabled_skills);
        let tools = std::mem::take(&mut json.tools);
        let mut drafter = StepDrafter {
            dependency_index: &dependency_index,
            resolver: &resolver,
            options,
            budget: CompileBudget::default(),
            errors: &mut errors,
        };
        let mut drafts: Vec<StepDraft<'_>> =
            tools.into_iter().enumerate().map(|(at, tool)| drafter.draft(at, tool)).collect();
        data_flow::check(&mut drafts, &dependency_index, &mut errors);
        let needs: Vec<Vec<usize>> = drafts
            .iter()
            .enumerate()
            .map(|(at, draft)| dependency_index.needs(at, draft.refers_to()))
            .collect();
        let graph = DependencyGraph::new(needs);
        if dependency_index.ids_are_unique {
            for cycle in graph.cycles() {
                errors.push(dependency_index.cycle_error(&cycle));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut steps = steps_in_run_order(drafts, &graph);
        for step in &mut steps {
            step.is_planners_skip = step.skip && options.skipped_by_planner.contains(&step.tool_id);
        }
        Ok(Plan {
            id: json.request_id,
            narrative: json.narrative,
            steps,
            parallel: json.parallel,
            stop_on_failure: json.on_failure == Some(OnFailureJson::Stop),
            disabled_skills,
            attempt: json.metadata.generation_attempt,
            parent_plan_id: json.metadata.parent_plan_id,
            metadata: json.metadata.extra,
        })
    }
}

fn steps_in_run_order(drafts: Vec<StepDraft<'_>>, graph: &DependencyGraph) -> Vec<super::Step> {
    let order = graph.run_order().expect("a graph without cycles has an order");
    let mut place_of = vec![0; order.len()];
    for (place, at) in order.iter().enumerate() {
        place_of[*at] = place;
    }
    let mut drafts: Vec<Option<StepDraft<'_>>> = drafts.into_iter().map(Some).collect();
    let step = |at: usize| {
        let draft = drafts[at].take().expect("an order names each step once");
        let mut step = draft.into_step(&place_of);
        step.needs = graph.needs(at).iter().map(|need| StepIdx(place_of[*need])).collect();
        step.needs.sort_unstable();
        step
    };
    order.into_iter().map(step).collect()
}

fn check_ids(json: &PlanJson, errors: &mut PlanErrors) {
    let parent = json.metadata.parent_plan_id.as_ref();
    let ids = [("requestId", Some(&json.request_id)), ("metadata.parentPlanId", parent)];
    for (field, id) in ids {
        if let Some(id) = id.filter(|id| !is_uuid(id)) {
            errors.push(PlanError::NotUuid { field, found: quote(id) });
        }
    }
    let attempt = u64::from(json.metadata.generation_attempt);
    errors.check_range("metadata.generationAttempt", attempt, &(1..=u64::from(u32::MAX)));
}

/// Accepts only the form with hyphens, as the contract says: ids are shown and stored as written.
fn is_uuid(id: &str) -> bool {
    id.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(id).is_ok()
}

fn union(of_plan: &[String], of_host: &BTreeSet<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    of_plan.iter().chain(of_host).filter(|skill| seen.insert(skill.as_str())).cloned().collect()
}
