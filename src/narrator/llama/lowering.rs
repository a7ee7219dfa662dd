//! Lowers a script's own JSON Schema to a [`GrammarType`]: every value of the type meets the schema, and every value
//! is short. Pure.
//!
//! The other way round need not hold. Some schemas have no exact grammar (`not`, `if`, a pattern with look-around, …).
//! Lowering leaves an optional property with such a schema out of its object, and a branch out of its `anyOf`; where
//! nothing remains, [`LoweringError`] says why. Lowering adds the bounds that a schema lacks, so that no value is
//! endless. It ignores `default`: the script itself supplies the default of a property that the model leaves out.

mod constraints;
mod error;
mod number_range;
pub(super) mod pattern;
mod upper_bound;

use narratoria_skills::schema_view::{SchemaKeywords, SchemaPlace, TypeSet};
use serde_json::Value;

use super::grammar_type::{ArrayConstraints, GrammarField, GrammarType};
use constraints::{LIST_ITEMS_MAX, SchemaConstraints};
pub(super) use error::LoweringError;
use upper_bound::{SchemaUpperBound, is_disjoint};

/// Longest name of a field that the model can write, in bytes.
const FIELD_NAME_BYTES_MAX: usize = 64;
/// Deepest nesting of arrays and objects within an input.
const DEPTH_MAX: usize = 6;
/// Most places of one script that are lowered: branches multiply.
const PLACES_MAX: usize = 600;
/// Most branches of one `anyOf` or `oneOf`. The words of an enumeration with descriptions are such branches.
const BRANCHES_MAX: usize = 64;

/// Returns the grammar type of the values that a model may write for this schema.
pub(super) fn lower_schema(document: &Value) -> Result<GrammarType, LoweringError> {
    let mut lowering = SchemaLowering { document, places_left: PLACES_MAX };
    lowering.lower(SchemaPlace::root(document), 0)
}

struct SchemaLowering<'s> {
    document: &'s Value,
    places_left: usize,
}

impl<'s> SchemaLowering<'s> {
    /// Makes the last choice of the place in every way. A branch that cannot be lowered is left out.
    fn lower(
        &mut self,
        mut place: SchemaPlace<'s>,
        depth: usize,
    ) -> Result<GrammarType, LoweringError> {
        if let Some(gap) = place.gaps().first() {
            return Err(gap.to_string());
        }
        if place.choices().iter().any(|choice| choice.branches.len() > BRANCHES_MAX) {
            return Err(format!("has more than {BRANCHES_MAX} branches"));
        }
        self.places_left = self
            .places_left
            .checked_sub(1)
            .ok_or_else(|| format!("has more than {PLACES_MAX} places, its branches multiplied"))?;
        let Some(choice) = place.take_choice() else {
            return self.lower_without_choices(&place, depth);
        };
        let mut lowered = LoweredTypes::default();
        for (idx, branch) in choice.branches.iter().enumerate() {
            let one = self.lower(place.with_branch(branch), depth);
            lowered.push(one.and_then(|one| match choice.is_exclusive {
                true => self.require_exclusive(one, choice.branches, idx),
                false => Ok(one),
            }));
        }
        lowered.any_of()
    }

    /// The type, if no value of it meets another branch of its `oneOf`.
    fn require_exclusive(
        &self,
        grammar_type: GrammarType,
        branches: &'s [Value],
        idx: usize,
    ) -> Result<GrammarType, LoweringError> {
        let mut others = branches.iter().enumerate().filter(|(other, _)| *other != idx);
        let is_exclusive = others.all(|(_, branch)| {
            is_disjoint(&grammar_type, &SchemaUpperBound::of(self.document, branch))
        });
        match is_exclusive {
            true => Ok(grammar_type),
            false => Err("has a `oneOf` whose branches overlap".to_owned()),
        }
    }

    fn lower_without_choices(
        &mut self,
        place: &SchemaPlace<'s>,
        depth: usize,
    ) -> Result<GrammarType, LoweringError> {
        let constraints = SchemaConstraints::of(place.objects())?;
        if let Some(values) = constraints.enum_values()? {
            return Ok(GrammarType::Enum(values));
        }
        let offered = constraints.offered_types();
        let mut lowered = LoweredTypes::default();
        if offered.intersects(TypeSet::OBJECT) {
            lowered.push(self.lower_object(place, &constraints, depth));
        }
        if offered.intersects(TypeSet::LIST) {
            lowered.push(self.lower_array(place, &constraints, depth));
        }
        if offered.intersects(TypeSet::STRING) {
            lowered.push(constraints.lower_string());
        }
        if offered.intersects(TypeSet::NUMBER) {
            lowered.push(constraints.lower_number());
        }
        if offered.intersects(TypeSet::BOOLEAN) {
            lowered.push(Ok(GrammarType::Bool));
        }
        if offered.intersects(TypeSet::NULL) {
            lowered.push(Ok(GrammarType::Null));
        }
        lowered.any_of()
    }

