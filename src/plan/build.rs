//! [`PlanJson`] + catalog → [`Plan`]: once built, nothing is left to check.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::RangeInclusive,
    time::Duration,
};

use serde_json::Value;

use super::{
    Candidate, Plan, PlanError, PlanErrors, PlanJson, Step, StepIdx, ValueTemplate,
    error::quote,
    graph::Graph,
    reference,
    tool_path::Resolver,
    wire::{OnFailureJson, RetryPolicyJson, ToolJson},
};
use crate::skills::{Catalog, RetryPolicy, Script, nearest};

/// Most steps of a plan. A turn has a handful; the ceiling stops a planner that repeats itself.
pub const STEPS_MAX: usize = 256;

/// What `retryPolicy.maxRetries` may be; more would only prolong a turn that has failed.
const RETRIES: RangeInclusive<u64> = 0..=10;

/// What `retryPolicy.backoffMs` may be. A plan has a minute in all, so a longer wait is never reached.
const BACKOFF_MS: RangeInclusive<u64> = 0..=60_000;

/// What `timeoutMs` may be. The most is a manifest's most; a planner may be stricter than a manifest.
const TIMEOUT_MS: RangeInclusive<u64> = 1..=300_000;

/// Longest `toolId`: they are shown everywhere, and are names, not texts.
pub(super) const TOOL_ID_BYTES_MAX: usize = 64;

/// Shortest id that is worth guessing at: among ids of one letter everything is near.
const NEAR_BYTES_MIN: usize = 3;

/// What the host knows that the plan's text may not.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Skills that no step may use, besides those that the plan itself lists. None by default.
    pub disabled_skills: BTreeSet<String>,
}

