//! The explanation of a turn in a few sentences, for a reader. Reads the document of `why`
//! (`contracts/story-why.schema.json`). Pure.

use narratoria_protocol::visible::{clip, visible_word};
use narratoria_ui::some_names;
use serde_json::Value;

use super::trace::{list, turn_heading};

/// Most things that one sentence lists.
const LISTED_MAX: usize = 6;

/// Longest text that a sentence quotes, in characters.
const QUOTED_CHARS_MAX: usize = 120;

/// The reason of a step that another one brings along.
const BROUGHT_ALONG: &str = "follows from the step before";

/// Returns the sentences, one a line.
pub(super) fn explanation(document: &Value) -> String {
    let number = document.get("turn").and_then(Value::as_u64).unwrap_or_default();
    let plans: Vec<&Value> = list(document, "plans").collect();
    let last = plans.last().copied();
    let mut sentences = Vec::new();
    sentences.extend(last.and_then(understood));
    sentences.extend(last.map(made_by));
    sentences.extend(last.and_then(chosen));
    sentences.extend(last.and_then(passed_over));
    for (at, plan) in plans.iter().enumerate() {
        sentences.extend(failures(plan, plans.get(at + 1).copied()));
    }
    sentences.extend(last.and_then(ran));
    sentences.extend(last.map(rolls).unwrap_or_default());
    sentences.extend(last.and_then(read));
    sentences.extend(changed(document));
    sentences.extend(took(&plans));
    sentences.extend(outcome(text(document, "outcome"), plans.len()));
    let mut told = turn_heading(number, text(document, "prompt"));
    sentences.iter().for_each(|sentence| told += &format!("{sentence}\n"));
    told
}

fn text<'v>(of: &'v Value, field: &str) -> &'v str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns untrusted words for a sentence.
fn quoted(words: &str) -> String {
    let words = words.trim().trim_end_matches('.');
    visible_word(&clip(words, QUOTED_CHARS_MAX)).into_owned()
}

/// Joins the first items, and counts the rest.
fn listed(items: &[String], between: &str) -> String {
    let mut told = items.iter().take(LISTED_MAX).cloned().collect::<Vec<_>>().join(between);
    if let Some(more) = items.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        told += &format!(" and {more} more");
    }
    told
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The meaning of the sentence, as the step says that reads it.
fn understood(plan: &Value) -> Option<String> {
    let output = list(plan, "steps").find_map(|step| {
        let output = step.get("output")?;
        output.get("actions").is_some_and(Value::is_array).then_some(output)
    })?;
    let actions: Vec<String> = list(output, "actions").map(action).collect();
    if !actions.is_empty() {
        // As `world/understand` says how sure it is.
        let told = match text(output, "certainty") {
            "guessed" => "Guessed, as no rule knows these words",
            "inferred" => "Understood from a verb and a name among other words",
            _ => "Understood",
        };
        return Some(format!("{told}: {}.", listed(&actions, "; ")));
    }
    if let Some(question) = output.get("question").and_then(Value::as_str) {
        return Some(format!("The sentence could mean several things: {}", quoted(question)));
    }
    let near = output.get("unknown").into_iter().flat_map(|unknown| list(unknown, "nearest"));
    let near: Vec<String> = near.filter_map(Value::as_str).map(quoted).collect();
    match near.is_empty() {
        true => Some("The sentence was understood as no deed in this place.".to_owned()),
        false => Some(format!(
            "The sentence was not understood; near to it are: {}.",
            listed(&near, "; ")
        )),
    }
}

/// `ask Greta Holm about the compass`, as far as the action has these parts.
fn action(action: &Value) -> String {
    let mut told = text(action, "action").replace('_', " ");
    let parts = [("direction", ""), ("target", ""), ("with", "with "), ("topic", "about ")];
    for (field, before) in parts {
        let part = text(action, field);
        if !part.is_empty() {
            told += &format!(" {before}{part}");
        }
    }
    let said = text(action, "text");
    if !said.is_empty() {
        told += &format!(" “{said}”");
    }
    let missing = text(action, "missing");
    if !missing.is_empty() {
        told += &format!(", but there is no “{missing}” here");
    }
    quoted(&told)
}

