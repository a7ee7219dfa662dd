//! The choice between several skills for a step (S3 "Plan in Arbiter Context").

use std::sync::{Arc, Mutex};

use narratoria_engine::{Session, StepEvent, StepUpdate, Update};
use narratoria_narrator::{arbiter_prompt, judge_prompt};
use narratoria_plan::{
    Arbiter, ArbitrationRequest, ChoiceFuture, CriterionRequest, JudgmentFuture,
};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::{
    support::{LoggingPlanner, TurnStage, narrated, plans_of, play, scripted, tool},
    update_lines::lines_of,
};

/// A skill that can open locks.
fn opener(priority: u32) -> Value {
    json!({
        "capabilities": ["lockpicking"],
        "priority": priority,
        "retryPolicy": {"maxRetries": 2, "backoffMs": 0},
    })
}

/// `sly` comes first and always fails, then `strong` and `lucky`, who never do.
fn stage() -> TurnStage {
    TurnStage::new(&[
        ("sly", "fail", opener(90)),
        ("strong", "echo", opener(50)),
        ("lucky", "echo", opener(40)),
    ])
}

fn open() -> Value {
    narrated(json!([tool("open", "capability:lockpicking", &[])]), "It opens.")
}

/// How the executors of the last plan's first step were chosen.
fn arbitration(session: &Session) -> Value {
    let rows = plans_of(session);
    rows.last().unwrap().result.as_ref().unwrap()["toolResults"][0]["arbitration"].clone()
}

/// Chooses this skill each time, finds no criterion met that speaks of a dragon, and records the prompts.
struct FixedArbiter {
    skill: Option<&'static str>,
    prompts: Arc<Mutex<Vec<String>>>,
}

impl Arbiter for FixedArbiter {
    fn choose(&self, request: ArbitrationRequest) -> ChoiceFuture {
        self.prompts.lock().unwrap().push(arbiter_prompt(&request));
        let skill = self.skill.map(str::to_owned);
        Box::pin(async move { skill })
    }

    fn judge(&self, request: CriterionRequest) -> JudgmentFuture {
        self.prompts.lock().unwrap().push(judge_prompt(&request));
        Box::pin(async move { Some(!request.criterion.contains("dragon")) })
    }
}

pub(crate) fn with_arbiter(
    responses: Value,
    skill: Option<&'static str>,
) -> (LoggingPlanner, Arc<Mutex<Vec<String>>>) {
    let cases = Arc::<Mutex<Vec<String>>>::default();
    let arbiter = Arc::new(FixedArbiter { skill, prompts: Arc::clone(&cases) });
    (LoggingPlanner { arbiter: Some(arbiter), ..LoggingPlanner::new(responses).0 }, cases)
}

