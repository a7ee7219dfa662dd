//! What a schema could accept at the most, for telling that no value of a shape meets it.

use serde_json::Value;

use super::{
    SchemaObject,
    constraints::{AllowedTypes, enum_values_of, types_of},
};
use crate::llama::grammar_type::{GrammarField, GrammarType};

/// How far references and properties are followed. Below, anything counts as accepted.
const DEPTH_MAX: usize = 4;

/// At least what a schema accepts.
#[derive(Debug, Clone)]
pub(super) struct SchemaUpperBound<'s> {
    types: AllowedTypes,
    enum_values: Option<&'s [Value]>,
    /// What an object must have.
    fields: Vec<(&'s str, SchemaUpperBound<'s>)>,
    /// All that an object may have, if it may not have anything.
    names: Option<Vec<&'s str>>,
}

impl<'s> SchemaUpperBound<'s> {
    const ANYTHING: SchemaUpperBound<'s> = SchemaUpperBound {
        types: AllowedTypes::ALL,
        enum_values: None,
        fields: Vec::new(),
        names: None,
    };

    pub(super) fn of(
        schema: &'s Value,
        resolve: &dyn Fn(&Value) -> Option<&'s Value>,
    ) -> SchemaUpperBound<'s> {
        SchemaUpperBound::at(schema, resolve, DEPTH_MAX)
    }

    fn at(
        schema: &'s Value,
        resolve: &dyn Fn(&Value) -> Option<&'s Value>,
        depth: usize,
    ) -> SchemaUpperBound<'s> {
        let Some(node) = schema.as_object().filter(|_| depth > 0) else {
            return SchemaUpperBound::ANYTHING;
        };
        if let Some(reference) = node.get("$ref") {
            // What stands beside a reference only takes more away.
            let target = resolve(reference);
            return target.map_or(SchemaUpperBound::ANYTHING, |it| {
                SchemaUpperBound::at(it, resolve, depth - 1)
            });
        }
        let property = |name: &str| node.get("properties").and_then(|it| it.get(name));
        let required = node.get("required").and_then(Value::as_array).into_iter().flatten();
        let fields = required.filter_map(Value::as_str).map(|name| {
            let inner =
                property(name).map(|schema| SchemaUpperBound::at(schema, resolve, depth - 1));
            (name, inner.unwrap_or(SchemaUpperBound::ANYTHING))
        });
        SchemaUpperBound {
            types: types_of(node).0,
            enum_values: enum_values_of(node),
            fields: fields.collect(),
            names: closed_names(node),
        }
    }

    fn may_accept(&self, word: &Value) -> bool {
        self.types.has(word)
            && self.enum_values.is_none_or(|words| words.iter().any(|it| is_same(it, word)))
            && word.as_object().is_none_or(|fields| {
                self.fields.iter().all(|(name, upper)| {
                    fields.get(*name).is_some_and(|value| upper.may_accept(value))
                }) && self
                    .names
                    .as_ref()
                    .is_none_or(|names| fields.keys().all(|name| names.contains(&name.as_str())))
            })
    }

    /// Whether any value that `is_kind` knows could be accepted.
    fn may_accept_any(&self, allowed: bool, is_kind: fn(&Value) -> bool) -> bool {
        allowed && self.enum_values.is_none_or(|words| words.iter().any(is_kind))
    }
}

/// Numbers are the same however they are written.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        // What is inside of lists and objects is not looked at: they may be the same.
        _ if one.is_array() || one.is_object() => other.is_array() || other.is_object(),
        _ => one == other,
    }
}

fn closed_names(node: &SchemaObject) -> Option<Vec<&str>> {
    let is_closed = node.get("additionalProperties") == Some(&Value::Bool(false))
        && !node.contains_key("patternProperties");
    let names = || {
        let properties = node.get("properties").and_then(Value::as_object);
        properties.map(|it| it.keys().map(String::as_str).collect()).unwrap_or_default()
    };
    is_closed.then(names)
}

/// Whether surely no value of the shape is accepted.
pub(super) fn is_disjoint(shape: &GrammarType, upper: &SchemaUpperBound<'_>) -> bool {
    let kinds = upper.types;
    match shape {
        GrammarType::AnyOf(shapes) => shapes.iter().all(|shape| is_disjoint(shape, upper)),
        GrammarType::Enum(words) => !words.iter().any(|word| upper.may_accept(word)),
        GrammarType::Null => !upper.may_accept_any(kinds.null, Value::is_null),
        GrammarType::Bool => !upper.may_accept_any(kinds.boolean, Value::is_boolean),
        GrammarType::Integer { .. } | GrammarType::Decimal { .. } => {
            !upper.may_accept_any(kinds.number, Value::is_number)
        }
        GrammarType::Text(_) => !upper.may_accept_any(kinds.string, Value::is_string),
        GrammarType::List(_) => !upper.may_accept_any(kinds.array, Value::is_array),
        GrammarType::Object(fields) => {
            !upper.may_accept_any(kinds.object, Value::is_object) || differs(fields, upper)
        }
    }
}

fn differs(fields: &[GrammarField], upper: &SchemaUpperBound<'_>) -> bool {
    let lacks_one = upper.fields.iter().any(|(name, inner)| {
        let ours = fields.iter().find(|field| field.name == *name);
        ours.is_none_or(|field| is_disjoint(&field.grammar_type, inner))
    });
    let has_another = || {
        upper.names.as_ref().is_some_and(|names| {
            let mut required = fields.iter().filter(|field| field.is_required);
            required.any(|field| !names.contains(&field.name.as_str()))
        })
    };
    lacks_one || has_another()
}
