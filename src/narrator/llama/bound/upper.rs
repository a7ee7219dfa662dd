//! What a schema could accept at the most, for telling that no value of a shape meets it.

use serde_json::Value;

use super::{
    Node,
    facts::{Kinds, kinds_of, words_of},
};
use crate::narrator::llama::shape::{Field, Shape};

/// How far references and properties are followed. Below, anything counts as accepted.
const DEPTH_MAX: usize = 4;

/// At least what a schema accepts.
#[derive(Debug, Clone)]
pub(super) struct Upper<'s> {
    kinds: Kinds,
    words: Option<&'s [Value]>,
    /// What an object must have.
    fields: Vec<(&'s str, Upper<'s>)>,
    /// All that an object may have, if it may not have anything.
    names: Option<Vec<&'s str>>,
}

impl<'s> Upper<'s> {
    const ANYTHING: Upper<'s> =
        Upper { kinds: Kinds::ALL, words: None, fields: Vec::new(), names: None };

    pub(super) fn of(
        schema: &'s Value,
        resolve: &dyn Fn(&Value) -> Option<&'s Value>,
    ) -> Upper<'s> {
        Upper::at(schema, resolve, DEPTH_MAX)
    }

    fn at(
        schema: &'s Value,
        resolve: &dyn Fn(&Value) -> Option<&'s Value>,
        depth: usize,
    ) -> Upper<'s> {
        let Some(node) = schema.as_object().filter(|_| depth > 0) else { return Upper::ANYTHING };
        if let Some(reference) = node.get("$ref") {
            // What stands beside a reference only takes more away.
            let target = resolve(reference);
            return target.map_or(Upper::ANYTHING, |it| Upper::at(it, resolve, depth - 1));
        }
        let property = |name: &str| node.get("properties").and_then(|it| it.get(name));
        let required = node.get("required").and_then(Value::as_array).into_iter().flatten();
        let fields = required.filter_map(Value::as_str).map(|name| {
            let inner = property(name).map(|schema| Upper::at(schema, resolve, depth - 1));
            (name, inner.unwrap_or(Upper::ANYTHING))
        });
        Upper {
            kinds: kinds_of(node).0,
            words: words_of(node),
            fields: fields.collect(),
            names: closed_names(node),
        }
    }

    fn may_be(&self, word: &Value) -> bool {
        self.kinds.has(word)
            && self.words.is_none_or(|words| words.iter().any(|it| is_same(it, word)))
            && word.as_object().is_none_or(|fields| {
                self.fields
                    .iter()
                    .all(|(name, upper)| fields.get(*name).is_some_and(|value| upper.may_be(value)))
                    && self.names.as_ref().is_none_or(|names| {
                        fields.keys().all(|name| names.contains(&name.as_str()))
                    })
            })
    }

    /// Whether any value that `is_kind` knows could be accepted.
    fn may_have(&self, allowed: bool, is_kind: fn(&Value) -> bool) -> bool {
        allowed && self.words.is_none_or(|words| words.iter().any(is_kind))
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

fn closed_names(node: &Node) -> Option<Vec<&str>> {
    let is_closed = node.get("additionalProperties") == Some(&Value::Bool(false))
        && !node.contains_key("patternProperties");
    let names = || {
        let properties = node.get("properties").and_then(Value::as_object);
        properties.map(|it| it.keys().map(String::as_str).collect()).unwrap_or_default()
    };
    is_closed.then(names)
}

/// Whether surely no value of the shape is accepted.
pub(super) fn is_disjoint(shape: &Shape, upper: &Upper<'_>) -> bool {
    let kinds = upper.kinds;
    match shape {
        Shape::Either(shapes) => shapes.iter().all(|shape| is_disjoint(shape, upper)),
        Shape::Words(words) => !words.iter().any(|word| upper.may_be(word)),
        Shape::Null => !upper.may_have(kinds.null, Value::is_null),
        Shape::Bool => !upper.may_have(kinds.boolean, Value::is_boolean),
        Shape::Integer { .. } | Shape::Decimal { .. } => {
            !upper.may_have(kinds.number, Value::is_number)
        }
        Shape::Text(_) => !upper.may_have(kinds.string, Value::is_string),
        Shape::List(_) => !upper.may_have(kinds.array, Value::is_array),
        Shape::Record(fields) => {
            !upper.may_have(kinds.object, Value::is_object) || differs(fields, upper)
        }
    }
}

fn differs(fields: &[Field], upper: &Upper<'_>) -> bool {
    let lacks_one = upper.fields.iter().any(|(name, inner)| {
        let ours = fields.iter().find(|field| field.name == *name);
        ours.is_none_or(|field| is_disjoint(&field.shape, inner))
    });
    let has_another = || {
        upper.names.as_ref().is_some_and(|names| {
            let mut required = fields.iter().filter(|field| field.is_required);
            required.any(|field| !names.contains(&field.name.as_str()))
        })
    };
    lacks_one || has_another()
}
