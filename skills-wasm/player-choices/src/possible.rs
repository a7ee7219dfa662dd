//! Turns the actions that the world lists as possible (`/world/scope/possible`) into choices. It offers no others,
//! because the world would refuse them.

use std::collections::BTreeSet;

use narratoria_facts::capitalised;
use narratoria_sdk::{Choice, Ctx, Rng, Value};
use serde::Deserialize;

use crate::{settings::ChoiceSettings, situation::Situation};

/// Most possibilities that are read.
const POSSIBLE_MAX: usize = 64;
/// Longest sentence of a possibility, in characters.
const SENTENCE_CHARS_MAX: usize = 100;

/// Actions in the order in which they are interesting; those that a player knows anyway come last.
const GROUPS: &[&[&str]] = &[
    &["talk", "ask", "tell", "request", "give", "show", "persuade", "say"],
    &[
        "take",
        "unlock",
        "open",
        "read",
        "use",
        "light",
        "search",
        "push",
        "pull",
        "turn",
        "put_in",
        "put_on",
        "force",
        "pick_lock",
        "steal",
    ],
    &["go", "climb", "enter", "sneak"],
    &[
        "examine",
        "listen",
        "smell",
        "touch",
        "wear",
        "eat",
        "drink",
        "close",
        "lock",
        "drop",
        "take_off",
        "extinguish",
    ],
    &["attack", "attempt"],
    &["look", "wait", "sleep", "inventory"],
];

/// One thing that can be done.
#[derive(Debug, Clone, Deserialize)]
struct PossibleAction {
    sentence: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    target: Option<String>,
    /// The check, if the action needs dice: the skill, or an object with the skill and the difficulty.
    #[serde(default)]
    check: Option<Value>,
}

/// The actions that are possible now.
#[derive(Debug)]
pub(crate) struct Possible {
    actions: Vec<PossibleAction>,
    is_dark: bool,
}

impl Possible {
    /// Reads the world; `None` in a story without one.
    pub(crate) fn read(ctx: &Ctx) -> Option<Possible> {
        let listed = ctx.state().pointer("/world/scope/possible")?.as_array()?;
        let mut known = BTreeSet::new();
        let actions = listed
            .iter()
            .take(POSSIBLE_MAX)
            .filter_map(|one| PossibleAction::deserialize(one).ok())
            .filter_map(|one| Some(PossibleAction { sentence: plain(&one.sentence)?, ..one }))
            .filter(|one| known.insert(one.sentence.to_lowercase()))
            .collect();
        let light = ctx.state().pointer("/world/now/light").and_then(Value::as_str);
        Some(Possible { actions, is_dark: light == Some("dark") })
    }

    /// Returns the most promising choices, of as many kinds as possible. Within a kind, the story's own focus comes
    /// first.
    pub(crate) fn choices(
        &self,
        situation: &Situation,
        settings: &ChoiceSettings,
        count: usize,
        rng: &mut Rng,
    ) -> Vec<Choice> {
        let mut groups: Vec<Vec<&PossibleAction>> = vec![Vec::new(); GROUPS.len() + 1];
        for action in &self.actions {
            groups[group_of(&action.action)].push(action);
        }
        let is_about = |action: &PossibleAction| {
            let focus = situation.focus.as_deref().map(str::to_lowercase).unwrap_or_default();
            action.target.as_deref().is_some_and(|target| focus.ends_with(&target.to_lowercase()))
        };
        for group in &mut groups {
            rng.shuffle(group);
            group.sort_by_key(|action| (!is_about(action), just_done(action, situation)));
        }
        let mut offered: Vec<&PossibleAction> = Vec::new();
        let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..longest {
            for action in groups.iter().filter_map(|group| group.get(round)) {
                if offered.len() < count {
                    offered.push(action);
                }
            }
        }
        let mut ids = BTreeSet::new();
        let shown = settings.show_difficulty;
        offered.into_iter().map(|action| self.choice_of(action, shown, &mut ids)).collect()
    }

