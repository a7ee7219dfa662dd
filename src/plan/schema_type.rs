//! What a JSON Schema says about a value before there is one: which kinds it may have, and which parts
//! (DESIGN §4.2). Knows schemas; knows nothing of plans.
//!
//! Whatever is too clever to follow counts as "anything", so that an answer is never wrongly no.

mod expand;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use expand::{SchemaConjunction, expand};

use super::PathPart;

/// Most alternatives of one value that are looked at; a schema with more says nothing here.
const ALTERNATIVES_MAX: usize = 64;

/// A set of kinds of JSON values. A number that is whole is an `integer`, like in JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    pub(super) const NULL: TypeSet = TypeSet(1);
    pub(super) const BOOLEAN: TypeSet = TypeSet(2);
    pub(super) const OBJECT: TypeSet = TypeSet(4);
    pub(super) const LIST: TypeSet = TypeSet(8);
    pub(super) const INTEGER: TypeSet = TypeSet(16);
    pub(super) const NUMBER: TypeSet = TypeSet(16 | 32);
    pub(super) const STRING: TypeSet = TypeSet(64);
    pub(super) const ANY: TypeSet = TypeSet(127);
    const NONE: TypeSet = TypeSet(0);

    /// In the order in which messages name them, the wider before what it holds.
    const NAMES: [(TypeSet, &str); 8] = [
        (TypeSet::OBJECT, "an object"),
        (TypeSet::LIST, "a list"),
        (TypeSet::STRING, "a string"),
        (TypeSet::NUMBER, "a number"),
        (TypeSet::INTEGER, "an integer"),
        (TypeSet(32), "a fraction"),
        (TypeSet::BOOLEAN, "a boolean"),
        (TypeSet::NULL, "null"),
    ];

    pub(super) fn intersection(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }

    pub(super) fn union(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// Whether no value can have one of both.
    pub(super) fn is_disjoint_from(self, other: TypeSet) -> bool {
        self.intersection(other) == TypeSet::NONE
    }

    fn is_empty(self) -> bool {
        self == TypeSet::NONE
    }

    fn of_value(value: &Value) -> TypeSet {
        match value {
            Value::Null => TypeSet::NULL,
            Value::Bool(_) => TypeSet::BOOLEAN,
            Value::Number(number) => {
                let is_whole = number.as_f64().is_none_or(|number| number.fract() == 0.0);
                if is_whole { TypeSet::INTEGER } else { TypeSet(32) }
            }
            Value::String(_) => TypeSet::STRING,
            Value::Array(_) => TypeSet::LIST,
            Value::Object(_) => TypeSet::OBJECT,
        }
    }

    fn of_name(name: &str) -> TypeSet {
        match name {
            "null" => TypeSet::NULL,
            "boolean" => TypeSet::BOOLEAN,
            "object" => TypeSet::OBJECT,
            "array" => TypeSet::LIST,
            "integer" => TypeSet::INTEGER,
            "number" => TypeSet::NUMBER,
            "string" => TypeSet::STRING,
            _ => TypeSet::ANY,
        }
    }
}

impl fmt::Display for TypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut told, mut names) = (TypeSet::NONE, Vec::new());
        for (kinds, name) in TypeSet::NAMES {
            if self.intersection(kinds) == kinds && told.intersection(kinds) != kinds {
                told = told.union(kinds);
                names.push(name);
            }
        }
        f.write_str(&names.join(" or "))
    }
}

/// What is known of one value: it is one of these. Never empty.
#[derive(Debug, Clone)]
pub(super) struct SchemaType<'s> {
    alternatives: Vec<TypeAlternative<'s>>,
}

#[derive(Debug, Clone)]
enum TypeAlternative<'s> {
    /// No more than its kind is known.
    Types(TypeSet),
    /// What a loop over something gives.
    ListOf(SchemaType<'s>),
    /// All of these schemas hold.
    AllOf(SchemaConjunction<'s>),
}

/// A part that no value of the shape can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MissingPart {
    /// What the value is.
    pub(super) types: TypeSet,
    /// The fields that it is said to have.
    pub(super) fields: Vec<String>,
    /// How many items it has at most, where that is why.
    pub(super) items_max: Option<usize>,
}