fn made_by(plan: &Value) -> String {
    let planner = match text(plan, "planner") {
        "lexical" => "by rules, without a language model".to_owned(),
        "llama" => "by rules and a language model".to_owned(),
        "player" => "by you".to_owned(),
        "file" => "in a file".to_owned(),
        other => format!("by `{}`", quoted(other)),
    };
    let instead = plan.pointer("/plan/metadata/insteadOf/why").and_then(Value::as_str);
    let instead = instead.map(|why| format!(", because another planner had none: {}", quoted(why)));
    format!("The plan was made {planner}{}.", instead.unwrap_or_default())
}

/// The steps that the sentence asked for, each with its reason.
fn chosen(plan: &Value) -> Option<String> {
    let tools = plan.get("plan").into_iter().flat_map(|json| list(json, "tools"));
    let chosen = tools.filter_map(|tool| {
        let path = text(tool, "toolPath");
        let considered = considered(plan).find(|one| text(one, "tool") == path);
        let why = match considered {
            Some(one) => certainty(one),
            None => quoted(text(tool, "reason")),
        };
        (!why.is_empty() && why != BROUGHT_ALONG).then(|| format!("`{}` ({why})", quoted(path)))
    });
    let chosen: Vec<String> = chosen.collect();
    (!chosen.is_empty()).then(|| format!("Chosen: {}.", listed(&chosen, ", ")))
}

/// The scripts that were considered and not chosen, and those that were asked for with a wrong input.
fn passed_over(plan: &Value) -> Option<String> {
    let not_chosen =
        considered(plan).filter(|one| one.get("chosen").and_then(Value::as_bool) != Some(true));
    let unfit = plan.pointer("/plan/metadata/unfit").and_then(Value::as_array);
    let unfit = unfit.into_iter().flatten().map(|one| {
        let why = quoted(text(one, "why"));
        format!("`{}` (its trigger gives it a wrong input: {why})", quoted(text(one, "tool")))
    });
    let passed =
        not_chosen.map(|one| format!("`{}` ({})", quoted(text(one, "tool")), certainty(one)));
    let passed: Vec<String> = passed.chain(unfit).collect();
    (!passed.is_empty()).then(|| format!("Not chosen: {}.", listed(&passed, ", ")))
}

fn considered(plan: &Value) -> impl Iterator<Item = &Value> {
    let considered = plan.pointer("/plan/metadata/considered").and_then(Value::as_array);
    considered.into_iter().flatten()
}

/// Returns a probability in words, and what it was judged by.
fn certainty(considered: &Value) -> String {
    let likely = match considered.get("probability").and_then(Value::as_f64).unwrap_or_default() {
        likely if likely >= 0.97 => "almost certainly meant",
        likely if likely >= 0.8 => "very likely meant",
        likely if likely >= 0.5 => "likely meant",
        likely if likely >= 0.2 => "possibly meant",
        _ => "hardly meant",
    };
    match text(considered, "by") {
        "model" => format!("{likely}, judged by its texts and a language model"),
        _ => format!("{likely}, judged by its texts"),
    }
}

/// The failures of a plan, and what was done about them.
fn failures(plan: &Value, next: Option<&Value>) -> Vec<String> {
    let mut sentences = Vec::new();
    for step in list(plan, "steps") {
        let path = quoted(text(step, "toolPath"));
        let takeovers = step.pointer("/arbitration/takeovers").and_then(Value::as_array);
        for one in takeovers.into_iter().flatten() {
            let word = |field: &str| quoted(text(one, field));
            let (from, to, why) = (word("from"), word("to"), word("why"));
            sentences.push(format!("`{from}` failed: {why}. `{to}` took its place."));
        }
        let retries = step.get("retryCount").and_then(Value::as_u64).unwrap_or_default();
        let again = match retries {
            0 => String::new(),
            retries => format!(", after {}", counted(retries, "more try", "more tries")),
        };
        let why = step.pointer("/error/message").and_then(Value::as_str).map(quoted);
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        match text(step, "state") {
            "failed" => sentences.push(format!("`{path}` failed{again}{why}.")),
            "timeout" => sentences.push(format!("`{path}` took too long{again}{why}.")),
            "success" if retries > 0 => {
                sentences.push(format!("`{path}` worked{again}."));
            }
            _ => {}
        }
    }
    let errors: Vec<String> = list(plan, "errors").filter_map(Value::as_str).map(quoted).collect();
    if sentences.is_empty() && !errors.is_empty() {
        let what = match list(plan, "steps").next() {
            Some(_) => "A plan failed",
            None => "A plan could not run",
        };
        sentences.push(format!("{what}: {}.", listed(&errors, "; ")));
    }
    if let Some(next) = next {
        let without = next.pointer("/plan/disabledSkills").and_then(Value::as_array);
        let without = without.into_iter().flatten().filter_map(Value::as_str);
        let without: Vec<&str> = without.collect();
        let without = match without.is_empty() {
            true => String::new(),
            false => format!(", without {}", some_names(&without)),
        };
        sentences.push(format!("So another plan followed{without}."));
    }
    sentences
}

