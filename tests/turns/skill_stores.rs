//! The stores of skills: their writes are part of the turn, as patches are (docs/architecture.md, "The
//! story").

use std::time::Duration;

use narratoria_engine::{SessionOptions, StepEvent, StepUpdate, Update};
use narratoria_protocol::MEMORY_OWNER;
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::support::{
    TurnStage, keeps, narrated, options, output_of, plan, play, scripted, store_of, tool,
};

fn stage() -> TurnStage {
    TurnStage::new(&[
        ("diary", "keeps", keeps()),
        ("ledger", "keeps", keeps()),
        ("broken", "fail", json!({})),
        ("slow", "says-then-sleeps", json!({"scripts": [{"timeout": 300_000}]})),
    ])
}

/// A step of `skill` that does this to its store.
fn step(id: &str, skill: &str, needs: &[&str], orders: Value) -> Value {
    let mut step = tool(id, &format!("{skill}/keeps"), needs);
    step["input"] = json!({"do": orders});
    step
}

fn answers(updates: &[Update], step: &str) -> Value {
    output_of(updates, step)["answers"].clone()
}

#[tokio::test]
async fn store_writes_are_committed_with_the_turn_and_seen_in_the_next() {
    let stage = stage();
    let write = step("a", "diary", &[], json!([["set", "door", "open"], ["set", "key", 1]]));
    let read = step("b", "diary", &[], json!([["get", "door", null], ["delete", "key", null]]));
    let look = step("c", "diary", &[], json!([["list", "", null]]));
    let mut session = stage.session(scripted(json!([
        narrated(json!([write]), "One."),
        narrated(json!([read]), "Two."),
        narrated(json!([look]), "Three."),
    ])));
    play(&mut session, "one").await;
    assert_eq!(store_of(&session, "diary"), json!({"door": "open", "key": 1}));
    let (_, updates) = play(&mut session, "two").await;
    assert_eq!(answers(&updates, "b"), json!(["open", "deleted"]));
    assert_eq!(store_of(&session, "diary"), json!({"door": "open"}));
    let (_, updates) = play(&mut session, "three").await;
    assert_eq!(answers(&updates, "c"), json!([["door"]]));
}

/// A step sees the writes of its ancestors of the same skill, and none of the steps beside it.
#[tokio::test]
async fn a_step_sees_the_writes_of_its_ancestors_and_nothing_of_other_skills() {
    let stage = stage();
    let get = json!([["get", "door", null]]);
    let mut session = stage.session(scripted(json!([narrated(
        json!([
            step("a", "diary", &[], json!([["set", "door", "open"]])),
            step("other-skill", "ledger", &["a"], get.clone()),
            step("after", "diary", &["other-skill"], get.clone()),
            step("beside", "diary", &[], get),
        ]),
        "Done.",
    )])));
    let (_, updates) = play(&mut session, "go").await;
    assert_eq!(answers(&updates, "other-skill"), json!([null]));
    assert_eq!(answers(&updates, "after"), json!(["open"]), "also through a step of another skill");
    assert_eq!(answers(&updates, "beside"), json!([null]));
    assert_eq!(store_of(&session, "ledger"), json!({}));
}

/// Only the writes of a successful attempt count.
#[tokio::test]
async fn the_writes_of_a_failed_attempt_are_dropped() {
    let stage = stage();
    let mut fails = step("a", "diary", &[], json!([["set", "door", "broken"]]));
    fails["input"]["fail"] = json!(true);
    fails["required"] = json!(false);
    let mut session = stage.session(scripted(json!([narrated(
        json!([fails, step("b", "diary", &["a"], json!([["get", "door", null]]))]),
        "Done.",
    )])));
    let (turn, updates) = play(&mut session, "go").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert_eq!(answers(&updates, "b"), json!([null]));
    assert_eq!(store_of(&session, "diary"), json!({}));
}

