//! The text of a narration, put together from its parts. Pure.

use std::slice;

use serde_json::Value;

/// Between two parts of a narration.
const PART_SEPARATOR: &str = "\n\n";

pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    parts.into_iter().for_each(|part| append(&mut text, part));
    text
}

/// Appends a trimmed part; an empty one adds nothing.
pub(crate) fn append(text: &mut String, part: &str) {
    let part = part.trim();
    if !part.is_empty() {
        let between = if text.is_empty() { "" } else { PART_SEPARATOR };
        text.push_str(between);
        text.push_str(part);
    }
}

/// The `text` of a step's output; for a loop, the `text` of each item in order.
pub(crate) fn output_texts(output: &Value) -> impl Iterator<Item = &str> {
    let outputs = match output {
        Value::Array(outputs) => outputs.as_slice(),
        output => slice::from_ref(output),
    };
    outputs.iter().filter_map(|output| output.get("text")?.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::output_texts;

    #[test]
    fn every_item_of_a_loop_is_narrated() {
        let texts = |output| output_texts(&output).collect::<Vec<_>>().join(" ");
        assert_eq!(texts(json!({"text": "One."})), "One.");
        assert_eq!(
            texts(json!([{"text": "One."}, {"total": 2}, {"text": "Three."}])),
            "One. Three."
        );
        assert_eq!(texts(json!({"text": 1})), "");
    }
}
