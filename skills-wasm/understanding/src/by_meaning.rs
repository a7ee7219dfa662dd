//! Finds the topic that the player speaks of in words of their own, where the rules found none: by how near the sentence
//! is to the names of each topic. Pure; a script has the texts compared.

use std::ops::Range;

use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    entity::NamedId,
    fact::{FactKind, WorldFact},
    speech_act::SpeechAct,
    world::World,
};

/// Most texts that are compared with one sentence. Topics beyond it are not found.
pub const COMPARED_MAX: usize = 256;

/// The nearness from which on a question is about a topic. Who asks expects an answer, and the nearest topic is the
/// likeliest one.
const QUESTION_NEARNESS_MIN: f32 = 0.15;

/// The nearness from which on a remark is about a topic. Most remarks are about none.
const REMARK_NEARNESS_MIN: f32 = 0.4;

/// The questions and remarks of a sentence that no topic answers, and the topics that they may be about.
pub struct TopicSearch {
    /// Indexes of the actions.
    open: Vec<usize>,
    topics: Vec<SearchedTopic>,
    texts: Vec<String>,
}

/// A topic of a person who is here.
struct SearchedTopic {
    person: NamedId,
    name: String,
    /// Its texts: each of its names, and all of them together.
    texts: Range<usize>,
}

impl TopicSearch {
    /// Returns `None` if every question and remark has its answer, or if the people here know no topic.
    pub fn of(world: &World, actions: &[Action]) -> Option<TopicSearch> {
        let open = without_answer(world, actions);
        if open.is_empty() {
            return None;
        }
        let mut search = TopicSearch { open, topics: Vec::new(), texts: Vec::new() };
        for person in world.people_here() {
            let is_meant =
                |idx: &usize| world.target_of(&actions[*idx]).is_none_or(|id| id == person);
            if !world.conditions[person.0].dead && search.open.iter().any(is_meant) {
                search.add_topics(world, person);
            }
        }
        (!search.topics.is_empty()).then_some(search)
    }

    /// The texts that are to be compared with the sentence.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Gives what is said its topic. `nearness` has the cosine of each of the [`texts`](TopicSearch::texts).
    pub fn resolve(&self, world: &World, sentence: &str, nearness: &[f32], actions: &mut [Action]) {
        let mut answering: Vec<NamedId> = Vec::new();
        for idx in &self.open {
            let action = &mut actions[*idx];
            let to = world.target_of(action);
            let meant = self.topics.iter().filter(|topic| to.is_none_or(|id| id == topic.person));
            let nearest = meant
                .filter_map(|topic| Some((score(nearness.get(topic.texts.clone())?)?, topic)))
                .max_by(|(one, _), (other, _)| one.total_cmp(other));
            let Some((score, topic)) = nearest else { continue };
            let is_question = matches!(action.action, Verb::Ask | Verb::Request)
                || sentence.contains('?')
                || action.text.as_deref().map(SpeechAct::of_remark) == Some(SpeechAct::Question);
            let least = if is_question { QUESTION_NEARNESS_MIN } else { REMARK_NEARNESS_MIN };
            // A person answers one sentence once.
            if score < least || answering.contains(&topic.person) {
                continue;
            }
            answering.push(topic.person);
            action.target = Some(world.name(topic.person).to_owned());
            action.topic = Some(topic.name.clone());
            if action.action == Verb::Request {
                action.action = Verb::Ask;
            }
        }
    }

    fn add_topics(&mut self, world: &World, person: NamedId) {
        let Some(definition) = world.person(person) else { return };
        for idx in world.topics_of(person) {
            let Some(topic) = definition.topics.get(idx) else { continue };
            let Some(name) = topic.about.first() else { continue };
            if self.texts.len() + topic.about.len() >= COMPARED_MAX {
                return;
            }
            let start = self.texts.len();
            self.texts.extend(topic.about.iter().cloned());
            self.texts.push(topic.about.join(", "));
            let texts = start..self.texts.len();
            self.topics.push(SearchedTopic { person, name: name.clone(), texts });
        }
    }
}

/// The mean of the nearest name's cosine and that of all names together.
fn score(nearness: &[f32]) -> Option<f32> {
    let (together, names) = nearness.split_last()?;
    let nearest = names.iter().copied().max_by(f32::total_cmp)?;
    Some(f32::midpoint(nearest, *together))
}

