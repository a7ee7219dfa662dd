//! Cards in words of their own: those of Pygmalion and of Agnai.

use serde_json::Value;

use crate::{
    CardFields, CardProblem, ImportNotes, WorldBook,
    card_fields::{MODEL, PROGRAM, ParsedCard},
    card_text::one_line,
    loose::{ListSyntax, LooseObject},
};

pub(crate) fn parse_pygmalion(document: &Value, notes: &mut ImportNotes) -> CardFields {
    let mut card = LooseObject::new(document, "", notes);
    let fields = CardFields {
        name: one_line(&card.text(&["char_name"])),
        description: card.text(&["char_persona"]),
        scenario: card.text(&["world_scenario"]),
        first_message: card.text(&["char_greeting"]),
        examples: card.text(&["example_dialogue"]),
        creator_notes: card.text(&["creator_notes", "creatorcomment"]),
        creator: one_line(&card.text(&["creator"])),
        tags: card.texts("tags", ListSyntax::Commas),
        ..CardFields::default()
    };
    let known = [
        "char_name",
        "char_persona",
        "world_scenario",
        "char_greeting",
        "example_dialogue",
        "creator_notes",
        "creatorcomment",
        "creator",
        "tags",
    ];
    card.rest_is_not_mapped(&known, PROGRAM);
    fields
}

pub(crate) fn parse_agnai(
    document: &Value,
    notes: &mut ImportNotes,
) -> Result<ParsedCard, CardProblem> {
    let mut card = LooseObject::new(document, "", notes);
    let mut fields = CardFields {
        name: one_line(&card.text(&["name"])),
        description: persona_text(document.get("persona")),
        scenario: card.text(&["scenario"]),
        first_message: card.text(&["greeting"]),
        greetings: card.texts("alternateGreetings", ListSyntax::Whole),
        examples: card.text(&["sampleChat"]),
        creator_notes: card.text(&["description"]),
        system_prompt: card.text(&["systemPrompt"]),
        post_history_instructions: card.text(&["postHistoryInstructions"]),
        tags: card.texts("tags", ListSyntax::Commas),
        creator: one_line(&card.text(&["creator"])),
        character_version: one_line(&card.text(&["characterVersion"])),
        ..CardFields::default()
    };
    fields.appearance = card.text(&["appearance"]);
    for (name, text) in [
        ("systemPrompt", &fields.system_prompt),
        ("postHistoryInstructions", &fields.post_history_instructions),
    ] {
        if !text.trim().is_empty() {
            card.notes.not_mapped(name, MODEL);
        }
    }
    let known = [
        "kind",
        "name",
        "persona",
        "scenario",
        "greeting",
        "alternateGreetings",
        "sampleChat",
        "description",
        "systemPrompt",
        "postHistoryInstructions",
        "tags",
        "creator",
        "characterVersion",
        "appearance",
        "characterBook",
    ];
    card.rest_is_not_mapped(&known, PROGRAM);
    let book = card.get("characterBook").cloned();
    let book = book.map(|book| WorldBook::parse_in(book, "characterBook", notes)).transpose()?;
    Ok((fields, book, Vec::new()))
}

/// A persona is a text, or lists of words by attribute.
fn persona_text(persona: Option<&Value>) -> String {
    let Some(persona) = persona else { return String::new() };
    if let Some(text) = persona.as_str() {
        return text.to_owned();
    }
    let attributes = persona.get("attributes").and_then(Value::as_object);
    let mut lines = Vec::new();
    for (name, values) in attributes.into_iter().flatten() {
        let values: Vec<&str> = match values {
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect(),
        };
        match name.as_str() {
            "text" => lines.push(values.join("\n")),
            name => lines.push(format!("{name}: {}", values.join(", "))),
        }
    }
    lines.join("\n")
}
