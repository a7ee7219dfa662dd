//! Checks the data that flows from step to step: each reference leads to a value that its producer's schema allows and
//! its consumer's schema takes, and each condition can be answered (docs/plans.md, "References").

use std::{cell::RefCell, collections::BTreeMap};

use serde_json::Value;

use super::{
    dependency_index::DependencyIndex,
    step_draft::{StepDraft, display_pointer},
};
use crate::{
    Condition, CriterionJson, CriterionRule, PathPart, PlanError, PlanErrors, Reference,
    ReferenceCheckError, ReferenceSource, RuledCriterionJson, StepIdx,
    condition::{CelType, ConditionScope},
    error::quote,
    tool_path::CandidateRef,
};
use narratoria_skills::{
    CompileBudget, PatternDialect, PatternFault, PatternSize,
    schema_view::{MissingPart, SchemaType, TypeSet},
};

/// Adds the conditions, and removes candidates that cannot take the values of the references.
pub(super) fn check(
    drafts: &mut [StepDraft<'_>],
    links: &DependencyIndex<'_>,
    errors: &mut PlanErrors,
) {
    let outputs = drafts.iter().map(output_type).collect();
    let flows = DataFlow {
        drafts,
        dependency_index: links,
        outputs,
        output_types: RefCell::default(),
        budget: RefCell::default(),
    };
    let found: Vec<_> = (0..drafts.len())
        .map(|at| {
            let when = flows.check_condition(at, errors);
            let items = flows.check_for_each(at, errors);
            let able = flows.check_input(at, &items, errors);
            (when, able, flows.check_criteria(at, errors))
        })
        .collect();
    for (draft, (when, able, rules)) in drafts.iter_mut().zip(found) {
        (draft.when, draft.candidates) = (when, able);
        for (criterion, rule) in rules {
            draft.criteria[criterion].rule = Some(CriterionRule::Holds(rule));
        }
    }
}

/// Returns the output type of a step: the union over its candidates.
fn output_type<'a>(draft: &StepDraft<'a>) -> SchemaType<'a> {
    let of_script = |able: &CandidateRef<'a>| match &able.script().output_schema {
        Some(schema) => SchemaType::of_schema(schema.document()),
        // `done` carries an object or nothing (contracts/event.schema.json).
        None => SchemaType::of_types(TypeSet::OBJECT | TypeSet::NULL),
    };
    let one = SchemaType::any_of(draft.candidates.iter().map(of_script));
    if draft.is_loop { SchemaType::list_of(one) } else { one }
}

struct DataFlow<'d, 'a> {
    drafts: &'d [StepDraft<'a>],
    dependency_index: &'d DependencyIndex<'d>,
    /// By the step's index in the text.
    outputs: Vec<SchemaType<'a>>,
    /// The types that conditions read of the steps that they name, by the step's index in the text. They are computed
    /// once, because a condition may name one step a hundred times, and a schema may be large.
    output_types: RefCell<BTreeMap<usize, CelType<'a>>>,
    /// The rest of the budget for the patterns of all conditions.
    budget: RefCell<CompileBudget>,
}

