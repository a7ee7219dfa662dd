//! What flows from step to step: whether each reference leads to something that its producer's schema
//! knows and its consumer's takes, and whether conditions can be answered (DESIGN §4.2).

use serde_json::{Value, json};

use super::{Draft, Links, draft::shown};
use crate::plan::{
    Condition, ConditionScope, PathPart, PlanError, PlanErrors, Reference, ReferenceFault, Source,
    StepIdx,
    error::quote,
    shape::{Kinds, Missing, Shape},
    tool_path::Able,
};

/// Takes out who could not take what the references give, and puts in the conditions.
pub(super) fn check(drafts: &mut [Draft<'_>], links: &Links<'_>, errors: &mut PlanErrors) {
    let outputs = drafts.iter().map(output).collect();
    let flows = Flows { drafts, links, outputs };
    let found: Vec<_> = (0..drafts.len())
        .map(|at| {
            let when = flows.condition(at, errors);
            let items = flows.items(at, errors);
            (when, flows.input(at, &items, errors))
        })
        .collect();
    for (draft, (when, able)) in drafts.iter_mut().zip(found) {
        (draft.when, draft.able) = (when, able);
    }
}

/// What anybody who could run the step may give.
fn output<'a>(draft: &Draft<'a>) -> Shape<'a> {
    let of_script = |able: &Able<'a>| match &able.script().output_schema {
        Some(schema) => Shape::of_schema(schema.document()),
        // What `done` may carry (contracts/event.schema.json).
        None => Shape::of_kinds(Kinds::OBJECT.or(Kinds::NULL)),
    };
    let one = Shape::any_of(draft.able.iter().map(of_script));
    if draft.is_loop { Shape::list_of(one) } else { one }
}

struct Flows<'d, 'a> {
    drafts: &'d [Draft<'a>],
    links: &'d Links<'d>,
    /// By index in the text.
    outputs: Vec<Shape<'a>>,
}

