//! New places of the story (S4).

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of the memory of a new place: a summary has 2,048 bytes, a character up to four.
const SUMMARY_CHARS_MAX: usize = 500;

/// A new place.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateLocation {
    /// No other place of the story has it.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// A sentence or two.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub description: String,
    /// A few words.
    #[serde(default)]
    #[schemars(length(max = 400))]
    pub atmosphere: String,
    /// Things to see there.
    #[serde(default)]
    #[schemars(length(max = 32), inner(length(max = 150)))]
    pub features: Vec<String>,
    /// Whether the player reads a line about it.
    #[serde(default, skip_serializing)]
    pub tell: bool,
}

/// The place as the story has it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct GeneratedLocation {
    /// The id, such as `L0`.
    pub id: String,
    /// As given.
    pub name: String,
    /// As given.
    pub description: String,
    /// As given.
    pub atmosphere: String,
    /// As given.
    pub features: Vec<String>,
    /// A line for the player, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// `location/generate`
pub fn generate(
    ctx: &mut Ctx,
    input: GenerateLocation,
) -> Result<Done<GeneratedLocation>, SkillError> {
    let mut made: GeneratedLocation = ctx.entities().create("location", &input)?;
    // Remembers the place, so that a search for memories finds the places of the story as well (S4).
    let parts = [format!("{}.", made.name), made.description.clone(), made.atmosphere.clone()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let described: String = parts.join(" ").chars().take(SUMMARY_CHARS_MAX).collect();
    let _: Value = ctx.memories().remember(&json!({
        "summary": described, "entities": [made.id], "place": made.name, "tags": ["introduced"],
    }))?;
    made.text = input.tell.then(|| format!("The story has a new place: {}.", made.name));
    let summary = format!("{} is {}", made.id, made.name);
    Ok(Done::ok().summary(summary).output(made))
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing;

    use super::*;

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<GenerateLocation, GeneratedLocation>(
            "package/schemas",
            "generate",
        );
    }

    /// S4 "location.generate"
    #[test]
    fn a_place_has_an_id_and_is_remembered() {
        let input = json!({
            "name": "The Archive", "description": "Shelves to the roof.",
            "atmosphere": "dust and silence", "features": ["a locked case"],
        });
        let said = testing::call(generate, input).run();
        assert_eq!(
            (&said.output["id"], &said.output["features"]),
            (&json!("L0"), &json!(["a locked case"]))
        );
        assert_eq!(said.story[1]["summary"], "The Archive. Shelves to the roof. dust and silence");
    }
}
