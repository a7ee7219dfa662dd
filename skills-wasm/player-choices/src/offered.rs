//! The choices that a campaign offers at this moment (`/plot/offered`). They come first, with the words of their author.

use std::collections::BTreeSet;

use narratoria_sdk::{Choice, Ctx};

/// Most choices that a campaign offers at once.
const OFFERED_MAX: usize = 6;
/// Longest label, in characters.
const LABEL_CHARS_MAX: usize = 200;

/// Each label as a choice that plays exactly this label.
pub(crate) fn offered(ctx: &Ctx) -> Vec<Choice> {
    let labels = ctx.state_at::<Vec<String>>("/plot/offered").ok().flatten().unwrap_or_default();
    let is_shown = |label: &String| {
        label.chars().any(char::is_alphanumeric)
            && label.chars().count() <= LABEL_CHARS_MAX
            && !label.chars().any(char::is_control)
    };
    let mut known = BTreeSet::new();
    let labels = labels.into_iter().filter(is_shown).filter(|label| known.insert(label.clone()));
    let choice = |(at, label): (usize, String)| {
        Choice::new(format!("offered-{}", at + 1), label.clone()).prompt(label)
    };
    labels.take(OFFERED_MAX).enumerate().map(choice).collect()
}

/// Returns true if the campaign has come to one of its endings.
pub(crate) fn has_ended(ctx: &Ctx) -> bool {
    ctx.state().pointer("/plot/now/ended").is_some_and(|ended| !ended.is_null())
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::{Value, json, testing};

    use crate::generate_choices;

    fn labels(offered: Value) -> Vec<String> {
        let possible = json!([{ "sentence": "look around" }, { "sentence": "go north", "action": "go" }, { "sentence": "wait" }]);
        let state = json!({ "plot": { "offered": offered }, "world": { "scope": { "possible": possible } } });
        let said = testing::call(generate_choices, json!({ "count": 4 })).state(state).run();
        let choices = said.output["choices"].as_array().unwrap();
        choices.iter().map(|choice| choice["label"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn what_a_campaign_offers_comes_first_and_word_for_word() {
        let shown = labels(json!(["Tell her: \u{201c}I did\u{201d}", "Say nothing"]));
        assert_eq!(shown[..2], ["Tell her: \u{201c}I did\u{201d}", "Say nothing"]);
        assert_eq!(shown.len(), 4);
    }

    #[test]
    fn nothing_is_offered_after_an_ending() {
        let state = json!({ "plot": { "now": { "ended": { "id": "home", "title": "Home" } }, "offered": ["Bow"] } });
        let said = testing::call(generate_choices, json!({})).state(state).run();
        assert_eq!(said.output["choices"], json!([]));
        assert!(said.ui_event("narrative_choice").is_none());
        assert_eq!(labels(json!([])).len(), 3);
    }

    #[test]
    fn all_of_it_is_offered_and_nothing_that_is_no_choice() {
        let six: Vec<String> = (1..=9).map(|at| format!("Choice {at}")).collect();
        assert_eq!(labels(json!(six)), six[..6]);
        assert_eq!(labels(json!(["", "\u{1b}[2J", "One", "One"])).len(), 4);
        assert_eq!(labels(json!({ "odd": 1 })).len(), 3);
    }
}
