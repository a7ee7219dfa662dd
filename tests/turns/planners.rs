//! Planners that cannot do better, that are replaced, and that change between turns.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use narratoria_engine::{SessionOptions, Update};
use narratoria_narrator::{
    LexicalPlanner, PlanFuture, PlanRequest, PlanResponse, PlanTokens, Planner, PlannerView,
    Proposal,
};
use narratoria_protocol::{EntityKind, Memory};
use narratoria_story::{PlanStatus, TurnOutcome};
use serde_json::{Value, json};

use super::{
    full_story::fill,
    support::{TurnStage, narrated, options, plan, plans_of, play, scripted, tool, with},
};

/// Plays a turn with a planner that makes the same mistake five times. Returns the reason of each failure from
/// the record, which has all five in order.
async fn check(stage: &TurnStage, idea: Value) -> String {
    let mut session = stage.session(scripted(json!(vec![idea; 6])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 5));
    assert!(turn.narration.contains("Nothing is lost"), "{}", turn.narration);
    assert!(session.story().state().as_object().is_empty(), "a fallback changes nothing");
    let proposed = updates.iter().filter(|update| {
        matches!(update, Update::PlanProposed { .. } | Update::PlanRejected { plan_id: None, .. })
    });
    assert_eq!(proposed.count(), 5);
    let rows = plans_of(&session);
    for (before, after) in rows.iter().zip(&rows[1..]) {
        assert_eq!(after.parent_plan_id.as_ref(), Some(&before.id));
    }
    let line = |row: &narratoria_story::PlanRow| {
        let ran = if row.result.is_some() { "ran" } else { "did not run" };
        format!("{} {}, {ran}: {}", row.attempt, row.status, row.errors.join("; "))
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// S0 FR-008, FR-023, FR-024, FR-025, FR-026, FR-027, FR-028, FR-029: a skill that
/// fails is tried once, and then refused by name until five plans were made. A planner that ignores
/// `disabledSkills` gets no further.
#[tokio::test]
async fn a_planner_that_ignores_disabled_skills_ends_in_fallback_after_five() {
    let stage = TurnStage::new(&[("broken", "fail", json!({})), ("good", "echo", json!({}))]);
    let idea = json!([tool("look", "good/echo", &[]), tool("open", "broken/fail", &["look"]),]);
    insta::assert_snapshot!(check(&stage, plan(idea)).await, @r"
    1 replanning, ran: step `open` (`broken/fail`) failed after 2 attempts: it failed on purpose
    2 draft, did not run: step `open` uses skill `broken`, which is disabled (known scripts: good/echo)
    3 draft, did not run: step `open` uses skill `broken`, which is disabled (known scripts: good/echo)
    4 draft, did not run: step `open` uses skill `broken`, which is disabled (known scripts: good/echo)
    5 draft, did not run: step `open` uses skill `broken`, which is disabled (known scripts: good/echo)
    ");
}

/// The same with other input each time: a script that gave up may try again with other input, but not without
/// end (S1 §3.1).
#[tokio::test]
async fn a_planner_that_tries_the_same_with_other_input_ends_in_fallback_after_five() {
    let stage = TurnStage::new(&[("broken", "fail", json!({}))]);
    let idea = |n: usize| {
        plan(json!([with(tool("open", "broken/fail", &[]), json!({"input": {"try": n}}))]))
    };
    let mut session = stage.session(scripted(json!((0..6).map(idea).collect::<Vec<_>>())));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 5));
    let rows = plans_of(&session);
    let ran = rows.iter().filter(|row| row.result.is_some()).count();
    assert_eq!((rows.len(), ran), (5, 3), "the third failure loses the skill for the session");
}

/// S0 FR-012, FR-023, FR-029.
#[tokio::test]
async fn a_planner_that_returns_cycles_ends_in_fallback_after_five() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let idea = json!([tool("a", "good/echo", &["b"]), tool("b", "good/echo", &["a"])]);
    insta::assert_snapshot!(check(&stage, plan(idea)).await, @r"
    1 draft, did not run: steps wait for each other: a -> b -> a (take one of these dependencies out)
    2 draft, did not run: steps wait for each other: a -> b -> a (take one of these dependencies out)
    3 draft, did not run: steps wait for each other: a -> b -> a (take one of these dependencies out)
    4 draft, did not run: steps wait for each other: a -> b -> a (take one of these dependencies out)
    5 draft, did not run: steps wait for each other: a -> b -> a (take one of these dependencies out)
    ");
}

/// S0 FR-023, FR-029: neither a script that does not exist, nor text that is no plan where the lexical planner finds
/// nothing to do.
#[tokio::test]
async fn a_planner_that_loops_ends_in_fallback_after_five() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    insta::assert_snapshot!(check(&stage, plan(json!([tool("a", "good/open", &[])]))).await, @r"
    1 draft, did not run: step `a`: skill `good` has no script `open` (skill `good` has: echo)
    2 draft, did not run: step `a`: skill `good` has no script `open` (skill `good` has: echo)
    3 draft, did not run: step `a`: skill `good` has no script `open` (skill `good` has: echo)
    4 draft, did not run: step `a`: skill `good` has no script `open` (skill `good` has: echo)
    5 draft, did not run: step `a`: skill `good` has no script `open` (skill `good` has: echo)
    ");
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let mut session = stage.session(scripted(json!(vec!["Once upon a time"; 6])));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 5));
    let rows = plans_of(&session);
    assert!(rows.len() == 5 && rows.iter().all(|row| row.plan == json!("Once upon a time")));
}

