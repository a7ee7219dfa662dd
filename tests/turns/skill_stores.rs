//! What skills keep in their stores: it is part of the turn, as patches are (DESIGN §4.3, §6).

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
async fn what_is_kept_lands_with_the_turn_and_is_there_in_the_next() {
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

/// A step sees what its ancestors of the same skill have written, and nothing of those beside it.
#[tokio::test]
async fn a_step_sees_what_its_ancestors_have_kept_and_nothing_of_other_skills() {
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

/// DESIGN §4.3: only an attempt that ended well counts.
#[tokio::test]
async fn what_a_failed_attempt_kept_is_gone() {
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

/// DESIGN §6: the turn did not happen, so nothing was kept either.
#[tokio::test]
async fn a_turn_that_is_given_up_or_cancelled_keeps_nothing() {
    let stage = stage();
    let write = || step("a", "diary", &[], json!([["set", "door", "open"]]));
    let voice = scripted(json!([
        plan(json!([write(), tool("b", "broken/fail", &["a"])])),
        {"abort": "enough"},
        plan(json!([write(), tool("b", "slow/says-then-sleeps", &["a"])])),
    ]));
    let options = SessionOptions { shutdown_grace: Duration::from_millis(50), ..options() };
    let mut session = stage.session_within(voice, options);
    assert_eq!(play(&mut session, "one").await.0.outcome, TurnOutcome::Fallback);
    assert_eq!(store_of(&session, "diary"), json!({}));

    let cancel = CancellationToken::new();
    let mut hear = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Logged { .. }, .. })) {
            cancel.cancel();
        }
    };
    let turn = session.turn("two", &cancel, &mut hear).await.unwrap();
    assert_eq!(turn.outcome, TurnOutcome::Cancelled);
    assert_eq!(store_of(&session, "diary"), json!({}));
}

/// Each item of a loop sees what the items before it have kept.
#[tokio::test]
async fn the_items_of_a_loop_see_what_those_before_them_kept() {
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

/// DESIGN §3: the memory is the story's, not a skill's.
#[tokio::test]
async fn what_one_skill_has_remembered_another_recalls_and_each_turn_has_its_own_memory() {
    let stage =
        TurnStage::new(&[("bard", "remembers", remembers()), ("scribe", "remembers", remembers())]);
    let all = json!([["recall", "", [], 9]]);
    let write = |id: &str, text: &str| recalls(id, "bard", &[], json!([["remember", text, []]]));
    let mut fails = write("c", "Nothing of this happened.");
    fails["input"]["fail"] = json!(true);
    fails["required"] = json!(false);
    let voice = scripted(json!([
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
    let mut session = stage.session(voice);
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
    // Those of one plan that did not see each other are of the same age.
    found.sort();
    assert_eq!(found, ["It rains.", "Mira keeps the ferry."]);

    let texts_at = |turn| {
        let stores = session.story().stores_at(turn).unwrap();
        stores.get(MEMORY_OWNER).map_or(0, |texts| texts.len())
    };
    assert_eq!(heads.map(texts_at), [2, 3, 3]);
}
