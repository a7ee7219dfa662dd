//! The form of a script's input, which a model fills in from a part of a sentence, under a grammar of the script's schema. The
//! beginning with its examples never changes. Pure.

use std::{
    sync::{Arc, LazyLock},
    time::Instant,
};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    grammar_type::GrammarField,
    notation::{marked_name, type_notation},
    planner::CLIENT,
    question_examples::{ask, read_examples},
    quote::line,
    step_syntax::parameter_schema,
    tool::{Tool, ToolParameters},
    tool_set::tool_of,
};
use crate::{
    meaning::NearScript,
    words::{content_stems, split_words},
};
use narratoria_model::llm::{Chat, GenerateJob, Grammar, Lane, Model, Sampling};
use narratoria_protocol::{JsonBounds, Object, read_json};
use narratoria_skills::StateValueLists;

/// The rules of forms, then examples with their answers.
const EXAMPLES: &str = include_str!("../data/forms.txt");

/// Most tokens of a form.
pub(super) const FORM_TOKENS_MAX: usize = 160;

/// Tokens of a value and of its field's name, as an estimate.
const FIELD_TOKENS: usize = 8;

/// Longest description of a field, and longest text of a player.
const DESCRIPTION_CHARS_MAX: usize = 60;
const SENTENCE_CHARS_MAX: usize = 400;

/// Longest form as text, in bytes.
const FORM_BYTES_MAX: usize = 8 << 10;

/// A form to be filled in.
pub(super) struct Form {
    fields: Vec<GrammarField>,
    text: String,
}

impl Form {
    /// The form of a script; `None` if its input has no fields or a model cannot write it.
    pub(super) fn of(near: &NearScript, values: &StateValueLists, player: &str) -> Option<Form> {
        let tool = tool_of(&near.skill, near.script_idx, values).ok()?;
        let Tool { parameters: ToolParameters::Properties(fields), path, .. } = tool else {
            return None;
        };
        if fields.is_empty() {
            return None;
        }
        let document = near.script().input_schema.document();
        let entry = |field: &GrammarField| {
            let name = marked_name(&field.name, field.is_required);
            let of_field = document.pointer("/properties").and_then(|all| all.get(&field.name));
            let description = of_field.and_then(|it| it.get("description")?.as_str());
            let description =
                description.map(|text| format!(" {}", line(text, DESCRIPTION_CHARS_MAX)));
            format!(
                "{name} ({}){}",
                type_notation(&field.grammar_type),
                description.unwrap_or_default()
            )
        };
        let entries: Vec<String> = fields.iter().map(entry).collect();
        let player = line(player, SENTENCE_CHARS_MAX);
        let text = format!("Form of {path}: {}\nThe player: {player}", entries.join(", "));
        Some(Form { fields, text })
    }

    /// The part of the chat that all forms have.
    pub(super) fn beginning() -> Chat {
        BEGINNING.clone()
    }

    /// The tokens that the model has not read before, and those that it writes, as an estimate.
    pub(super) fn new_tokens(&self, model: &Model) -> (usize, usize) {
        (model.count(&self.text), self.fields.len() * FIELD_TOKENS)
    }

    pub(super) fn job(&self, deadline: Instant) -> GenerateJob {
        GenerateJob {
            client: CLIENT.to_owned(),
            lane: Lane::Prose,
            chat: ask(&BEGINNING, &self.text),
            grammar: Some(Grammar { schema: Arc::new(self.schema()) }),
            tokens_max: FORM_TOKENS_MAX,
            sampling: Sampling::Greedy,
            deadline,
            cancel: CancellationToken::new(),
        }
    }

    fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.fields.iter().map(|it| (it.name.clone(), parameter_schema(it))).collect();
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": names,
            "additionalProperties": false,
        })
    }

    /// The values of a form that the player's words name. Others are the model's own, and left out.
    pub(super) fn values(&self, written: &str, player: &str) -> Object {
        let bounds = JsonBounds::of_bytes(FORM_BYTES_MAX);
        let Ok(Value::Object(fields)) = read_json(written.as_bytes(), bounds) else {
            return Object::new();
        };
        let is_known = |name: &str| self.fields.iter().any(|field| field.name == name);
        let named = fields
            .into_iter()
            .filter(|(name, value)| is_known(name) && !value.is_null() && is_from(player, value));
        named.collect()
    }
}

/// Returns true if each word of a text occurs in the player's words. Numbers and yes or no are often said in other words.
fn is_from(player: &str, value: &Value) -> bool {
    let said: Vec<String> = split_words(player).into_iter().map(|word| word.stem).collect();
    match value {
        Value::String(text) => {
            let stems = content_stems(text);
            let all = !stems.is_empty() || said.iter().any(|stem| stem == &text.to_lowercase());
            all && stems.iter().all(|stem| said.contains(stem))
        }
        Value::Array(items) => items.iter().all(|item| is_from(player, item)),
        _ => true,
    }
}

static BEGINNING: LazyLock<Chat> = LazyLock::new(|| read_examples(EXAMPLES));

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BEGINNING, is_from};

    #[test]
    fn each_example_is_a_form_with_an_object() {
        for pair in BEGINNING.messages[1..].chunks(2) {
            let (asked, answer) = (&pair[0].parts[0].text, &pair[1].parts[0].text);
            assert!(asked.starts_with("Form of ") && asked.contains("\nThe player: "), "{asked}");
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            assert!(answer.is_object());
        }
    }

    #[test]
    fn a_text_is_from_the_player_if_all_its_words_are() {
        let player = "hone the Kitchen knife until it shines";
        for (value, is) in [
            (json!("kitchen knife"), true),
            (json!("the sword"), false),
            (json!(12), true),
            (json!(["knife", "shines"]), true),
            (json!(["knife", "forks"]), false),
            (json!(""), false),
        ] {
            assert_eq!(is_from(player, &value), is, "{value}");
        }
    }
}
