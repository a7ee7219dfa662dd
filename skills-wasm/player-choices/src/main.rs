//! Offers the player a few things to do next: first what a campaign offers at this moment; then, in a world, what is
//! possible there now; else what fits the story's last beat.
//! The player may always type anything else.

mod offer;
mod offered;
mod possible;
mod settings;
mod situation;

use std::process::ExitCode;

use narratoria_sdk::{Choice, Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use settings::ChoiceSettings;
use situation::Situation;

/// What to offer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// How many choices; as many as the settings say where this is missing.
    #[serde(default)]
    #[schemars(range(min = 3, max = 5))]
    count: Option<u8>,
    /// What the choices are about, in a few words such as `the ancient door`; the story's own focus
    /// where this is missing or longer.
    #[serde(default)]
    context: Option<String>,
}

/// What was offered.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Three to five, each with the sentence that is played when it is chosen; fewer where a world has no more, and more
    /// where a campaign offers more.
    choices: Vec<Choice>,
}

fn main() -> ExitCode {
    narratoria_sdk::run(generate_choices)
}

fn generate_choices(ctx: &mut Ctx, input: Input) -> Result<Done<Output>, SkillError> {
    if offered::has_ended(ctx) {
        let done = Done::ok().summary("the story has ended, so nothing is offered");
        return Ok(done.output(Output { choices: Vec::new() }));
    }
    let settings: ChoiceSettings = narratoria_facts::settings(ctx);
    let count = usize::from(input.count.unwrap_or(settings.count).clamp(3, 5));
    let situation = Situation::read(ctx, input.context.as_deref());
    ctx.debug(&format!("choices for {situation:?}"));
    let mut choices = offered::offered(ctx);
    let count = count.saturating_sub(choices.len());
    choices.extend(match possible::Possible::read(ctx) {
        // A world that lists nothing offers nothing that is not possible.
        Some(possible) => possible.choices(&situation, &settings, count, ctx.rng()),
        None => offer::offer(&situation, count, ctx.rng()),
    });
    ctx.choices(&choices);
    Ok(Done::ok().summary(format!("offered {} choices", choices.len())).output(Output { choices }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use narratoria_sdk::{Value, json, testing};
    use proptest::prelude::*;

    use super::*;

    fn said(input: Value, story: Value, seed: u64) -> testing::CallResult {
        testing::call(generate_choices, input).state(json!({ "story": story })).seed(seed).run()
    }

    fn choices(said: &testing::CallResult) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let list = said.output["choices"].as_array().unwrap();
        list.iter().map(|c| (text(&c["id"]), text(&c["label"]), text(&c["prompt"]))).collect()
    }

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Input, Output>("package/schemas", "generate-choices");
    }

    #[test]
    fn the_examples_are_true() {
        testing::check_examples(generate_choices, "package/examples", "generate-choices");
    }

    #[test]
    fn the_player_gets_as_many_choices_as_asked_for_and_sees_them() {
        for count in 3..=5 {
            for seed in 0..50 {
                let said = said(json!({ "count": count }), json!({}), seed);
                let ids: BTreeSet<String> = choices(&said).into_iter().map(|(id, ..)| id).collect();
                assert_eq!(ids.len(), count);
                let shown = said.ui_event("narrative_choice").unwrap();
                assert_eq!(shown["choices"], said.output["choices"]);
            }
        }
        assert_eq!(choices(&said(json!({}), json!({}), 0)).len(), 4);
    }

    #[test]
    fn the_settings_say_how_many_choices_where_the_plan_does_not() {
        let offered = |input: Value, config: Value| {
            choices(&testing::call(generate_choices, input).config(config).run()).len()
        };
        assert_eq!(offered(json!({}), json!({ "count": 3 })), 3);
        assert_eq!(offered(json!({ "count": 5 }), json!({ "count": 3 })), 5);
        assert_eq!(offered(json!({}), json!({ "count": "many" })), 4);
    }

    #[test]
    fn a_choice_is_about_what_the_story_is_about() {
        for seed in 0..50 {
            let said = said(json!({}), json!({ "focus": "the ancient door" }), seed);
            assert!(choices(&said).iter().any(|(_, label, _)| label.contains("the ancient door")));
        }
    }

    #[test]
    fn what_is_yours_is_mine_when_i_type_it() {
        for seed in 0..20 {
            let said = said(json!({ "count": 5 }), json!({ "focus": "your sword" }), seed);
            for (_, label, prompt) in choices(&said) {
                assert!(!prompt.contains("your") && !label.contains("my "), "{label}: {prompt}");
            }
        }
    }

    #[test]
    fn a_failure_offers_another_try_or_another_way() {
        let story = json!({ "focus": "the lock", "lastVerb": "unlock", "lastOutcome": "failure" });
        for seed in 0..20 {
            let ids: Vec<String> =
                choices(&said(json!({}), story.clone(), seed)).into_iter().map(|c| c.0).collect();
            let answers = ["try-again", "another-way", "fall-back"];
            assert!(ids.iter().any(|id| answers.contains(&id.as_str())), "{ids:?}");
        }
    }

    #[test]
    fn what_has_been_opened_is_not_to_be_opened_again() {
        let story = json!({ "focus": "the lock", "lastVerb": "unlock", "lastOutcome": "success" });
        for seed in 0..20 {
            for (id, ..) in choices(&said(json!({ "count": 5 }), story.clone(), seed)) {
                assert!(id != "open" && id != "force", "{id}");
            }
        }
    }

    #[test]
    fn the_planners_context_comes_first_unless_it_is_long() {
        let labels = |context: &str| {
            let input = json!({ "context": context });
            choices(&said(input, json!({ "focus": "the door" }), 1))
                .into_iter()
                .map(|(_, label, _)| label)
                .collect::<String>()
        };
        assert!(labels("the silver mirror").contains("the silver mirror"));
        assert!(labels(&"on and ".repeat(100)).contains("the door"));
    }

    proptest! {
        #[test]
        fn whatever_is_in_the_state_the_choices_are_plain_text(
            focus in "(?s).{0,80}",
            mood in "[a-z]{0,8}",
            seed in any::<u64>(),
        ) {
            let story = json!({ "focus": focus, "mood": mood, "scene": focus, "lastVerb": 7 });
            let said = said(json!({ "count": 5 }), story, seed);
            prop_assert!(said.ok);
            for (id, label, prompt) in choices(&said) {
                let text = format!("{id}{label}{prompt}");
                prop_assert!(!text.contains(['{', '}', '\u{1b}']), "{}", text);
                prop_assert!(!text.chars().any(char::is_control), "{}", text);
                prop_assert!(label.chars().count() <= 120 && prompt.starts_with('I'));
            }
        }
    }
}
