//! How a turn ends, and the narration and choices that the player gets, read from a trace.

use serde_json::Value;

use super::{
    NarrativeChoice,
    narration_text::{fact_texts, joined, joined_by, output_texts},
};
use narratoria_executor::{Outcome, Trace};
use narratoria_plan::Plan;
use narratoria_story::TurnOutcome;

/// Most choices offered in one turn. A script may emit more, but a player reads no more.
const CHOICES_MAX: usize = 12;

/// The account of a plan of which no step is done.
const NOTHING_DONE: &str = "Nothing happens.";

/// What ends a sentence; a quotation has its own full stop.
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '…', '”', '"'];

/// Longest label of a choice; the rest is cut off.
const LABEL_CHARS_MAX: usize = 400;

/// The `ui_event` that every front end must support (docs/architecture.md, "The wire").
const NARRATIVE_CHOICE: &str = "narrative_choice";

/// Events that front ends know how to draw; others get a placeholder.
const KNOWN_UI_EVENTS: [&str; 2] = [NARRATIVE_CHOICE, "dice_roll"];

/// A finished turn, as front ends get it.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedTurn {
    /// Counted from 1 over the story's life.
    pub turn: u64,
    pub outcome: TurnOutcome,
    /// The turn's whole text.
    pub narration: String,
    pub choices: Vec<NarrativeChoice>,
    /// Generations that counted.
    pub attempts: u32,
}

/// A plan that ran, whether it succeeded or not.
pub(crate) struct ExecutedPlan {
    pub(crate) plan: Plan,
    pub(crate) trace: Trace,
}

/// How the attempts of a turn ended.
pub(crate) enum TurnEnd {
    Succeeded(ExecutedPlan),
    Cancelled,
    /// Holds the last plan that ran, if one did.
    Failed(Option<ExecutedPlan>),
}

impl TurnEnd {
    /// Returns the end of the turn if no other attempt follows this plan.
    pub(crate) fn of(executed: ExecutedPlan) -> TurnEnd {
        match &executed.trace {
            trace if trace.success => TurnEnd::Succeeded(executed),
            trace if trace.cancelled => TurnEnd::Cancelled,
            _ => TurnEnd::Failed(Some(executed)),
        }
    }
}

/// Returns the text of a plan that ran: its own narrative, then each successful step's `output.text`, in plan
/// order. If no step narrates, because the storyteller has failed, the facts are narrated as they stand (S0 FR-022).
pub(crate) fn narration(plan: &Plan, trace: &Trace) -> String {
    let outputs = trace.steps.iter().filter_map(|step| match &step.outcome {
        Outcome::Done { output, .. } => Some(output),
        _ => None,
    });
    let told: Vec<&str> = outputs.clone().flat_map(output_texts).collect();
    let is_untold = told.iter().all(|text| text.trim().is_empty());
    let facts = outputs.filter(|_| is_untold).map(|output| fact_texts(output).collect::<Vec<_>>());
    let facts: Vec<String> = facts.map(|sentences| sentences.join(" ")).collect();
    joined(plan.narrative().into_iter().chain(told).chain(facts.iter().map(String::as_str)))
}

/// Returns the text of a plan that succeeded, or a plain account if it has none, because every turn ends in a story.
pub(crate) fn narration_or_account(plan: &Plan, trace: &Trace) -> String {
    let narration = narration(plan, trace);
    if narration.is_empty() { account(plan, trace) } else { narration }
}

/// Says what a plan without any text of its own has done: the summary of each step that is done, or what the step is
/// for.
fn account(plan: &Plan, trace: &Trace) -> String {
    let done = plan.steps().iter().zip(&trace.steps).filter_map(|(step, trace)| {
        let Outcome::Done { summary, .. } = &trace.outcome else { return None };
        Some(match (said(summary.as_ref()), said(step.description.as_ref())) {
            (Some(summary), _) => as_sentence(summary),
            (None, Some(description)) => as_sentence(&format!("Done: {description}")),
            (None, None) => format!("Done: `{}`.", step.tool_path),
        })
    });
    match joined_by(" ", done) {
        account if account.is_empty() => NOTHING_DONE.to_owned(),
        account => account,
    }
}

fn said(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Begins a line for people with a capital letter, and ends it.
fn as_sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if line.ends_with(SENTENCE_ENDS) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// The choices of a plan that ran, in plan order.
pub(crate) fn choices(trace: &Trace) -> Vec<NarrativeChoice> {
    let offered = trace
        .ui_events()
        .filter(|ui| ui.event == NARRATIVE_CHOICE)
        .filter_map(|ui| ui.payload?.get("choices")?.as_array());
    offered.flatten().filter_map(choice).take(CHOICES_MAX).collect()
}

/// Reads a choice: a bare string, or an object with a `label`.
fn choice(value: &Value) -> Option<NarrativeChoice> {
    let shorten = |text: &str| -> String { text.chars().take(LABEL_CHARS_MAX).collect() };
    match value {
        Value::String(label) => {
            Some(NarrativeChoice { id: None, label: shorten(label), prompt: None })
        }
        Value::Object(object) => {
            let text = |field: &str| object.get(field).and_then(Value::as_str).map(shorten);
            Some(NarrativeChoice { label: text("label")?, id: text("id"), prompt: text("prompt") })
        }
        _ => None,
    }
}

/// Returns a line for front ends that do not know the event (docs/architecture.md, "The wire").
pub(crate) fn placeholder(tool_path: &str, event: &str, payload: Option<&Value>) -> Option<String> {
    if KNOWN_UI_EVENTS.contains(&event) {
        return None;
    }
    let title = payload.and_then(|payload| payload.get("title")?.as_str());
    Some(match title {
        Some(title) => format!("[{tool_path}: {event}: {title}]"),
        None => format!("[{tool_path}: {event}]"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{LABEL_CHARS_MAX, as_sentence, choice, placeholder};

    #[test]
    fn a_summary_is_a_sentence_of_the_account() {
        let sentences =
            ["rolled 1d20+3 for 9", "élan", "It is dark.", "Who is it?", "say “No.”", "(so)"];
        assert_eq!(
            sentences.map(as_sentence),
            ["Rolled 1d20+3 for 9.", "Élan.", "It is dark.", "Who is it?", "Say “No.”", "(so)."]
        );
    }

    #[test]
    fn a_choice_is_a_string_or_an_object_with_a_label() {
        assert_eq!(choice(&json!("Run")).unwrap().label, "Run");
        let full = choice(&json!({"id": "a", "label": "Run", "prompt": "I run"})).unwrap();
        assert_eq!((full.id.as_deref(), full.prompt.as_deref()), (Some("a"), Some("I run")));
        assert_eq!(choice(&json!({"id": "a"})), None);
        assert_eq!(choice(&json!(7)), None);
    }

    #[test]
    fn a_long_label_is_cut() {
        let label = choice(&json!("é".repeat(10_000))).unwrap().label;
        assert_eq!(label.chars().count(), LABEL_CHARS_MAX);
    }

    #[test]
    fn an_unknown_ui_event_degrades_to_a_placeholder() {
        assert_eq!(placeholder("dice/roll", "dice_roll", None), None);
        assert_eq!(
            placeholder("map/draw", "map_drawn", Some(&json!({"title": "The coast"}))).unwrap(),
            "[map/draw: map_drawn: The coast]"
        );
    }
}
