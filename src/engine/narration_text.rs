//! The text of a narration, put together from its parts. Pure.

use std::slice;

use serde_json::Value;

/// Separates two parts of a narration.
const PART_SEPARATOR: &str = "\n\n";

/// Longest narration of a turn: all texts of its steps together. A long scene has about 8 KiB.
pub const NARRATION_BYTES_MAX: usize = 64 << 10;

/// Ends a narration that was cut.
const CUT_MARK: &str = "… [cut]";

pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    joined_by(PART_SEPARATOR, parts)
}

/// Joins parts that belong closer together than paragraphs.
pub(crate) fn joined_by(
    separator: &str,
    parts: impl IntoIterator<Item = impl AsRef<str>>,
) -> String {
    let mut text = String::new();
    parts.into_iter().for_each(|part| append_after(separator, &mut text, part.as_ref()));
    text
}

/// Appends a trimmed part as a paragraph, if it is not empty. A text that gets too long is cut, and ends with
/// [`CUT_MARK`].
pub(crate) fn append(text: &mut String, part: &str) {
    append_after(PART_SEPARATOR, text, part);
}

fn append_after(separator: &str, text: &mut String, part: &str) {
    let part = part.trim();
    if part.is_empty() || text.len() > NARRATION_BYTES_MAX {
        return;
    }
    let between = if text.is_empty() { "" } else { separator };
    text.push_str(between);
    text.push_str(part);
    if text.len() > NARRATION_BYTES_MAX {
        text.truncate(text.floor_char_boundary(NARRATION_BYTES_MAX));
        text.push_str(CUT_MARK);
    }
}

/// Returns the `text` of a step's output; for a loop, the `text` of each item in order.
pub(crate) fn output_texts(output: &Value) -> impl Iterator<Item = &str> {
    items(output).iter().filter_map(|output| output.get("text")?.as_str())
}

/// Returns the plain sentences of the facts of a step's output; for a loop, those of each item in order.
pub(crate) fn fact_texts(output: &Value) -> impl Iterator<Item = &str> {
    let facts = items(output).iter().filter_map(|output| output.get("facts")?.as_array());
    facts.flatten().filter_map(|fact| fact.get("text")?.as_str())
}

fn items(output: &Value) -> &[Value] {
    match output {
        Value::Array(outputs) => outputs.as_slice(),
        output => slice::from_ref(output),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use proptest::prelude::*;

    use super::{CUT_MARK, NARRATION_BYTES_MAX, fact_texts, joined, output_texts};

    proptest! {
        /// The oracle joins everything first and cuts it afterwards.
        #[test]
        fn a_narration_is_cut_once_at_a_character(
            parts in prop::collection::vec((0..30_000_usize, prop::sample::select(vec!["a", "é", "☃", "🐉"])), 0..6),
        ) {
            let parts: Vec<String> = parts.iter().map(|(n, char)| char.repeat(*n)).collect();
            let whole: Vec<&str> =
                parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            let whole = whole.join("\n\n");
            let text = joined(parts.iter().map(String::as_str));
            if whole.len() <= NARRATION_BYTES_MAX {
                prop_assert_eq!(text, whole);
            } else {
                let kept = text.strip_suffix(CUT_MARK).unwrap();
                prop_assert!(whole.starts_with(kept) && kept.len() <= NARRATION_BYTES_MAX);
                prop_assert!(kept.len() > NARRATION_BYTES_MAX - 4);
            }
        }
    }

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

    #[test]
    fn facts_have_plain_sentences() {
        let texts = |output| fact_texts(&output).collect::<Vec<_>>().join(" ");
        let taken = json!({"facts": [{"text": "You take the lamp."}, {"fact": "dark"}]});
        assert_eq!(
            texts(json!([taken, {"facts": "none"}, taken])),
            "You take the lamp. You take the lamp."
        );
        assert_eq!(texts(json!({"text": "One."})), "");
    }
}
