//! The trace of a turn: everything that the story keeps of it, read from its document
//! (`contracts/story-why.schema.json`). Pure.

use narratoria_protocol::visible::{clip, visible_word};
use narratoria_ui::{SkillLogLine, skill_log};
use serde_json::Value;

/// Longest value of a state or a store, in characters.
const VALUE_CHARS_MAX: usize = 60;

/// Most storylets that did not fire, the nearest first.
const UNFIRED_SHOWN_MAX: usize = 5;

/// Most lines of the log of a step.
const LOGS_SHOWN_MAX: usize = 5;

/// Longest of them, in characters.
const LOG_CHARS_MAX: usize = 200;

/// Longest reason why a storylet did not fire, in characters.
const UNFIRED_CHARS_MAX: usize = 120;

/// Longest sentence of a player in a heading, in characters.
const PROMPT_CHARS_MAX: usize = 70;

/// Returns the trace.
pub(super) fn trace(document: &Value) -> String {
    let number = document.get("turn").and_then(Value::as_u64).unwrap_or_default();
    let prompt = document.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let mut text = turn_heading(number, prompt);
    list(document, "plans").for_each(|plan| text += &plan_text(plan));
    let part = |field: &str| document.get(field).unwrap_or(&Value::Null);
    text += &changes_text(part("state"), part("stores"));
    text + &assets_text(part("assets"))
}

/// Returns the line that names a turn.
pub(super) fn turn_heading(number: u64, prompt: &str) -> String {
    let prompt = visible_word(&clip(prompt, PROMPT_CHARS_MAX)).into_owned();
    format!("turn {number} “{prompt}”\n")
}

/// Returns the items of a list in a document.
pub(super) fn list<'v>(of: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    of.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the text of a plan's document.
pub(super) fn plan_text(plan: &Value) -> String {
    let word = |field: &str| {
        visible_word(plan.get(field).and_then(Value::as_str).unwrap_or("?")).into_owned()
    };
    let number = |field: &str| plan.get(field).and_then(Value::as_u64).unwrap_or_default();
    let (ordinal, attempt) = (number("ordinal"), number("attempt"));
    let (planner, status) = (word("planner"), word("status"));
    let mut text = format!("plan {ordinal} by {planner}, attempt {attempt}: {status}\n");
    if let Some(seen) = plan.get("seen").filter(|seen| !seen.is_null()) {
        text += &seen_text(seen);
    }
    for step in list(plan, "steps") {
        text += &step_text(step, ordinal);
    }
    let json = plan.get("plan").unwrap_or(&Value::Null);
    text += &considered_text(json);
    text += &unfit_text(json);
    for error in list(plan, "errors").filter_map(Value::as_str) {
        text += &format!("  {}\n", visible_word(error));
    }
    text
}

/// The parts of the story that a planner read.
fn seen_text(seen: &Value) -> String {
    let mut text = String::new();
    let words = |field: &str| -> Vec<String> {
        let items = seen.get(field).and_then(Value::as_array).into_iter().flatten();
        items.map(|item| item.as_str().map_or(item.to_string(), str::to_owned)).collect()
    };
    let (turns, memories) = (words("recentTurns"), words("memories"));
    let turns = match turns.is_empty() {
        true => "no earlier turns".to_owned(),
        false => format!("turns {}", turns.join(", ")),
    };
    let memories = match memories.len() {
        0 => "no memories".to_owned(),
        _ => format!("the memories {}", memories.join(", ")),
    };
    text += &format!("  read: the sentence, {}\n", visible_word(&format!("{turns}, {memories}")));
    let notes = seen.get("notes").and_then(Value::as_array).into_iter().flatten();
    for note in notes {
        let word = |field: &str| {
            visible_word(note.get(field).and_then(Value::as_str).unwrap_or("?")).into_owned()
        };
        text += &format!("  read of the campaign: {} ({})\n", word("name"), word("why"));
    }
    for cut in words("cut") {
        text += &format!("  left out for space: {}\n", visible_word(&cut));
    }
    text
}

