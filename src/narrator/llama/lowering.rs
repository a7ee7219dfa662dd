//! A script's own JSON Schema becomes a [`Shape`]: every value of the shape meets the schema, and every value is
//! short. Pure.
//!
//! The other way round need not hold. What a grammar cannot be held to exactly (`not`, `if`, a pattern with
//! look-around, …) cannot be offered: an optional property is left out of its object, a branch out of its
//! `anyOf`, and where nothing is left, [`Reason`] says why. Bounds that a schema does not set are set here,
//! so that nothing can be written for ever. `default`s are not read: a property that is left out gets its default
//! from the script.

mod constraints;
mod number_range;
pub(super) mod pattern;
mod upper_bound;

use serde_json::{Map, Value};

use super::grammar_type::{ArrayConstraints, GrammarField, GrammarType};
use constraints::SchemaConstraints;
pub use number_range::NUMBER_MAX;
use upper_bound::{SchemaUpperBound, is_disjoint};

/// Most items of an array. A step that needs more is several steps.
pub const LIST_ITEMS_MAX: usize = 8;
/// Most fields of an object, those of a script's input included. More would fill the prompt with one script.
pub const FIELDS_MAX: usize = 24;
/// Longest name of a field that is offered, in bytes.
pub const FIELD_NAME_BYTES_MAX: usize = 64;
/// Deepest nesting of arrays and objects within an input.
const DEPTH_MAX: usize = 6;
/// Most places of one script that are looked at: branches multiply.
const LOCATIONS_MAX: usize = 600;
/// Most branches of one `anyOf` or `oneOf`.
const BRANCHES_MAX: usize = 24;
/// Most references that lead from one to the next.
const REFERENCE_CHAIN_MAX: usize = 32;

/// Why a place of a schema cannot be offered, in the words that follow its name.
pub(super) type LoweringError = String;

/// What a model may write where `document` is asked for.
pub(super) fn lower_schema(document: &Value) -> Result<GrammarType, LoweringError> {
    let mut bounder = SchemaLowering { document, locations_left: LOCATIONS_MAX };
    bounder.lower_all(&[document], &SchemaPath::default())
}

/// An object of a schema.
type SchemaObject = Map<String, Value>;

/// A choice that must be made: any of these, or exactly one of them.
#[derive(Debug, Clone, Copy)]
struct BranchChoice<'s> {
    branches: &'s [Value],
    is_exclusive: bool,
}

/// Where we are: what has been referred to on the way, and how deep it is.
#[derive(Debug, Clone, Default)]
struct SchemaPath<'s> {
    targets: Vec<&'s Value>,
    depth: usize,
}

/// All that must hold at one place.
#[derive(Debug, Clone, Default)]
struct SchemaLocation<'s> {
    nodes: Vec<&'s SchemaObject>,
    choices: Vec<BranchChoice<'s>>,
    path: SchemaPath<'s>,
}

struct SchemaLowering<'s> {
    document: &'s Value,
    locations_left: usize,
}

impl<'s> SchemaLowering<'s> {
    /// What meets all of these schemas.
    fn lower_all(
        &mut self,
        all: &[&'s Value],
        open: &SchemaPath<'s>,
    ) -> Result<GrammarType, LoweringError> {
        if open.depth > DEPTH_MAX {
            return Err(format!("nests deeper than {DEPTH_MAX} levels"));
        }
        let mut place = SchemaLocation { path: open.clone(), ..SchemaLocation::default() };
        for schema in all {
            self.flatten(schema, &mut place)?;
        }
        self.lower_location(place)
    }

    /// Takes a schema apart: references followed, `allOf` merged, choices set aside.
    fn flatten(
        &self,
        schema: &'s Value,
        place: &mut SchemaLocation<'s>,
    ) -> Result<(), LoweringError> {
        let node = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(node) => node,
            _ => return Err("accepts no value".to_owned()),
        };
        if node.contains_key("$id") && !std::ptr::eq(schema, self.document) {
            return Err("has an `$id` of its own".to_owned());
        }
        place.nodes.push(node);
        if let Some(reference) = node.get("$ref") {
            let target = self.resolve(reference)?;
            let is_open = place.path.targets.iter().any(|open| std::ptr::eq(*open, target));
            if is_open || std::ptr::eq(target, self.document) {
                return Err("refers to itself".to_owned());
            }
            if place.path.targets.len() >= REFERENCE_CHAIN_MAX {
                return Err(format!("chains more than {REFERENCE_CHAIN_MAX} references"));
            }
            place.path.targets.push(target);
            self.flatten(target, place)?;
        }
        for part in keyword_array(node, "allOf")? {
            self.flatten(part, place)?;
        }
        for (word, is_exclusive) in [("anyOf", false), ("oneOf", true)] {
            let branches = keyword_array(node, word)?;
            if branches.len() > BRANCHES_MAX {
                return Err(format!("has more than {BRANCHES_MAX} branches"));
            }
            if node.contains_key(word) {
                place.choices.push(BranchChoice { branches, is_exclusive });
            }
        }
        Ok(())
    }

