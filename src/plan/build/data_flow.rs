//! What flows from step to step: whether each reference leads to something that its producer's schema
//! knows and its consumer's takes, and whether conditions can be answered (DESIGN §4.2).

use serde_json::{Value, json};

use super::{
    dependency_index::DependencyIndex,
    step_draft::{StepDraft, display_pointer},
};
use crate::{
    Condition, PathPart, PlanError, PlanErrors, Reference, ReferenceCheckError, ReferenceSource,
    StepIdx,
    condition::ConditionScope,
    error::quote,
    schema_type::{MissingPart, SchemaType, TypeSet},
    tool_path::CandidateRef,
};

/// Takes out who could not take what the references give, and puts in the conditions.
pub(super) fn check(
    drafts: &mut [StepDraft<'_>],
    links: &DependencyIndex<'_>,
    errors: &mut PlanErrors,
) {
    let outputs = drafts.iter().map(output_type).collect();
    let flows = DataFlow { drafts, dependency_index: links, outputs };
    let found: Vec<_> = (0..drafts.len())
        .map(|at| {
            let when = flows.check_condition(at, errors);
            let items = flows.check_for_each(at, errors);
            (when, flows.check_input(at, &items, errors))
        })
        .collect();
    for (draft, (when, able)) in drafts.iter_mut().zip(found) {
        (draft.when, draft.candidates) = (when, able);
    }
}

/// What anybody who could run the step may give.
fn output_type<'a>(draft: &StepDraft<'a>) -> SchemaType<'a> {
    let of_script = |able: &CandidateRef<'a>| match &able.script().output_schema {
        Some(schema) => SchemaType::of_schema(schema.document()),
        // What `done` may carry (contracts/event.schema.json).
        None => SchemaType::of_types(TypeSet::OBJECT.union(TypeSet::NULL)),
    };
    let one = SchemaType::any_of(draft.candidates.iter().map(of_script));
    if draft.is_loop { SchemaType::list_of(one) } else { one }
}

struct DataFlow<'d, 'a> {
    drafts: &'d [StepDraft<'a>],
    dependency_index: &'d DependencyIndex<'d>,
    /// By index in the text.
    outputs: Vec<SchemaType<'a>>,
}

impl<'a> DataFlow<'_, 'a> {
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

    /// What the loop's items may be.
    fn check_for_each(&self, at: usize, errors: &mut PlanErrors) -> SchemaType<'a> {
        let draft = &self.drafts[at];
        let Some(for_each) = &draft.for_each else { return SchemaType::any() };
        let mut items = SchemaType::any();
        for hole in for_each.items.slots() {
            let led = self.resolve_type(&hole.reference, &SchemaType::any()).and_then(|list| {
                if !hole.pointer.is_empty() {
                    return Ok(());
                }
                items = list.items();
                let kinds = list.types();
                if !kinds.is_disjoint_from(TypeSet::LIST) {
                    return Ok(());
                }
                Err(type_mismatch(&hole.reference, &list, kinds, "`forEach`", TypeSet::LIST))
            });
            if let Err(why) = led {
                let inside = display_pointer(for_each.items.value(), &hole.pointer);
                let place = format!("{}.forEach{inside}", draft.place);
                let reference = hole.reference.text.clone();
                errors.push(PlanError::Reference { place, reference, why: Box::new(why) });
            }
        }
        items
    }

    /// Who can take what the input refers to. Where nobody can, the first says why not.
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
                Ok(shape) => given.push((hole, self.output_types(&hole.reference, &shape), shape)),
                Err(why) => errors.push(refuse(&hole.pointer, &hole.reference, why)),
            }
        }
        let clashes = |able: &CandidateRef<'a>| {
            let schema = SchemaType::of_schema(able.script().input_schema.document());
            let whom = format!("`{}`", able.tool_path());
            let told = given.iter().filter_map(|(hole, gives, shape)| {
                let takes = schema.at_pointer(draft.input.value(), &hole.pointer);
                let takes = takes.map_or(TypeSet::ANY, |takes| takes.types());
                if !gives.is_disjoint_from(takes) {
                    return None;
                }
                let why = type_mismatch(&hole.reference, shape, *gives, &whom, takes);
                Some(refuse(&hole.pointer, &hole.reference, why))
            });
            told.collect::<Vec<PlanError>>()
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

    /// Follows a reference as far as schemas tell.
    fn resolve_type(
        &self,
        reference: &Reference,
        items: &SchemaType<'a>,
    ) -> Result<SchemaType<'a>, ReferenceCheckError> {
        let (mut shape, mut before) = match reference.source {
            ReferenceSource::Step(step) => {
                (self.outputs[step.0].clone(), format!("${}", self.dependency_index.ids[step.0]))
            }
            ReferenceSource::Item => (items.clone(), "$item".to_owned()),
            ReferenceSource::Index => (SchemaType::of_types(TypeSet::INTEGER), "$index".to_owned()),
        };
        for part in &reference.path {
            shape =
                shape.part(part).map_err(|missing| missing_part_error(&before, part, missing))?;
            before.push_str(&part.to_string());
        }
        Ok(shape)
    }

    /// A whole step may also be null: where it was skipped, or failed and was optional.
    fn output_types(&self, reference: &Reference, shape: &SchemaType<'_>) -> TypeSet {
        let ReferenceSource::Step(step) = reference.source else { return shape.types() };
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
        if is_whole && may_be_absent { shape.types().union(TypeSet::NULL) } else { shape.types() }
    }
}

