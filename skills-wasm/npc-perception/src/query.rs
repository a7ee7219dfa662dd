//! The script `query-perception`: a person's perception of the player, and its modifier of a roll.

use narratoria_facts::{capitalised, is_plural, name_of, the};
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    feeling::Feeling,
    first_sight::{FirstMeeting, first_sight, name_in_world},
    people::People,
    settings::PerceptionSettings,
};

/// Most memories in an answer.
const MEMORIES_TOLD: usize = 3;

/// Whose view to ask for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerceptionQuery {
    /// The person's name, such as `Mira` or `the old guard`.
    #[schemars(
        length(min = 1, max = 60),
        extend("valuesFrom" = "/world/people", "openWithoutList" = true)
    )]
    person: String,
    /// The person's faction, whose opinion a stranger partly shares. If missing, the world's own entry is used.
    #[serde(default)]
    faction: Option<String>,
    /// The player's visible traits, such as `armed` or `well dressed`. If empty, those that the world lists are used.
    #[serde(default)]
    #[schemars(length(max = 12))]
    traits: Vec<String>,
    /// Whether the player asked, and gets the answer as a text.
    #[serde(default)]
    aloud: bool,
}

/// What it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PerceptionAnswer {
    /// The person's name.
    person: String,
    /// From -100 to 100.
    #[schemars(range(min = -100, max = 100))]
    perception: i64,
    /// What is added to a roll that depends on this person.
    #[schemars(range(min = -3, max = 3))]
    modifier: i64,
    /// The word for the perception.
    feeling: Feeling,
    /// What the person remembers of the player, the latest first.
    memories: Vec<String>,
    /// The answer for the player, where `aloud` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Answers what a person thinks of the player. A person who has had nothing to do with the player gets a first
/// impression, which is kept.
pub fn query_perception(
    ctx: &mut Ctx,
    input: PerceptionQuery,
) -> Result<Done<PerceptionAnswer>, SkillError> {
    let settings = PerceptionSettings::read(ctx);
    let mut people = People::read(ctx, settings.decay_per_day);
    let asked = person_name(&input.person)?;
    let asked = name_in_world(ctx, &asked).unwrap_or(asked);
    let name = match people.known(&asked) {
        Some(known) => known.to_owned(),
        None => {
            let meeting = FirstMeeting { faction: input.faction.as_deref(), traits: &input.traits };
            let base = first_sight(ctx, &settings, &asked, &meeting);
            people.meet(&asked, base);
            asked
        }
    };
    let perception = people.perception_of(&name);
    let feeling = Feeling::of(perception);
    let memories = people.memories_of(&name);
    let text = input.aloud.then(|| answer(&name, feeling, &memories));
    if let Some(patch) = people.patch() {
        ctx.patch(patch);
    }
    let (perception, modifier) = (perception.round() as i64, feeling.modifier());
    let summary = format!("{name}: {perception}, rolls {modifier:+}");
    let output = PerceptionAnswer { person: name, perception, modifier, feeling, memories, text };
    Ok(Done::ok().summary(summary).output(output))
}

/// Returns the name in plain characters, or an error that names its fault.
pub(crate) fn person_name(text: &str) -> Result<String, SkillError> {
    name_of(text).ok_or_else(|| {
        SkillError::new(
            "PERSON",
            format!("`{text:.80}` is no name: use letters, at most 60 characters"),
        )
    })
}

fn answer(name: &str, feeling: Feeling, memories: &[String]) -> String {
    let plural = is_plural(name);
    let mut text = format!("{} {}.", capitalised(&the(name)), feeling.verb(plural));
    if !memories.is_empty() {
        let told: Vec<&str> = memories.iter().take(MEMORIES_TOLD).map(String::as_str).collect();
        let remembered = told.join("; ");
        text += &format!(" Not forgotten: {remembered}.");
    }
    text
}