/// Never answers.
struct HangingPlanner;

impl Planner for HangingPlanner {
    fn name(&self) -> &str {
        "lost"
    }

    fn propose<'a>(&'a mut self, _ask: PlanRequest<'a>) -> PlanFuture<'a> {
        Box::pin(std::future::pending())
    }
}

/// S0 FR-005, FR-006, "Scenario 3": when a generation's time is over, the lexical planner answers, and the updates, the
/// plan and the record say so and why.
#[tokio::test]
async fn the_lexical_planner_answers_for_a_planner_that_runs_out_of_time() {
    let trigger = json!([{"script": "echo", "phrases": ["open"], "narrate": false}]);
    let stage = TurnStage::new(&[("good", "echo", json!({"triggers": trigger}))]);
    let options = SessionOptions { generation_timeout: Duration::from_millis(20), ..options() };
    let mut session = stage.session_within(HangingPlanner, options);
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    let planners: Vec<String> = updates
        .iter()
        .filter_map(|update| match update {
            Update::PlanProposed { planner, plan, .. } => {
                Some(format!("proposed by {planner}: {}", plan.metadata.extra["insteadOf"]))
            }
            Update::PlannerReplaced { planner, by, reason, attempt, .. } => {
                Some(format!("{attempt}: {by} for {planner}: {reason}"))
            }
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(planners.join("\n"), @r#"
    1: lexical for lost: it made no plan within 20ms
    proposed by lexical: {"voice":"lost","why":"it made no plan within 20ms"}
    "#);
    let rows = plans_of(&session);
    assert_eq!((rows[0].planner.as_str(), rows[0].status), ("lexical", PlanStatus::Complete));
    assert_eq!(rows[0].record.as_ref().unwrap().metadata["insteadOf"]["voice"], "lost");
}

/// Plays a turn with a planner whose only response is this. The lines: each update about planners, then the stored plan.
async fn replaced(response: &Value) -> String {
    let trigger = json!([{"script": "echo", "phrases": ["open"], "narrate": false}]);
    let stage = TurnStage::new(&[("good", "echo", json!({"triggers": trigger}))]);
    let mut session = stage.session(scripted(json!([response])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    let mut lines = vec![format!("{:?} after {}", turn.outcome, turn.attempts)];
    lines.extend(updates.iter().filter_map(|update| match update {
        Update::PlannerReplaced { planner, by, reason, attempt, .. } => {
            Some(format!("{attempt}: {by} for {planner}: {reason}"))
        }
        Update::PlanProposed { planner, attempt, .. } => {
            Some(format!("{attempt}: {planner} proposes"))
        }
        Update::PlanRejected { errors, .. } => Some(format!("rejected: {errors:?}")),
        _ => None,
    }));
    lines.extend(plans_of(&session).iter().map(|row| {
        let (parent, status) = (row.parent_plan_id.is_some(), row.status);
        // Ids count over all tests.
        let instead = row.plan["metadata"]["insteadOf"].to_string();
        let instead = instead.split(r#",\"requestId"#).next().unwrap();
        format!("{} by {}, {status}, parent {parent}: {instead}", row.attempt, row.planner)
    }));
    lines.join("\n")
}

/// S0 FR-005, "invalid Plan JSON": the lexical planner answers for any planner whose answer is an error or no Plan JSON, within the
/// same attempt, and the plan keeps the reason and the text.
#[tokio::test]
async fn the_lexical_planner_answers_for_a_planner_without_a_plan() {
    let responses = [
        json!("Once upon a time"),
        json!(""),
        json!("[]"),
        json!({"tools": "none"}),
        json!({"tools": [{"toolId": "a"}]}),
        json!({"error": "out of memory"}),
    ];
    let mut turns = Vec::new();
    for response in responses {
        turns.push(format!("{response}\n{}", replaced(&response).await));
    }
    insta::assert_snapshot!(turns.join("\n\n"), @r#"
    "Once upon a time"
    Narrated after 1
    1: lexical for scripted: the plan is not JSON: line 1, column 1: expected value
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"the plan is not JSON: line 1, column 1: expected value","text":"Once upon a time"}

    ""
    Narrated after 1
    1: lexical for scripted: the plan is empty, it must hold JSON
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"the plan is empty, it must hold JSON","text":""}

    "[]"
    Narrated after 1
    1: lexical for scripted: the plan: [] is not of type "object"
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"the plan: [] is not of type \"object\"","text":"[]"}

    {"tools":"none"}
    Narrated after 1
    1: lexical for scripted: tools: "none" is not of type "array"
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"tools: \"none\" is not of type \"array\"","text":"{\"tools\":\"none\"

    {"tools":[{"toolId":"a"}]}
    Narrated after 1
    1: lexical for scripted: tools[0] ("a"): "toolPath" is a required property
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"tools[0] (\"a\"): \"toolPath\" is a required property","text":"{\"tools\":[{\"toolId\":\"a\"}]

    {"error":"out of memory"}
    Narrated after 1
    1: lexical for scripted: out of memory
    1: lexical proposes
    1 by lexical, complete, parent false: {"voice":"scripted","why":"out of memory"}
    "#);
}

/// A planner whose script has ended is like one that fails.
#[tokio::test]
async fn the_lexical_planner_answers_when_the_script_has_ended() {
    let trigger = json!([{"script": "echo", "phrases": ["open"], "narrate": false}]);
    let stage = TurnStage::new(&[("good", "echo", json!({"triggers": trigger}))]);
    let mut session = stage.session(scripted(json!([])));
    let (turn, _) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
}

/// S2, strategy 3: a planner that aborts has answered, so no other planner is asked.
#[tokio::test]
async fn no_planner_answers_for_one_that_aborts() {
    insta::assert_snapshot!(replaced(&json!({"abort": "it is locked for good"})).await, @r#"
    Fallback after 1
    rejected: ["the planner gave up: it is locked for good"]
    1 by scripted, draft, parent false: null
    "#);
}

/// A planner whose model becomes ready between two turns. Logs the requests that it reads ahead.
struct UpgradingPlanner {
    name: Arc<Mutex<&'static str>>,
    prepared: Arc<Mutex<Vec<String>>>,
}

impl Planner for UpgradingPlanner {
    fn name(&self) -> &str {
        *self.name.lock().unwrap()
    }

    fn prepare(&mut self, request: &PlanRequest<'_>) {
        let skills: Vec<&str> = request.catalog.iter().map(|skill| skill.name.as_str()).collect();
        let seen = &request.state.get("seen");
        let prepared = format!(
            "{:?} {skills:?} seen {seen:?}, {} beats, early {}",
            request.sentence,
            request.recent_turns.len(),
            request.eager_steps.is_some()
        );
        self.prepared.lock().unwrap().push(prepared);
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let input = json!({"input": {"patch": {"seen": request.sentence}}});
        let plan = narrated(json!([with(tool("a", "good/echo", &[]), input)]), "On you go.");
        let proposal = Proposal::Plan(serde_json::from_value(plan).unwrap());
        let tokens = Some(PlanTokens { prompt: 300, reused: 280, sampled: 21, forced: 40 });
        let answer = PlanResponse { tokens, ..PlanResponse::from_planner(self.name(), proposal) };
        Box::pin(async move { Ok(answer) })
    }
}

/// S0 FR-010: a plan records its cost, and a change of the planner is reported.
#[tokio::test]
async fn a_planner_reads_ahead_and_its_change_is_reported() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let (name, prepared) = (Arc::new(Mutex::new("lexical")), Arc::default());
    let planner = UpgradingPlanner { name: Arc::clone(&name), prepared: Arc::clone(&prepared) };
    let mut session = stage.session(planner);
    session.prepare();
    let changes = |updates: &[Update]| -> Vec<String> {
        let change = |update: &Update| match update {
            Update::NarratorChanged { from, to } => Some(format!("{from} -> {to}")),
            _ => None,
        };
        updates.iter().filter_map(change).collect()
    };
    assert!(changes(&play(&mut session, "one").await.1).is_empty());
    *name.lock().unwrap() = "llama";
    session.prepare();
    let (_, updates) = play(&mut session, "two").await;
    assert_eq!(changes(&updates), ["lexical -> llama"]);
    assert!(matches!(updates[0], Update::NarratorChanged { .. }), "before the turn starts");
    assert!(changes(&play(&mut session, "three").await.1).is_empty());
    insta::assert_snapshot!(prepared.lock().unwrap().join("\n"), @r#"
    "" ["good"] seen None, 0 beats, early false
    "" ["good"] seen Some(String("one")), 1 beats, early false
    "#);
    let tokens = json!({"prompt": 300, "reused": 280, "sampled": 21, "forced": 40});
    assert_eq!(plans_of(&session)[0].plan["metadata"]["tokens"], tokens);
}

/// The first update names the planner that the session started with.
#[tokio::test]
async fn a_session_names_the_planner_that_it_started_with() {
    let stage = TurnStage::new(&[]);
    let session = stage.session(LexicalPlanner::new());
    let Update::SessionStarted { narrator, .. } = session.started_update() else {
        panic!("it starts")
    };
    assert_eq!(narrator, "lexical");
}

/// A planner that reads every memory that it is offered, and writes them down.
struct RememberingPlanner(Arc<Mutex<Vec<String>>>);

impl Planner for RememberingPlanner {
    fn name(&self) -> &'static str {
        "reader"
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let mut view = PlannerView::default();
        for memory in request.memories {
            let pin = if memory.pinned { "pinned" } else { "found" };
            self.0.lock().unwrap().push(format!("{} {pin}: {}", memory.id, memory.text));
            view.memories.push(memory.id.clone());
        }
        let plan = narrated(json!([tool("a", "good/echo", &[])]), "On you go.");
        let proposal = Proposal::Plan(serde_json::from_value(plan).unwrap());
        let answer = PlanResponse { view, ..PlanResponse::from_planner("reader", proposal) };
        Box::pin(async move { Ok(answer) })
    }
}

/// S3 context, `informedByMemories`, docs/memory.md, "Memories": a planner gets the pinned memories and those that answer the
/// sentence, and its plan names what it has read.
#[tokio::test]
async fn a_planner_reads_the_pinned_memories_and_its_plan_names_what_it_has_read() {
    let stage = TurnStage::new(&[("good", "echo", json!({}))]);
    let texts =
        ["Mira keeps the ferry.", "The door of the mill sticks.", "It rains in the valley."];
    fill(&stage, EntityKind::Memory, texts.len(), |number| {
        let summary = texts[usize::try_from(number).unwrap()].to_owned();
        Memory { summary, turn: 1, pinned: number == 0, ..Memory::default() }
    });
    let seen = Arc::default();
    let mut session = stage.session(RememberingPlanner(Arc::clone(&seen)));
    play(&mut session, "I open the door of the mill").await;
    insta::assert_snapshot!(seen.lock().unwrap().join("\n"), @"
    M0 pinned: Mira keeps the ferry.
    M1 found: The door of the mill sticks.
    ");
    let metadata = &plans_of(&session)[0].plan["metadata"];
    assert_eq!(metadata["informedByMemories"], json!(texts[..2]));
    assert_eq!(metadata["context"]["memories"], json!(texts[..2]));
}
