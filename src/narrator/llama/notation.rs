//! Shapes and scripts as the prompt shows them: `["dice/roll",formula,mode?,after]`, `1..6`, `"a"|"b"`. Pure.

use super::{
    form::Form,
    menu::{Item, Slots},
    quote::line,
    shape::{List, Shape, Text, hundredths},
};

/// Values of an `enum` that are shown. The grammar knows the others.
const WORDS_SHOWN_MAX: usize = 12;
/// Longest notation of one slot.
const SHAPE_CHARS_MAX: usize = 240;

/// How a step of this script is written.
pub(super) fn signature(form: Form, item: &Item) -> String {
    let names: Vec<String> = match &item.slots {
        Slots::Each(slots) => {
            slots.iter().map(|slot| named(&slot.name, slot.is_required)).collect()
        }
        Slots::Whole(_) => vec!["input".to_owned()],
    };
    let names = names.join(",");
    let comma = if names.is_empty() { "" } else { "," };
    match (form, &item.slots) {
        (Form::Tuple, _) => format!("[\"{}\",{names}{comma}after]", item.path),
        (Form::Keyed, Slots::Each(_)) => {
            format!("{{\"use\":\"{}\",\"with\":{{{names}}},\"after\":[]}}", item.path)
        }
        (Form::Keyed, Slots::Whole(_)) => {
            format!("{{\"use\":\"{}\",\"with\":input,\"after\":[]}}", item.path)
        }
    }
}

/// A name, with a mark where it may be left out.
pub(super) fn named(name: &str, is_required: bool) -> String {
    let mark = if is_required { "" } else { "?" };
    format!("{}{mark}", line(name, SHAPE_CHARS_MAX))
}

/// The values of a shape.
pub(super) fn notation(shape: &Shape) -> String {
    line(&values(shape), SHAPE_CHARS_MAX)
}

fn values(shape: &Shape) -> String {
    match shape {
        Shape::Null => "null".to_owned(),
        Shape::Bool => "true|false".to_owned(),
        Shape::Words(words) => {
            let shown = words.iter().take(WORDS_SHOWN_MAX).map(|word| word.to_string());
            let more = (words.len() > WORDS_SHOWN_MAX).then(|| "…".to_owned());
            shown.chain(more).collect::<Vec<_>>().join("|")
        }
        Shape::Integer { min, max, step: 1 } => format!("{min}..{max}"),
        Shape::Integer { min, max, step } => format!("{min}..{max} in steps of {step}"),
        Shape::Decimal { min, max } => {
            format!("{:?}..{:?}", hundredths(*min), hundredths(*max))
        }
        Shape::Text(text) => text_notation(text),
        Shape::List(list) => list_notation(list),
        Shape::Record(fields) => {
            let fields = fields.iter().map(|field| {
                format!("{}:{}", named(&field.name, field.is_required), values(&field.shape))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Shape::Either(shapes) => shapes.iter().map(values).collect::<Vec<_>>().join("|"),
    }
}

fn text_notation(text: &Text) -> String {
    let max = text.written_max();
    match (&text.like, text.format) {
        (Some(like), _) => format!("text like /{like}/"),
        (None, Some(format)) => format!("text, a {format}"),
        (None, None) if text.chars_min > 1 => format!("text of {}-{max}", text.chars_min),
        (None, None) => format!("text up to {max}"),
    }
}

fn list_notation(list: &List) -> String {
    let mut items: Vec<String> = list.first.iter().map(values).collect();
    if let Some(rest) = &list.rest {
        items.push(format!("{}…", values(rest)));
    }
    let (min, max) = (list.items_min, list.items_max);
    match list.rest {
        Some(_) => format!("[{}]×{min}-{max}", items.join(",")),
        None => format!("[{}]", items.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::notation;
    use crate::narrator::llama::bound::bound;

    fn check(schema: Value) -> String {
        bound(&schema).map_or_else(|reason| format!("- {reason}"), |shape| notation(&shape))
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
