//! The record of each plan (S3), in the story and as a file beside it.

use narratoria_engine::{Session, StepEvent, StepUpdate, Update};
use narratoria_plan::PlanRecord;
use narratoria_story::{self as story, PlanStatus, TurnOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::support::{
    TurnStage, keeps, narrated, open_story, plan, plans_of, play, scripted, tool,
};

fn stage() -> TurnStage {
    TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("rich", "uses-grants", json!({"scripts": [{"grants": {"assets": true}}]})),
        ("broken", "fail", json!({})),
        ("good", "echo", json!({})),
    ])
}

fn records(session: &Session) -> Vec<PlanRecord> {
    let rows = plans_of(session);
    rows.into_iter().filter_map(|row| row.record).collect()
}

/// The record without the parts that differ in each run of the tests.
fn shown(record: &PlanRecord) -> String {
    let id = record.id.clone();
    let mut record = record.to_json();
    record["id"] = json!("ID");
    let first = record["createdAt"].as_str().unwrap().to_owned();
    let first: jiff::Timestamp = first.parse().unwrap();
    let since = |value: &mut Value| {
        let at: jiff::Timestamp = value.as_str().unwrap().parse().unwrap();
        *value = json!(format!("+{} s", at.duration_since(first).as_secs()));
    };
    since(&mut record["createdAt"]);
    since(&mut record["updatedAt"]);
    for step in record["steps"].as_array_mut().unwrap() {
        for field in ["startedAt", "completedAt"] {
            if step.get(field).is_some() {
                since(&mut step[field]);
            }
        }
    }
    format!("{record:#}").replace(&id, "ID")
}

