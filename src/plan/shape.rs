//! What a JSON Schema says about a value before there is one: which kinds it may have, and which parts
//! (DESIGN §4.2). Knows schemas; knows nothing of plans.
//!
//! Whatever is too clever to follow counts as "anything", so that an answer is never wrongly no.

mod expand;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use expand::{All, expand};

use super::PathPart;

/// Most alternatives of one value that are looked at; a schema with more says nothing here.
const CHOICES_MAX: usize = 64;

/// A set of kinds of JSON values. A number that is whole is an `integer`, like in JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NULL: Kinds = Kinds(1);
    pub(super) const BOOLEAN: Kinds = Kinds(2);
    pub(super) const OBJECT: Kinds = Kinds(4);
    pub(super) const LIST: Kinds = Kinds(8);
    pub(super) const INTEGER: Kinds = Kinds(16);
    pub(super) const NUMBER: Kinds = Kinds(16 | 32);
    pub(super) const STRING: Kinds = Kinds(64);
    pub(super) const ANY: Kinds = Kinds(127);
    const NONE: Kinds = Kinds(0);

    /// In the order in which messages name them, the wider before what it holds.
    const NAMES: [(Kinds, &str); 8] = [
        (Kinds::OBJECT, "an object"),
        (Kinds::LIST, "a list"),
        (Kinds::STRING, "a string"),
        (Kinds::NUMBER, "a number"),
        (Kinds::INTEGER, "an integer"),
        (Kinds(32), "a fraction"),
        (Kinds::BOOLEAN, "a boolean"),
        (Kinds::NULL, "null"),
    ];

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(super) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether no value can have one of both.
    pub(super) fn is_apart_from(self, other: Kinds) -> bool {
        self.and(other) == Kinds::NONE
    }

    fn is_empty(self) -> bool {
        self == Kinds::NONE
    }

    fn of_value(value: &Value) -> Kinds {
        match value {
            Value::Null => Kinds::NULL,
            Value::Bool(_) => Kinds::BOOLEAN,
            Value::Number(number) => {
                let is_whole = number.as_f64().is_none_or(|number| number.fract() == 0.0);
                if is_whole { Kinds::INTEGER } else { Kinds(32) }
            }
            Value::String(_) => Kinds::STRING,
            Value::Array(_) => Kinds::LIST,
            Value::Object(_) => Kinds::OBJECT,
        }
    }

    fn of_name(name: &str) -> Kinds {
        match name {
            "null" => Kinds::NULL,
            "boolean" => Kinds::BOOLEAN,
            "object" => Kinds::OBJECT,
            "array" => Kinds::LIST,
            "integer" => Kinds::INTEGER,
            "number" => Kinds::NUMBER,
            "string" => Kinds::STRING,
            _ => Kinds::ANY,
        }
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut told, mut names) = (Kinds::NONE, Vec::new());
        for (kinds, name) in Kinds::NAMES {
            if self.and(kinds) == kinds && told.and(kinds) != kinds {
                told = told.or(kinds);
                names.push(name);
            }
        }
        f.write_str(&names.join(" or "))
    }
}

/// What is known of one value: it is one of these. Never empty.
#[derive(Debug, Clone)]
pub(super) struct Shape<'s> {
    choices: Vec<Choice<'s>>,
}

#[derive(Debug, Clone)]
enum Choice<'s> {
    /// No more than its kind is known.
    Kinds(Kinds),
    /// What a loop over something gives.
    ListOf(Shape<'s>),
    /// All of these schemas hold.
    All(All<'s>),
}

/// A part that no value of the shape can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// What the value is.
    pub(super) kinds: Kinds,
    /// The fields that it is said to have.
    pub(super) fields: Vec<String>,
    /// How many items it has at most, where that is why.
    pub(super) items_max: Option<usize>,
}

