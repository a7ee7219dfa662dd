//! The keywords of one schema object.

use serde_json::{Map, Value};

use super::TypeSet;

/// One schema object. References, branches and other objects that judge the same value are [`SchemaPlace`]'s
/// business.
///
/// [`SchemaPlace`]: super::SchemaPlace
#[derive(Debug, Clone, Copy)]
pub struct SchemaKeywords<'s>(&'s Map<String, Value>);

impl<'s> SchemaKeywords<'s> {
    /// None for `true` and `false`, which have no keywords.
    pub fn of(schema: &'s Value) -> Option<SchemaKeywords<'s>> {
        schema.as_object().map(SchemaKeywords)
    }

    pub fn get(self, keyword: &str) -> Option<&'s Value> {
        self.0.get(keyword)
    }

    pub fn has(self, keyword: &str) -> bool {
        self.0.contains_key(keyword)
    }

    /// The first of these keywords that the object has.
    pub fn first_of(self, keywords: &[&'static str]) -> Option<&'static str> {
        keywords.iter().copied().find(|keyword| self.has(keyword))
    }

    /// Returns the array under a keyword; empty if there is none.
    pub fn array(self, keyword: &str) -> &'s [Value] {
        self.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The types that `type` allows.
    pub fn types(self) -> TypeSet {
        match self.get("type") {
            Some(Value::String(name)) => TypeSet::of_name(name),
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                names.map(TypeSet::of_name).fold(TypeSet::NONE, |all, one| all | one)
            }
            _ => TypeSet::ANY,
        }
    }

    /// The types that `type`, `const` and `enum` leave together.
    pub fn allowed_types(self) -> TypeSet {
        self.value_lists().map(TypeSet::of_values).fold(self.types(), |all, one| all & one)
    }

    /// The values of `const` and those of `enum`. A value must be in each list that is there.
    pub fn value_lists(self) -> impl Iterator<Item = &'s [Value]> {
        let one = self.get("const").map(std::slice::from_ref);
        let many = self.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        one.into_iter().chain(many)
    }

    /// `properties`, in the order of the text.
    pub fn properties(self) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let properties = self.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    pub fn property(self, name: &str) -> Option<&'s Value> {
        self.get("properties")?.get(name)
    }

    /// The names under `required`.
    pub fn required(self) -> impl Iterator<Item = &'s str> {
        self.array("required").iter().filter_map(Value::as_str)
    }

    /// Returns true if an object may have no fields but those of `properties`.
    pub fn is_closed(self) -> bool {
        self.get("additionalProperties") == Some(&Value::Bool(false))
            && !self.has("patternProperties")
    }

    /// The schema of one item: its own under `prefixItems`, or that of all others.
    pub fn item(self, idx: usize) -> Option<&'s Value> {
        self.array("prefixItems").get(idx).or_else(|| self.get("items"))
    }
}