impl<'a> Flows<'_, 'a> {
    fn condition(&self, at: usize, errors: &mut PlanErrors) -> Option<Condition> {
        let draft = &self.drafts[at];
        let text = draft.tool.when.as_ref()?;
        let mut refuse = |what: String| {
            errors.push(PlanError::Condition { place: format!("{}.when", draft.place), what });
        };
        match Condition::build(text, &Seen { flows: self, at }) {
            Ok(condition) => {
                let own = self.links.names(at, false).own;
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
    fn items(&self, at: usize, errors: &mut PlanErrors) -> Shape<'a> {
        let draft = &self.drafts[at];
        let Some(for_each) = &draft.for_each else { return Shape::any() };
        let mut items = Shape::any();
        for hole in for_each.items.holes() {
            let led = self.lead(&hole.reference, &Shape::any()).and_then(|list| {
                if !hole.pointer.is_empty() {
                    return Ok(());
                }
                items = list.items();
                let kinds = list.kinds();
                if !kinds.is_apart_from(Kinds::LIST) {
                    return Ok(());
                }
                Err(clash(&hole.reference, &list, kinds, "`forEach`", Kinds::LIST))
            });
            if let Err(why) = led {
                let inside = shown(for_each.items.value(), &hole.pointer);
                let place = format!("{}.forEach{inside}", draft.place);
                let reference = hole.reference.text.clone();
                errors.push(PlanError::Reference { place, reference, why: Box::new(why) });
            }
        }
        items
    }

    /// Who can take what the input refers to. Where nobody can, the first says why not.
    fn input(&self, at: usize, items: &Shape<'a>, errors: &mut PlanErrors) -> Vec<Able<'a>> {
        let draft = &self.drafts[at];
        let refuse = |pointer: &str, reference: &Reference, why| {
            let place = format!("{}.input{}", draft.place, shown(draft.input.value(), pointer));
            PlanError::Reference { place, reference: reference.text.clone(), why: Box::new(why) }
        };
        let mut given = Vec::new();
        for hole in draft.input.holes() {
            match self.lead(&hole.reference, items) {
                Ok(shape) => given.push((hole, self.gives(&hole.reference, &shape), shape)),
                Err(why) => errors.push(refuse(&hole.pointer, &hole.reference, why)),
            }
        }
        let clashes = |able: &Able<'a>| {
            let schema = Shape::of_schema(able.script().input_schema.document());
            let whom = format!("`{}`", able.tool_path());
            let told = given.iter().filter_map(|(hole, gives, shape)| {
                let takes = schema.along(draft.input.value(), &hole.pointer);
                let takes = takes.map_or(Kinds::ANY, |takes| takes.kinds());
                if !gives.is_apart_from(takes) {
                    return None;
                }
                let why = clash(&hole.reference, shape, *gives, &whom, takes);
                Some(refuse(&hole.pointer, &hole.reference, why))
            });
            told.collect::<Vec<PlanError>>()
        };
        if given.is_empty() {
            return draft.able.clone();
        }
        let takes: Vec<Able<'a>> =
            draft.able.iter().copied().filter(|able| clashes(able).is_empty()).collect();
        if takes.is_empty()
            && let Some(first) = draft.able.first()
        {
            clashes(first).into_iter().for_each(|error| errors.push(error));
        }
        takes
    }

    /// Follows a reference as far as schemas tell.
    fn lead(&self, reference: &Reference, items: &Shape<'a>) -> Result<Shape<'a>, ReferenceFault> {
        let (mut shape, mut before) = match reference.source {
            Source::Step(step) => {
                (self.outputs[step.0].clone(), format!("${}", self.links.ids[step.0]))
            }
            Source::Item => (items.clone(), "$item".to_owned()),
            Source::Index => (Shape::of_kinds(Kinds::INTEGER), "$index".to_owned()),
        };
        for part in &reference.path {
            shape = shape.part(part).map_err(|missing| nowhere(&before, part, missing))?;
            before.push_str(&part.to_string());
        }
        Ok(shape)
    }

    /// A whole step may also be null: where it was skipped, or failed and was optional.
    fn gives(&self, reference: &Reference, shape: &Shape<'_>) -> Kinds {
        let Source::Step(step) = reference.source else { return shape.kinds() };
        let draft = &self.drafts[step.0];
        let is_required = match (draft.tool.required, draft.able.first()) {
            (Some(required), _) => required,
            (None, Some(able)) => able.script().required,
            (None, None) => true,
        };
        let may_be_absent = !is_required
            || draft.tool.skip
            || draft.tool.when.is_some()
            || draft.requires_approval();
        let is_whole = reference.path.is_empty();
        if is_whole && may_be_absent { shape.kinds().or(Kinds::NULL) } else { shape.kinds() }
    }
}

fn clash(
    reference: &Reference,
    shape: &Shape<'_>,
    gives: Kinds,
    whom: &str,
    takes: Kinds,
) -> ReferenceFault {
    let part = |part: PathPart| format!("{}{part}", quote(&reference.text));
    let parts = shape.parts_of_kinds(takes).into_iter().map(part).collect();
    let (gives, takes) = (gives.to_string(), takes.to_string());
    ReferenceFault::Kind { gives, whom: whom.to_owned(), takes, parts }
}

fn nowhere(before: &str, part: &PathPart, missing: Missing) -> ReferenceFault {
    let Missing { kinds, fields, items_max } = missing;
    let has_fields = !kinds.is_apart_from(Kinds::OBJECT);
    let (what, wanted) = match (part, items_max) {
        (PathPart::Key(key), _) if has_fields => {
            (format!("has no field `{key}`"), Some(key.clone()))
        }
        (PathPart::Key(_), _) => (format!("is {kinds}, which has no fields"), None),
        (PathPart::Index(_), Some(limit)) => (format!("has {limit} items at most"), None),
        (PathPart::Index(_), None) => (format!("is {kinds}, not a list"), None),
    };
    let is_key = matches!(part, PathPart::Key(_));
    let is_list = is_key && !has_fields && !kinds.is_apart_from(Kinds::LIST);
    ReferenceFault::Nowhere { before: before.to_owned(), what, wanted, fields, is_list }
}

/// The plan as a condition sees it.
struct Seen<'f, 'd, 'a> {
    flows: &'f Flows<'d, 'a>,
    at: usize,
}

impl ConditionScope for Seen<'_, '_, '_> {
    fn step(&self, id: &str) -> Option<StepIdx> {
        self.flows.links.by_id.get(id).copied().map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        self.flows.links.ids.to_vec()
    }

    fn output_schema(&self, id: &str) -> Option<Value> {
        let draft = &self.flows.drafts[self.step(id)?.0];
        let schema =
            |able: &Able<'_>| able.script().output_schema.as_ref().map(|s| s.document().clone());
        let one = only(draft.able.iter().map(schema));
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
        let able = &self.flows.drafts[self.at].able;
        only(able.iter().map(|able| Some(able.script().input_schema.document().clone())))
    }
}

/// What all agree on.
fn only(mut schemas: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    let first = schemas.next()??;
    schemas.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