    /// The type of a field or an item, from the schemas that judge it.
    fn lower_part(
        &mut self,
        place: &SchemaPlace<'s>,
        schemas: &[&'s Value],
        depth: usize,
    ) -> Result<GrammarType, LoweringError> {
        if depth >= DEPTH_MAX {
            return Err(format!("nests deeper than {DEPTH_MAX} levels"));
        }
        self.lower(place.inner(schemas), depth + 1)
    }

    fn lower_object(
        &mut self,
        place: &SchemaPlace<'s>,
        constraints: &SchemaConstraints<'_>,
        depth: usize,
    ) -> Result<GrammarType, LoweringError> {
        let mut fields = Vec::new();
        for name in constraints.field_names() {
            let is_required = constraints.requires(name);
            let schemas: Vec<&Value> = place
                .objects()
                .iter()
                .filter_map(|keywords| field_schema(*keywords, name))
                .collect();
            let lowered = match self.lower_part(place, &schemas, depth) {
                _ if name.len() > FIELD_NAME_BYTES_MAX || name.contains(char::is_control) => {
                    Err("has a name that is too long or cannot be written".to_owned())
                }
                lowered => lowered,
            };
            match lowered {
                Ok(grammar_type) => {
                    let description = schemas.iter().find_map(|schema| description(schema));
                    fields.push(GrammarField {
                        name: name.to_owned(),
                        grammar_type,
                        is_required,
                        description: description.unwrap_or_default().to_owned(),
                    });
                }
                Err(error) if is_required => return Err(prefix_error(name, &error)),
                Err(_) => {}
            }
        }
        constraints.limit_fields(&mut fields)?;
        Ok(GrammarType::Object(fields))
    }

    fn lower_array(
        &mut self,
        place: &SchemaPlace<'s>,
        constraints: &SchemaConstraints<'_>,
        depth: usize,
    ) -> Result<GrammarType, LoweringError> {
        let (items_min, schema_max) = constraints.item_counts()?;
        let mut items_max = schema_max.unwrap_or(LIST_ITEMS_MAX).min(LIST_ITEMS_MAX);
        if items_min > items_max {
            return Err(format!("has at least {items_min} items"));
        }
        let objects = place.objects();
        let longest_prefix =
            objects.iter().map(|keywords| keywords.array("prefixItems").len()).max().unwrap_or(0);
        let mut prefix_items = Vec::new();
        for idx in 0..longest_prefix.min(items_max) {
            let schemas: Vec<&Value> =
                objects.iter().filter_map(|keywords| keywords.item(idx)).collect();
            match self.lower_part(place, &schemas, depth) {
                Ok(item) => prefix_items.push(item),
                Err(error) if idx < items_min => {
                    return Err(prefix_error(&idx.to_string(), &error));
                }
                Err(_) => {
                    items_max = idx;
                    break;
                }
            }
        }
        let mut other_items = None;
        if items_max > prefix_items.len() {
            let schemas: Vec<&Value> =
                objects.iter().filter_map(|keywords| keywords.get("items")).collect();
            match self.lower_part(place, &schemas, depth) {
                Ok(item) => other_items = Some(Box::new(item)),
                Err(error) if items_min > prefix_items.len() => {
                    return Err(prefix_error("items", &error));
                }
                Err(_) => items_max = prefix_items.len(),
            }
        }
        Ok(GrammarType::List(ArrayConstraints { prefix_items, other_items, items_min, items_max }))
    }
}

/// The types of several branches, and the error of the first that has none.
#[derive(Default)]
struct LoweredTypes {
    types: Vec<GrammarType>,
    first_error: Option<LoweringError>,
}

impl LoweredTypes {
    fn push(&mut self, lowered: Result<GrammarType, LoweringError>) {
        match lowered {
            Ok(grammar_type) => self.types.push(grammar_type),
            Err(error) => self.first_error = self.first_error.take().or(Some(error)),
        }
    }

    fn any_of(self) -> Result<GrammarType, LoweringError> {
        let none = || self.first_error.unwrap_or_else(|| "accepts no value".to_owned());
        GrammarType::any_of(self.types).ok_or_else(none)
    }
}

/// The schema of a field: its own, or the one for all fields that the object does not name.
fn field_schema<'s>(keywords: SchemaKeywords<'s>, name: &str) -> Option<&'s Value> {
    keywords.property(name).or_else(|| keywords.get("additionalProperties"))
}

fn description(schema: &Value) -> Option<&str> {
    schema.get("description").or_else(|| schema.get("title"))?.as_str()
}

fn prefix_error(name: &str, error: &str) -> LoweringError {
    match error.strip_prefix('`') {
        Some(rest) => format!("`{name}.{rest}"),
        None => format!("`{name}` {error}"),
    }
}

#[cfg(test)]
mod tests;
