//! The most that a schema could accept: proves that no value of a type meets it.

use narratoria_skills::schema_view::{SchemaKeywords, TypeSet, resolve};
use serde_json::Value;

use crate::llama::grammar_type::{GrammarField, GrammarType};

/// Most references and properties that are followed one after the other. A deeper schema accepts anything.
const DEPTH_MAX: usize = 4;

/// A superset of the values that a schema accepts.
#[derive(Debug, Clone)]
pub(super) struct SchemaUpperBound<'s> {
    types: TypeSet,
    enum_values: Option<&'s [Value]>,
    /// Fields that an object must have.
    fields: Vec<(&'s str, SchemaUpperBound<'s>)>,
    /// All fields that an object may have; none if it may have any.
    names: Option<Vec<&'s str>>,
}

impl<'s> SchemaUpperBound<'s> {
    const ANYTHING: SchemaUpperBound<'s> = SchemaUpperBound {
        types: TypeSet::ANY,
        enum_values: None,
        fields: Vec::new(),
        names: None,
    };

    pub(super) fn of(document: &'s Value, schema: &'s Value) -> SchemaUpperBound<'s> {
        SchemaUpperBound::at(document, schema, DEPTH_MAX)
    }

    fn at(document: &'s Value, schema: &'s Value, depth: usize) -> SchemaUpperBound<'s> {
        let Some(keywords) = SchemaKeywords::of(schema).filter(|_| depth > 0) else {
            return SchemaUpperBound::ANYTHING;
        };
        let part = |schema: Option<&'s Value>| match schema {
            Some(schema) => SchemaUpperBound::at(document, schema, depth - 1),
            None => SchemaUpperBound::ANYTHING,
        };
        if let Some(reference) = keywords.get("$ref") {
            // Keywords beside a reference only accept less.
            return part(resolve(document, reference));
        }
        let fields = keywords.required().map(|name| (name, part(keywords.property(name))));
        let names = || keywords.properties().map(|(name, _)| name).collect();
        SchemaUpperBound {
            types: keywords.types().with_all_numbers(),
            enum_values: keywords.value_lists().next(),
            fields: fields.collect(),
            names: keywords.is_closed().then(names),
        }
    }

    fn may_accept(&self, value: &Value) -> bool {
        self.types.intersects(TypeSet::of_value(value))
            && self.enum_values.is_none_or(|values| values.iter().any(|one| is_same(one, value)))
            && value.as_object().is_none_or(|fields| {
                self.fields.iter().all(|(name, upper)| {
                    fields.get(*name).is_some_and(|value| upper.may_accept(value))
                }) && self
                    .names
                    .as_ref()
                    .is_none_or(|names| fields.keys().all(|name| names.contains(&name.as_str())))
            })
    }

    fn may_accept_some(&self, types: TypeSet) -> bool {
        let is_of = |value: &Value| types.intersects(TypeSet::of_value(value));
        self.types.intersects(types)
            && self.enum_values.is_none_or(|values| values.iter().any(is_of))
    }
}

/// Returns true if two values may be equal. The spelling of a number does not matter.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        // The content of lists and objects is not compared.
        _ if one.is_array() || one.is_object() => other.is_array() || other.is_object(),
        _ => one == other,
    }
}

/// Returns true if surely no value of the type is accepted.
pub(super) fn is_disjoint(grammar_type: &GrammarType, upper: &SchemaUpperBound<'_>) -> bool {
    match grammar_type {
        GrammarType::AnyOf(types) => types.iter().all(|one| is_disjoint(one, upper)),
        GrammarType::Enum(values) => !values.iter().any(|value| upper.may_accept(value)),
        GrammarType::Null => !upper.may_accept_some(TypeSet::NULL),
        GrammarType::Bool => !upper.may_accept_some(TypeSet::BOOLEAN),
        GrammarType::Integer { .. } | GrammarType::Decimal { .. } => {
            !upper.may_accept_some(TypeSet::NUMBER)
        }
        GrammarType::Text(_) => !upper.may_accept_some(TypeSet::STRING),
        GrammarType::List(_) => !upper.may_accept_some(TypeSet::LIST),
        GrammarType::Object(fields) => {
            !upper.may_accept_some(TypeSet::OBJECT) || differs(fields, upper)
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
