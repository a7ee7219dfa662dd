//! Reports on the turns of a story, as documents for programs and as text for people. Changes nothing.

use narratoria_engine::TurnError;
use narratoria_protocol::{
    EntityKind, JsonBounds, MEMORY_LIMIT_MAX, Memory, MemoryQuery, Stored, read_json,
    visible::{clip, visible, visible_word},
};
use narratoria_story::{
    AssetRow, PlanRow, RememberedText, StateDiff, StoreChange, Story, TurnComparison, TurnId,
    TurnNode, TurnReport,
};
use narratoria_ui::{SkillLogLine, skill_log};
use serde_json::{Value, json};

/// Longest value of a state or a store in a text for people, in characters.
const VALUE_CHARS_MAX: usize = 60;

/// Most storylets that did not fire in a text for people, the nearest first.
const UNFIRED_SHOWN_MAX: usize = 5;

/// Most lines of the log of a step that an explanation shows.
const LOGS_SHOWN_MAX: usize = 5;

/// Longest of them, in characters.
const LOG_CHARS_MAX: usize = 200;

/// Longest reason why a storylet did not fire, in characters.
const UNFIRED_CHARS_MAX: usize = 120;

/// Longest sentence of a player in a heading, in characters.
const PROMPT_CHARS_MAX: usize = 70;

/// Most memories in a list, the newest ones.
const MEMORIES_MAX: usize = 200;

/// Bounds of a remembered text with its tags: no value of a store is longer.
const REMEMBERED: JsonBounds = JsonBounds::of_bytes(64 << 10);

/// A document with its text.
pub(crate) struct StoryView {
    pub(crate) document: Value,
    pub(crate) text: String,
}

/// Explains a turn: its planner, the parts of the story that the planner read, the steps, and the changes.
pub(crate) fn why(story: &Story, turn: TurnId) -> Result<StoryView, TurnError> {
    let report = story.turn_report(turn)?;
    let plans: Vec<Value> = report.plans.iter().map(plan_document).collect();
    let mut document = turn_document(story, &report.node);
    document["plans"] = plans.into();
    document["state"] = state_document(&report.state);
    document["stores"] = stores_document(&report.stores);
    document["assets"] = report.assets.iter().map(asset_document).collect();
    let mut text = heading(&report.node);
    report.plans.iter().for_each(|plan| text += &plan_text(plan));
    text += &changes_text(&report.state, &report.stores);
    report.assets.iter().for_each(|asset| text += &asset_text(asset));
    Ok(StoryView { document, text })
}

/// A turn as the player read it, with the choices that it offered.
pub(crate) fn show(story: &Story, turn: TurnId) -> Result<StoryView, TurnError> {
    let report = story.turn_report(turn)?;
    let mut document = turn_document(story, &report.node);
    document["narration"] = report.narration.as_str().into();
    document["choices"] = report.choices.clone().into();
    document["assets"] = report.assets.iter().map(asset_document).collect();
    let TurnReport { node, narration, choices, assets, .. } = report;
    let mut text = format!("{}{}\n", heading(&node), visible(narration.trim_end()));
    for (nth, choice) in choices.iter().enumerate() {
        let label = choice.get("label").and_then(Value::as_str).unwrap_or_default();
        text += &format!("  {}. {}\n", nth + 1, visible_word(label));
    }
    assets.iter().for_each(|asset| text += &asset_text(asset));
    Ok(StoryView { document, text })
}

/// Reports the differences between the story after two turns; `None` is the beginning.
pub(crate) fn diff(
    story: &Story,
    from: Option<TurnId>,
    to: Option<TurnId>,
) -> Result<StoryView, TurnError> {
    let TurnComparison { state, stores, left, entered, left_count, entered_count } =
        story.compare(from, to)?;
    let texts = |side: &[(TurnNode, String)]| -> Vec<Value> {
        let text = |(node, narration): &(TurnNode, String)| {
            let mut document = turn_document(story, node);
            document["narration"] = narration.as_str().into();
            document
        };
        side.iter().map(text).collect()
    };
    let document = json!({
        "story": story.name().as_str(),
        "left": texts(&left),
        "leftCount": left_count,
        "entered": texts(&entered),
        "enteredCount": entered_count,
        "state": state_document(&state),
        "stores": stores_document(&stores),
    });
    let mut text = String::new();
    let sides = [("-", &left, left_count), ("+", &entered, entered_count)];
    for (sign, side, count) in sides {
        if side.len() < count {
            text += &format!("{sign} … {} turns before these\n", count - side.len());
        }
        for (node, narration) in side {
            text += &format!("{sign} {}", heading(node));
            for line in visible(narration.trim_end()).lines() {
                text += &format!("{sign}   {line}\n");
            }
        }
    }
    text += &changes_text(&state, &stores);
    if text.is_empty() {
        text += "nothing differs\n";
    }
    Ok(StoryView { document, text })
}

