//! References that stand inside longer texts, where nothing fills them in. They are no errors, because a text may well
//! have a dollar and a word.

use std::{collections::HashMap, fmt};

use serde_json::Value;

use super::grammar::{self, ReferenceNames};
use crate::{PlanJson, error::quote, wire::ToolJson};

/// Most of them that are listed. A person reads no more.
const EMBEDDED_MAX: usize = 32;

/// Marks around a reference that other programs fill in within a text, the longest first; none needs a closing mark.
const OPENINGS: [&str; 4] = ["{{$", "{{", "${", "$"];

/// A reference that is taken for text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedReference {
    /// Such as `tools[1] ("door").input.prompt`.
    pub place: String,
    /// As written, such as `$roll.total`.
    pub reference: String,
}

impl fmt::Display for EmbeddedReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EmbeddedReference { place, reference } = self;
        write!(
            f,
            "{place}: `{reference}` stays as it is; only a value that is a reference as a whole is filled in"
        )
    }
}

/// Finds the references to steps of the plan that its texts contain, at most one in each text.
pub fn embedded_references(json: &PlanJson) -> Vec<EmbeddedReference> {
    let by_id: HashMap<&str, usize> =
        json.tools.iter().enumerate().map(|(at, tool)| (tool.tool_id.as_str(), at)).collect();
    let mut search = EmbeddedSearch { by_id: &by_id, found: Vec::new() };
    if let Some(narrative) = &json.narrative {
        let names = ReferenceNames { by_id: &by_id, own: usize::MAX, in_loop: false };
        search.read_text("narrative", narrative, names);
    }
    for (at, tool) in json.tools.iter().enumerate() {
        search.read_tool(at, tool);
    }
    search.found
}

struct EmbeddedSearch<'a> {
    by_id: &'a HashMap<&'a str, usize>,
    found: Vec<EmbeddedReference>,
}

impl EmbeddedSearch<'_> {
    fn read_tool(&mut self, at: usize, tool: &ToolJson) {
        let names = ReferenceNames { by_id: self.by_id, own: at, in_loop: tool.for_each.is_some() };
        let place = format!("tools[{at}] (\"{}\")", quote(&tool.tool_id));
        for (field, value) in &tool.input {
            self.read_value(&format!("{place}.input.{}", quote(field)), value, names);
        }
        if let Some(Value::Array(items)) = &tool.for_each {
            for (nth, item) in items.iter().enumerate() {
                self.read_value(&format!("{place}.forEach[{nth}]"), item, names);
            }
        }
    }

    fn read_value(&mut self, place: &str, value: &Value, names: ReferenceNames<'_>) {
        match value {
            Value::String(text) => self.read_text(place, text, names),
            Value::Array(items) => {
                for (nth, item) in items.iter().enumerate() {
                    self.read_value(&format!("{place}[{nth}]"), item, names);
                }
            }
            Value::Object(fields) => {
                for (field, value) in fields {
                    self.read_value(&format!("{place}.{}", quote(field)), value, names);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn read_text(&mut self, place: &str, text: &str, names: ReferenceNames<'_>) {
        // A text that begins with `$$` is meant as it is, and one that begins with a reference is one or is an error.
        if self.found.len() >= EMBEDDED_MAX || text.starts_with('$') && !text.starts_with("${") {
            return;
        }
        if let Some(reference) = first_reference(text, names) {
            let (place, reference) = (place.to_owned(), quote(reference));
            self.found.push(EmbeddedReference { place, reference });
        }
    }
}

/// Returns the first piece of a text that would be a reference if it stood alone.
fn first_reference<'t>(text: &'t str, names: ReferenceNames<'_>) -> Option<&'t str> {
    let mut at = 0;
    while let Some(next) = text[at..].find(['$', '{']) {
        let start = at + next;
        let opening = OPENINGS.into_iter().find(|opening| text[start..].starts_with(opening));
        let Some(opening) = opening else {
            at = start + 1;
            continue;
        };
        let inside = &text[start + opening.len()..];
        let inside = if opening.starts_with("{{") { inside.trim_start() } else { inside };
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.[]".contains(letter);
        let end = inside.find(|letter| !is_part(letter)).unwrap_or(inside.len());
        let word = inside[..end].trim_end_matches(['.', '-', '[']);
        let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if is_name && let Ok(Some(_)) = grammar::read(&format!("${word}"), names) {
            let end = text.len() - inside.len() + word.len();
            return Some(&text[start..end]);
        }
        at = start + opening.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::embedded_references;
    use crate::PlanJson;

    /// The references in the input of a step beside a step `roll` and a step `a.b`, as `place reference`.
    fn found(input: Value) -> Vec<String> {
        let plan = json!({
            "requestId": "", "narrative": "You roll.",
            "tools": [
                {"toolId": "roll", "toolPath": "dice/roll"},
                {"toolId": "a.b", "toolPath": "dice/roll"},
                {"toolId": "tell", "toolPath": "bard/tell", "forEach": [1], "input": input},
            ],
        });
        let plan: PlanJson = serde_json::from_value(plan).unwrap();
        let found = embedded_references(&plan);
        found.iter().map(|one| format!("{} {}", one.place, one.reference)).collect()
    }

    #[test]
    fn a_reference_inside_a_longer_text_is_found_in_each_spelling() {
        let place = "tools[2] (\"tell\").input.prompt";
        let check = |text: &str, reference: &str| {
            assert_eq!(found(json!({"prompt": text})), [format!("{place} {reference}")], "{text}");
        };
        check("You rolled $roll.total.", "$roll.total");
        check("You rolled {{roll.total}}", "{{roll.total");
        check("You rolled {{ $roll.rolls[0] }} at last", "$roll.rolls[0]");
        check("${roll}", "${roll");
        check("for $item, then $roll", "$item");
        check("ends with $a.b", "$a.b");
    }

    #[test]
    fn ordinary_text_and_whole_references_are_none() {
        let texts = [
            "$roll",
            "$$roll costs",
            "it costs $5",
            "$ roll",
            "a $rolling stone",
            "{{nobody}}",
            "$tell",
            "me and $tell",
            "{roll}",
            "cash $",
            "{{",
        ];
        assert_eq!(found(json!({"texts": texts})), [""; 0]);
    }

    #[test]
    fn each_text_is_named_once_and_all_of_them_are_bounded() {
        assert_eq!(
            found(json!({"lines": [{"x": "a $roll, $roll"}]})),
            ["tools[2] (\"tell\").input.lines[0].x $roll"]
        );
        assert_eq!(found(json!({"lines": vec!["a $roll"; 99]})).len(), 32);
    }
}
