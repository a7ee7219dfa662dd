//! New characters of the story (S4).

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of the memory of a new character: a summary has 2,048 bytes, a character up to four.
const SUMMARY_CHARS_MAX: usize = 500;

/// A new character.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateCharacter {
    /// No other character of the story has it.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// Such as `protagonist` or `mentor`.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub role: String,
    /// A sentence or two.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub description: String,
    /// A word or two each.
    #[serde(default)]
    #[schemars(length(max = 32), inner(length(max = 60)))]
    pub traits: Vec<String>,
    /// What the character wants.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(max = 100)))]
    pub goals: Vec<String>,
    /// Whether the player reads a line about it.
    #[serde(default, skip_serializing)]
    pub tell: bool,
}

/// The character as the story has it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct GeneratedCharacter {
    /// The id, such as `C0`.
    pub id: String,
    /// As given.
    pub name: String,
    /// As given.
    pub role: String,
    /// As given.
    pub description: String,
    /// As given.
    pub traits: Vec<String>,
    /// As given.
    pub goals: Vec<String>,
    /// `{goals, emotional_state}`
    pub current_state: Value,
    /// A line for the player, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `character/generate`
pub fn generate(
    ctx: &mut Ctx,
    input: GenerateCharacter,
) -> Result<Done<GeneratedCharacter>, SkillError> {
    let state = json!({ "goals": input.goals, "emotional_state": "" });
    let entity = json!({
        "name": input.name, "role": input.role, "description": input.description,
        "traits": input.traits, "goals": input.goals, "current_state": state,
    });
    let mut made: GeneratedCharacter = ctx.entities().create("character", &entity)?;
    // Remembers the character, so that a search for memories finds the people of the story as well (S4).
    let _: Value = ctx.memories().remember(&json!({
        "summary": described(&made), "entities": [made.id], "tags": ["introduced"],
    }))?;
    made.text = input.tell.then(|| format!("{} enters the story.", made.name));
    let summary = format!("{} is {}", made.id, made.name);
    Ok(Done::ok().summary(summary).output(made))
}

fn described(made: &GeneratedCharacter) -> String {
    let role = if made.role.is_empty() { String::new() } else { format!(", {}", made.role) };
    let mut text = format!("{}{role}.", made.name);
    if !made.description.is_empty() {
        text += &format!(" {}", made.description);
    }
    text.chars().take(SUMMARY_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing;

    use super::*;

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<GenerateCharacter, GeneratedCharacter>(
            "package/schemas",
            "generate",
        );
    }

    /// S4 "character.generate"
    #[test]
    fn a_character_has_an_id_and_a_state_and_is_remembered() {
        let input = json!({
            "name": "Elena", "role": "cartographer", "description": "She lost her father.",
            "traits": ["stubborn"], "goals": ["find the map"],
        });
        let said = testing::call(generate, input).run();
        let out = &said.output;
        assert_eq!((&out["id"], &out["name"]), (&json!("C0"), &json!("Elena")));
        assert_eq!((&out["role"], &out["traits"]), (&json!("cartographer"), &json!(["stubborn"])));
        assert_eq!(out["description"], "She lost her father.");
        let goals = json!(["find the map"]);
        assert_eq!((&out["goals"], &out["current_state"]["goals"]), (&goals, &goals));
        assert_eq!(said.story[1]["summary"], "Elena, cartographer. She lost her father.");
    }

    #[test]
    fn a_name_is_given_once() {
        let said = testing::call(generate, json!({"name": "ELENA"}))
            .in_story("character", json!({"name": "Elena"}))
            .run();
        assert!(!said.ok);
        assert_eq!(said.summary.as_deref(), Some("the character `elena` is there already: `C0`"));
    }
}