impl<'s> Shape<'s> {
    pub(super) fn any() -> Shape<'s> {
        Shape::of_kinds(Kinds::ANY)
    }

    pub(super) fn of_kinds(kinds: Kinds) -> Shape<'s> {
        Shape { choices: vec![Choice::Kinds(kinds)] }
    }

    pub(super) fn of_schema(document: &'s Value) -> Shape<'s> {
        Shape::of_alternatives(expand(document, &[document]))
    }

    /// A list of such values.
    pub(super) fn list_of(item: Shape<'s>) -> Shape<'s> {
        Shape { choices: vec![Choice::ListOf(item)] }
    }

    /// Any of these shapes.
    pub(super) fn any_of(shapes: impl IntoIterator<Item = Shape<'s>>) -> Shape<'s> {
        let choices: Vec<Choice<'s>> = shapes.into_iter().flat_map(|shape| shape.choices).collect();
        if choices.is_empty() || choices.len() > CHOICES_MAX {
            return Shape::any();
        }
        Shape { choices }
    }

    /// What contradicts itself says as little as what is too much to tell.
    fn of_alternatives(alternatives: Option<Vec<All<'s>>>) -> Shape<'s> {
        let choices = alternatives.into_iter().flatten().map(Choice::All);
        Shape::any_of(choices.map(|choice| Shape { choices: vec![choice] }))
    }

    pub(super) fn kinds(&self) -> Kinds {
        self.choices.iter().map(Choice::kinds).fold(Kinds::NONE, Kinds::or)
    }

    /// The part of the value that a path's next part leads to.
    pub(super) fn part(&self, part: &PathPart) -> Result<Shape<'s>, Missing> {
        let mut found = Vec::new();
        let mut items_max = None;
        for choice in &self.choices {
            match choice.part(part) {
                Ok(shape) => found.push(shape),
                Err(at_most) => items_max = items_max.max(at_most),
            }
        }
        if found.is_empty() {
            return Err(Missing { kinds: self.kinds(), fields: self.fields(), items_max });
        }
        Ok(Shape::any_of(found))
    }

    /// The fields that schemas name, each once, in the order of the text.
    pub(super) fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for name in self.choices.iter().flat_map(Choice::fields) {
            if !fields.iter().any(|field| field == name) {
                fields.push(name.to_owned());
            }
        }
        fields
    }

    /// The fields, and the first item, that are sure to be of these kinds.
    pub(super) fn parts_of_kinds(&self, kinds: Kinds) -> Vec<PathPart> {
        let named = self.fields().into_iter().map(PathPart::Key);
        let fits = |part: &PathPart| {
            self.part(part).is_ok_and(|part| part.kinds().and(kinds) == part.kinds())
        };
        named.chain([PathPart::Index(0)]).filter(fits).collect()
    }

    /// The part that a JSON pointer into this value leads to, as far as schemas tell.
    pub(super) fn along(&self, value: &Value, pointer: &str) -> Option<Shape<'s>> {
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
    pub(super) fn items(&self) -> Shape<'s> {
        Shape::any_of(self.choices.iter().filter_map(Choice::items))
    }
}

impl<'s> Choice<'s> {
    fn kinds(&self) -> Kinds {
        match self {
            Choice::Kinds(kinds) => *kinds,
            Choice::ListOf(_) => Kinds::LIST,
            Choice::All(all) => all.kinds(),
        }
    }

    /// An error says how many items there are at most, if that is why.
    fn part(&self, part: &PathPart) -> Result<Shape<'s>, Option<usize>> {
        let has_such = match part {
            PathPart::Key(_) => Kinds::OBJECT,
            PathPart::Index(_) => Kinds::LIST,
        };
        if self.kinds().is_apart_from(has_such) {
            return Err(None);
        }
        match (self, part) {
            (Choice::Kinds(_), _) => Ok(Shape::any()),
            (Choice::ListOf(item), _) => Ok(item.clone()),
            (Choice::All(all), PathPart::Key(key)) => all.field(key).ok_or(None),
            (Choice::All(all), PathPart::Index(index)) => all.item(*index).map_err(Some),
        }
    }

    fn fields(&self) -> Vec<&'s str> {
        match self {
            Choice::All(all) => all.fields(),
            Choice::Kinds(_) | Choice::ListOf(_) => Vec::new(),
        }
    }

    fn items(&self) -> Option<Shape<'s>> {
        match self {
            Choice::ListOf(item) => Some(item.clone()),
            _ if self.kinds().is_apart_from(Kinds::LIST) => None,
            Choice::Kinds(_) => Some(Shape::any()),
            Choice::All(all) => Some(all.items()),
        }
    }
}