/// Returns the indexes of the questions and remarks that no topic answers, each after the actions before it.
fn without_answer(world: &World, actions: &[Action]) -> Vec<usize> {
    let is_said = |action: &Action| match action.action {
        Verb::Ask => action.topic.is_some(),
        Verb::Tell => true,
        Verb::Say => action.text.is_some(),
        Verb::Request => action.with.is_none() && action.topic.is_some(),
        _ => false,
    };
    if !actions.iter().any(is_said) {
        return Vec::new();
    }
    let (mut done, mut dice) = (world.clone(), Dice::new(None, 0));
    let mut open = Vec::new();
    for (idx, action) in actions.iter().enumerate() {
        let outcome = act(&mut done, action, &mut dice);
        // Thanks are no remark about the nearest topic: who is thanked has reacted.
        let is_answer = |fact: &WorldFact| {
            let reacts = |act: SpeechAct| fact.because.as_deref() == Some(act.word());
            fact.fact == FactKind::Said && fact.object.is_some()
                || fact.subject != "you" && SpeechAct::with_reactions().any(reacts)
        };
        let is_answered = outcome.facts.iter().any(is_answer);
        // The world refuses a question without a listener if several people are here; a topic finds the listener.
        let is_heard = outcome.refused.is_none() || action.target.is_none();
        if is_said(action) && !is_answered && is_heard {
            open.push(idx);
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::json;
    use serde::Deserialize as _;

    use super::TopicSearch;
    use world_model::{definition::WorldDefinition, world::World};

    use crate::understand;

    /// A world with a ferryman who knows of three things, and a child who knows one.
    fn world() -> World {
        let definition = WorldDefinition::deserialize(json!({
            "title": "The landing", "opening": "You wait.", "player": {"name": "Wren", "place": "landing"},
            "places": [{"name": "landing", "description": "A landing."}],
            "people": [
                {"name": "Old Tam", "pronoun": "he", "description": "Old.", "place": "landing", "greeting": "Evening.",
                 "topics": [
                    {"about": ["the fare", "money"], "says": "Two coppers."},
                    {"about": ["his knee", "limp"], "says": "The winter of the flood."},
                    {"about": ["the dog"], "says": "She is called Bishop."}]},
                {"name": "Ann", "pronoun": "she", "description": "Young.", "place": "landing",
                 "topics": [{"about": ["school"], "says": "I am not going."}]}
            ]
        }));
        World::begin(definition.unwrap())
    }

    /// `near` has the cosine of each text with the sentence; texts that it lacks have 0.
    #[track_caller]
    fn check(sentence: &str, near: &[(&str, f32)], expect: &str) {
        let world = world();
        let mut actions = understand(&world, sentence).actions;
        let before = actions.clone();
        if let Some(search) = TopicSearch::of(&world, &actions) {
            let cosine = |text: &String| {
                let found = near.iter().find(|(name, _)| name == text);
                found.map_or(0.0, |(_, cosine)| *cosine)
            };
            let nearness: Vec<f32> = search.texts().iter().map(cosine).collect();
            search.resolve(&world, sentence, &nearness, &mut actions);
        }
        let changed = |at: usize| actions[at] != before[at];
        let found: Vec<String> = (0..actions.len())
            .filter(|at| changed(*at))
            .map(|at| {
                let (verb, to) = (actions[at].action, actions[at].target.clone());
                let about = actions[at].topic.clone().unwrap_or_default();
                format!("{verb:?} {}: {about}", to.unwrap_or_default())
            })
            .collect();
        assert_eq!(found.join("; "), expect, "{sentence}: {actions:?}");
    }

    #[test]
    fn a_question_in_other_words_is_about_the_nearest_topic_of_who_is_asked() {
        let near = [("limp", 0.5), ("his knee, limp", 0.3), ("money", 0.4), ("school", 0.9)];
        check("Tam, how did you hurt yourself?", &near, "Ask Old Tam: his knee");
        check("Tam, how did you hurt yourself?", &[("limp", 0.2)], "");
        check("ask Tam about the dog", &near, "");
    }

    #[test]
    fn a_question_to_nobody_is_about_the_nearest_topic_of_all_who_are_here() {
        let near = [("limp", 0.5), ("school", 0.9)];
        check("why is nobody in class today?", &near, "Ask Ann: school");
    }

    #[test]
    fn a_remark_needs_more_nearness_than_a_question() {
        let near = |cosine| [("money", cosine), ("the fare, money", cosine)];
        check("I tell Tam that I have nothing left to pay with", &near(0.3), "");
        check(
            "I tell Tam that I have nothing left to pay with",
            &near(0.5),
            "Tell Old Tam: the fare",
        );
        // It is a kind of speech of its own, whatever it is near to.
        check("\"Thank you, Tam,\" I say", &near(0.9), "");
    }

    #[test]
    fn a_person_answers_one_sentence_once() {
        let near = [("limp", 0.5), ("his knee, limp", 0.5)];
        let sentence = "Tam, how did you hurt yourself, and why do you stand so crooked?";
        check(sentence, &near, "Ask Old Tam: his knee");
    }
}
