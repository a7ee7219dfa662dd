//! The script `update-perception`: a deed of the player changes people's perceptions, and they remember it.

use narratoria_facts::{Fact, capitalised, is_plural, the};
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    feeling::Feeling,
    first_sight::{FirstMeeting, first_sight, name_in_world},
    people::{People, memory_text},
    query::person_name,
    settings::PerceptionSettings,
};

/// Most changes of one step.
const CHANGES_MAX: usize = 16;

/// What has changed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerceptionUpdate {
    /// One entry for each person who sees it or hears of it.
    #[schemars(length(min = 1, max = 16))]
    changes: Vec<PerceptionChange>,
}

/// One person's change of mind.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PerceptionChange {
    /// The person's name.
    #[schemars(
        length(min = 1, max = 60),
        extend("valuesFrom" = "/world/people", "openWithoutList" = true)
    )]
    person: String,
    /// Points, better above 0: 3 for a kind word, 10 for a favour, 30 for a life saved.
    #[schemars(range(min = -100, max = 100))]
    by: i64,
    /// The person's faction, for somebody who meets the player only now; as the world has it where this is missing.
    #[serde(default)]
    faction: Option<String>,
    /// What the person will remember: `you lied about the keys`.
    #[serde(default)]
    remember: Option<String>,
}

/// What they think now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PerceptionUpdated {
    /// Each person who was named, as they think now.
    people: Vec<PersonView>,
    /// What the player can notice of it, for the storyteller.
    facts: Vec<Fact>,
}

/// One person's view.
#[derive(Debug, Serialize, JsonSchema)]
struct PersonView {
    /// The person's name.
    person: String,
    /// From -100 to 100.
    #[schemars(range(min = -100, max = 100))]
    perception: i64,
    /// What is added to a roll that depends on this person.
    #[schemars(range(min = -3, max = 3))]
    modifier: i64,
}

/// Changes perceptions, and reports the changes that the player can notice.
pub fn update_perception(
    ctx: &mut Ctx,
    input: PerceptionUpdate,
) -> Result<Done<PerceptionUpdated>, SkillError> {
    if input.changes.is_empty() || input.changes.len() > CHANGES_MAX {
        let count = input.changes.len();
        let message = format!("`changes` has {count} entries: it must have 1 to {CHANGES_MAX}");
        return Err(SkillError::new("CHANGES", message));
    }
    let settings = PerceptionSettings::read(ctx);
    let mut people = People::read(ctx, settings.decay_per_day);
    let mut named: Vec<(String, f64)> = Vec::new();
    for change in &input.changes {
        let asked = person_name(&change.person)?;
        let asked = name_in_world(ctx, &asked).unwrap_or(asked);
        let name = match people.known(&asked) {
            Some(known) => known.to_owned(),
            None => {
                let faction = change.faction.as_deref();
                let meeting = FirstMeeting { faction, ..FirstMeeting::default() };
                let base = first_sight(ctx, &settings, &asked, &meeting);
                people.meet(&asked, base);
                asked
            }
        };
        let before = people.perception_of(&name);
        let by = change.by.clamp(-100, 100) as f64;
        people.change(&name, by, change.remember.as_deref().and_then(memory_text));
        if !named.iter().any(|(known, _)| *known == name) {
            named.push((name, before));
        }
    }
    let facts = named
        .iter()
        .filter_map(|(name, before)| change_of(name, *before, people.perception_of(name)))
        .collect();
    let view = |(name, _): &(String, f64)| {
        let perception = people.perception_of(name);
        let modifier = Feeling::of(perception).modifier();
        PersonView { person: name.clone(), perception: perception.round() as i64, modifier }
    };
    let views: Vec<PersonView> = named.iter().map(view).collect();
    if let Some(patch) = people.patch() {
        ctx.patch(patch);
    }
    let said: Vec<String> =
        views.iter().map(|one| format!("{} {}", one.person, one.perception)).collect();
    Ok(Done::ok().summary(said.join(", ")).output(PerceptionUpdated { people: views, facts }))
}

/// Returns a fact if the player notices the change: another word now describes the person's feeling. A smaller change
/// is silent, because several deeds in a row would repeat the same line.
fn change_of(name: &str, before: f64, after: f64) -> Option<Fact> {
    let (was, is) = (Feeling::of(before), Feeling::of(after));
    let way = match after - before {
        moved if moved > 0.0 => "up",
        moved if moved < 0.0 => "down",
        _ => return None,
    };
    if was == is {
        return None;
    }
    let plural = is_plural(name);
    let text = format!("{} {} now.", capitalised(&the(name)), is.verb(plural));
    Some(Fact::new("perception", name, text).detail(way).detail(is.verb(plural)))
}
