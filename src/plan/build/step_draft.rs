//! One tool of the text → a [`StepDraft`]: all checks that need no schema of another step.

use narratoria_protocol::key_of_token;
use std::{mem::take, ops::RangeInclusive, time::Duration};

use serde_json::Value;

use super::{BuildOptions, dependency_index::DependencyIndex};
use crate::{
    Candidate, Condition, Criterion, CriterionJson, CriterionRule, FOR_EACH_ITEMS_DEFAULT, ForEach,
    PlanError, PlanErrors, ReferenceCheckError, ReferenceSlot, ReferenceSource, Step,
    ValueTemplate,
    error::quote,
    model::FOR_EACH_ITEMS_MAX,
    reference::grammar::{self, InvalidReference},
    step_id::TOOL_ID_BYTES_MAX,
    tool_path::{CandidateQuery, CandidateRef, ToolPathResolver},
    wire::{RetryPolicyJson, ToolJson},
};
use narratoria_skills::{CompileBudget, RetryPolicy, Schema};

/// Range of `retryPolicy.maxRetries`. More retries would only prolong a turn that has failed.
const RETRIES: RangeInclusive<u64> = 0..=10;

/// Range of `retryPolicy.backoffMs`. A plan has a minute in all, so a longer wait never ends in time.
const BACKOFF_MS: RangeInclusive<u64> = 0..=60_000;

/// Range of `timeoutMs`. A manifest has the same upper bound; a planner may be stricter than a manifest.
const TIMEOUT_MS: RangeInclusive<u64> = 1..=300_000;

/// Range of `maxItems`.
const ITEMS: RangeInclusive<u64> = 1..=FOR_EACH_ITEMS_MAX as u64;

/// A step whose references are still indices in the text.
pub(super) struct StepDraft<'a> {
    /// The wire form, without the parts that moved into the fields below.
    pub(super) tool: ToolJson,
    /// `tools[1] ("door")`.
    pub(super) place: String,
    /// The first choice first. Empty only if an error was reported.
    pub(super) candidates: Vec<CandidateRef<'a>>,
    pub(super) input: ValueTemplate,
    /// True if the text has a `forEach`, even an invalid one.
    pub(super) is_loop: bool,
    pub(super) for_each: Option<ForEach>,
    pub(super) when: Option<Condition>,
    pub(super) expect: Option<Schema>,
    /// The criteria. Those with a condition have no rule yet.
    pub(super) criteria: Vec<Criterion>,
}

impl StepDraft<'_> {
    /// Returns every step that this one refers to, as indices in the text, with repeats.
    pub(super) fn refers_to(&self) -> Vec<usize> {
        let items = self.for_each.iter().flat_map(|for_each| for_each.items.slots());
        let of_slot = |slot: &ReferenceSlot| match slot.reference.source {
            ReferenceSource::Step(step) => Some(step.0),
            ReferenceSource::Item | ReferenceSource::Index => None,
        };
        let of_condition = self.when.iter().flat_map(Condition::steps).map(|step| step.0);
        self.input.slots().iter().chain(items).filter_map(of_slot).chain(of_condition).collect()
    }

    pub(super) fn requires_approval(&self) -> bool {
        self.tool.requires_approval == Some(true)
            || self.candidates.iter().any(|candidate| candidate.script().requires_approval)
    }

    /// Creates the step. Leaves `needs` empty.
    pub(super) fn into_step(mut self, place_of: &[usize]) -> Step {
        self.input.renumber_steps(place_of);
        if let Some(for_each) = &mut self.for_each {
            for_each.items.renumber_steps(place_of);
        }
        if let Some(when) = &mut self.when {
            when.renumber_steps(place_of);
        }
        let requires_approval = self.requires_approval();
        let tool = self.tool;
        let first = self.candidates[0].script();
        let candidate = |candidate: &CandidateRef<'_>| Candidate {
            skill: candidate.skill.clone(),
            script_idx: candidate.script_idx,
            retry: retry_policy(tool.retry_policy, candidate.skill.retry),
            timeout: tool.timeout_ms.map_or(candidate.script().timeout, Duration::from_millis),
        };
        Step {
            required: tool.required.unwrap_or(first.required),
            is_async: tool.is_async.unwrap_or(first.is_async),
            candidates: self.candidates.iter().map(candidate).collect(),
            tool_id: tool.tool_id,
            tool_path: tool.tool_path,
            input: self.input,
            needs: Vec::new(),
            when: self.when,
            for_each: self.for_each,
            expect: self.expect,
            requires_approval,
            skip: tool.skip,
            is_planners_skip: false,
            description: tool.description,
            reason: tool.reason,
            instructions: tool.instructions,
            acceptance_criteria: self.criteria,
            suggested_skill: tool.suggested_skill,
            asked_by: tool.asked_by,
        }
    }
}