/// The steps that ran, and those that did not.
fn ran(plan: &Value) -> Option<String> {
    let of_state = |wanted: &'static str| {
        list(plan, "steps").filter(move |step| text(step, "state") == wanted)
    };
    let path = |step: &Value| format!("`{}`", quoted(text(step, "toolPath")));
    let ran: Vec<String> = of_state("success").map(path).collect();
    let denied: Vec<String> =
        of_state("skipped").filter(|step| text(step, "reason") == "denied").map(path).collect();
    let needless = of_state("skipped").filter(|step| text(step, "reason") == "condition_false");
    let needless = needless.count() as u64;
    if ran.is_empty() && denied.is_empty() {
        return None;
    }
    let mut told = match ran.is_empty() {
        true => "Nothing ran".to_owned(),
        false => format!("Ran: {}", listed(&ran, ", ")),
    };
    if needless > 0 {
        told += &format!("; {} not needed", counted(needless, "step was", "steps were"));
    }
    if !denied.is_empty() {
        told += &format!("; not allowed: {}", listed(&denied, ", "));
    }
    Some(told + ".")
}

/// The dice of the steps.
fn rolls(plan: &Value) -> Vec<String> {
    let roll = |step: &Value| {
        let output = step.get("output")?;
        let formula = output.get("formula")?.as_str()?;
        let total = output.get("total")?.as_i64()?;
        Some(format!("The dice: {} gave {total}.", quoted(formula)))
    };
    list(plan, "steps").filter_map(roll).take(LISTED_MAX).collect()
}

/// The parts of the story that the planner read.
fn read(plan: &Value) -> Option<String> {
    let seen = plan.get("seen").filter(|seen| seen.is_object())?;
    let mut parts = Vec::new();
    let turns: Vec<String> = list(seen, "recentTurns").map(ToString::to_string).collect();
    match turns.len() {
        0 => {}
        1 => parts.push(format!("turn {}", turns[0])),
        _ => parts.push(format!("the turns {}", turns.join(", "))),
    }
    let informed = plan.pointer("/plan/metadata/informedByMemories").and_then(Value::as_array);
    let informed = informed.into_iter().flatten().filter_map(Value::as_str);
    let informed: Vec<String> = informed.map(|memory| format!("“{}”", quoted(memory))).collect();
    let memories = list(seen, "memories").count() as u64;
    match (informed.is_empty(), memories) {
        (true, 0) => {}
        (true, memories) => parts.push(counted(memories, "memory", "memories")),
        (false, _) => {
            let what = if informed.len() == 1 { "the memory" } else { "the memories" };
            parts.push(format!("{what} {}", listed(&informed, ", ")));
        }
    }
    let notes = list(seen, "notes")
        .map(|note| format!("{} ({})", quoted(text(note, "name")), quoted(text(note, "why"))));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        parts.push(format!("of the campaign: {}", listed(&notes, ", ")));
    }
    let cut: Vec<String> = list(seen, "cut").filter_map(Value::as_str).map(quoted).collect();
    let mut told = match parts.is_empty() {
        true => "Nothing but the sentence was read for it".to_owned(),
        false => format!("Read for it: {}", parts.join("; ")),
    };
    if !cut.is_empty() {
        told += &format!("; left out for space: {}", listed(&cut, ", "));
    }
    Some(told + ".")
}