impl<'s> SchemaType<'s> {
    pub(super) fn any() -> SchemaType<'s> {
        SchemaType::of_types(TypeSet::ANY)
    }

    pub(super) fn of_types(kinds: TypeSet) -> SchemaType<'s> {
        SchemaType { alternatives: vec![TypeAlternative::Types(kinds)] }
    }

    pub(super) fn of_schema(document: &'s Value) -> SchemaType<'s> {
        SchemaType::of_alternatives(expand(document, &[document]))
    }

    /// A list of such values.
    pub(super) fn list_of(item: SchemaType<'s>) -> SchemaType<'s> {
        SchemaType { alternatives: vec![TypeAlternative::ListOf(item)] }
    }

    /// Any of these shapes.
    pub(super) fn any_of(shapes: impl IntoIterator<Item = SchemaType<'s>>) -> SchemaType<'s> {
        let choices: Vec<TypeAlternative<'s>> =
            shapes.into_iter().flat_map(|shape| shape.alternatives).collect();
        if choices.is_empty() || choices.len() > ALTERNATIVES_MAX {
            return SchemaType::any();
        }
        SchemaType { alternatives: choices }
    }

    /// What contradicts itself says as little as what is too much to tell.
    fn of_alternatives(alternatives: Option<Vec<SchemaConjunction<'s>>>) -> SchemaType<'s> {
        let choices = alternatives.into_iter().flatten().map(TypeAlternative::AllOf);
        SchemaType::any_of(choices.map(|choice| SchemaType { alternatives: vec![choice] }))
    }

    pub(super) fn types(&self) -> TypeSet {
        self.alternatives.iter().map(TypeAlternative::types).fold(TypeSet::NONE, TypeSet::union)
    }

    /// The part of the value that a path's next part leads to.
    pub(super) fn part(&self, part: &PathPart) -> Result<SchemaType<'s>, MissingPart> {
        let mut found = Vec::new();
        let mut items_max = None;
        for choice in &self.alternatives {
            match choice.part(part) {
                Ok(shape) => found.push(shape),
                Err(at_most) => items_max = items_max.max(at_most),
            }
        }
        if found.is_empty() {
            return Err(MissingPart { types: self.types(), fields: self.fields(), items_max });
        }
        Ok(SchemaType::any_of(found))
    }

    /// The fields that schemas name, each once, in the order of the text.
    pub(super) fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for name in self.alternatives.iter().flat_map(TypeAlternative::fields) {
            if !fields.iter().any(|field| field == name) {
                fields.push(name.to_owned());
            }
        }
        fields
    }

    /// The fields, and the first item, that are sure to be of these kinds.
    pub(super) fn parts_of_types(&self, kinds: TypeSet) -> Vec<PathPart> {
        let named = self.fields().into_iter().map(PathPart::Key);
        let fits = |part: &PathPart| {
            self.part(part).is_ok_and(|part| part.types().intersection(kinds) == part.types())
        };
        named.chain([PathPart::Index(0)]).filter(fits).collect()
    }

    /// The part that a JSON pointer into this value leads to, as far as schemas tell.
    pub(super) fn at_pointer(&self, value: &Value, pointer: &str) -> Option<SchemaType<'s>> {
        let (mut shape, mut here) = (self.clone(), value);
        for token in pointer.split('/').skip(1) {
            let key = token.replace("~1", "/").replace("~0", "~");
            let part = match here {
                Value::Array(items) => {
                    let index = key.parse().ok()?;
                    here = items.get(index)?;
                    PathPart::Index(index)
                }
                other => {
                    here = other.get(&key)?;
                    PathPart::Key(key)
                }
            };
            shape = shape.part(&part).ok()?;
        }
        Some(shape)
    }

    /// What any item of the list may be.
    pub(super) fn items(&self) -> SchemaType<'s> {
        SchemaType::any_of(self.alternatives.iter().filter_map(TypeAlternative::items))
    }
}

impl<'s> TypeAlternative<'s> {
    fn types(&self) -> TypeSet {
        match self {
            TypeAlternative::Types(kinds) => *kinds,
            TypeAlternative::ListOf(_) => TypeSet::LIST,
            TypeAlternative::AllOf(all) => all.types(),
        }
    }

    /// An error says how many items there are at most, if that is why.
    fn part(&self, part: &PathPart) -> Result<SchemaType<'s>, Option<usize>> {
        let has_such = match part {
            PathPart::Key(_) => TypeSet::OBJECT,
            PathPart::Index(_) => TypeSet::LIST,
        };
        if self.types().is_disjoint_from(has_such) {
            return Err(None);
        }
        match (self, part) {
            (TypeAlternative::Types(_), _) => Ok(SchemaType::any()),
            (TypeAlternative::ListOf(item), _) => Ok(item.clone()),
            (TypeAlternative::AllOf(all), PathPart::Key(key)) => all.field(key).ok_or(None),
            (TypeAlternative::AllOf(all), PathPart::Index(index)) => all.item(*index).map_err(Some),
        }
    }

    fn fields(&self) -> Vec<&'s str> {
        match self {
            TypeAlternative::AllOf(all) => all.fields(),
            TypeAlternative::Types(_) | TypeAlternative::ListOf(_) => Vec::new(),
        }
    }

    fn items(&self) -> Option<SchemaType<'s>> {
        match self {
            TypeAlternative::ListOf(item) => Some(item.clone()),
            _ if self.types().is_disjoint_from(TypeSet::LIST) => None,
            TypeAlternative::Types(_) => Some(SchemaType::any()),
            TypeAlternative::AllOf(all) => Some(all.items()),
        }
    }
}