pub(super) struct StepDrafter<'a, 'p> {
    pub(super) dependency_index: &'p DependencyIndex<'p>,
    pub(super) resolver: &'p ToolPathResolver<'a>,
    pub(super) options: &'p BuildOptions,
    /// The rest of the budget for the schemas of all `expect`.
    pub(super) budget: CompileBudget,
    pub(super) errors: &'p mut PlanErrors,
}

impl<'a> StepDrafter<'a, '_> {
    pub(super) fn draft(&mut self, at: usize, mut tool: ToolJson) -> StepDraft<'a> {
        let place = format!("tools[{at}] (\"{}\")", quote(&tool.tool_id));
        self.check_id(at, &tool.tool_id);
        self.check_ranges(&tool, &place);
        let is_loop = tool.for_each.is_some();
        let for_each = take(&mut tool.for_each);
        let for_each = for_each.and_then(|items| self.for_each(at, items, &tool, &place));
        let input = Value::Object(take(&mut tool.input));
        let (input, invalid) = self.value_template(at, input, is_loop, &format!("{place}.input"));
        let expect = take(&mut tool.expect).and_then(|expect| self.expect(expect, &place));
        let criteria = self.criteria(&mut tool, &place);
        let candidate = self.candidates(&tool, &input, &invalid, &place);
        StepDraft {
            tool,
            place,
            candidates: candidate,
            input,
            is_loop,
            for_each,
            when: None,
            expect,
            criteria,
        }
    }

    fn check_id(&mut self, at: usize, id: &str) {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if id.is_empty() || id.len() > TOOL_ID_BYTES_MAX || !id.bytes().all(fits) {
            let found = quote(id);
            self.errors.push(PlanError::InvalidId { at, found, limit: TOOL_ID_BYTES_MAX });
        }
    }

    fn check_ranges(&mut self, tool: &ToolJson, place: &str) {
        let retry = tool.retry_policy;
        let numbers = [
            ("timeoutMs", tool.timeout_ms, &TIMEOUT_MS),
            ("retryPolicy.maxRetries", retry.and_then(|r| r.max_retries.map(u64::from)), &RETRIES),
            ("retryPolicy.backoffMs", retry.and_then(|r| r.backoff_ms), &BACKOFF_MS),
            ("maxItems", tool.max_items.map(u64::from), &ITEMS),
        ];
        for (field, number, range) in numbers {
            if let Some(number) = number {
                self.errors.check_range(&format!("{place}.{field}"), number, range);
            }
        }
        if tool.max_items.is_some() && tool.for_each.is_none() {
            self.errors.push(PlanError::MaxItemsWithoutForEach { step: quote(&tool.tool_id) });
        }
    }

    fn for_each(
        &mut self,
        at: usize,
        items: Value,
        tool: &ToolJson,
        place: &str,
    ) -> Option<ForEach> {
        let place = format!("{place}.forEach");
        let items_max = tool.max_items.map_or(FOR_EACH_ITEMS_DEFAULT, |items| items as usize);
        if let Value::Array(literal) = &items
            && literal.len() > items_max
        {
            let (items, limit) = (literal.len(), items_max);
            self.errors.push(PlanError::TooManyItems { place: place.clone(), items, limit });
        }
        let is_list = items.is_array();
        let found = quote(&items.to_string());
        let (items, invalid) = self.value_template(at, items, false, &place);
        if invalid.is_empty() && !is_list && items.slots().is_empty() {
            self.errors.push(PlanError::InvalidForEach { place, found });
            return None;
        }
        Some(ForEach { items, items_max })
    }

    /// The second list holds pointers to the invalid references.
    fn value_template(
        &mut self,
        at: usize,
        value: Value,
        in_loop: bool,
        place: &str,
    ) -> (ValueTemplate, Vec<String>) {
        let mut invalid = Vec::new();
        let template = grammar::parse_template(
            value,
            self.dependency_index.reference_names(at, in_loop),
            &mut invalid,
        );
        let report = |InvalidReference { pointer, text, mut why }: InvalidReference| {
            if let ReferenceCheckError::UnknownStep { step, near } = &mut why {
                *near = self.dependency_index.nearest_id(
                    step,
                    &self.dependency_index.ids[at],
                    self.errors,
                );
            }
            let place = format!("{place}{}", display_pointer(template.value(), &pointer));
            let why = Box::new(why);
            self.errors.push(PlanError::Reference { place, reference: text, why });
            pointer
        };
        let places = invalid.into_iter().map(report).collect();
        (template, places)
    }

    fn expect(&mut self, expect: Value, place: &str) -> Option<Schema> {
        match Schema::build_within(expect, &mut self.budget) {
            Ok(schema) => Some(schema),
            Err(error) => {
                let place = format!("{place}.expect");
                self.errors.push(PlanError::InvalidExpect { place, what: error.to_string() });
                None
            }
        }
    }

    fn criteria(&mut self, tool: &mut ToolJson, place: &str) -> Vec<Criterion> {
        let mut criteria = Vec::new();
        for (at, criterion) in tool.acceptance_criteria.iter_mut().enumerate() {
            let expect = match criterion {
                CriterionJson::Ruled(ruled) => ruled.expect.take(),
                CriterionJson::Text(_) => None,
            };
            let place = format!("{place}.acceptanceCriteria[{at}]");
            let rule = expect.and_then(|expect| self.expect(expect, &place));
            let text = criterion.text().to_owned();
            criteria.push(Criterion { text, rule: rule.map(CriterionRule::Expect) });
        }
        criteria
    }

    /// Returns the requested scripts whose schemas take the literal parts of the input. If none does, reports the
    /// mismatches of the first.
    fn candidates(
        &mut self,
        tool: &ToolJson,
        input: &ValueTemplate,
        invalid: &[String],
        place: &str,
    ) -> Vec<CandidateRef<'a>> {
        let suggested = tool.suggested_skill.as_deref();
        if let Some(Err(error)) =
            suggested.map(|name| self.resolver.check_suggested(&tool.tool_id, name))
        {
            self.errors.push(error);
        }
        let may_be_disabled = tool.skip || self.options.admits(&tool.tool_id);
        let query = CandidateQuery::of(tool, may_be_disabled);
        let requested = match self.resolver.candidates(query) {
            Ok(requested) => requested,
            Err(error) => {
                self.errors.push(error);
                return Vec::new();
            }
        };
        let pointers = input.slots().iter().map(|slot| &slot.pointer).chain(invalid);
        let pointers: Vec<&str> = pointers.map(String::as_str).collect();
        let refusals = |candidate: &CandidateRef<'_>| {
            let schema = &candidate.script().input_schema;
            match &self.options.state_values {
                Some(lists) => schema.mismatches_in_state(input.value(), &pointers, lists),
                None => schema.mismatches_around(input.value(), &pointers),
            }
        };
        let accepting: Vec<CandidateRef<'a>> =
            requested.iter().copied().filter(|candidate| refusals(candidate).is_empty()).collect();
        if !accepting.is_empty() {
            return accepting;
        }
        let first = requested[0];
        for mismatch in refusals(&first) {
            let place =
                format!("{place}.input{}", display_pointer(input.value(), &mismatch.pointer));
            let fields = property_names(first.script().input_schema.document());
            let (what, script) = (mismatch.what, first.tool_path());
            self.errors.push(PlanError::Input { place, what, script, fields });
        }
        vec![first]
    }
}

/// `/dice/0` becomes `.dice[0]`.
pub(super) fn display_pointer(value: &Value, pointer: &str) -> String {
    let mut text = String::new();
    let mut here = Some(value);
    for token in pointer.split('/').skip(1) {
        let token = key_of_token(token);
        match here {
            Some(Value::Array(items)) => {
                text.push_str(&format!("[{token}]"));
                here = token.parse::<usize>().ok().and_then(|at| items.get(at));
            }
            _ => {
                text.push('.');
                text.push_str(&token);
                here = here.and_then(|value| value.get(&*token));
            }
        }
    }
    quote(&text)
}

fn property_names(schema: &Value) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}

/// Returns the retry policy. The step's own numbers override the skill's.
fn retry_policy(own: Option<RetryPolicyJson>, of_skill: RetryPolicy) -> RetryPolicy {
    RetryPolicy {
        retries_max: own.and_then(|own| own.max_retries).unwrap_or(of_skill.retries_max),
        backoff: own.and_then(|own| own.backoff_ms).map_or(of_skill.backoff, Duration::from_millis),
    }
}
