//! Shapes and scripts as the prompt shows them: `["dice/roll",formula,mode?,after]`, `1..6`, `"a"|"b"`. Pure.

use super::{
    grammar_type::{ArrayConstraints, GrammarType, StringConstraints, from_hundredths},
    quote::line,
    tool::{Tool, ToolParameters},
};

/// Values of an `enum` that are shown. The grammar knows the others.
const ENUM_VALUES_SHOWN_MAX: usize = 12;
/// Longest notation of one slot.
const NOTATION_CHARS_MAX: usize = 240;

/// How a step of this script is written.
pub(super) fn signature(item: &Tool) -> String {
    let names: Vec<String> = match &item.parameters {
        ToolParameters::Properties(slots) => {
            slots.iter().map(|slot| marked_name(&slot.name, slot.is_required)).collect()
        }
        ToolParameters::WholeInput(_) => vec!["input".to_owned()],
    };
    let names = names.join(",");
    let comma = if names.is_empty() { "" } else { "," };
    format!("[\"{}\",{names}{comma}after]", item.path)
}

/// A name, with a mark where it may be left out.
pub(super) fn marked_name(name: &str, is_required: bool) -> String {
    let mark = if is_required { "" } else { "?" };
    format!("{}{mark}", line(name, NOTATION_CHARS_MAX))
}

/// The values of a shape.
pub(super) fn type_notation(shape: &GrammarType) -> String {
    line(&full_notation(shape), NOTATION_CHARS_MAX)
}

fn full_notation(shape: &GrammarType) -> String {
    match shape {
        GrammarType::Null => "null".to_owned(),
        GrammarType::Bool => "true|false".to_owned(),
        GrammarType::Enum(words) => {
            let shown = words.iter().take(ENUM_VALUES_SHOWN_MAX).map(|word| word.to_string());
            let more = (words.len() > ENUM_VALUES_SHOWN_MAX).then(|| "…".to_owned());
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
        GrammarType::AnyOf(shapes) => {
            shapes.iter().map(full_notation).collect::<Vec<_>>().join("|")
        }
    }
}

fn text_notation(text: &StringConstraints) -> String {
    let max = text.written_max();
    match (&text.schema_pattern, text.format) {
        (Some(like), _) => format!("text like /{like}/"),
        (None, Some(format)) => format!("text, a {format}"),
        (None, None) if text.chars_min > 1 => format!("text of {}-{max}", text.chars_min),
        (None, None) => format!("text up to {max}"),
    }
}

fn list_notation(list: &ArrayConstraints) -> String {
    let mut items: Vec<String> = list.prefix_items.iter().map(full_notation).collect();
    if let Some(rest) = &list.other_items {
        items.push(format!("{}…", full_notation(rest)));
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
            .map_or_else(|reason| format!("- {reason}"), |shape| type_notation(&shape))
    }

    #[test]
    fn a_shape_is_shown_in_few_words() {
        let table = [
            json!({"type": "integer", "minimum": 1, "maximum": 6}),
            json!({"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1}),
            json!({"enum": ["north", "south", 3, null]}),
            json!({"type": "string", "maxLength": 40, "pattern": "^[a-z]+$"}),
            json!({"type": "string", "format": "date"}),
            json!({"type": "array", "items": {"type": "boolean"}, "minItems": 1}),
            json!({"type": "object", "required": ["x"], "properties": {"x": {"const": 1}, "y": {"type": "string"}}}),
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
        - has `not`, which a grammar cannot be held to
        "#);
    }
}
