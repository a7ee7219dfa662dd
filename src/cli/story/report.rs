//! Reports on the turns of a story, as documents for programs and as text for people. Changes nothing.

use narratoria_engine::TurnError;
use narratoria_protocol::{
    EntityKind, JsonBounds, MEMORY_LIMIT_MAX, Memory, MemoryQuery, Stored, read_json,
    visible::{visible, visible_word},
};
use narratoria_story::{
    AssetRow, PlanRow, RememberedText, StateDiff, StoreChange, Story, TurnComparison, TurnId,
    TurnNode, TurnReport,
};
use serde_json::{Value, json};

use super::{
    explanation::explanation,
    trace::{asset_text, assets_text, changes_text, plan_text, trace, turn_heading},
};

/// Most memories in a list, the newest ones.
const MEMORIES_MAX: usize = 200;

/// Bounds of a remembered text with its tags: no value of a store is longer.
const REMEMBERED: JsonBounds = JsonBounds::of_bytes(64 << 10);

/// A document with its text.
pub(crate) struct StoryView {
    pub(crate) document: Value,
    pub(crate) text: String,
}

/// How much an explanation of a turn says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WhyDetail {
    /// A few sentences for a reader, with the command that shows the rest.
    Brief(String),
    /// The trace: everything that the story keeps of the turn.
    Full,
}

/// Explains a turn: its planner, the parts of the story that the planner read, the steps, and the changes. The document
/// is the same for both details.
pub(crate) fn why(story: &Story, turn: TurnId, detail: &WhyDetail) -> Result<StoryView, TurnError> {
    let report = story.turn_report(turn)?;
    let plans: Vec<Value> = report.plans.iter().map(plan_document).collect();
    let mut document = turn_document(story, &report.node);
    document["plans"] = plans.into();
    document["state"] = state_document(&report.state);
    document["stores"] = stores_document(&report.stores);
    document["assets"] = report.assets.iter().map(asset_document).collect();
    let text = match detail {
        WhyDetail::Brief(more) => {
            format!("{}`{}` shows every step.\n", explanation(&document), visible_word(more))
        }
        WhyDetail::Full => trace(&document),
    };
    Ok(StoryView { document, text })
}

/// A turn as the player read it, with the choices that it offered.
pub(crate) fn show(story: &Story, turn: TurnId) -> Result<StoryView, TurnError> {
    let report = story.turn_report(turn)?;
    let mut document = turn_document(story, &report.node);
    document["narration"] = report.narration.as_str().into();
    document["choices"] = report.choices.clone().into();
    document["assets"] = report.assets.iter().map(asset_document).collect();
    let TurnReport { node, narration, choices, .. } = report;
    let mut text = format!("{}{}\n", heading(&node), visible(narration.trim_end()));
    for (nth, choice) in choices.iter().enumerate() {
        let label = choice.get("label").and_then(Value::as_str).unwrap_or_default();
        text += &format!("  {}. {}\n", nth + 1, visible_word(label));
    }
    text += &assets_text(&document["assets"]);
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
    text += &changes_text(&document["state"], &document["stores"]);
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
            text += &format!("turn {}:{}", node.number, asset_text(&row));
            row["turn"] = node.number.into();
            rows.push(row);
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
    let document = plan_document(last);
    let text = format!("{}{:#}\n", plan_text(&document), last.1.plan);
    Ok(Some(StoryView { document, text: visible(&text).into_owned() }))
}

/// Returns the state, or the part of it that a JSON pointer names; `None` if there is no such part.
pub(crate) fn state(story: &Story, pointer: &str) -> Option<StoryView> {
    let whole = Value::Object(story.state().as_object().clone());
    let value = whole.pointer(pointer)?.clone();
    let text = format!("{}\n", visible(&format!("{value:#}")));
    Some(StoryView { document: json!({"pointer": pointer, "value": value}), text })
}

fn heading(node: &TurnNode) -> String {
    turn_heading(node.number, &node.prompt)
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

fn asset_document(asset: &AssetRow) -> Value {
    json!({
        "toolId": asset.tool_id,
        "assetId": asset.asset_id,
        "kind": asset.kind,
        "mediaType": asset.media_type,
        "path": asset.path,
    })
}

/// Returns the words of a remembered text, the skill that remembered it, and its tags.
fn remembered_parts(remembered: &RememberedText) -> (String, Option<String>, Value) {
    let entry: Value = read_json(remembered.value.as_bytes(), REMEMBERED).unwrap_or_default();
    let words = entry.get("text").and_then(Value::as_str).map(str::to_owned);
    let tags = entry.get("tags").cloned().unwrap_or_else(|| json!([]));
    let skill = narratoria_story::remembered_by(&remembered.value);
    (words.unwrap_or_else(|| remembered.value.clone()), skill, tags)
}