/// The memories that have words of a query, best first, each with the turn that it comes from.
pub(crate) fn found_memories(story: &Story, words: &str) -> Result<StoryView, TurnError> {
    let query = MemoryQuery {
        words: words.to_owned(),
        superseded: true,
        limit: MEMORY_LIMIT_MAX,
        ..MemoryQuery::default()
    };
    let hits = story.search_memories(&query)?;
    let mut text = String::new();
    for hit in &hits {
        let old = if hit.memory.superseded_by.is_some() { ", replaced" } else { "" };
        let summary = visible_word(&hit.memory.summary).into_owned();
        text += &format!("{} turn {}{old}: {summary}\n", hit.id, hit.memory.turn);
    }
    if text.is_empty() {
        text += "no memory has these words\n";
    }
    Ok(StoryView { document: json!({ "story": story.name().as_str(), "found": hits }), text })
}

/// Everything that the story remembers, oldest first, each with the turn that it comes from.
pub(crate) fn memory(story: &Story) -> Result<StoryView, TurnError> {
    let memories: Vec<Stored<Memory>> = story.last_entities(MEMORIES_MAX)?;
    let all = story.entity_count(EntityKind::Memory)?;
    let texts = story.remembered_texts()?;
    let of_story = |memory: &Stored<Memory>| {
        json!({
            "id": memory.id,
            "text": memory.value.summary,
            "turn": memory.value.turn,
            "tags": memory.value.tags,
            "pinned": memory.value.pinned,
        })
    };
    let of_skill = |remembered: &RememberedText| {
        let (text, skill, tags) = remembered_parts(remembered);
        json!({"key": remembered.key, "text": text, "turn": remembered.turn, "tags": tags, "skill": skill})
    };
    let document = json!({
        "story": story.name().as_str(),
        "memories": memories.iter().map(of_story).collect::<Vec<Value>>(),
        "memoriesLeftOff": all.saturating_sub(memories.len()),
        "texts": texts.iter().map(of_skill).collect::<Vec<Value>>(),
    });
    let mut text = String::new();
    for memory in &memories {
        let pin = if memory.value.pinned { ", pinned" } else { "" };
        let summary = visible_word(&memory.value.summary).into_owned();
        text += &format!("{} turn {}{pin}: {summary}\n", memory.id, memory.value.turn);
    }
    for remembered in &texts {
        let (words, skill, _) = remembered_parts(remembered);
        let turn = remembered.turn.map_or("?".to_owned(), |turn| turn.to_string());
        let by = skill.map(|skill| format!(" (`{}`)", visible_word(&skill))).unwrap_or_default();
        text += &format!("turn {turn}{by}: {}\n", visible_word(&words));
    }
    if text.is_empty() {
        text += "The story remembers nothing yet.\n";
    }
    Ok(StoryView { document, text })
}

/// The files of the turns up to the head, at most those of the last `turns` turns.
pub(crate) fn assets(story: &Story, turns: usize) -> Result<StoryView, TurnError> {
    let (mut rows, mut text) = (Vec::new(), String::new());
    for node in story.log(story.head(), turns)?.iter().rev() {
        for asset in story.assets_of_turn(node.id)? {
            let mut row = asset_document(&asset);
            row["turn"] = node.number.into();
            rows.push(row);
            text += &format!("turn {}:{}", node.number, asset_text(&asset));
        }
    }
    if text.is_empty() {
        text += "No turn has made a file.\n";
    }
    let document = json!({"story": story.name().as_str(), "assets": rows});
    Ok(StoryView { document, text })
}

/// The last plan of a turn, with its number in the story.
pub(crate) fn plan(story: &Story, turn: TurnId) -> Result<Option<StoryView>, TurnError> {
    let report = story.turn_report(turn)?;
    let Some(last) = report.plans.last() else { return Ok(None) };
    let text = format!("{}{:#}\n", plan_text(last), last.1.plan);
    Ok(Some(StoryView { document: plan_document(last), text: visible(&text).into_owned() }))
}

/// Returns the state, or the part of it that a JSON pointer names; `None` if there is no such part.
pub(crate) fn state(story: &Story, pointer: &str) -> Option<StoryView> {
    let whole = Value::Object(story.state().as_object().clone());
    let value = whole.pointer(pointer)?.clone();
    let text = format!("{}\n", visible(&format!("{value:#}")));
    Some(StoryView { document: json!({"pointer": pointer, "value": value}), text })
}

fn heading(node: &TurnNode) -> String {
    let prompt = visible_word(&clip(&node.prompt, PROMPT_CHARS_MAX)).into_owned();
    format!("turn {} “{prompt}”\n", node.number)
}

fn turn_document(story: &Story, node: &TurnNode) -> Value {
    json!({
        "story": story.name().as_str(),
        "turn": node.number,
        "id": node.id.get(),
        "prompt": node.prompt,
        "outcome": node.outcome.as_str(),
        "seed": node.seed.map(|seed| seed.to_string()),
        "finishedAt": node.finished_at.to_string(),
    })
}

fn steps(row: &PlanRow) -> &[Value] {
    let steps = row.result.as_ref().and_then(|result| result.get("toolResults")?.as_array());
    steps.map_or(&[], Vec::as_slice)
}