impl<'a> DataFlow<'_, 'a> {
    /// Returns the type of a step's output as conditions read it.
    fn condition_type(&self, step: usize) -> CelType<'a> {
        let draft = &self.drafts[step];
        let document = |able: &CandidateRef<'a>| {
            able.script().output_schema.as_ref().map(|schema| schema.document())
        };
        match common_schema(draft.candidates.iter().map(document)) {
            Some(schema) if !draft.is_loop => CelType::of_schema(schema),
            None if !draft.is_loop => CelType::UNKNOWN,
            // Conditions follow no references, so the items of such a list may be anything.
            Some(schema) if !schema.to_string().contains("\"$ref\"") => {
                CelType::list_of(CelType::of_schema(schema))
            }
            _ => CelType::list_of(CelType::UNKNOWN),
        }
    }

    /// Returns the type of one output; for a loop, that of one item.
    fn own_output_type(&self, step: usize) -> CelType<'a> {
        let document = |able: &CandidateRef<'a>| {
            able.script().output_schema.as_ref().map(|schema| schema.document())
        };
        common_schema(self.drafts[step].candidates.iter().map(document))
            .map_or(CelType::UNKNOWN, CelType::of_schema)
    }

    /// Returns the conditions of the step's acceptance criteria, each with the index of its criterion.
    fn check_criteria(&self, at: usize, errors: &mut PlanErrors) -> Vec<(usize, Condition)> {
        let draft = &self.drafts[at];
        let mut rules = Vec::new();
        for (place, criterion) in draft.tool.acceptance_criteria.iter().enumerate() {
            let CriterionJson::Ruled(RuledCriterionJson { holds: Some(text), .. }) = criterion
            else {
                continue;
            };
            match Condition::build(text, &CriterionScope { data_flow: self, at }) {
                Ok(condition) => rules.push((place, condition)),
                Err(problems) => {
                    let place = format!("{}.acceptanceCriteria[{place}].holds", draft.place);
                    let error = |what| PlanError::Condition { place: place.clone(), what };
                    problems.into_iter().map(error).for_each(|error| errors.push(error));
                }
            }
        }
        rules
    }

    fn check_condition(&self, at: usize, errors: &mut PlanErrors) -> Option<Condition> {
        let draft = &self.drafts[at];
        let text = draft.tool.when.as_ref()?;
        let mut refuse = |what: String| {
            errors.push(PlanError::Condition { place: format!("{}.when", draft.place), what });
        };
        match Condition::build(text, &StepConditionScope { data_flow: self, at }) {
            Ok(condition) => {
                let own = self.dependency_index.reference_names(at, false).own;
                if condition.steps().contains(&StepIdx(own)) {
                    refuse(
                        "asks for what the step itself gives, which is not known before it has run"
                            .to_owned(),
                    );
                }
                Some(condition)
            }
            Err(problems) => {
                problems.into_iter().for_each(refuse);
                None
            }
        }
    }

    /// Returns the type of the loop's items.
    fn check_for_each(&self, at: usize, errors: &mut PlanErrors) -> SchemaType<'a> {
        let draft = &self.drafts[at];
        let Some(for_each) = &draft.for_each else { return SchemaType::any() };
        let mut items = SchemaType::any();
        for hole in for_each.items.slots() {
            let found = self.resolve_type(&hole.reference, &SchemaType::any()).and_then(|list| {
                if !hole.pointer.is_empty() {
                    return Ok(());
                }
                items = list.items();
                let types = list.types();
                if types.intersects(TypeSet::LIST) {
                    return Ok(());
                }
                Err(type_mismatch(&hole.reference, &list, types, "`forEach`", TypeSet::LIST))
            });
            if let Err(why) = found {
                let inside = display_pointer(for_each.items.value(), &hole.pointer);
                let place = format!("{}.forEach{inside}", draft.place);
                let reference = hole.reference.text.clone();
                errors.push(PlanError::Reference { place, reference, why: Box::new(why) });
            }
        }
        items
    }

    /// Returns the candidates that take the values of the input's references. If none does, reports the mismatches of
    /// the first.
    fn check_input(
        &self,
        at: usize,
        items: &SchemaType<'a>,
        errors: &mut PlanErrors,
    ) -> Vec<CandidateRef<'a>> {
        let draft = &self.drafts[at];
        let refuse = |pointer: &str, reference: &Reference, why| {
            let place =
                format!("{}.input{}", draft.place, display_pointer(draft.input.value(), pointer));
            PlanError::Reference { place, reference: reference.text.clone(), why: Box::new(why) }
        };
        let mut given = Vec::new();
        for hole in draft.input.slots() {
            match self.resolve_type(&hole.reference, items) {
                Ok(source) => {
                    given.push((hole, self.output_types(&hole.reference, &source), source))
                }
                Err(why) => errors.push(refuse(&hole.pointer, &hole.reference, why)),
            }
        }
        let clashes = |able: &CandidateRef<'a>| {
            let schema = SchemaType::of_schema(able.script().input_schema.document());
            let consumer = format!("`{}`", able.tool_path());
            let mismatches = given.iter().filter_map(|(hole, gives, source)| {
                let takes = schema.at_pointer(draft.input.value(), &hole.pointer);
                let takes = takes.map_or(TypeSet::ANY, |takes| takes.types());
                if gives.intersects(takes) {
                    return None;
                }
                let why = type_mismatch(&hole.reference, source, *gives, &consumer, takes);
                Some(refuse(&hole.pointer, &hole.reference, why))
            });
            mismatches.collect::<Vec<PlanError>>()
        };
        if given.is_empty() {
            return draft.candidates.clone();
        }
        let takes: Vec<CandidateRef<'a>> =
            draft.candidates.iter().copied().filter(|able| clashes(able).is_empty()).collect();
        if takes.is_empty()
            && let Some(first) = draft.candidates.first()
        {
            clashes(first).into_iter().for_each(|error| errors.push(error));
        }
        takes
    }

    /// Follows a reference as far as the schemas reach.
    fn resolve_type(
        &self,
        reference: &Reference,
        items: &SchemaType<'a>,
    ) -> Result<SchemaType<'a>, ReferenceCheckError> {
        let (mut found, mut before) = match reference.source {
            ReferenceSource::Step(step) => {
                (self.outputs[step.0].clone(), format!("${}", self.dependency_index.ids[step.0]))
            }
            ReferenceSource::Item => (items.clone(), "$item".to_owned()),
            ReferenceSource::Index => (SchemaType::of_types(TypeSet::INTEGER), "$index".to_owned()),
        };
        for part in &reference.path {
            found = part_type(&found, part)
                .map_err(|missing| missing_part_error(&before, part, missing))?;
            before.push_str(&part.to_string());
        }
        Ok(found)
    }

    /// Returns the types that a reference can give. One to a whole step may give null, because the step may be skipped,
    /// or optional and failed.
    fn output_types(&self, reference: &Reference, source: &SchemaType<'_>) -> TypeSet {
        let ReferenceSource::Step(step) = reference.source else { return source.types() };
        let draft = &self.drafts[step.0];
        let is_required = match (draft.tool.required, draft.candidates.first()) {
            (Some(required), _) => required,
            (None, Some(able)) => able.script().required,
            (None, None) => true,
        };
        let may_be_absent = !is_required
            || draft.tool.skip
            || draft.tool.when.is_some()
            || draft.requires_approval();
        let is_whole = reference.path.is_empty();
        if is_whole && may_be_absent { source.types() | TypeSet::NULL } else { source.types() }
    }
}

