//! What a page reads of a story beside a running turn: the turns as they were told, and the documents of `narratoria
//! story`.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;
use narratoria_serve::{WantedDocument, limits::DOCUMENT_TURNS_MAX};
use narratoria_story::{Story, TurnSummary};
use serde_json::{Value, json};

use crate::story::{
    read::turn_or_last,
    report::{self, WhyDetail},
    tree::{branches_document, log_document},
    whereabouts::{self, CHOICES_OF_TURNS_MAX, last_offered},
};

/// Turns of a snapshot, and of an answer that asks for no number.
const TOLD: usize = 30;
// One reading gives both the turns and the choices.
const _: () = assert!(TOLD <= CHOICES_OF_TURNS_MAX);

/// The story as it is now: its last turns, and what may be chosen.
pub(super) fn snapshot(story: &Story) -> Result<Value, TurnError> {
    let heading = story.campaign_heading()?;
    let turns = story.recent_turns(CHOICES_OF_TURNS_MAX)?;
    let shown = &turns[turns.len().saturating_sub(TOLD)..];
    let mut document = told(shown, story.turns());
    document["story"] = story.name().as_str().into();
    if let Some(heading) = heading {
        document["title"] = heading.title.into();
    }
    document["turns"] = story.turns().into();
    document["branch"] = story.branch().as_str().into();
    document["redoable"] = story.redoable()?.into();
    document["choices"] = last_offered(&turns).into();
    if let Some(ending) = whereabouts::ending(story) {
        document["ended"] = ending.into();
        document["choices"] = Value::Array(Vec::new());
    }
    Ok(document)
}

/// A document about the story, in the words of `narratoria story`.
pub(super) fn document(story: &Story, wanted: &WantedDocument) -> Result<Value, TurnError> {
    let turn = || turn_or_last(story, wanted.turn.as_deref());
    let count = wanted.count.unwrap_or(TOLD as u64).min(DOCUMENT_TURNS_MAX);
    let count = usize::try_from(count).unwrap_or(TOLD);
    let none = |error: &str| TurnError::new(TurnErrorKind::NotFound, error.to_owned());
    let view = match wanted.about.as_str() {
        "told" => return told_before(story, wanted.before, count),
        "log" => return log_document(story, &story.all_turns(count)?),
        "branches" => return Ok(branches_document(story, &story.branches()?)),
        "why" => report::why(story, turn()?, &WhyDetail::Full)?,
        "show" => report::show(story, turn()?)?,
        "plan" => report::plan(story, turn()?)?.ok_or_else(|| none("the turn has no plan"))?,
        "assets" => report::assets(story, count)?,
        "memory" => report::memory(story)?,
        "recap" => whereabouts::recap(story)?,
        "map" => whereabouts::map(story)?
            .ok_or_else(|| none("the story has no world, so there is no map"))?,
        "state" => report::state(story, wanted.pointer.as_deref().unwrap_or_default())
            .ok_or_else(|| none("the state has no such part"))?,
        other => {
            let error = format!("there is no document `{}`", visible_word(other));
            let hint = "log, told, branches, why, plan, show, assets, memory, state, recap, map";
            return Err(TurnError::new(TurnErrorKind::NotFound, error).hint(hint));
        }
    };
    Ok(view.document)
}

/// The turns before the turn with this number, oldest first.
fn told_before(story: &Story, before: Option<u64>, count: usize) -> Result<Value, TurnError> {
    let last = match before {
        Some(before) => before.saturating_sub(1).min(story.turns()),
        None => story.turns(),
    };
    let tip = match last {
        0 => None,
        last => story.turn_numbered(last)?.map(|turn| turn.id),
    };
    Ok(told(&story.turns_up_to(tip, count)?, last))
}

/// These turns, of which the last one has the number `last`, as they were read, oldest first.
fn told(turns: &[TurnSummary], last: u64) -> Value {
    let before = last - turns.len() as u64;
    let turn = |(nth, turn): (u64, &TurnSummary)| {
        json!({
            "turn": before + nth,
            "id": turn.id.get(),
            "prompt": turn.prompt,
            "narration": turn.narration,
            "outcome": turn.outcome.as_str(),
        })
    };
    let told: Vec<Value> = (1..).zip(turns).map(turn).collect();
    json!({"told": told, "toldBefore": before})
}