fn plan_document((ordinal, row): &(u64, PlanRow)) -> Value {
    json!({
        "ordinal": ordinal,
        "id": row.id,
        "attempt": row.attempt,
        "planner": row.planner,
        "status": row.status.as_str(),
        "seen": row.seen,
        "plan": row.plan,
        "steps": steps(row),
        "errors": row.errors,
    })
}

fn plan_text((ordinal, row): &(u64, PlanRow)) -> String {
    let planner = visible_word(&row.planner).into_owned();
    let (attempt, status) = (row.attempt, row.status.as_str());
    let mut text = format!("plan {ordinal} by {planner}, attempt {attempt}: {status}\n");
    if let Some(seen) = &row.seen {
        let list = |field: &str| -> Vec<String> {
            let items = seen.get(field).and_then(Value::as_array).into_iter().flatten();
            items.map(|item| item.as_str().map_or(item.to_string(), str::to_owned)).collect()
        };
        let (turns, memories) = (list("recentTurns"), list("memories"));
        let turns = match turns.is_empty() {
            true => "no earlier turns".to_owned(),
            false => format!("turns {}", turns.join(", ")),
        };
        let memories = match memories.len() {
            0 => "no memories".to_owned(),
            _ => format!("the memories {}", memories.join(", ")),
        };
        text +=
            &format!("  read: the sentence, {}\n", visible_word(&format!("{turns}, {memories}")));
        let notes = seen.get("notes").and_then(Value::as_array).into_iter().flatten();
        for note in notes {
            let word = |field: &str| {
                visible_word(note.get(field).and_then(Value::as_str).unwrap_or("?")).into_owned()
            };
            text += &format!("  read of the campaign: {} ({})\n", word("name"), word("why"));
        }
        for cut in list("cut") {
            text += &format!("  left out for space: {}\n", visible_word(&cut));
        }
    }
    for step in steps(row) {
        let word = |field: &str| {
            let word = step.get(field).and_then(Value::as_str).unwrap_or("?");
            visible_word(word).into_owned()
        };
        let took = step.get("executionTimeMs").and_then(Value::as_u64);
        let took = took.map(|ms| format!(", {ms} ms")).unwrap_or_default();
        let (id, path, state) = (word("toolId"), word("toolPath"), word("state"));
        text += &format!("  {id}  {path}  {state}{took}\n");
        for field in ["output", "error"] {
            if let Some(value) = step.get(field).filter(|value| !value.is_null()) {
                text += &format!("    {}\n", value_text(Some(value)));
            }
        }
        text += &log_text(step, *ordinal);
        text += &unfired_text(step);
    }
    text += &considered_text(&row.plan);
    text += &unfit_text(&row.plan);
    for error in &row.errors {
        text += &format!("  {}\n", visible_word(error));
    }
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

fn state_document(diff: &StateDiff) -> Value {
    let change = |change: &narratoria_story::StateChange| {
        let mut row = json!({"pointer": change.pointer});
        let sides = [("before", &change.before), ("after", &change.after)];
        for (side, value) in sides {
            if let Some(value) = value {
                row[side] = value.clone();
            }
        }
        row
    };
    let changes: Vec<Value> = diff.changes.iter().map(change).collect();
    json!({"changes": changes, "changesLeftOff": diff.left_off})
}

fn stores_document(changes: &[StoreChange]) -> Value {
    let change = |it: &StoreChange| json!({"skill": it.skill, "key": it.key, "before": it.before, "after": it.after});
    changes.iter().map(change).collect()
}

fn changes_text(state: &StateDiff, stores: &[StoreChange]) -> String {
    let mut text = String::new();
    for change in &state.changes {
        let (before, after) =
            (value_text(change.before.as_ref()), value_text(change.after.as_ref()));
        text += &format!("  {}: {before} -> {after}\n", visible_word(&change.pointer));
    }
    if state.left_off > 0 {
        text += &format!("  … {} more places of the state\n", state.left_off);
    }
    let value = |value: &Option<String>| value_text(value.clone().map(Value::from).as_ref());
    for change in stores {
        let (skill, key) = (visible_word(&change.skill), visible_word(&change.key));
        let (before, after) = (value(&change.before), value(&change.after));
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

fn asset_document(asset: &AssetRow) -> Value {
    json!({
        "toolId": asset.tool_id,
        "assetId": asset.asset_id,
        "kind": asset.kind,
        "mediaType": asset.media_type,
        "path": asset.path,
    })
}

fn asset_text(asset: &AssetRow) -> String {
    format!("  {} {}\n", visible_word(&asset.kind), visible_word(&asset.path))
}

/// Returns the words of a remembered text, the skill that remembered it, and its tags.
fn remembered_parts(remembered: &RememberedText) -> (String, Option<String>, Value) {
    let entry: Value = read_json(remembered.value.as_bytes(), REMEMBERED).unwrap_or_default();
    let words = entry.get("text").and_then(Value::as_str).map(str::to_owned);
    let tags = entry.get("tags").cloned().unwrap_or_else(|| json!([]));
    let skill = narratoria_story::remembered_by(&remembered.value);
    (words.unwrap_or_else(|| remembered.value.clone()), skill, tags)
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
