//! One schema → the alternatives that it leaves, each a list of plain schemas that all hold: references
//! are followed, `allOf`, `anyOf` and `oneOf` are multiplied out.

use serde_json::{Map, Value};

use super::{ALTERNATIVES_MAX, SchemaType, TypeSet};

/// Most schemas that are looked at for one value, references followed. Hand-written ones have a dozen.
const VISITS_MAX: usize = 512;

/// Most schemas within each other, references followed; one that refers to itself would never end.
const NESTED_MAX: usize = 32;

/// Keywords that may allow a field which nothing else of the schema names.
const MAY_ADD_FIELDS: [&str; 4] = ["then", "else", "dependentSchemas", "$dynamicRef"];

/// Schemas that all hold, none of which leads on to others.
#[derive(Debug, Clone)]
pub(super) struct SchemaConjunction<'s> {
    document: &'s Value,
    parts: Vec<&'s Map<String, Value>>,
    /// Something was not followed: a field that nobody names may be there all the same.
    is_open: bool,
}

/// All alternatives, without those that contradict themselves; none when they are too many to tell.
pub(super) fn expand<'s>(
    document: &'s Value,
    schemas: &[&'s Value],
) -> Option<Vec<SchemaConjunction<'s>>> {
    let mut walk = SchemaExpansion { document, visits: 0 };
    let mut alternatives = vec![SchemaConjunction { document, parts: Vec::new(), is_open: false }];
    for schema in schemas {
        alternatives = product(&alternatives, &walk.alternatives(schema, 0)?)?;
    }
    alternatives.retain(|all| !all.types().is_empty());
    Some(alternatives)
}

struct SchemaExpansion<'s> {
    document: &'s Value,
    visits: usize,
}

impl<'s> SchemaExpansion<'s> {
    fn alternatives(
        &mut self,
        schema: &'s Value,
        nested: usize,
    ) -> Option<Vec<SchemaConjunction<'s>>> {
        self.visits += 1;
        if self.visits > VISITS_MAX || nested > NESTED_MAX {
            return None;
        }
        let all = |parts| SchemaConjunction { document: self.document, parts, is_open: false };
        let fields = match schema {
            Value::Bool(false) => return Some(Vec::new()),
            Value::Object(fields) => fields,
            _ => return Some(vec![all(Vec::new())]),
        };
        let mut own = all(vec![fields]);
        // A part with an `$id` of its own is a document of its own: its references mean something else.
        let is_elsewhere = fields.contains_key("$id") && !std::ptr::eq(schema, self.document);
        own.is_open =
            is_elsewhere || MAY_ADD_FIELDS.iter().any(|keyword| fields.contains_key(*keyword));
        let mut found = vec![own];
        if is_elsewhere {
            return Some(found);
        }
        if let Some(place) = fields.get("$ref").and_then(Value::as_str) {
            let target = place.strip_prefix('#').and_then(|at| self.document.pointer(at));
            match target {
                Some(target) => found = product(&found, &self.alternatives(target, nested + 1)?)?,
                None => found.iter_mut().for_each(|all| all.is_open = true),
            }
        }
        for part in schema_array(fields, "allOf") {
            found = product(&found, &self.alternatives(part, nested + 1)?)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            let mut either = Vec::new();
            for part in schema_array(fields, keyword) {
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
fn product<'s>(
    ones: &[SchemaConjunction<'s>],
    others: &[SchemaConjunction<'s>],
) -> Option<Vec<SchemaConjunction<'s>>> {
    if ones.len() * others.len() > ALTERNATIVES_MAX {
        return None;
    }
    let both = |one: &SchemaConjunction<'s>, other: &SchemaConjunction<'s>| SchemaConjunction {
        document: one.document,
        parts: one.parts.iter().chain(&other.parts).copied().collect(),
        is_open: one.is_open || other.is_open,
    };
    Some(ones.iter().flat_map(|one| others.iter().map(move |other| both(one, other))).collect())
}

fn schema_array<'s>(fields: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    fields.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl<'s> SchemaConjunction<'s> {
    pub(super) fn types(&self) -> TypeSet {
        self.parts.iter().map(|part| types_of(part)).fold(TypeSet::ANY, TypeSet::intersection)
    }

    /// Names that `properties` list, in the schema's order.
    pub(super) fn fields(&self) -> Vec<&'s str> {
        self.parts.iter().flat_map(|part| properties(part)).map(|(name, _)| name.as_str()).collect()
    }

    /// A field, if one of this name may be there. `properties` without `additionalProperties` are meant
    /// to be all, although a validator would let others pass: a reference to another is a slip.
    pub(super) fn field(&self, key: &str) -> Option<SchemaType<'s>> {
        let (mut named, mut others) = (Vec::new(), Vec::new());
        let (mut is_open, mut is_listed) = (self.is_open, false);
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
        self.conjunction_type(&named)
    }

    /// An item; the error says how many there are at most.
    pub(super) fn item(&self, index: usize) -> Result<SchemaType<'s>, usize> {
        let mut schemas = Vec::new();
        for part in &self.parts {
            let items_max = part.get("maxItems").and_then(Value::as_u64);
            if let Some(limit) = items_max.and_then(|limit| usize::try_from(limit).ok())
                && index >= limit
            {
                return Err(limit);
            }
            let first = schema_array(part, "prefixItems");
            match (first.get(index), part.get("items")) {
                (Some(schema), _) => schemas.push(schema),
                (None, Some(Value::Bool(false))) => return Err(first.len()),
                (None, Some(schema)) => schemas.push(schema),
                (None, None) => {}
            }
        }
        self.conjunction_type(&schemas).ok_or(index)
    }

    /// Any item.
    pub(super) fn items(&self) -> SchemaType<'s> {
        if self.parts.iter().any(|part| part.contains_key("prefixItems")) {
            return SchemaType::any();
        }
        let schemas: Vec<&Value> = self.parts.iter().filter_map(|part| part.get("items")).collect();
        self.conjunction_type(&schemas).unwrap_or_else(SchemaType::any)
    }

    /// None when no value fits.
    fn conjunction_type(&self, schemas: &[&'s Value]) -> Option<SchemaType<'s>> {
        match expand(self.document, schemas) {
            Some(alternatives) if alternatives.is_empty() => None,
            alternatives => Some(SchemaType::of_alternatives(alternatives)),
        }
    }
}

fn properties(part: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    part.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn types_of(schema: &Map<String, Value>) -> TypeSet {
    let of_type = match schema.get("type") {
        Some(Value::String(name)) => TypeSet::of_name(name),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(TypeSet::of_name).fold(TypeSet::NONE, TypeSet::union)
        }
        _ => TypeSet::ANY,
    };
    let of_enum = match schema.get("enum") {
        Some(Value::Array(values)) => {
            values.iter().map(TypeSet::of_value).fold(TypeSet::NONE, TypeSet::union)
        }
        _ => TypeSet::ANY,
    };
    let of_const = schema.get("const").map_or(TypeSet::ANY, TypeSet::of_value);
    of_type.intersection(of_enum).intersection(of_const)
}
