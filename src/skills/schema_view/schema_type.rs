//! Which types a value may have before there is one, and which parts (docs/plans.md, "References").

use narratoria_protocol::key_of_token;
use serde_json::Value;

use super::{SchemaKeywords, SchemaPlace, TypeSet, place::ALTERNATIVES_MAX};

/// Keywords that may allow a field which no `properties` lists.
const MAY_ADD_FIELDS: [&str; 4] = ["then", "else", "dependentSchemas", "$dynamicRef"];

/// The known alternatives of one value. Never empty.
#[derive(Debug, Clone)]
pub struct SchemaType<'s> {
    alternatives: Vec<TypeAlternative<'s>>,
}

#[derive(Debug, Clone)]
enum TypeAlternative<'s> {
    /// Only the types are known.
    Types(TypeSet),
    /// A list of values that come from elsewhere.
    ListOf(SchemaType<'s>),
    /// All objects of the place hold; its choices are made.
    Place(SchemaPlace<'s>),
}

/// A part that no value of the type can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPart {
    /// The types of the value itself.
    pub types: TypeSet,
    /// The fields that schemas name.
    pub fields: Vec<String>,
    /// The most items that the value has, if that is the reason.
    pub items_max: Option<usize>,
}

impl<'s> SchemaType<'s> {
    pub fn any() -> SchemaType<'s> {
        SchemaType::of_types(TypeSet::ANY)
    }

    pub fn of_types(types: TypeSet) -> SchemaType<'s> {
        SchemaType { alternatives: vec![TypeAlternative::Types(types)] }
    }

    pub fn of_schema(document: &'s Value) -> SchemaType<'s> {
        SchemaType::of_places(possible_places(SchemaPlace::root(document)))
    }

    pub fn list_of(item: SchemaType<'s>) -> SchemaType<'s> {
        SchemaType { alternatives: vec![TypeAlternative::ListOf(item)] }
    }

    pub fn any_of(types: impl IntoIterator<Item = SchemaType<'s>>) -> SchemaType<'s> {
        let alternatives: Vec<TypeAlternative<'s>> =
            types.into_iter().flat_map(|one| one.alternatives).collect();
        if alternatives.is_empty() || alternatives.len() > ALTERNATIVES_MAX {
            return SchemaType::any();
        }
        SchemaType { alternatives }
    }

    /// A schema that contradicts itself says as little as one with too many alternatives.
    fn of_places(places: Option<Vec<SchemaPlace<'s>>>) -> SchemaType<'s> {
        let alternatives = places.into_iter().flatten().map(TypeAlternative::Place);
        SchemaType::any_of(alternatives.map(|one| SchemaType { alternatives: vec![one] }))
    }

    /// The types that the value may have.
    pub fn types(&self) -> TypeSet {
        let types = self.alternatives.iter().map(TypeAlternative::types);
        types.fold(TypeSet::NONE, |all, one| all | one)
    }

    /// A field, if the value may have it. `properties` without `additionalProperties` count as all fields that
    /// there are, although the validator lets others pass: a reference to another field is a slip.
    pub fn field(&self, name: &str) -> Result<SchemaType<'s>, MissingPart> {
        self.part(TypeSet::OBJECT, |one| match one {
            TypeAlternative::Place(place) => field_of(place, name).ok_or(None),
            TypeAlternative::Types(_) | TypeAlternative::ListOf(_) => Ok(SchemaType::any()),
        })
    }

    /// An item, if the value may have as many.
    pub fn item(&self, idx: usize) -> Result<SchemaType<'s>, MissingPart> {
        self.part(TypeSet::LIST, |one| match one {
            TypeAlternative::Types(_) => Ok(SchemaType::any()),
            TypeAlternative::ListOf(item) => Ok(item.clone()),
            TypeAlternative::Place(place) => item_of(place, idx).map_err(Some),
        })
    }

    /// The part of each alternative that may have one of the types `has_part`. An error of `part_of` is the
    /// most items that an alternative has, if that is the reason.
    fn part(
        &self,
        has_part: TypeSet,
        part_of: impl Fn(&TypeAlternative<'s>) -> Result<SchemaType<'s>, Option<usize>>,
    ) -> Result<SchemaType<'s>, MissingPart> {
        let mut parts = Vec::new();
        let mut items_max = None;
        for one in self.alternatives.iter().filter(|one| one.types().intersects(has_part)) {
            match part_of(one) {
                Ok(part) => parts.push(part),
                Err(limit) => items_max = items_max.max(limit),
            }
        }
        if parts.is_empty() {
            return Err(MissingPart { types: self.types(), fields: self.fields(), items_max });
        }
        Ok(SchemaType::any_of(parts))
    }

    /// The fields that schemas name, each once, in the order of the text.
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for (name, _) in self.objects().flat_map(SchemaKeywords::properties) {
            if !fields.iter().any(|field| field == name) {
                fields.push(name.to_owned());
            }
        }
        fields
    }

    fn objects(&self) -> impl Iterator<Item = SchemaKeywords<'s>> {
        self.alternatives.iter().flat_map(|one| match one {
            TypeAlternative::Place(place) => place.objects().to_vec(),
            TypeAlternative::Types(_) | TypeAlternative::ListOf(_) => Vec::new(),
        })
    }

    /// The part that a JSON pointer into this value leads to, as far as schemas tell.
    pub fn at_pointer(&self, value: &Value, pointer: &str) -> Option<SchemaType<'s>> {
        let (mut part, mut here) = (self.clone(), value);
        for token in pointer.split('/').skip(1) {
            let key = key_of_token(token);
            part = match here {
                Value::Array(items) => {
                    let idx = key.parse().ok()?;
                    here = items.get(idx)?;
                    part.item(idx).ok()?
                }
                other => {
                    here = other.get(&*key)?;
                    part.field(&key).ok()?
                }
            };
        }
        Some(part)
    }

    /// The type that covers every item of the list.
    pub fn items(&self) -> SchemaType<'s> {
        let may_be_list =
            self.alternatives.iter().filter(|one| one.types().intersects(TypeSet::LIST));
        SchemaType::any_of(may_be_list.map(|one| match one {
            TypeAlternative::Types(_) => SchemaType::any(),
            TypeAlternative::ListOf(item) => item.clone(),
            TypeAlternative::Place(place) => items_of(place),
        }))
    }
}

