//! `world/recall`: what a person has told the player, word for word.

use english::WordClass;
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use world_model::{
    company::own_name, definition::TopicDefinition, entity::NamedId, words, world::World,
};

/// Most answers that are repeated at once.
const ANSWERS_MAX: usize = 5;

/// Whose words to repeat.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallInput {
    /// The person's name.
    #[schemars(length(min = 1, max = 60), extend("valuesFrom" = "/world/people"))]
    pub person: String,
    /// What they spoke about; everything where this is missing.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub topic: Option<String>,
}

/// What the person has told.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecallOutput {
    /// The person's own name.
    pub name: String,
    /// The topics that they have told of.
    pub topics: Vec<String>,
    /// What to tell the player.
    pub text: String,
}

/// Repeats what a person has told the player. Changes nothing.
pub fn recall(ctx: &mut Ctx, input: RecallInput) -> Result<Done<RecallOutput>, SkillError> {
    let world = super::load(ctx)?;
    let Some(id) = own_name(&world, &input.person).and_then(|name| world.find(&name)) else {
        let message = format!("`{:.80}` is no person of this world", input.person);
        return Err(SkillError::new("UNKNOWN_NAME", message));
    };
    let topic = input.topic.as_deref().unwrap_or_default();
    let asked: Vec<String> = words::split(topic);
    let asked: Vec<String> = asked.into_iter().filter(|word| is_topic(word)).collect();
    let all = told_by(&world, id);
    let is_meant = |(topic, _): &&(&TopicDefinition, &str)| {
        let known: Vec<String> = topic.about.iter().flat_map(|name| words::split(name)).collect();
        asked.is_empty() || asked.iter().any(|word| known.contains(word))
    };
    let meant: Vec<&(&TopicDefinition, &str)> = all.iter().filter(is_meant).collect();
    let who = words::capitalised(&world.the(id));
    let name_of = |topic: &TopicDefinition| topic.about.first().cloned().unwrap_or_default();
    let text = match meant.as_slice() {
        [] if asked.is_empty() => format!("{who} has told you nothing yet."),
        [] => format!("{who} has told you nothing about {}.", topic.trim()),
        some => {
            let line = |(_, says): &(&TopicDefinition, &str)| {
                format!("{who} told you: \u{201c}{says}\u{201d}")
            };
            some.iter().take(ANSWERS_MAX).map(|one| line(one)).collect::<Vec<_>>().join("\n\n")
        }
    };
    let topics: Vec<String> = meant.iter().map(|(topic, _)| name_of(topic)).collect();
    let name = world.name(id).to_owned();
    let summary = format!("{name} has told of {} topics", topics.len());
    Ok(Done::ok().summary(summary).output(RecallOutput { name, topics, text }))
}

fn is_topic(word: &str) -> bool {
    !words::is_hollow(word) && !WordClass::NoTopic.has(word)
}

/// The topics that a person has told of, each with its latest words. Of several topics with one name, which differ by their
/// conditions, the one that holds now counts.
fn told_by(world: &World, person: NamedId) -> Vec<(&TopicDefinition, &str)> {
    let Some(definition) = world.person(person) else { return Vec::new() };
    let open = world.topics_of(person);
    let mut found: Vec<(&TopicDefinition, &str)> = Vec::new();
    let order = open.iter().copied().chain(0..definition.topics.len());
    for idx in order {
        let Some(topic) = definition.topics.get(idx) else { continue };
        let count = world.told.get(&world.told_key(person, idx)).copied().unwrap_or(0);
        let is_listed = found.iter().any(|(known, _)| known.about.first() == topic.about.first());
        if count == 0 || is_listed {
            continue;
        }
        let last = usize::try_from(count - 1).unwrap_or(usize::MAX);
        let says = topic.says.get(last.min(topic.says.len().max(1) - 1));
        found.extend(says.map(|says| (topic, says.as_str())));
    }
    found
}