impl Plan {
    /// Checks everything that could be wrong and reports all of it, not just the first.
    ///
    /// Needs may be listed in any order; the plan's own order is Kahn's, and where several steps are
    /// ready the first of them in the text goes first (DESIGN §4.2).
    pub fn build(
        json: PlanJson,
        catalog: &Catalog,
        options: &BuildOptions,
    ) -> Result<Plan, PlanErrors> {
        if json.tools.len() > STEPS_MAX {
            let steps = json.tools.len();
            return Err(PlanError::TooManySteps { steps, limit: STEPS_MAX }.into());
        }
        let mut errors = PlanErrors::default();
        check_ids(&json, &mut errors);
        let disabled_skills = union(&json.disabled_skills, &options.disabled_skills);
        let (needs, ids_are_unique) = link(&json.tools, &mut errors);
        let resolver = Resolver::new(catalog, &disabled_skills);
        let ids: Vec<String> = json.tools.iter().map(|tool| tool.tool_id.clone()).collect();
        let mut steps: Vec<Option<Step>> = json
            .tools
            .into_iter()
            .enumerate()
            .map(|(at, tool)| Checker { at, ids: &ids, errors: &mut errors }.step(tool, &resolver))
            .collect();
        let graph = Graph::new(needs.clone());
        if ids_are_unique {
            for circle in graph.circles() {
                let steps = circle.into_iter().map(|step| quote(&ids[step])).collect();
                errors.push(PlanError::Cycle { steps });
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let order = graph.run_order().expect("a graph without circles has an order");
        let mut place_of = vec![0; order.len()];
        for (place, at) in order.iter().enumerate() {
            place_of[*at] = place;
        }
        let steps = order
            .into_iter()
            .map(|at| {
                let mut step = steps[at].take().expect("each step that is no error was made once");
                step.needs = needs[at].iter().map(|need| StepIdx(place_of[*need])).collect();
                step.needs.sort_unstable();
                step
            })
            .collect();
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

fn check_ids(json: &PlanJson, errors: &mut PlanErrors) {
    let parent = json.metadata.parent_plan_id.as_ref();
    let ids = [("requestId", Some(&json.request_id)), ("metadata.parentPlanId", parent)];
    for (field, id) in ids {
        if let Some(id) = id.filter(|id| !is_uuid(id)) {
            errors.push(PlanError::NotUuid { field, found: quote(id) });
        }
    }
    let attempt = u64::from(json.metadata.generation_attempt);
    check_range("metadata.generationAttempt", attempt, &(1..=u64::from(u32::MAX)), errors);
}

/// Only the form with hyphens: it is what the contract says, and it is shown and stored as it is.
fn is_uuid(id: &str) -> bool {
    id.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(id).is_ok()
}

fn check_range(place: &str, found: u64, range: &RangeInclusive<u64>, errors: &mut PlanErrors) {
    if !range.contains(&found) {
        let (place, min, max) = (place.to_owned(), *range.start(), *range.end());
        errors.push(PlanError::OutOfRange { place, found, min, max });
    }
}

fn union(of_plan: &[String], of_host: &BTreeSet<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    of_plan.iter().chain(of_host).filter(|skill| seen.insert(skill.as_str())).cloned().collect()
}

/// Dependencies as indices, and whether every id names one step.
fn link(tools: &[ToolJson], errors: &mut PlanErrors) -> (Vec<Vec<usize>>, bool) {
    let mut by_id: HashMap<&str, usize> = HashMap::with_capacity(tools.len());
    let mut ids_are_unique = true;
    for (second, tool) in tools.iter().enumerate() {
        if let Some(first) = by_id.get(tool.tool_id.as_str()) {
            ids_are_unique = false;
            let step = quote(&tool.tool_id);
            errors.push(PlanError::DuplicateId { step, first: *first, second });
        } else {
            by_id.insert(&tool.tool_id, second);
        }
    }
    let needs = tools.iter().map(|tool| link_one(tool, tools, &by_id, errors)).collect();
    (needs, ids_are_unique)
}

fn link_one(
    tool: &ToolJson,
    tools: &[ToolJson],
    by_id: &HashMap<&str, usize>,
    errors: &mut PlanErrors,
) -> Vec<usize> {
    let mut needs = Vec::with_capacity(tool.dependencies.len());
    let mut seen = HashSet::with_capacity(tool.dependencies.len());
    for dependency in &tool.dependencies {
        let step = || quote(&tool.tool_id);
        match by_id.get(dependency.as_str()) {
            _ if !seen.insert(dependency.as_str()) => {
                let dependency = quote(dependency);
                errors.push(PlanError::DuplicateDependency { step: step(), dependency });
            }
            _ if *dependency == tool.tool_id => {
                errors.push(PlanError::SelfDependency { step: step() });
            }
            Some(need) => needs.push(*need),
            None => {
                let others =
                    tools.iter().map(|other| &other.tool_id).filter(|id| **id != tool.tool_id);
                let near = nearest(dependency, others).filter(|near| near.len() >= NEAR_BYTES_MIN);
                let missing = quote(dependency);
                errors.push(PlanError::UnknownDependency { step: step(), missing, near });
            }
        }
    }
    needs
}

/// Turns one tool into a step, its needs left out.
struct Checker<'a> {
    /// Index in the text.
    at: usize,
    /// Of all tools of the plan.
    ids: &'a [String],
    errors: &'a mut PlanErrors,
}

impl Checker<'_> {
    fn step(&mut self, tool: ToolJson, resolver: &Resolver<'_>) -> Option<Step> {
        let place = format!("tools[{}] (\"{}\")", self.at, quote(&tool.tool_id));
        self.check_id(&tool.tool_id);
        self.refuse_unsupported(&tool);
        self.check_ranges(&tool, &place);
        let mut input = tool.input;
        let references =
            reference::unescape(&mut input, |id| self.ids.iter().any(|other| other == id));
        let literal = references.is_empty();
        for found in references {
            let place = quote_place(&place, &found.place);
            self.errors.push(PlanError::Reference { place, reference: quote(&found.text) });
        }
        let (skill, script_idx) = match resolver.resolve(&tool.tool_id, &tool.tool_path) {
            Ok(found) => found,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let script = &skill.scripts[script_idx];
        let script_path = format!("{}/{}", skill.name, script.name);
        if script.requires_approval {
            let step = quote(&tool.tool_id);
            self.errors.push(PlanError::NeedsApproval { step, script: script_path.clone() });
        }
        let input = Value::Object(input);
        if literal {
            self.check_input(&input, script, &script_path, &place);
        }
        Some(Step {
            required: tool.required.unwrap_or(script.required),
            is_async: tool.is_async.unwrap_or(script.is_async),
            candidates: vec![Candidate {
                skill: skill.clone(),
                script_idx,
                retry: retry_policy(tool.retry_policy, skill.retry),
                timeout: tool.timeout_ms.map_or(script.timeout, Duration::from_millis),
            }],
            tool_id: tool.tool_id,
            asked: tool.tool_path,
            input: ValueTemplate::literal(input),
            needs: Vec::new(),
            when: None,
            for_each: None,
            expect: None,
            requires_approval: false,
            skip: tool.skip,
            description: tool.description,
            reason: tool.reason,
            instructions: tool.instructions,
            acceptance_criteria: tool.acceptance_criteria,
            suggested_skill: tool.suggested_skill,
        })
    }

    fn check_id(&mut self, id: &str) {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if id.is_empty() || id.len() > TOOL_ID_BYTES_MAX || !id.bytes().all(fits) {
            let (at, found) = (self.at, quote(id));
            self.errors.push(PlanError::BadId { at, found, limit: TOOL_ID_BYTES_MAX });
        }
    }

    /// What the contract knows but nothing here can honour must not be passed over in silence.
    fn refuse_unsupported(&mut self, tool: &ToolJson) {
        let used = [
            ("when", tool.when.is_some()),
            ("forEach", tool.for_each.is_some()),
            ("maxItems", tool.max_items.is_some()),
            ("expect", tool.expect.is_some()),
            ("requiresApproval", tool.requires_approval == Some(true)),
        ];
        for (field, _) in used.into_iter().filter(|(_, is_used)| *is_used) {
            self.errors.push(PlanError::Unsupported { step: quote(&tool.tool_id), field });
        }
    }

    fn check_ranges(&mut self, tool: &ToolJson, place: &str) {
        let retry = tool.retry_policy;
        let numbers = [
            ("timeoutMs", tool.timeout_ms, &TIMEOUT_MS),
            ("retryPolicy.maxRetries", retry.and_then(|r| r.max_retries.map(u64::from)), &RETRIES),
            ("retryPolicy.backoffMs", retry.and_then(|r| r.backoff_ms), &BACKOFF_MS),
        ];
        for (field, number, range) in numbers {
            if let Some(number) = number {
                check_range(&format!("{place}.{field}"), number, range, self.errors);
            }
        }
    }

    fn check_input(&mut self, input: &Value, script: &Script, script_path: &str, place: &str) {
        for mismatch in script.input_schema.mismatches(input) {
            let inside = mismatch.pointer.replace('/', ".").replace("~1", "/").replace("~0", "~");
            self.errors.push(PlanError::Input {
                place: quote_place(place, &inside),
                what: mismatch.what,
                script: script_path.to_owned(),
                fields: fields_of(script.input_schema.document()),
            });
        }
    }
}

fn quote_place(step: &str, inside: &str) -> String {
    format!("{step}.input{}", quote(inside))
}

fn fields_of(schema: &Value) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}

/// The step's own numbers, and the skill's for those that it leaves out.
fn retry_policy(own: Option<RetryPolicyJson>, of_skill: RetryPolicy) -> RetryPolicy {
    RetryPolicy {
        retries_max: own.and_then(|own| own.max_retries).unwrap_or(of_skill.retries_max),
        backoff: own.and_then(|own| own.backoff_ms).map_or(of_skill.backoff, Duration::from_millis),
    }
}