    fn choice_of(
        &self,
        action: &PossibleAction,
        shows_difficulty: bool,
        ids: &mut BTreeSet<String>,
    ) -> Choice {
        let mut id = slug(&action.sentence);
        while !ids.insert(id.clone()) {
            id.push('-');
        }
        let label = capitalised(&action.sentence);
        let sentence = action.sentence.clone();
        let check = action.check.as_ref().filter(|check| !check.is_null() && shows_difficulty);
        let Some(check) = check else {
            return Choice::new(id, label).prompt(sentence);
        };
        let difficulty = difficulty_of(check);
        let label = format!("{label} ({difficulty})");
        Choice::new(id, label).prompt(sentence).difficulty(difficulty).hint(hint_of(
            check,
            &action.action,
            self.is_dark,
        ))
    }
}

fn group_of(action: &str) -> usize {
    GROUPS.iter().position(|group| group.contains(&action)).unwrap_or(GROUPS.len())
}

/// A player who has just looked needs no advice to look.
fn just_done(action: &PossibleAction, situation: &Situation) -> bool {
    situation.last_verb.as_deref() == Some(action.action.as_str())
}

/// The word for the number that a roll must reach.
fn difficulty_of(check: &Value) -> &'static str {
    let number = check.get("difficulty").and_then(Value::as_i64).or_else(|| check.as_i64());
    match number {
        None => "uncertain",
        Some(..=8) => "easy",
        Some(9..=12) => "fair",
        Some(13..=16) => "hard",
        Some(_) => "very hard",
    }
}

/// Returns a hint: a means that would help, or a risk.
fn hint_of(check: &Value, action: &str, is_dark: bool) -> &'static str {
    let skill =
        check.get("skill").and_then(Value::as_str).or_else(|| check.as_str()).unwrap_or(action);
    match skill {
        "persuade" | "persuasion" | "charm" | "bribe" | "deceive" | "intimidate" => {
            "It depends on what they think of you."
        }
        "sneak" | "stealth" if is_dark => "The dark is on your side.",
        "sneak" | "stealth" => "Somebody may notice.",
        "steal" | "pickpocket" => "If you are caught, it will not be forgotten.",
        "pick_lock" | "lockpick" | "lock" => "It takes a steady hand, and makes little noise.",
        "force" | "strength" | "break" => "It will make noise.",
        "attack" | "fight" => "There is no taking it back.",
        _ => "The dice decide.",
    }
}

/// Returns the sentence in visible characters. Returns `None` if there is none, or if it is too long.
fn plain(text: &str) -> Option<String> {
    let shown: String = text
        .chars()
        .take(2 * SENTENCE_CHARS_MAX)
        .map(|c| if c.is_control() || matches!(c, '{' | '}') { ' ' } else { c })
        .collect();
    let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = joined.chars().count() <= SENTENCE_CHARS_MAX;
    (fits && joined.chars().any(char::is_alphabetic)).then_some(joined)
}