fn type_mismatch(
    reference: &Reference,
    source: &SchemaType<'_>,
    gives: TypeSet,
    consumer: &str,
    takes: TypeSet,
) -> ReferenceCheckError {
    // Suggests fields, or the first item, that the consumer surely takes.
    let fields = source.fields().into_iter().map(PathPart::Key);
    let parts = fields.chain([PathPart::Index(0)]).filter(|part| {
        part_type(source, part).is_ok_and(|part| part.types() & takes == part.types())
    });
    let parts = parts.map(|part| format!("{}{part}", quote(&reference.text))).collect();
    let (gives, takes) = (gives.to_string(), takes.to_string());
    ReferenceCheckError::TypeMismatch { gives, consumer: consumer.to_owned(), takes, parts }
}

fn part_type<'a>(whole: &SchemaType<'a>, part: &PathPart) -> Result<SchemaType<'a>, MissingPart> {
    match part {
        PathPart::Key(name) => whole.field(name),
        PathPart::Index(idx) => whole.item(*idx),
    }
}

fn missing_part_error(before: &str, part: &PathPart, missing: MissingPart) -> ReferenceCheckError {
    let MissingPart { types, fields, items_max } = missing;
    let has_fields = types.intersects(TypeSet::OBJECT);
    let (what, wanted) = match (part, items_max) {
        (PathPart::Key(key), _) if has_fields => {
            (format!("has no field `{key}`"), Some(key.clone()))
        }
        (PathPart::Key(_), _) => (format!("is {types}, which has no fields"), None),
        (PathPart::Index(_), Some(limit)) => (format!("has {limit} items at most"), None),
        (PathPart::Index(_), None) => (format!("is {types}, not a list"), None),
    };
    let is_key = matches!(part, PathPart::Key(_));
    let is_list = is_key && !has_fields && types.intersects(TypeSet::LIST);
    ReferenceCheckError::MissingPart { before: before.to_owned(), what, wanted, fields, is_list }
}

/// The plan as the condition of the step at index `at` sees it.
struct StepConditionScope<'f, 'd, 'a> {
    data_flow: &'f DataFlow<'d, 'a>,
    at: usize,
}

impl<'a> ConditionScope for StepConditionScope<'_, '_, 'a> {
    fn step(&self, id: &str) -> Option<StepIdx> {
        self.data_flow.dependency_index.by_id.get(id).copied().map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        self.data_flow.dependency_index.ids.to_vec()
    }

    fn output_type(&self, id: &str) -> CelType<'_> {
        let Some(StepIdx(step)) = self.step(id) else { return CelType::UNKNOWN };
        let mut known = self.data_flow.output_types.borrow_mut();
        known.entry(step).or_insert_with(|| self.data_flow.condition_type(step)).clone()
    }

    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault> {
        let dialect = PatternDialect::Plain { ignores_case: false };
        self.data_flow.budget.borrow_mut().take_pattern(pattern, dialect)
    }

    fn input_type(&self) -> CelType<'_> {
        input_type(self.data_flow, self.at)
    }
}

/// The step at index `at` as its acceptance criteria see it.
struct CriterionScope<'f, 'd, 'a> {
    data_flow: &'f DataFlow<'d, 'a>,
    at: usize,
}

impl ConditionScope for CriterionScope<'_, '_, '_> {
    fn step(&self, _id: &str) -> Option<StepIdx> {
        None
    }

    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    fn output_type(&self, _id: &str) -> CelType<'_> {
        CelType::UNKNOWN
    }

    fn own_output_type(&self) -> Option<CelType<'_>> {
        Some(self.data_flow.own_output_type(self.at))
    }

    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault> {
        StepConditionScope { data_flow: self.data_flow, at: self.at }.take_pattern(pattern)
    }

    fn input_type(&self) -> CelType<'_> {
        input_type(self.data_flow, self.at)
    }
}

fn input_type<'a>(data_flow: &DataFlow<'_, 'a>, at: usize) -> CelType<'a> {
    let candidates = &data_flow.drafts[at].candidates;
    let document = |able: &CandidateRef<'a>| Some(able.script().input_schema.document());
    common_schema(candidates.iter().map(document)).map_or(CelType::UNKNOWN, CelType::of_schema)
}

/// Returns the schema if all candidates have the same.
fn common_schema<'v>(mut schemas: impl Iterator<Item = Option<&'v Value>>) -> Option<&'v Value> {
    let first = schemas.next()??;
    schemas.all(|other| other == Some(first)).then_some(first)
}
