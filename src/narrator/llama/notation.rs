//! The notation of tools and types in the prompt: `["dice/roll",formula,mode?,after]`, `1..6`, `"a"|"b"`. Pure.

use super::{
    grammar_type::{ArrayConstraints, GrammarType, StringConstraints, from_hundredths},
    quote::line,
    tool::{Tool, ToolParameters},
};

/// Most values of an `enum` that the prompt shows. The grammar knows the others.
const ENUM_VALUES_SHOWN_MAX: usize = 12;
/// Longest notation of one type.
const NOTATION_CHARS_MAX: usize = 240;

/// The form of a step that uses the tool.
pub(super) fn signature(tool: &Tool) -> String {
    let names: Vec<String> = match &tool.parameters {
        ToolParameters::Properties(fields) => {
            fields.iter().map(|field| marked_name(&field.name, field.is_required)).collect()
        }
        ToolParameters::WholeInput(_) => vec!["input".to_owned()],
    };
    let names = names.join(",");
    let comma = if names.is_empty() { "" } else { "," };
    format!("[\"{}\",{names}{comma}after]", tool.path)
}

/// A name, with a mark if the field is optional.
pub(super) fn marked_name(name: &str, is_required: bool) -> String {
    let mark = if is_required { "" } else { "?" };
    format!("{}{mark}", line(name, NOTATION_CHARS_MAX))
}

pub(super) fn type_notation(grammar_type: &GrammarType) -> String {
    line(&full_notation(grammar_type), NOTATION_CHARS_MAX)
}

fn full_notation(grammar_type: &GrammarType) -> String {
    match grammar_type {
        GrammarType::Null => "null".to_owned(),
        GrammarType::Bool => "true|false".to_owned(),
        GrammarType::Enum(values) => {
            let shown = values.iter().take(ENUM_VALUES_SHOWN_MAX).map(|value| value.to_string());
            let more = (values.len() > ENUM_VALUES_SHOWN_MAX).then(|| "…".to_owned());
            shown.chain(more).collect::<Vec<_>>().join("|")
        }
        GrammarType::Integer { min, max, step: 1 } => format!("{min}..{max}"),
        GrammarType::Integer { min, max, step } => format!("{min}..{max} in steps of {step}"),
        GrammarType::Decimal { min, max } => {
            format!("{:?}..{:?}", from_hundredths(*min), from_hundredths(*max))
        }
        GrammarType::Text(text) => text_notation(text),
        GrammarType::List(list) => list_notation(list),
        GrammarType::Object(fields) => {
            let fields = fields.iter().map(|field| {
                format!(
                    "{}:{}",
                    marked_name(&field.name, field.is_required),
                    full_notation(&field.grammar_type)
                )
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        GrammarType::AnyOf(types) => types.iter().map(full_notation).collect::<Vec<_>>().join("|"),
    }
}

fn text_notation(text: &StringConstraints) -> String {
    let max = text.written_max();
    if let Some(pointer) = &text.values_from {
        return format!("a name from {pointer}");
    }
    match (&text.schema_pattern, text.format) {
        (Some(pattern), _) => format!("text like /{pattern}/"),
        (None, Some(format)) => format!("text, a {format}"),
        (None, None) if text.chars_min > 1 => format!("text of {}-{max}", text.chars_min),
        (None, None) => format!("text up to {max}"),
    }
}

fn list_notation(list: &ArrayConstraints) -> String {
    let mut items: Vec<String> = list.prefix_items.iter().map(full_notation).collect();
    if let Some(others) = &list.other_items {
        items.push(format!("{}…", full_notation(others)));
    }
    let (min, max) = (list.items_min, list.items_max);
    match list.other_items {
        Some(_) => format!("[{}]×{min}-{max}", items.join(",")),
        None => format!("[{}]", items.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::type_notation;
    use crate::llama::lowering::lower_schema;

    fn check(schema: Value) -> String {
        lower_schema(&schema)
            .map_or_else(|error| format!("- {error}"), |lowered| type_notation(&lowered))
    }

    #[test]
    fn a_type_is_shown_in_few_words() {
        let table = [
            json!({"type": "integer", "minimum": 1, "maximum": 6}),
            json!({"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1}),
            json!({"enum": ["north", "south", 3, null]}),
            json!({"type": "string", "maxLength": 40, "pattern": "^[a-z]+$"}),
            json!({"type": "string", "format": "date"}),
            json!({"type": "array", "items": {"type": "boolean"}, "minItems": 1}),
            json!({"type": "object", "required": ["x"], "properties": {"x": {"const": 1}, "y": {"type": "string"}}}),
            json!({"type": "string", "valuesFrom": "/world/scope/things"}),
            json!({"not": {}}),
        ]
        .map(check);
        insta::assert_snapshot!(table.join("\n"), @r#"
        1..6
        0.01..1.0|null
        "north"|"south"|3|null
        text like /^[a-z]+$/
        text, a date
        [true|false…]×1-8
        {x:1,y?:text up to 160}
        a name from /world/scope/things
        - has `not`, which a grammar cannot be held to
        "#);
    }
}