fn slug(text: &str) -> String {
    let letters = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let spaced: String = text.chars().map(letters).collect();
    spaced.split_whitespace().take(5).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Value, json, testing};
    use proptest::prelude::*;

    use crate::generate_choices;

    fn said(possible: Value, story: Value, seed: u64) -> testing::CallResult {
        let state = json!({ "story": story, "world": { "scope": { "possible": possible } } });
        testing::call(generate_choices, json!({ "count": 4 })).state(state).seed(seed).run()
    }

    fn prompts(said: &testing::CallResult) -> Vec<String> {
        let choices = said.output["choices"].as_array().unwrap();
        choices.iter().map(|choice| choice["prompt"].as_str().unwrap().to_owned()).collect()
    }

    fn kitchen() -> Value {
        json!([
            { "sentence": "look around", "action": "look" },
            { "sentence": "take the storm lantern", "action": "take", "target": "storm lantern" },
            { "sentence": "open the cupboard", "action": "open", "target": "cupboard" },
            { "sentence": "go north", "action": "go", "direction": "north" },
            { "sentence": "go down", "action": "go", "direction": "down" },
            { "sentence": "ask Martha Quill about the storm", "action": "ask", "target": "Martha Quill", "topic": "storm" },
            { "sentence": "persuade Martha Quill", "action": "persuade", "target": "Martha Quill",
              "check": { "skill": "persuade", "difficulty": 14 } },
            { "sentence": "examine the stove", "action": "examine", "target": "stove" },
        ])
    }

    #[test]
    fn in_a_world_only_what_is_possible_now_is_offered_and_of_many_kinds() {
        let possible: Vec<String> = kitchen()
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["sentence"].as_str().unwrap().to_owned())
            .collect();
        for seed in 0..50 {
            let offered =
                prompts(&said(kitchen(), json!({ "focus": "the dragon", "mood": "tense" }), seed));
            assert_eq!(offered.len(), 4);
            assert!(offered.iter().all(|one| possible.contains(one)), "{offered:?}");
            assert!(
                offered.iter().filter(|one| one.starts_with("go ")).count() <= 1,
                "{offered:?}"
            );
        }
    }

    #[test]
    fn what_the_story_is_about_comes_first() {
        for seed in 0..20 {
            let offered = prompts(&said(kitchen(), json!({ "focus": "the cupboard" }), seed));
            assert!(offered.contains(&"open the cupboard".to_owned()), "{offered:?}");
        }
    }

    #[test]
    fn an_attempt_says_how_hard_it_is_and_what_would_help() {
        let attempt = |check: Value| {
            let possible =
                json!([{ "sentence": "persuade Mira", "action": "persuade", "check": check }]);
            said(possible, json!({}), 1).output["choices"][0].clone()
        };
        assert_eq!(
            attempt(json!({ "skill": "persuade", "difficulty": 14 })),
            json!({
                "id": "persuade-mira", "label": "Persuade Mira (hard)", "prompt": "persuade Mira",
                "difficulty": "hard", "hint": "It depends on what they think of you.",
            })
        );
        assert_eq!(attempt(json!("force"))["label"], "Persuade Mira (uncertain)");
        assert_eq!(attempt(json!("force"))["hint"], "It will make noise.");
        assert_eq!(attempt(Value::Null)["label"], "Persuade Mira");
    }

    #[test]
    fn a_player_who_does_not_want_to_know_is_not_told_how_hard_it_is() {
        let possible = json!([{ "sentence": "persuade Mira", "check": { "skill": "persuade" } }]);
        let state = json!({ "world": { "scope": { "possible": possible } } });
        let call = testing::call(generate_choices, json!({})).state(state);
        let offered =
            call.config(json!({ "showDifficulty": false })).run().output["choices"][0].clone();
        let plain =
            json!({ "id": "persuade-mira", "label": "Persuade Mira", "prompt": "persuade Mira" });
        assert_eq!(offered, plain);
    }

    #[test]
    fn a_world_where_little_can_be_done_offers_little() {
        assert_eq!(prompts(&said(json!([]), json!({}), 1)), [""; 0]);
        let twice = json!([{ "sentence": "wait" }, { "sentence": "Wait" }, { "sentence": "\u{1b}[2J" }, 7, {}]);
        let mut offered = prompts(&said(twice, json!({}), 1));
        offered.sort();
        assert_eq!(offered, ["[2J", "wait"]);
    }

    proptest! {
        #[test]
        fn any_possibilities_become_plain_choices(
            sentences in prop::collection::vec("(?s).{0,120}", 0..40),
            seed in any::<u64>(),
        ) {
            let possible: Vec<Value> = sentences.iter().map(|text| json!({ "sentence": text, "check": text })).collect();
            let said = said(json!(possible), json!({}), seed);
            prop_assert!(said.ok);
            for choice in said.output["choices"].as_array().unwrap() {
                let text = choice.to_string();
                prop_assert!(!text.contains("\\u00") && choice["label"].as_str().unwrap().chars().count() <= 120, "{}", text);
            }
        }
    }
}