    /// Only places within the document, and only those whose base is the document itself.
    fn resolve(&self, reference: &Value) -> Result<&'s Value, LoweringError> {
        let unknown = || format!("refers to {reference}, which is no place of the same schema");
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        // Percent signs are an encoding that nobody writes by hand.
        let pointer = pointer.filter(|text| !text.contains('%')).ok_or_else(unknown)?;
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(unknown());
        }
        let mut at = self.document;
        for token in pointer.split('/').skip(1) {
            if at.get("$id").is_some() && !std::ptr::eq(at, self.document) {
                return Err(unknown());
            }
            let step = format!("/{token}");
            at = at.pointer(&step).ok_or_else(unknown)?;
        }
        Ok(at)
    }

    /// The first choice is made in every way it can be; a branch that cannot be offered is left out.
    fn lower_location(
        &mut self,
        mut place: SchemaLocation<'s>,
    ) -> Result<GrammarType, LoweringError> {
        self.locations_left = self.locations_left.checked_sub(1).ok_or_else(|| {
            format!("has more than {LOCATIONS_MAX} places, its branches multiplied")
        })?;
        let Some(choice) = place.choices.pop() else {
            let facts = SchemaConstraints::of(&place.nodes)?;
            return self.lower_without_choices(&place, &facts);
        };
        let mut shapes = Vec::new();
        let mut first_fault = None;
        for (idx, branch) in choice.branches.iter().enumerate() {
            let mut taken = place.clone();
            let shape = self.flatten(branch, &mut taken).and_then(|()| self.lower_location(taken));
            let shape = shape.and_then(|shape| match choice.is_exclusive {
                true => self.require_exclusive(shape, choice.branches, idx),
                false => Ok(shape),
            });
            match shape {
                Ok(shape) => shapes.push(shape),
                Err(fault) => first_fault = first_fault.or(Some(fault)),
            }
        }
        let none = || first_fault.unwrap_or_else(|| "accepts no value".to_owned());
        GrammarType::any_of(shapes).ok_or_else(none)
    }

    /// The shape, if no value of it meets another branch of its `oneOf`.
    fn require_exclusive(
        &self,
        shape: GrammarType,
        branches: &'s [Value],
        idx: usize,
    ) -> Result<GrammarType, LoweringError> {
        let mut others = branches.iter().enumerate().filter(|(other, _)| *other != idx);
        let is_alone = others.all(|(_, branch)| {
            let upper = SchemaUpperBound::of(branch, &|reference| self.resolve(reference).ok());
            is_disjoint(&shape, &upper)
        });
        match is_alone {
            true => Ok(shape),
            false => Err("has a `oneOf` whose branches overlap".to_owned()),
        }
    }

    /// What meets nodes that have no choices left.
    fn lower_without_choices(
        &mut self,
        place: &SchemaLocation<'s>,
        facts: &SchemaConstraints<'s>,
    ) -> Result<GrammarType, LoweringError> {
        if let Some(words) = facts.enum_values()? {
            return Ok(GrammarType::Enum(words));
        }
        let mut shapes = Vec::new();
        let mut first_fault = None;
        let mut take = |shape: Result<GrammarType, LoweringError>| match shape {
            Ok(shape) => shapes.push(shape),
            Err(fault) => first_fault = first_fault.take().or(Some(fault)),
        };
        let wanted = facts.offered_types();
        if wanted.object {
            take(self.lower_object(place, facts));
        }
        if wanted.array {
            take(self.lower_array(place, facts));
        }
        if wanted.string {
            take(facts.lower_string());
        }
        if wanted.number {
            take(facts.lower_number());
        }
        if wanted.boolean {
            take(Ok(GrammarType::Bool));
        }
        if wanted.null {
            take(Ok(GrammarType::Null));
        }
        let none = || first_fault.unwrap_or_else(|| "accepts no value".to_owned());
        GrammarType::any_of(shapes).ok_or_else(none)
    }

    fn lower_object(
        &mut self,
        place: &SchemaLocation<'s>,
        facts: &SchemaConstraints<'s>,
    ) -> Result<GrammarType, LoweringError> {
        let mut fields = Vec::new();
        for name in facts.field_names()? {
            let is_required = facts.requires(name);
            let mut all = Vec::new();
            for node in &place.nodes {
                all.extend(schema_of_field(node, name));
            }
            let inner = SchemaPath { depth: place.path.depth + 1, ..place.path.clone() };
            let shape = match self.lower_all(&all, &inner) {
                _ if name.len() > FIELD_NAME_BYTES_MAX || name.contains(char::is_control) => {
                    Err("has a name that is too long or cannot be written".to_owned())
                }
                shape => shape,
            };
            match shape {
                Ok(shape) => {
                    let about = all.iter().find_map(|schema| description(schema));
                    let about = about.unwrap_or_default().to_owned();
                    fields.push(GrammarField {
                        name: name.to_owned(),
                        grammar_type: shape,
                        is_required,
                        description: about,
                    });
                }
                Err(fault) if is_required => return Err(prefix_error(name, &fault)),
                Err(_) => {}
            }
        }
        facts.limit_fields(&mut fields)?;
        Ok(GrammarType::Object(fields))
    }

    fn lower_array(
        &mut self,
        place: &SchemaLocation<'s>,
        facts: &SchemaConstraints<'s>,
    ) -> Result<GrammarType, LoweringError> {
        let (items_min, schema_max) = facts.item_counts()?;
        let mut items_max = schema_max.unwrap_or(LIST_ITEMS_MAX).min(LIST_ITEMS_MAX);
        if items_min > items_max {
            return Err(format!("has at least {items_min} items"));
        }
        let inner = SchemaPath { depth: place.path.depth + 1, ..place.path.clone() };
        let firsts = place.nodes.iter().map(|node| keyword_array(node, "prefixItems"));
        let longest = firsts.collect::<Result<Vec<_>, _>>()?.iter().map(|it| it.len()).max();
        let mut first = Vec::new();
        for idx in 0..longest.unwrap_or(0).min(items_max) {
            let mut all = Vec::new();
            for node in &place.nodes {
                all.extend(
                    keyword_array(node, "prefixItems")?.get(idx).or_else(|| node.get("items")),
                );
            }
            match self.lower_all(&all, &inner) {
                Ok(shape) => first.push(shape),
                Err(fault) if idx < items_min => {
                    return Err(prefix_error(&idx.to_string(), &fault));
                }
                Err(_) => items_max = idx,
            }
            if items_max == idx {
                break;
            }
        }
        let mut rest = None;
        if items_max > first.len() {
            let all: Vec<&Value> =
                place.nodes.iter().filter_map(|node| node.get("items")).collect();
            match self.lower_all(&all, &inner) {
                Ok(shape) => rest = Some(Box::new(shape)),
                Err(fault) if items_min > first.len() => return Err(prefix_error("items", &fault)),
                Err(_) => items_max = first.len(),
            }
        }
        Ok(GrammarType::List(ArrayConstraints {
            prefix_items: first,
            other_items: rest,
            items_min,
            items_max,
        }))
    }
}

/// What an object node says of a field: its own schema, or that of all fields which it does not name.
fn schema_of_field<'s>(node: &'s SchemaObject, name: &str) -> Option<&'s Value> {
    let named = node.get("properties").and_then(|properties| properties.get(name));
    named.or_else(|| node.get("additionalProperties"))
}

fn description(schema: &Value) -> Option<&str> {
    schema.get("description").or_else(|| schema.get("title"))?.as_str()
}

fn prefix_error(name: &str, fault: &str) -> LoweringError {
    match fault.strip_prefix('`') {
        Some(rest) => format!("`{name}.{rest}"),
        None => format!("`{name}` {fault}"),
    }
}

/// The array under a keyword; empty where there is none.
fn keyword_array<'s>(node: &'s SchemaObject, word: &str) -> Result<&'s [Value], LoweringError> {
    match node.get(word) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(format!("has a `{word}` that is no list")),
    }
}

#[cfg(test)]
mod tests;
