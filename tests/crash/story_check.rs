//! The content of a story after a kill and after the end, without times and ids, which differ each time.

use std::{collections::BTreeMap, path::Path};

use narratoria_story::{Story, StoryError, StoryName, TurnOutcome};
use serde_json::{Value, json};

/// Fields of records and results that differ each time: times, durations and UUIDs; and `kept`, which depends
/// on the kill.
const VARIABLE_FIELDS: &[&str] = &[
    "id",
    "planId",
    "requestId",
    "parentPlanId",
    "previousPlanId",
    "createdAt",
    "updatedAt",
    "startedAt",
    "completedAt",
    "timestamp",
    "executionTimeMs",
    "kept",
];

/// How far a story has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CrashProgress {
    /// There is neither a turn nor a journal.
    Nothing,
    /// A plan is in the journal.
    Unfinished { version: u32, finished: Vec<String> },
    /// The turn is committed.
    Committed,
}

pub(crate) fn open(stories: &Path, name: &str) -> Option<Story> {
    match Story::open_existing(stories, &StoryName::parse(name).unwrap()) {
        Ok(story) => Some(story),
        Err(StoryError::UnknownStory { .. }) => None,
        Err(error) => panic!("the story `{name}` cannot be opened: {error}"),
    }
}

/// Reads a story that no process has open. Checks that nothing counts before the commit.
pub(crate) fn progress(stories: &Path, name: &str) -> CrashProgress {
    let Some(story) = open(stories, name) else { return CrashProgress::Nothing };
    let journal = story.journal().unwrap();
    if story.turns() > 0 {
        assert_eq!((story.turns(), journal), (1, None), "a committed turn has no journal");
        return CrashProgress::Committed;
    }
    assert!(story.state().as_object().is_empty(), "a turn that is not over changes no state");
    assert!(story.stores().unwrap().is_empty(), "a turn that is not over changes no store");
    let Some(journal) = journal else { return CrashProgress::Nothing };
    assert!(!journal.is_stale);
    let finished = journal.content.steps.into_iter().map(|step| step.tool_id).collect();
    let version = journal.content.plan.record.map_or(0, |record| record.version);
    CrashProgress::Unfinished { version, finished }
}

/// Everything in a story, as one text.
pub(crate) fn outcome(stories: &Path, name: &str) -> String {
    let story = open(stories, name).unwrap();
    assert_eq!(story.journal().unwrap(), None, "the journal ends with the turn");
    let turns = story.recent_turns(9).unwrap();
    let turns: Vec<Value> = turns
        .iter()
        .map(|turn| {
            assert_eq!(turn.outcome, TurnOutcome::Narrated, "{}", turn.narration);
            json!({"prompt": turn.prompt, "narration": turn.narration, "choices": turn.choices})
        })
        .collect();
    let plans = story.plans_of_turn(story.head().unwrap()).unwrap();
    let plans: Vec<Value> = plans
        .into_iter()
        .map(|row| {
            json!({
                "attempt": row.attempt,
                "planner": row.planner,
                "status": row.status.as_str(),
                "plan": without_variable_fields(row.plan),
                "result": without_variable_fields(row.result.unwrap()),
                "errors": row.errors,
                "record": without_variable_fields(serde_json::to_value(row.record.unwrap()).unwrap()),
            })
        })
        .collect();
    let all = json!({
        "turns": turns,
        "state": story.state().as_object(),
        "stores": story.stores().unwrap(),
        "plans": plans,
    });
    format!("{all:#}")
}

fn without_variable_fields(value: Value) -> Value {
    match value {
        Value::Object(object) => object
            .into_iter()
            .filter(|(key, _)| !VARIABLE_FIELDS.contains(&key.as_str()))
            .map(|(key, value)| (key, without_variable_fields(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_variable_fields).collect(),
        other => other,
    }
}

/// The list in each skill's store, in order. The counter beside it must match its length.
pub(crate) fn lists(stories: &Path, name: &str) -> BTreeMap<String, Vec<String>> {
    let stores = open(stories, name).unwrap().stores().unwrap();
    let list = |(skill, store): (String, BTreeMap<String, String>)| {
        let list: Vec<String> = serde_json::from_str(&store["list"]).unwrap();
        assert_eq!(store["count"], list.len().to_string(), "`{skill}` in `{name}`");
        (skill, list)
    };
    stores.into_iter().map(list).collect()
}

/// Checks that each step of the last plan ran exactly once (a loop: once for each item), and that the last
/// process did not run the steps that were `finished` before it started.
pub(crate) fn check_steps(stories: &Path, name: &str, finished: &[String]) {
    let story = open(stories, name).unwrap();
    let last = story.plans_of_turn(story.head().unwrap()).unwrap().pop().unwrap();
    let result = last.result.unwrap();
    assert_eq!(result["success"], true);
    for step in result["toolResults"].as_array().unwrap() {
        let id = step["toolId"].as_str().unwrap();
        let attempts = step["attempts"].as_array().unwrap();
        let runs = step["items"].as_u64().unwrap_or(1);
        assert_eq!(attempts.len() as u64, runs, "`{id}` in `{name}`: {attempts:#?}");
        assert!(attempts.iter().all(|attempt| attempt["state"] == "success"), "{attempts:#?}");
        let was_finished = finished.iter().any(|finished| finished == id);
        assert_eq!(step["kept"] == true, was_finished, "`{id}` in `{name}`");
    }
}
