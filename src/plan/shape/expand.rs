//! One schema → the alternatives that it leaves, each a list of plain schemas that all hold: references
//! are followed, `allOf`, `anyOf` and `oneOf` are multiplied out.

use serde_json::{Map, Value};

use super::{CHOICES_MAX, Kinds, Shape};

/// Most schemas that are looked at for one value, references followed. Hand-written ones have a dozen.
const VISITS_MAX: usize = 512;

/// Most schemas within each other, references followed; one that refers to itself would never end.
const NESTED_MAX: usize = 32;

/// Keywords that may allow a field which nothing else of the schema names.
const MAY_ADD_FIELDS: [&str; 4] = ["then", "else", "dependentSchemas", "$dynamicRef"];

/// Schemas that all hold, none of which leads on to others.
#[derive(Debug, Clone)]
pub(super) struct All<'s> {
    document: &'s Value,
    parts: Vec<&'s Map<String, Value>>,
    /// Something was not followed: a field that nobody names may be there all the same.
    open: bool,
}

/// All alternatives, without those that contradict themselves; none when they are too many to tell.
pub(super) fn expand<'s>(document: &'s Value, schemas: &[&'s Value]) -> Option<Vec<All<'s>>> {
    let mut walk = Walk { document, visits: 0 };
    let mut alternatives = vec![All { document, parts: Vec::new(), open: false }];
    for schema in schemas {
        alternatives = product(&alternatives, &walk.alternatives(schema, 0)?)?;
    }
    alternatives.retain(|all| !all.kinds().is_empty());
    Some(alternatives)
}

struct Walk<'s> {
    document: &'s Value,
    visits: usize,
}

impl<'s> Walk<'s> {
    fn alternatives(&mut self, schema: &'s Value, nested: usize) -> Option<Vec<All<'s>>> {
        self.visits += 1;
        if self.visits > VISITS_MAX || nested > NESTED_MAX {
            return None;
        }
        let all = |parts| All { document: self.document, parts, open: false };
        let fields = match schema {
            Value::Bool(false) => return Some(Vec::new()),
            Value::Object(fields) => fields,
            _ => return Some(vec![all(Vec::new())]),
        };
        let mut own = all(vec![fields]);
        // A part with an `$id` of its own is a document of its own: its references mean something else.
        let is_elsewhere = fields.contains_key("$id") && !std::ptr::eq(schema, self.document);
        own.open =
            is_elsewhere || MAY_ADD_FIELDS.iter().any(|keyword| fields.contains_key(*keyword));
        let mut found = vec![own];
        if is_elsewhere {
            return Some(found);
        }
        if let Some(place) = fields.get("$ref").and_then(Value::as_str) {
            let target = place.strip_prefix('#').and_then(|at| self.document.pointer(at));
            match target {
                Some(target) => found = product(&found, &self.alternatives(target, nested + 1)?)?,
                None => found.iter_mut().for_each(|all| all.open = true),
            }
        }
        for part in list(fields, "allOf") {
            found = product(&found, &self.alternatives(part, nested + 1)?)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            let mut either = Vec::new();
            for part in list(fields, keyword) {
                either.extend(self.alternatives(part, nested + 1)?);
            }
            if fields.contains_key(keyword) {
                found = product(&found, &either)?;
            }
        }
        Some(found)
    }
}

/// Each of the ones with each of the others.
fn product<'s>(ones: &[All<'s>], others: &[All<'s>]) -> Option<Vec<All<'s>>> {
    if ones.len() * others.len() > CHOICES_MAX {
        return None;
    }
    let both = |one: &All<'s>, other: &All<'s>| All {
        document: one.document,
        parts: one.parts.iter().chain(&other.parts).copied().collect(),
        open: one.open || other.open,
    };
    Some(ones.iter().flat_map(|one| others.iter().map(move |other| both(one, other))).collect())
}

fn list<'s>(fields: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    fields.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl<'s> All<'s> {
    pub(super) fn kinds(&self) -> Kinds {
        self.parts.iter().map(|part| kinds_of(part)).fold(Kinds::ANY, Kinds::and)
    }

    /// Names that `properties` list, in the schema's order.
    pub(super) fn fields(&self) -> Vec<&'s str> {
        self.parts.iter().flat_map(|part| properties(part)).map(|(name, _)| name.as_str()).collect()
    }

    /// A field, if one of this name may be there. `properties` without `additionalProperties` are meant
    /// to be all, although a validator would let others pass: a reference to another is a slip.
    pub(super) fn field(&self, key: &str) -> Option<Shape<'s>> {
        let (mut named, mut others) = (Vec::new(), Vec::new());
        let (mut is_open, mut is_listed) = (self.open, false);
        for part in &self.parts {
            if let Some(schema) = part.get("properties").and_then(|fields| fields.get(key)) {
                named.push(schema);
                continue;
            }
            if part.contains_key("patternProperties") {
                is_open = true;
                continue;
            }
            match part.get("additionalProperties").or_else(|| part.get("unevaluatedProperties")) {
                Some(Value::Bool(false)) if part.contains_key("additionalProperties") => {
                    return None;
                }
                Some(Value::Bool(false)) => is_listed = true,
                Some(schema) => {
                    is_open = true;
                    others.push(schema);
                }
                None => is_listed |= part.contains_key("properties"),
            }
        }
        if named.is_empty() && is_listed && !is_open {
            return None;
        }
        named.extend(others);
        self.within(&named)
    }

    /// An item; the error says how many there are at most.
    pub(super) fn item(&self, index: usize) -> Result<Shape<'s>, usize> {
        let mut schemas = Vec::new();
        for part in &self.parts {
            let items_max = part.get("maxItems").and_then(Value::as_u64);
            if let Some(limit) = items_max.and_then(|limit| usize::try_from(limit).ok())
                && index >= limit
            {
                return Err(limit);
            }
            let first = list(part, "prefixItems");
            match (first.get(index), part.get("items")) {
                (Some(schema), _) => schemas.push(schema),
                (None, Some(Value::Bool(false))) => return Err(first.len()),
                (None, Some(schema)) => schemas.push(schema),
                (None, None) => {}
            }
        }
        self.within(&schemas).ok_or(index)
    }

    /// Any item.
    pub(super) fn items(&self) -> Shape<'s> {
        if self.parts.iter().any(|part| part.contains_key("prefixItems")) {
            return Shape::any();
        }
        let schemas: Vec<&Value> = self.parts.iter().filter_map(|part| part.get("items")).collect();
        self.within(&schemas).unwrap_or_else(Shape::any)
    }

    /// None when no value fits.
    fn within(&self, schemas: &[&'s Value]) -> Option<Shape<'s>> {
        match expand(self.document, schemas) {
            Some(alternatives) if alternatives.is_empty() => None,
            alternatives => Some(Shape::of_alternatives(alternatives)),
        }
    }
}

fn properties(part: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    part.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn kinds_of(schema: &Map<String, Value>) -> Kinds {
    let of_type = match schema.get("type") {
        Some(Value::String(name)) => Kinds::of_name(name),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(Kinds::of_name).fold(Kinds::NONE, Kinds::or)
        }
        _ => Kinds::ANY,
    };
    let of_enum = match schema.get("enum") {
        Some(Value::Array(values)) => {
            values.iter().map(Kinds::of_value).fold(Kinds::NONE, Kinds::or)
        }
        _ => Kinds::ANY,
    };
    let of_const = schema.get("const").map_or(Kinds::ANY, Kinds::of_value);
    of_type.and(of_enum).and(of_const)
}
