//! The schema of an answer with lists that every server reads. Pure.
//!
//! llama.cpp makes a grammar of `prefixItems` alone, as a list of exactly these items: it refuses `"items": false`, and beside
//! another `items` it forgets them. So a list whose first items differ becomes a choice of lists, one for each length.

use serde_json::{Map, Value, json};

/// Most lengths of one list. Longer lists are left out: what a server then writes still keeps the schema.
const LENGTHS_MAX: usize = 8;

/// Shorter items are repeated instead of defined.
const DEFINITION_BYTES_MIN: usize = 40;

/// Returns a schema for a part of the texts of this one, for all of them where no list is longer than its first items.
pub(super) fn with_lists_of_each_length(schema: &Value) -> Value {
    let mut definitions = Definitions::default();
    let mut schema = definitions.visit(schema);
    if !definitions.schemas.is_empty()
        && let Value::Object(fields) = &mut schema
        && let Value::Object(all) = fields.entry("$defs").or_insert_with(|| json!({}))
    {
        all.extend(definitions.schemas);
    }
    schema
}

/// Items that stand in several lists, each once.
#[derive(Debug, Default)]
struct Definitions {
    schemas: Map<String, Value>,
}

impl Definitions {
    fn visit(&mut self, schema: &Value) -> Value {
        let Value::Object(fields) = schema else { return schema.clone() };
        let visited = fields.iter().map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("properties" | "$defs", Value::Object(named)) => {
                    let named = named.iter().map(|(name, it)| (name.clone(), self.visit(it)));
                    Value::Object(named.collect())
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                    list.iter().map(|it| self.visit(it)).collect()
                }
                ("items" | "additionalProperties", _) => self.visit(value),
                _ => value.clone(),
            };
            (key.clone(), value)
        });
        let fields: Map<String, Value> = visited.collect();
        self.lists(&fields).unwrap_or(Value::Object(fields))
    }

    /// The choice of lists; `None` where the list can stay as it is, and where no list could be written.
    fn lists(&mut self, fields: &Map<String, Value>) -> Option<Value> {
        let others = fields.get("items");
        let first = fields.get("prefixItems").and_then(Value::as_array);
        if first.is_none() && others != Some(&Value::Bool(false)) {
            return None;
        }
        let count = |key: &str| usize::try_from(fields.get(key)?.as_u64()?).ok();
        let mut items = first.cloned().unwrap_or_default();
        let least = count("minItems").unwrap_or(0);
        if let Some(other) = others.filter(|other| other.is_object()) {
            let missing = least.saturating_sub(items.len()).min(LENGTHS_MAX);
            items.extend(std::iter::repeat_n(other.clone(), missing));
        }
        let most = count("maxItems").unwrap_or(usize::MAX).min(items.len());
        if least > most {
            return None;
        }
        let lengths: Vec<usize> = (least..=most).take(LENGTHS_MAX).collect();
        if lengths.len() > 1 {
            items = items.into_iter().map(|item| self.reference(item)).collect();
        }
        let mut lists: Vec<Value> = lengths.iter().map(|it| list(&items[..*it])).collect();
        Some(match lists.len() {
            1 => lists.remove(0),
            _ => json!({"anyOf": lists}),
        })
    }

    fn reference(&mut self, item: Value) -> Value {
        if item.to_string().len() < DEFINITION_BYTES_MIN {
            return item;
        }
        let name = format!("item-{}", self.schemas.len());
        self.schemas.insert(name.clone(), item);
        json!({"$ref": format!("#/$defs/{name}")})
    }
}

/// The list of exactly these items.
fn list(items: &[Value]) -> Value {
    match items.len() {
        0 => json!({"enum": [[]]}),
        count => {
            json!({"type": "array", "prefixItems": items, "minItems": count, "maxItems": count})
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::with_lists_of_each_length;

    #[track_caller]
    fn check(schema: Value, expect: Value) {
        assert_eq!(with_lists_of_each_length(&schema), expect);
    }

    fn exactly(items: Value) -> Value {
        let count = items.as_array().map_or(0, Vec::len);
        json!({"type": "array", "prefixItems": items, "minItems": count, "maxItems": count})
    }

    #[test]
    fn a_list_with_an_optional_end_is_a_choice() {
        let (one, two) = (json!({"const": 1}), json!({"const": 2}));
        check(
            json!({"type": "array", "prefixItems": [one, two], "items": false, "minItems": 1, "maxItems": 2}),
            json!({"anyOf": [exactly(json!([one])), exactly(json!([one, two]))]}),
        );
        check(
            json!({"properties": {"items": {"type": "array", "items": false, "minItems": 0}}}),
            json!({"properties": {"items": {"enum": [[]]}}}),
        );
        let both = json!({"prefixItems": [one], "items": two, "minItems": 3});
        check(both, exactly(json!([one, two, two])));
    }

    #[test]
    fn items_of_several_lists_are_defined_once() {
        let item = json!({"type": "string", "minLength": 1, "maxLength": 60});
        let list =
            json!({"prefixItems": [item, item], "items": false, "minItems": 1, "maxItems": 2});
        let (one, two) = (json!({"$ref": "#/$defs/item-0"}), json!({"$ref": "#/$defs/item-1"}));
        check(
            json!({"type": "object", "properties": {"k": list}, "$defs": {"0": {"const": 1}}}),
            json!({
                "type": "object",
                "properties": {"k": {"anyOf": [exactly(json!([one])), exactly(json!([one, two]))]}},
                "$defs": {"0": {"const": 1}, "item-0": item, "item-1": item},
            }),
        );
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for schema in [
            json!(true),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            json!({"type": "array", "prefixItems": [{}], "items": false, "minItems": 2}),
            json!({"type": "object", "properties": {"prefixItems": {"const": [1]}}}),
            json!({"enum": [{"items": false}]}),
        ] {
            check(schema.clone(), schema);
        }
    }
}