fn step_text(step: &Value, ordinal: u64) -> String {
    let word = |field: &str| {
        let word = step.get(field).and_then(Value::as_str).unwrap_or("?");
        visible_word(word).into_owned()
    };
    let took = step.get("executionTimeMs").and_then(Value::as_u64);
    let took = took.map(|ms| format!(", {ms} ms")).unwrap_or_default();
    let (id, path, state) = (word("toolId"), word("toolPath"), word("state"));
    let mut text = format!("  {id}  {path}  {state}{took}\n");
    for field in ["output", "error"] {
        if let Some(value) = step.get(field).filter(|value| !value.is_null()) {
            text += &format!("    {}\n", value_text(Some(value)));
        }
    }
    text += &log_text(step, ordinal);
    text += &unfired_text(step);
    text
}

/// What the scripts of a step wrote into their log, without what is meant for their authors.
fn log_text(step: &Value, ordinal: u64) -> String {
    let lines = skill_log(step).into_iter().filter(|line| line.level != "debug");
    let lines: Vec<SkillLogLine> = lines.collect();
    let mut text = String::new();
    for SkillLogLine { level, text: line } in lines.iter().take(LOGS_SHOWN_MAX) {
        let line = visible_word(line).into_owned();
        text += &format!("    log {}: {}\n", visible_word(level), clip(&line, LOG_CHARS_MAX));
    }
    if let Some(more) = lines.len().checked_sub(LOGS_SHOWN_MAX).filter(|more| *more > 0) {
        text += &format!(
            "    and {more} more; `narratoria plan show {ordinal} --story NAME --logs` has them\n"
        );
    }
    text
}

/// The storylets that did not fire in a step, each with the condition that failed first.
fn unfired_text(step: &Value) -> String {
    let groups = step.pointer("/output/checked").and_then(Value::as_array);
    let unfired = groups.into_iter().flatten().flat_map(|group| {
        let failed = group.get("failed").and_then(Value::as_str).unwrap_or("?");
        let ids = group.get("storylets").and_then(Value::as_array).into_iter().flatten();
        ids.map(move |id| (id.as_str().unwrap_or("?"), failed))
    });
    let unfired: Vec<(&str, &str)> = unfired.collect();
    let mut text = String::new();
    for (id, failed) in unfired.iter().take(UNFIRED_SHOWN_MAX) {
        let failed = visible_word(failed).into_owned();
        let failed = clip(&failed, UNFIRED_CHARS_MAX);
        text += &format!("    did not fire: {} ({failed})\n", visible_word(id));
    }
    if let Some(more) = unfired.len().checked_sub(UNFIRED_SHOWN_MAX).filter(|more| *more > 0) {
        text += &format!("    and {more} more; `--format json` has them\n");
    }
    let left_off = step.pointer("/output/checkedLeftOff").and_then(Value::as_u64);
    if let Some(left_off) = left_off.filter(|left_off| *left_off > 0) {
        text += &format!("    and {left_off} more for which the record has no room\n");
    }
    text
}

/// The scripts that a planner considered for the sentence, and how probable it found each.
fn considered_text(plan: &Value) -> String {
    let mut text = String::new();
    for one in plan.pointer("/metadata/considered").and_then(Value::as_array).into_iter().flatten()
    {
        let word = |field: &str| {
            visible_word(one.get(field).and_then(Value::as_str).unwrap_or("?")).into_owned()
        };
        let likely = one.get("probability").and_then(Value::as_f64).unwrap_or_default();
        let verb = match one.get("chosen").and_then(Value::as_bool) {
            Some(true) => "chosen",
            _ => "not chosen",
        };
        let by = match word("by").as_str() {
            "model" => "by vectors and model".to_owned(),
            by => format!("by {by}"),
        };
        text += &format!("  {verb}: {}, {:.0} % {by}\n", word("tool"), likely * 100.0);
    }
    text
}