fn changed(document: &Value) -> Option<String> {
    let state = document.get("state").unwrap_or(&Value::Null);
    let left_off = state.get("changesLeftOff").and_then(Value::as_u64).unwrap_or_default();
    let places = list(state, "changes").count() as u64 + left_off;
    let values = list(document, "stores").count() as u64;
    let files: Vec<String> =
        list(document, "assets").map(|file| format!("`{}`", quoted(text(file, "path")))).collect();
    let mut parts = Vec::new();
    if places > 0 {
        parts.push(counted(places, "place of the state", "places of the state"));
    }
    if values > 0 {
        parts.push(counted(values, "value that a skill keeps", "values that skills keep"));
    }
    let made = (!files.is_empty()).then(|| format!("made {}", listed(&files, ", ")));
    let changed = (!parts.is_empty()).then(|| format!("changed {}", parts.join(" and ")));
    let did: Vec<String> = changed.into_iter().chain(made).collect();
    (!did.is_empty()).then(|| format!("The turn {}.", did.join(" and ")))
}

/// The time of all steps.
fn took(plans: &[&Value]) -> Option<String> {
    let times = plans.iter().flat_map(|plan| list(plan, "steps"));
    let times = times.filter_map(|step| step.get("executionTimeMs")?.as_u64());
    let times: Vec<u64> = times.collect();
    let sum = times.iter().fold(0_u64, |sum, time| sum.saturating_add(*time));
    let time = match sum {
        0..1_000 => format!("{sum} ms"),
        sum => format!("{}.{} s", sum / 1_000, sum % 1_000 / 100),
    };
    (!times.is_empty()).then(|| format!("The steps took {time} together."))
}