fn type_mismatch(
    reference: &Reference,
    shape: &SchemaType<'_>,
    gives: TypeSet,
    whom: &str,
    takes: TypeSet,
) -> ReferenceCheckError {
    let part = |part: PathPart| format!("{}{part}", quote(&reference.text));
    let parts = shape.parts_of_types(takes).into_iter().map(part).collect();
    let (gives, takes) = (gives.to_string(), takes.to_string());
    ReferenceCheckError::TypeMismatch { gives, whom: whom.to_owned(), takes, parts }
}

fn missing_part_error(before: &str, part: &PathPart, missing: MissingPart) -> ReferenceCheckError {
    let MissingPart { types: kinds, fields, items_max } = missing;
    let has_fields = !kinds.is_disjoint_from(TypeSet::OBJECT);
    let (what, wanted) = match (part, items_max) {
        (PathPart::Key(key), _) if has_fields => {
            (format!("has no field `{key}`"), Some(key.clone()))
        }
        (PathPart::Key(_), _) => (format!("is {kinds}, which has no fields"), None),
        (PathPart::Index(_), Some(limit)) => (format!("has {limit} items at most"), None),
        (PathPart::Index(_), None) => (format!("is {kinds}, not a list"), None),
    };
    let is_key = matches!(part, PathPart::Key(_));
    let is_list = is_key && !has_fields && !kinds.is_disjoint_from(TypeSet::LIST);
    ReferenceCheckError::MissingPart { before: before.to_owned(), what, wanted, fields, is_list }
}

/// The plan as a condition sees it.
struct StepConditionScope<'f, 'd, 'a> {
    data_flow: &'f DataFlow<'d, 'a>,
    at: usize,
}

impl ConditionScope for StepConditionScope<'_, '_, '_> {
    fn step(&self, id: &str) -> Option<StepIdx> {
        self.data_flow.dependency_index.by_id.get(id).copied().map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        self.data_flow.dependency_index.ids.to_vec()
    }

    fn output_schema(&self, id: &str) -> Option<Value> {
        let draft = &self.data_flow.drafts[self.step(id)?.0];
        let schema = |able: &CandidateRef<'_>| {
            able.script().output_schema.as_ref().map(|s| s.document().clone())
        };
        let one = common_schema(draft.candidates.iter().map(schema));
        match one {
            one if !draft.is_loop => one,
            // Its references would lead elsewhere within another document.
            Some(one) if !one.to_string().contains("\"$ref\"") => {
                Some(json!({"type": "array", "items": one}))
            }
            _ => Some(json!({"type": "array"})),
        }
    }

    fn input_schema(&self) -> Option<Value> {
        let able = &self.data_flow.drafts[self.at].candidates;
        common_schema(able.iter().map(|able| Some(able.script().input_schema.document().clone())))
    }
}

/// What all agree on.
fn common_schema(mut schemas: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    let first = schemas.next()??;
    schemas.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