impl TypeAlternative<'_> {
    fn types(&self) -> TypeSet {
        match self {
            TypeAlternative::Types(types) => *types,
            TypeAlternative::ListOf(_) => TypeSet::LIST,
            TypeAlternative::Place(place) => types_of(place),
        }
    }
}

fn types_of(place: &SchemaPlace<'_>) -> TypeSet {
    let types = place.objects().iter().map(|keywords| keywords.allowed_types());
    types.fold(TypeSet::ANY, |all, one| all & one)
}

/// Returns the alternatives of a place that accept some type. Returns `None` if there are too many.
fn possible_places(place: SchemaPlace<'_>) -> Option<Vec<SchemaPlace<'_>>> {
    let mut places = place.alternatives()?;
    places.retain(|place| !types_of(place).is_empty());
    Some(places)
}

fn field_of<'s>(place: &SchemaPlace<'s>, name: &str) -> Option<SchemaType<'s>> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    // A place with a gap may allow fields that nothing here lists.
    let (mut is_open, mut is_listed) = (!place.gaps().is_empty(), false);
    for keywords in place.objects() {
        is_open |= keywords.first_of(&MAY_ADD_FIELDS).is_some();
        if let Some(schema) = keywords.property(name) {
            named.push(schema);
            continue;
        }
        if keywords.is_closed() {
            return None;
        }
        if keywords.has("patternProperties") {
            is_open = true;
            continue;
        }
        match keywords.get("additionalProperties").or_else(|| keywords.get("unevaluatedProperties"))
        {
            Some(Value::Bool(false)) => is_listed = true,
            Some(schema) => {
                is_open = true;
                others.push(schema);
            }
            None => is_listed |= keywords.has("properties"),
        }
    }
    if named.is_empty() && is_listed && !is_open {
        return None;
    }
    named.extend(others);
    all_of(place, &named)
}

/// The error is the most items that there are.
fn item_of<'s>(place: &SchemaPlace<'s>, idx: usize) -> Result<SchemaType<'s>, usize> {
    let mut schemas = Vec::new();
    for keywords in place.objects() {
        let items_max = keywords.get("maxItems").and_then(Value::as_u64);
        if let Some(limit) = items_max.and_then(|limit| usize::try_from(limit).ok())
            && idx >= limit
        {
            return Err(limit);
        }
        match keywords.item(idx) {
            Some(Value::Bool(false)) if idx >= keywords.array("prefixItems").len() => {
                return Err(keywords.array("prefixItems").len());
            }
            schema => schemas.extend(schema),
        }
    }
    all_of(place, &schemas).ok_or(idx)
}

fn items_of<'s>(place: &SchemaPlace<'s>) -> SchemaType<'s> {
    if place.objects().iter().any(|keywords| keywords.has("prefixItems")) {
        return SchemaType::any();
    }
    let schemas: Vec<&Value> =
        place.objects().iter().filter_map(|keywords| keywords.get("items")).collect();
    all_of(place, &schemas).unwrap_or_else(SchemaType::any)
}

/// The type of a part that all of these schemas judge; none if no value meets them all.
fn all_of<'s>(place: &SchemaPlace<'s>, schemas: &[&'s Value]) -> Option<SchemaType<'s>> {
    match possible_places(SchemaPlace::all_of(place.document(), schemas)) {
        Some(places) if places.is_empty() => None,
        places => Some(SchemaType::of_places(places)),
    }
}