/// The turn did not happen, so its writes are dropped.
#[tokio::test]
async fn a_turn_that_fails_or_is_cancelled_writes_nothing() {
    let stage = stage();
    let write = || step("a", "diary", &[], json!([["set", "door", "open"]]));
    let planner = scripted(json!([
        plan(json!([write(), tool("b", "broken/fail", &["a"])])),
        {"abort": "enough"},
        plan(json!([write(), tool("b", "slow/says-then-sleeps", &["a"])])),
    ]));
    let options = SessionOptions { shutdown_grace: Duration::from_millis(50), ..options() };
    let mut session = stage.session_within(planner, options);
    assert_eq!(play(&mut session, "one").await.0.outcome, TurnOutcome::Fallback);
    assert_eq!(store_of(&session, "diary"), json!({}));

    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Logged { .. }, .. })) {
            cancel.cancel();
        }
    };
    let turn = session.turn("two", &cancel, &mut on_update).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Cancelled);
    assert_eq!(store_of(&session, "diary"), json!({}));
}

/// Each item of a loop sees the writes of the items before it.
#[tokio::test]
async fn the_items_of_a_loop_see_the_writes_of_earlier_items() {
    let stage = TurnStage::new(&[("counter", "counts", keeps())]);
    let mut each = tool("a", "counter/counts", &[]);
    each["forEach"] = json!(["x", "y", "z"]);
    let mut session = stage.session(scripted(json!([narrated(json!([each]), "Done.")])));
    let (_, updates) = play(&mut session, "go").await;
    assert_eq!(output_of(&updates, "a"), json!([{"count": 1}, {"count": 2}, {"count": 3}]));
    assert_eq!(store_of(&session, "counter"), json!({"count": 3}));
}

fn remembers() -> Value {
    json!({"scripts": [{"grants": {"memory": true}}]})
}

/// A step of `skill` that does this to the story's memory.
fn recalls(id: &str, skill: &str, needs: &[&str], orders: Value) -> Value {
    let mut step = tool(id, &format!("{skill}/remembers"), needs);
    step["input"] = json!({"do": orders});
    step
}

/// docs/writing-skills.md, "Remembering something": the memory is the story's, not a skill's.
#[tokio::test]
async fn one_skill_recalls_the_memories_of_another_and_each_turn_has_its_own_memory() {
    let stage =
        TurnStage::new(&[("bard", "remembers", remembers()), ("scribe", "remembers", remembers())]);
    let all = json!([["recall", "", [], 9]]);
    let write = |id: &str, text: &str| recalls(id, "bard", &[], json!([["remember", text, []]]));
    let mut fails = write("c", "Nothing of this happened.");
    fails["input"]["fail"] = json!(true);
    fails["required"] = json!(false);
    let planner = scripted(json!([
        narrated(
            json!([
                write("a", "Mira keeps the ferry."),
                write("b", "It rains."),
                fails,
                recalls("after", "scribe", &["a"], all.clone()),
            ]),
            "One.",
        ),
        narrated(
            json!([recalls("d", "scribe", &[], json!([["remember", "Mira has left.", []]]))]),
            "Two."
        ),
        narrated(json!([recalls("e", "bard", &[], all)]), "Three."),
    ]));
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "one").await;
    let first = session.story().head().unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    assert_eq!(answers(&updates, "after"), json!([["Mira keeps the ferry."]]));
    play(&mut session, "two").await;
    let second = session.story().head().unwrap();
    let (_, updates) = play(&mut session, "three").await;
    let heads = [first, second, session.story().head().unwrap()];
    let mut found: Vec<String> = serde_json::from_value(answers(&updates, "e")[0].clone()).unwrap();
    assert_eq!(found.remove(0), "Mira has left.", "the newest first");
    // Memories of one plan that did not see each other have the same age.
    found.sort();
    assert_eq!(found, ["It rains.", "Mira keeps the ferry."]);

    let texts_at = |turn| {
        let stores = session.story().stores_at(turn).unwrap();
        stores.get(MEMORY_OWNER).map_or(0, |texts| texts.len())
    };
    assert_eq!(heads.map(texts_at), [2, 3, 3]);
}
