//! Records which parts of the story a planner read, in the form in which the story keeps them with the plan. Pure.

use serde_json::{Value, json};

use super::turn_context::TurnContext;
use narratoria_narrator::PlannerView;

/// Most notes on omitted parts that one plan keeps, and the most characters of each.
const CUTS_MAX: usize = 32;
const CUT_CHARS_MAX: usize = 200;

/// Returns the document in a plan's `seen` (`contracts/story-why.schema.json`): numbers of turns, memories, and the
/// parts that were omitted for space. The turns themselves are in the story.
pub(crate) fn seen_by_planner(context: &TurnContext<'_>, view: &PlannerView) -> Value {
    let offered = &context.recent_numbers;
    let read = &offered[offered.len().saturating_sub(view.recent_turns)..];
    let shorten = |text: &String| -> String { text.chars().take(CUT_CHARS_MAX).collect() };
    let unseen = context.memories.cut;
    let no_room = (unseen > 0).then(|| format!("{unseen} memories had no room"));
    let unread = context.notes.cut;
    let no_note = (unread > 0).then(|| format!("{unread} notes of the campaign had no room"));
    let cut = view.cut.iter().chain(&no_room).chain(&no_note);
    let cut: Vec<String> = cut.take(CUTS_MAX).map(shorten).collect();
    let mut seen = json!({"recentTurns": read, "memories": view.memories, "cut": cut});
    let notes = context.notes.notes.iter();
    let notes: Vec<Value> =
        notes.map(|note| json!({"name": shorten(&note.name), "why": shorten(&note.why)})).collect();
    if !notes.is_empty() {
        seen["notes"] = notes.into();
    }
    seen
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::{CUT_CHARS_MAX, CUTS_MAX, seen_by_planner};
    use crate::turn_context::TurnContext;
    use narratoria_narrator::PlannerView;

    #[test]
    fn a_plan_keeps_the_last_turns_that_were_read_and_what_was_cut_within_bounds() {
        let cancel = CancellationToken::new();
        let context = TurnContext::for_view(vec![4, 5, 7], &cancel);
        let seen = |recent_turns, cut| {
            let view = PlannerView { recent_turns, cut, memories: Vec::new() };
            seen_by_planner(&context, &view)
        };
        assert_eq!(
            seen(2, vec!["1 of 3 recent turns".to_owned()]),
            json!({"recentTurns": [5, 7], "memories": [], "cut": ["1 of 3 recent turns"]})
        );
        assert_eq!(seen(99, Vec::new())["recentTurns"], json!([4, 5, 7]));
        let flood = seen(0, vec!["é".repeat(10_000); 1_000]);
        assert_eq!(flood["recentTurns"], json!([]));
        assert_eq!(flood["cut"].as_array().unwrap().len(), CUTS_MAX);
        assert_eq!(flood["cut"][0].as_str().unwrap().chars().count(), CUT_CHARS_MAX);
    }
}
