//! The script `tell`: an omen about whatever the player asks. This is where your skill begins.

use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The host asks no more than the schema allows; who runs this script elsewhere may.
const ABOUT_CHARS_MAX: usize = 200;

/// What to tell an omen about.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tell {
    /// What the player asks about.
    #[schemars(length(min = 1, max = ABOUT_CHARS_MAX))]
    about: String,
}

/// The omen.
#[derive(Serialize, JsonSchema)]
struct Omen {
    /// The omen in one sentence; it becomes part of the narration.
    text: String,
    /// Whether it speaks for going on.
    favourable: bool,
}

/// Before and after what it is about, and whether it is favourable.
const OMENS: [(&str, &str, bool); 3] = [
    ("The water lies still around", "nothing stands in the way.", true),
    ("Three crows sit above", "go on, and keep your eyes open.", true),
    ("The candle leans away from", "wait until the morning.", false),
];

fn main() -> ExitCode {
    narratoria_sdk::run(tell)
}

fn tell(ctx: &mut Ctx, input: Tell) -> Result<Done<Omen>, SkillError> {
    if input.about.chars().count() > ABOUT_CHARS_MAX {
        let message = format!("`about` has more than {ABOUT_CHARS_MAX} characters");
        return Err(SkillError::new("INVALID_INPUT", message));
    }
    let about = input.about.trim();
    if about.is_empty() {
        return Err(SkillError::new("NOTHING_ASKED", "say what the omen is to be about"));
    }
    // All chance comes from the seed: the same request gives the same omen.
    let idx = (ctx.seed() % OMENS.len() as u64) as usize;
    let (before, after, favourable) = OMENS[idx];
    let text = format!("{before} {about}: {after}");
    ctx.info("the signs were read");
    ctx.patch(json!({ "omen": { "about": about, "favourable": favourable } }));
    Ok(Done::ok().summary("told an omen").output(Omen { text, favourable }))
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing;

    use super::*;

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Tell, Omen>("schemas", "tell");
    }

    #[test]
    fn the_examples_are_true() {
        testing::check_examples(tell, "examples", "tell");
    }

    #[test]
    fn every_omen_names_what_it_is_about() {
        for seed in 0..OMENS.len() as u64 {
            let said = testing::call(tell, json!({ "about": " the mill " })).seed(seed).run();
            assert!(said.ok);
            assert!(said.output["text"].as_str().is_some_and(|text| text.contains(" the mill: ")));
            assert_eq!(said.patch()["omen"]["about"], "the mill");
        }
    }
}