fn outcome(outcome: &str, plans: usize) -> Option<String> {
    let told = match outcome {
        "fallback" => "No plan succeeded, so that the turn was told without one.",
        "cancelled" => "The turn was stopped.",
        "ticked" => "The story told this scene by itself.",
        "edited" => "Nothing was played: a memory was changed.",
        _ if plans == 0 => "The turn had no plan.",
        _ => return None,
    };
    Some(told.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::explanation;

    /// A turn whose first plan fails.
    fn replanned() -> Value {
        json!({
            "story": "ferry", "turn": 3, "id": 3, "prompt": "take the lantern and ask Greta about it",
            "outcome": "told", "seed": "7", "finishedAt": "2026-11-23T02:00:00Z",
            "plans": [
                {"ordinal": 3, "id": "p3", "attempt": 1, "planner": "llama", "status": "replanning", "seen": null,
                    "plan": {"tools": []}, "errors": ["step `act` failed"],
                    "steps": [{"toolId": "act", "toolPath": "tide-clock/act", "state": "failed", "retryCount": 2,
                        "error": {"code": "X", "message": "it failed on purpose"}, "executionTimeMs": 1200}]},
                {"ordinal": 4, "id": "p4", "attempt": 2, "planner": "llama", "status": "complete",
                    "seen": {"recentTurns": [1, 2], "memories": ["m-1"], "cut": ["1 memories had no room"],
                        "notes": [{"name": "The flood", "why": "the sentence says `flood`"}]},
                    "plan": {"disabledSkills": ["tide-clock"],
                        "metadata": {"informedByMemories": ["Greta has the only key."],
                            "considered": [
                                {"tool": "smith/repair", "probability": 0.81, "by": "model", "chosen": true},
                                {"tool": "diary/write", "probability": 0.07, "by": "vectors", "chosen": false}],
                            "unfit": [{"tool": "smith/order", "why": "/days: 9 is too much"}]},
                        "tools": [
                            {"toolPath": "world/understand", "reason": "takes what no other skill was asked for"},
                            {"toolPath": "world/act", "reason": "follows from the step before"},
                            {"toolPath": "smith/repair", "reason": "the player's words mean what it does"},
                            {"toolPath": "storyteller/narrate"}]},
                    "errors": [],
                    "steps": [
                        {"toolPath": "world/understand", "state": "success", "executionTimeMs": 12, "output": {"actions": [
                            {"action": "take", "target": "storm lantern"},
                            {"action": "ask", "target": "Greta Holm", "topic": "lantern"}]}},
                        {"toolPath": "dice-roller/roll-dice", "state": "success", "executionTimeMs": 1, "retryCount": 1,
                            "output": {"formula": "1d20", "dice": [7], "total": 7}},
                        {"toolPath": "world/act", "state": "success", "executionTimeMs": 9},
                        {"toolPath": "world/change", "state": "skipped", "reason": "condition_false", "executionTimeMs": 0},
                        {"toolPath": "smith/repair", "state": "skipped", "reason": "denied", "executionTimeMs": 0},
                        {"toolPath": "storyteller/narrate", "state": "success", "executionTimeMs": 30}]},
            ],
            "state": {"changes": [{"pointer": "/world/at"}], "changesLeftOff": 2},
            "stores": [{"skill": "lamp", "key": "k", "before": null, "after": "1"}],
            "assets": [{"kind": "image", "path": "assets/0a.png"}],
        })
    }

    #[test]
    fn a_turn_is_explained_in_sentences() {
        insta::assert_snapshot!(explanation(&replanned()), @"
        turn 3 “take the lantern and ask Greta about it”
        Understood: take storm lantern; ask Greta Holm about lantern.
        The plan was made by rules and a language model.
        Chosen: `world/understand` (takes what no other skill was asked for), `smith/repair` (very likely meant, judged by its texts and a language model).
        Not chosen: `diary/write` (hardly meant, judged by its texts), `smith/order` (its trigger gives it a wrong input: /days: 9 is too much).
        `tide-clock/act` failed, after 2 more tries: it failed on purpose.
        So another plan followed, without `tide-clock`.
        `dice-roller/roll-dice` worked, after 1 more try.
        Ran: `world/understand`, `dice-roller/roll-dice`, `world/act`, `storyteller/narrate`; 1 step was not needed; not allowed: `smith/repair`.
        The dice: 1d20 gave 7.
        Read for it: the turns 1, 2; the memory “Greta has the only key”; of the campaign: The flood (the sentence says `flood`); left out for space: 1 memories had no room.
        The turn changed 3 places of the state and 1 value that a skill keeps and made `assets/0a.png`.
        The steps took 1.2 s together.
        ");
    }

    #[test]
    fn each_form_explains_the_example_of_the_contract() {
        let text = include_str!("../../../contracts/examples/story-why/good/a-roll.json");
        let document: Value = serde_json::from_str(text).unwrap();
        insta::assert_snapshot!(explanation(&document), @"
        turn 3 “I roll 2d6”
        The plan was made by rules and a language model.
        Ran: `dice-roller/roll-dice`.
        Read for it: turn 2; of the campaign: The flood (the sentence says `flood`); left out for space: 1 of 2 recent turns.
        The turn changed 1 place of the state and 1 value that a skill keeps and made `assets/0a.png`.
        The steps took 3 ms together.
        ");
        insta::assert_snapshot!(super::super::trace::trace(&document), @r#"
        turn 3 “I roll 2d6”
        plan 3 by llama, attempt 1: complete
          read: the sentence, turns 2, no memories
          read of the campaign: The flood (the sentence says `flood`)
          left out for space: 1 of 2 recent turns
          roll-dice  dice-roller/roll-dice  success, 3 ms
        changes
          /dice/last: 4 -> 7
          the store of `lamp`, `k`: nothing -> "1"
          image assets/0a.png
        "#);
    }

    #[test]
    fn a_sentence_that_is_not_understood_and_a_turn_without_a_plan_are_explained() {
        let of = |output: Value, outcome: &str| {
            let step =
                json!({"toolPath": "world/understand", "state": "success", "output": output});
            let plan = json!({"planner": "lexical", "plan": {}, "steps": [step], "errors": []});
            explanation(&json!({"turn": 1, "prompt": "x", "outcome": outcome, "plans": [plan]}))
        };
        insta::assert_snapshot!(of(json!({"actions": [], "unknown": {"nearest": ["take the rope"]}}), "told"), @"
        turn 1 “x”
        The sentence was not understood; near to it are: take the rope.
        The plan was made by rules, without a language model.
        Ran: `world/understand`.
        ");
        insta::assert_snapshot!(of(json!({"actions": [], "question": "Which door?"}), "fallback"), @"
        turn 1 “x”
        The sentence could mean several things: Which door?
        The plan was made by rules, without a language model.
        Ran: `world/understand`.
        No plan succeeded, so that the turn was told without one.
        ");
        insta::assert_snapshot!(explanation(&json!({"turn": 2, "prompt": "", "outcome": "edited", "plans": []})), @"
        turn 2 “”
        Nothing was played: a memory was changed.
        ");
        insta::assert_snapshot!(explanation(&json!(null)), @"
        turn 0 “”
        The turn had no plan.
        ");
    }
}