/// The scripts that a trigger asked for with an input that they do not accept.
fn unfit_text(plan: &Value) -> String {
    let unfit = plan.pointer("/metadata/unfit").and_then(Value::as_array).into_iter().flatten();
    let line = |one: &Value| {
        let word = |field: &str| {
            visible_word(one.get(field).and_then(Value::as_str).unwrap_or("?")).into_owned()
        };
        format!(
            "  not run: {}, because its trigger gives it a wrong input ({})\n",
            word("tool"),
            word("why")
        )
    };
    unfit.map(line).collect()
}

/// Returns the changes of a turn, by the documents of its state and its stores.
pub(super) fn changes_text(state: &Value, stores: &Value) -> String {
    let mut text = String::new();
    let word = |of: &Value, field: &str| {
        visible_word(of.get(field).and_then(Value::as_str).unwrap_or_default()).into_owned()
    };
    for change in list(state, "changes") {
        let (before, after) = (value_text(change.get("before")), value_text(change.get("after")));
        text += &format!("  {}: {before} -> {after}\n", word(change, "pointer"));
    }
    let left_off = state.get("changesLeftOff").and_then(Value::as_u64).unwrap_or_default();
    if left_off > 0 {
        text += &format!("  … {left_off} more places of the state\n");
    }
    for change in stores.as_array().into_iter().flatten() {
        let value = |side: &str| value_text(change.get(side).filter(|value| !value.is_null()));
        let (skill, key) = (word(change, "skill"), word(change, "key"));
        let (before, after) = (value("before"), value("after"));
        text += &format!("  the store of `{skill}`, `{key}`: {before} -> {after}\n");
    }
    match text.is_empty() {
        true => text,
        false => format!("changes\n{text}"),
    }
}

fn value_text(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(value) => visible_word(&clip(&value.to_string(), VALUE_CHARS_MAX)).into_owned(),
    }
}

/// Returns the files of a turn, by their documents.
pub(super) fn assets_text(assets: &Value) -> String {
    assets.as_array().into_iter().flatten().map(asset_text).collect()
}

/// Returns the kind and the path of a file, by its document.
pub(super) fn asset_text(asset: &Value) -> String {
    let word = |field: &str| {
        visible_word(asset.get(field).and_then(Value::as_str).unwrap_or_default()).into_owned()
    };
    format!("  {} {}\n", word("kind"), word("path"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{considered_text, unfired_text, unfit_text};

    #[test]
    fn scripts_that_were_considered_are_named_with_their_probability() {
        let plan = json!({"metadata": {"considered": [
            {"tool": "smith/repair", "probability": 0.81, "by": "model", "chosen": true},
            {"tool": "diary/write", "probability": 0.07, "by": "vectors", "chosen": false},
        ]}});
        let expected = "  chosen: smith/repair, 81 % by vectors and model
  not chosen: diary/write, 7 % by vectors
";
        assert_eq!(considered_text(&plan), expected);
        assert_eq!(considered_text(&json!({})), "");
    }

    #[test]
    fn a_trigger_with_a_wrong_input_is_named() {
        let plan = json!({"metadata": {"unfit": [{"tool": "smith/repair", "why": "/days: 9 is too much"}]}});
        let expected = "  not run: smith/repair, because its trigger gives it a wrong input (/days: 9 is too much)\n";
        assert_eq!(unfit_text(&plan), expected);
        assert_eq!(unfit_text(&json!({})), "");
    }

    #[test]
    fn storylets_that_did_not_fire_are_named_and_all_others_counted() {
        let rows = json!({"output": {
            "checked": [
                {"failed": "when: debt == 'resolved'", "storylets": ["paid"]},
                {"failed": "place", "storylets": ["a", "b", "c", "d", "e", "f"]},
            ],
            "checkedLeftOff": 12,
        }});
        let expected = "    did not fire: paid (when: debt == 'resolved')
    did not fire: a (place)
    did not fire: b (place)
    did not fire: c (place)
    did not fire: d (place)
    and 2 more; `--format json` has them
    and 12 more for which the record has no room
";
        assert_eq!(unfired_text(&rows), expected);
        assert_eq!(unfired_text(&json!({"output": {"checked": []}})), "");
    }
}