/// Priority decides; when the chosen skill fails for good, the next one takes over within the same plan. In the
/// next turn the health of the first one counts against it.
#[tokio::test]
async fn the_next_skill_takes_over_within_the_plan_and_health_decides_the_next_time() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([open(), open()])));
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    open started: sly/fail, attempt 1
    open retries: it failed on purpose
    open started: sly/fail, attempt 2
    open retries: it failed on purpose
    open started: sly/fail, attempt 3
    open taken over: sly/fail -> strong/echo: it failed on purpose
    open started: strong/echo, attempt 4
    open success
    plan over: success, can replan false, failed [], disabled ["sly"]
    told after 1
    "#);
    insta::assert_snapshot!(format!("{:#}", arbitration(&session)), @r#"
    {
      "chosen": "sly/fail",
      "why": "rule",
      "reason": "first by health, the plan's suggestion, priority and name",
      "passedOver": [],
      "takeovers": [
        {
          "from": "sly/fail",
          "to": "strong/echo",
          "why": "it failed on purpose"
        }
      ]
    }
    "#);
    let (_, updates) = play(&mut session, "I open the next").await;
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    open started: strong/echo, attempt 1
    open success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    ");
    insta::assert_snapshot!(format!("{:#}", arbitration(&session)), @r#"
    {
      "chosen": "strong/echo",
      "why": "rule",
      "reason": "first by health, the plan's suggestion, priority and name",
      "passedOver": [
        {
          "toolPath": "sly/fail",
          "why": "degraded"
        }
      ],
      "takeovers": []
    }
    "#);
}

/// S3 `suggestedAgent`: the suggestion comes before priority, but not before health.
#[tokio::test]
async fn a_suggested_skill_goes_first_while_it_is_healthy() {
    let stage = stage();
    let suggest = |skill: &str| {
        let mut plan = open();
        plan["tools"][0]["suggestedSkill"] = json!(skill);
        plan
    };
    let plans = json!([suggest("lucky"), suggest("sly"), suggest("sly")]);
    let mut session = stage.session(scripted(plans));
    let mut seen = Vec::new();
    for sentence in ["one", "two", "three"] {
        play(&mut session, sentence).await;
        let arbitration = arbitration(&session);
        let took_over = arbitration["takeovers"].as_array().unwrap().last();
        let by = took_over.map_or(&arbitration["chosen"], |takeover| &takeover["to"]);
        seen.push(format!("{} chosen, {by} ran, {}", arbitration["chosen"], arbitration["why"]));
    }
    insta::assert_snapshot!(seen.join("\n"), @r#"
    "lucky/echo" chosen, "lucky/echo" ran, "rule"
    "sly/fail" chosen, "strong/echo" ran, "rule"
    "strong/echo" chosen, "strong/echo" ran, "rule"
    "#);
}

/// The arbiter gets the record of the running plan, and the trace says that it chose.
///
/// Long because the prompt is.
#[tokio::test]
async fn the_choice_of_an_arbiter_counts() {
    let stage = stage();
    let mut plan = open();
    let look = json!({"toolId": "look", "toolPath": "lucky/echo", "description": "Look closer"});
    plan["tools"].as_array_mut().unwrap().insert(0, look);
    plan["tools"].as_array_mut().unwrap().push(tool("enter", "lucky/echo", &["open"]));
    plan["tools"][1]["description"] = json!("Open the lock");
    plan["tools"][1]["instructions"] = json!("Leave no trace.");
    plan["tools"][1]["acceptanceCriteria"] = json!(["the lock is open", "nobody has heard it"]);
    plan["tools"][1]["suggestedSkill"] = json!("strong");
    let (planner, cases) = with_arbiter(json!([plan]), Some("lucky"));
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let started = lines_of(&updates);
    assert!(started.contains("open started: lucky/echo, attempt 1"), "{started}");
    insta::assert_snapshot!(cases.lock().unwrap()[0], @r"
    ## Current Task

    I open the door

    ## Plan Status

    Status: in_progress
    Progress: 1/3 steps

    ## History

    - Step 1: Look closer: complete by lucky@0.1.0

    ## Current Step

    Step 2: Open the lock
    Suggested skill: strong
    Instructions: Leave no trace.
    Acceptance criteria:
    - the lock is open
    - nobody has heard it

    ## Remaining Steps

    - Step 3: lucky/echo

    ## Skills

    - strong: A test.
    - sly: A test.
    - lucky: A test.

    Answer with the name of the skill that is to do the current step.
    ");
    let rows = plans_of(&session);
    let open = &rows[0].result.as_ref().unwrap()["toolResults"][1];
    insta::assert_snapshot!(format!("{:#}", open["arbitration"]), @r#"
    {
      "chosen": "lucky/echo",
      "why": "arbiter",
      "reason": "the arbiter chose it",
      "passedOver": [
        {
          "toolPath": "strong/echo",
          "why": "the arbiter chose another"
        },
        {
          "toolPath": "sly/fail",
          "why": "the arbiter chose another"
        }
      ],
      "takeovers": []
    }
    "#);
}

/// S3: if the arbiter names no candidate, the rule chooses, and the trace says so.
#[tokio::test]
async fn the_rule_chooses_when_the_arbiter_does_not() {
    let stage = stage();
    let mut seen = Vec::new();
    for opinion in [None, Some("nobody")] {
        let home = tempfile::tempdir().unwrap();
        let planner = Box::new(with_arbiter(json!([open()]), opinion).0);
        let mut session = super::support::session(home.path(), stage.skills.path(), planner);
        assert_eq!(play(&mut session, "go").await.0.outcome, TurnOutcome::Narrated);
        let arbitration = arbitration(&session);
        seen.push(format!("{}: {}", arbitration["why"], arbitration["reason"]));
    }
    insta::assert_snapshot!(seen.join("\n"), @r#"
    "arbiter_silent": "the arbiter named no skill, so the rule chose"
    "arbiter_wrong": "the arbiter named no candidate, so the rule chose"
    "#);
}

/// The arbiter chooses among healthy skills, and its choice counts even if others have a higher priority.
#[tokio::test]
async fn an_arbiter_chooses_among_healthy_skills() {
    let stage = stage();
    let unwell = narrated(json!([tool("open", "sly/fail", &[])]), "It does not.");
    let (planner, cases) = with_arbiter(json!([unwell, open(), open()]), Some("lucky"));
    let mut session = stage.session(planner);
    // Three failures in a row: `sly` is degraded.
    play(&mut session, "one").await;
    let (_, updates) = play(&mut session, "two").await;
    assert!(lines_of(&updates).contains("open started: lucky/echo"), "{}", lines_of(&updates));
    insta::assert_snapshot!(format!("{:#}", arbitration(&session)), @r#"
    {
      "chosen": "lucky/echo",
      "why": "arbiter",
      "reason": "the arbiter chose it",
      "passedOver": [
        {
          "toolPath": "sly/fail",
          "why": "degraded"
        },
        {
          "toolPath": "strong/echo",
          "why": "the arbiter chose another"
        }
      ],
      "takeovers": []
    }
    "#);
    let cases = cases.lock().unwrap();
    let skills = cases.last().unwrap().split_once("## Skills\n\n").unwrap().1;
    insta::assert_snapshot!(skills, @r"
    - strong: A test.
    - lucky: A test.

    Answer with the name of the skill that is to do the current step.
    ");
}

/// S3 PLAN_CREATED, STEP_STARTED, STEP_FAILED, PLAN_REPLANNED, STEP_COMPLETED: each is an update.
///
/// Only when no candidate is left, another plan is requested, and it must do without all of them.
#[tokio::test]
async fn a_plan_fails_only_after_every_candidate() {
    let stage = TurnStage::new(&[
        ("sly", "fail", opener(90)),
        ("strong", "trap", opener(50)),
        ("good", "echo", json!({})),
    ]);
    let around = narrated(json!([tool("walk", "good/echo", &[])]), "You walk around it.");
    let (planner, requests) = LoggingPlanner::new(json!([open(), around]));
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "I open the door").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by listener
    open started: sly/fail, attempt 1
    open retries: it failed on purpose
    open started: sly/fail, attempt 2
    open retries: it failed on purpose
    open started: sly/fail, attempt 3
    open taken over: sly/fail -> strong/trap: it failed on purpose
    open started: strong/trap, attempt 4
    open retries: trapped: wasm `unreachable` instruction executed
    open started: strong/trap, attempt 5
    open retries: trapped: wasm `unreachable` instruction executed
    open started: strong/trap, attempt 6
    open failed: trapped: wasm `unreachable` instruction executed
    plan over: failure, can replan true, failed ["open"], disabled ["sly", "strong"]
    plan 2 by listener
    version 2: removed step `open`; added step `walk`; changed the plan (narrative: "It opens." -> "You walk around it.")
    walk started: good/echo, attempt 1
    walk success
    plan over: success, can replan false, failed [], disabled ["sly", "strong"]
    told after 2
    "#);
    // Each update has what its event in S3 has: the plan, the error of a step, the new plan, the output of a step.
    let contents = updates.iter().filter_map(|update| match update {
        Update::PlanProposed { plan, .. } => Some(format!("a plan of `{}`", plan.tools[0].tool_id)),
        Update::Step(StepUpdate {
            tool_id,
            event: StepEvent::Finished { output, error, .. },
            ..
        }) => Some(format!("{tool_id}: {}, {error:?}", json!(output)["input"])),
        _ => None,
    });
    insta::assert_snapshot!(contents.collect::<Vec<_>>().join("\n"), @r#"
    a plan of `open`
    open: null, Some("trapped: wasm `unreachable` instruction executed")
    a plan of `walk`
    walk: {}, None
    "#);
    let requests = requests.lock().unwrap();
    insta::assert_snapshot!(requests[1].lines().take(3).collect::<Vec<_>>().join("\n"), @r"
    attempt 2
    failure: step `open` (`strong/trap`) failed after 6 attempts: trapped: wasm `unreachable` instruction executed
    disabled: sly, strong
    ");
}