/// S3 `executedBy`, `affectedFiles`: the skill that ran each step, its times, output and files; criteria and instructions as the planner wrote
/// them.
///
/// Long because the record is.
#[tokio::test]
async fn a_record_has_the_skill_and_the_result_of_each_step() {
    let stage = stage();
    let mut map = tool("map", "rich/uses-grants", &[]);
    map["description"] = json!("Draw a map");
    map["acceptanceCriteria"] = json!(["the map shows the coast"]);
    map["instructions"] = json!("Use the blue ink.");
    map["suggestedSkill"] = json!("rich");
    let mut never = tool("never", "good/echo", &["map"]);
    never["when"] = json!("false");
    let mut may = tool("may", "broken/fail", &[]);
    may["required"] = json!(false);
    let mut plan =
        narrated(json!([map, never, may, tool("count", "counter/counts", &[])]), "Done.");
    plan["metadata"] = json!({"mood": "hopeful"});
    let mut session = stage.session(scripted(json!([plan])));
    play(&mut session, "I draw a map").await;
    insta::assert_snapshot!(shown(&records(&session)[0]), @r#"
    {
      "id": "ID",
      "task": "I draw a map",
      "status": "complete",
      "version": 1,
      "createdBy": "scripted",
      "createdAt": "+0 s",
      "updatedAt": "+22 s",
      "currentStepIndex": 4,
      "steps": [
        {
          "index": 0,
          "toolId": "map",
          "description": "Draw a map",
          "status": "complete",
          "suggestedSkill": "rich",
          "executedBy": "rich@0.1.0",
          "startedAt": "+3 s",
          "completedAt": "+8 s",
          "estimatedDuration": 1.0,
          "output": {
            "asset": true,
            "data": false,
            "before": 0,
            "greeting": null
          },
          "affectedFiles": [
            "assets/a3edcc691e9b3e77a6b3319d1daa7dd9c27ed5e314bc91908e54032c0f4ac895.txt"
          ],
          "instructions": "Use the blue ink.",
          "acceptanceCriteria": [
            "the map shows the coast"
          ],
          "judgments": [
            {
              "criterion": "the map shows the coast",
              "verdict": "open",
              "by": "player"
            }
          ]
        },
        {
          "index": 1,
          "toolId": "never",
          "description": "good/echo",
          "status": "skipped",
          "estimatedDuration": 1.0,
          "reason": "condition_false",
          "dependsOn": [
            0
          ]
        },
        {
          "index": 2,
          "toolId": "may",
          "description": "broken/fail",
          "status": "failed",
          "executedBy": "broken@0.1.0",
          "startedAt": "+10 s",
          "estimatedDuration": 1.0,
          "error": "it failed on purpose"
        },
        {
          "index": 3,
          "toolId": "count",
          "description": "counter/counts",
          "status": "complete",
          "executedBy": "counter@0.1.0",
          "startedAt": "+18 s",
          "completedAt": "+20 s",
          "estimatedDuration": 1.0,
          "output": {
            "count": 1
          }
        }
      ],
      "estimatedDuration": 4.0,
      "metadata": {
        "mood": "hopeful",
        "planner": "scripted"
      }
    }
    "#);
}

/// S3 lifecycle: draft, in progress, complete, failed, replanning; versions and `previousPlanId`.
#[tokio::test]
async fn the_versions_of_a_turn_are_a_chain_with_a_status_each() {
    let stage = stage();
    let fails = plan(json!([tool("a", "broken/fail", &[])]));
    let invalid = plan(json!([tool("a", "good/echo", &["b"])]));
    let works = narrated(json!([tool("a", "good/echo", &[])]), "Done.");
    let mut session =
        stage.session(scripted(json!([fails, invalid, works, fails, {"abort": "enough"}])));
    let chain = |session: &Session| -> Vec<(PlanStatus, u32, bool)> {
        let records = records(session);
        let before = [None].into_iter().chain(records.iter().map(|record| Some(&record.id)));
        let pairs = before.zip(&records);
        pairs
            .map(|(before, record)| {
                (record.status, record.version, record.previous_plan_id.as_ref() == before)
            })
            .collect()
    };
    let (turn, _) = play(&mut session, "one").await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    let expected = [
        (PlanStatus::Replanning, 1, true),
        (PlanStatus::Draft, 2, true),
        (PlanStatus::Complete, 3, true),
    ];
    assert_eq!(chain(&session), expected);
    // Another turn has another chain. A planner that gives up makes no further plan, so this one has failed.
    play(&mut session, "two").await;
    assert_eq!(chain(&session), [(PlanStatus::Failed, 1, true)]);
}

/// S3 persistence: each plan of the story is a document, for people to read. It is made when somebody asks for it.
#[tokio::test]
async fn each_plan_is_a_document_of_the_story() {
    let stage = stage();
    let fails = plan(json!([tool("a", "broken/fail", &[])]));
    let works = narrated(json!([tool("a", "good/echo", &[])]), "Done.");
    let mut session = stage.session(scripted(json!([fails, works])));
    play(&mut session, "one").await;
    for ordinal in [1, 2] {
        let kept = session.story().plan(&ordinal.to_string()).unwrap();
        let id = kept.row.id.clone();
        let document = story::export_plan(kept.row, ordinal, 1);
        assert_eq!(document["id"], json!(id));
        assert_eq!(document["steps"][0]["toolId"], json!("a"));
        assert_eq!(document["version"], json!(ordinal));
    }
    assert!(!session.story().folder().join("plans").exists());
}

/// S3 `startStep`, `completeStep`, `currentStepIndex`: the record shows the progress while the plan runs.
#[tokio::test]
async fn the_record_can_be_read_while_the_plan_runs() {
    let stage = stage();
    let steps = json!([tool("a", "counter/counts", &[]), tool("b", "good/echo", &["a"])]);
    let mut session = stage.session(scripted(json!([narrated(steps, "Done.")])));
    let (cancel, mut seen) = (CancellationToken::new(), Vec::new());
    let home = stage.home.path();
    let mut on_update = |update: Update| {
        if matches!(&update, Update::Step(StepUpdate { tool_id, event: StepEvent::Started { .. }, .. }) if tool_id == "b")
        {
            let record = open_story(home).plan("1").unwrap().row.record.unwrap();
            let steps = record.steps.iter().map(|step| format!("{} {}", step.tool_id, step.status));
            let steps = steps.collect::<Vec<_>>().join(", ");
            let (at, output) = (record.current_step_index, &record.steps[0].output);
            seen.push(format!("{}: {steps}; at {at}; {output:?}", record.status));
        }
    };
    session.turn("one", &cancel, &mut on_update).await.unwrap();
    insta::assert_snapshot!(seen.join("\n"), @r#"in_progress: a complete, b in_progress; at 1; Some(Object {"count": Number(1)})"#);
}

/// S0 FR-026, FR-029: a plan that was cancelled has failed, and its record says at which step.
#[tokio::test]
async fn the_record_of_a_cancelled_plan_is_failed() {
    let stage = stage();
    let mut waits = tool("a", "good/echo", &[]);
    waits["requiresApproval"] = json!(true);
    let mut session = stage.session(scripted(json!([narrated(json!([waits]), "Never.")])));
    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        if matches!(update, Update::Step(StepUpdate { event: StepEvent::Waiting { .. }, .. })) {
            cancel.cancel();
        }
    };
    session.turn("one", &cancel, &mut on_update).await.unwrap();
    let record = &records(&session)[0];
    assert_eq!(record.status, PlanStatus::Failed);
    assert_eq!(record.steps[0].reason.as_deref(), Some("cancelled"));
}

/// S2 "Strategy 1": what stands behind a failure is blocked, with the reason; the rest goes on. Everything else that did
/// not run is skipped.
#[tokio::test]
async fn the_steps_behind_a_failure_are_blocked_and_the_others_complete() {
    let stage = stage();
    let mut never = tool("never", "good/echo", &[]);
    never["when"] = json!("false");
    let tools = json!([
        tool("fails", "broken/fail", &[]),
        tool("behind", "good/echo", &["fails"]),
        tool("further", "good/echo", &["behind"]),
        tool("beside", "good/echo", &[]),
        never,
    ]);
    let mut session = stage.session(scripted(json!([narrated(tools, "Done.")])));
    play(&mut session, "one").await;
    let record = &records(&session)[0];
    let steps: Vec<String> = record
        .steps
        .iter()
        .map(|step| {
            let reason = step.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{} {}{reason}", step.tool_id, step.status)
        })
        .collect();
    insta::assert_snapshot!(steps.join("\n"), @"
    fails failed
    behind blocked: dependency_failed
    further blocked: dependency_failed
    beside complete
    never skipped: condition_false
    ");
}

/// S2 "Abort execution": the record of a plan that was given up names the planner and its reason, not the player.
#[tokio::test]
async fn an_abort_by_the_planner_is_recorded_as_its_own() {
    let stage = stage();
    let first = narrated(json!([tool("a", "broken/fail", &[])]), "Done.");
    let mut session = stage.session(scripted(json!([first, {"abort": "there is no way through"}])));
    play(&mut session, "I open the door").await;
    let rows = plans_of(&session);
    let abort = rows.last().unwrap();
    assert_eq!((abort.planner.as_str(), abort.status), ("scripted", PlanStatus::Draft));
    assert_eq!(abort.plan, json!({"abort": "there is no way through"}));
    assert_eq!(abort.errors, ["the planner gave up: there is no way through"]);
    assert_eq!(rows[0].status, PlanStatus::Failed);
}
