//! The turns and the branches of a story as documents for programs.

use narratoria_engine::TurnError;
use narratoria_story::{Branch, Story, TurnId, TurnNode};
use serde_json::{Value, json};

/// `contracts/story-log.schema.json`: turns in the given order, each with the branches that name it.
pub(crate) fn log_document(story: &Story, turns: &[TurnNode]) -> Result<Value, TurnError> {
    let branches = story.branches()?;
    let document = |turn: &TurnNode| {
        json!({
            "id": turn.id.get(),
            "parent": turn.parent.map(TurnId::get),
            "turn": turn.number,
            "take": turn.take + 1,
            "prompt": turn.prompt,
            "outcome": turn.outcome.as_str(),
            "finishedAt": turn.finished_at.to_string(),
            "branches": names_of(turn, &branches),
        })
    };
    let turns: Vec<Value> = turns.iter().map(document).collect();
    Ok(json!({"story": story.name().as_str(), "turns": turns}))
}

/// `contracts/story-branches.schema.json`: the branches by name.
pub(crate) fn branches_document(story: &Story, branches: &[Branch]) -> Value {
    let document = |branch: &Branch| {
        json!({
            "name": branch.name.as_str(),
            "turns": branch.turns,
            "redoable": branch.redoable,
            "current": branch.is_current,
        })
    };
    let branches: Vec<Value> = branches.iter().map(document).collect();
    json!({"story": story.name().as_str(), "branches": branches})
}

/// Returns the names of the branches at this turn.
pub(super) fn names_of(turn: &TurnNode, branches: &[Branch]) -> Vec<String> {
    let here = branches.iter().filter(|branch| branch.turn == Some(turn.id));
    here.map(|branch| branch.name.to_string()).collect()
}
