//! S3's example, and operations that succeed or are refused.

use std::sync::LazyLock;

use insta::assert_snapshot;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PlanRecord, PlanStatus, StepRecord, StepStatus};
use crate::testing::{PLAN_ID, build, catalog, plan_json, skill};
use narratoria_skills::Schema;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_769_162_400 + 60 * minute).unwrap()
}

/// `b<-a` reads "b depends on a".
fn record(plan: &str) -> PlanRecord {
    PlanRecord::from_plan_json(&plan_json(plan), None, "Open the door", "lexical", at(0))
}

/// `replanning 1: a=complete b=failed`
fn show(record: &PlanRecord) -> String {
    let steps: Vec<String> =
        record.steps.iter().map(|step| format!("{}={}", step.tool_id, step.status)).collect();
    format!("{} {}: {}", record.status, record.current_step_index, steps.join(" "))
}

/// S3 createPlan
#[test]
fn a_new_plan_is_a_draft_whose_first_step_is_current() {
    assert_eq!(show(&record("a b<-a")), "draft 0: a=pending b=pending");
    let steps = vec![StepRecord::pending("x", "Look"), StepRecord::pending("y", "Leap")];
    let record = PlanRecord::create("id", "task", steps, "me", at(0));
    assert_eq!(record.steps[1].index, 1);
    assert_eq!((record.version, record.progress()), (1, (0, 2)));
    assert_eq!(record.previous_plan_id, None);
}

/// S3 createPlan, suggestedAgent, acceptanceCriteria: steps are in run order and have the dependencies of the built
/// plan.
#[test]
fn the_record_of_a_built_plan_is_in_run_order() {
    let mut json = plan_json("b<-a a c<-b,a");
    json.tools[0].description = Some("Open it".to_owned());
    json.tools[0].suggested_skill = Some("any".to_owned());
    json.tools[0].acceptance_criteria = vec!["It is open".into()];
    json.metadata.extra.insert("complexity".to_owned(), json!(5));
    json.metadata.extra.insert("version".to_owned(), json!(3));
    let plan = build(json.clone(), &catalog([skill("any", &["thing"])])).unwrap();
    let record = PlanRecord::from_plan_json(&json, Some(&plan), "Open the door", "lexical", at(0));
    let steps: Vec<String> = record
        .steps
        .iter()
        .map(|s| format!("{} {} {:?} {:?}", s.index, s.tool_id, s.description, s.depends_on))
        .collect();
    assert_eq!(steps, ["0 a \"any/thing\" []", "1 b \"Open it\" [0]", "2 c \"any/thing\" [0, 1]"]);
    assert_eq!(record.steps[1].acceptance_criteria, ["It is open"]);
    assert_eq!(record.steps[1].suggested_skill.as_deref(), Some("any"));
    assert_eq!((record.version, Value::Object(record.metadata)), (3, json!({"complexity": 5})));
}

/// The example of S3, an authentication of users with JWT, after its first steps.
///
/// S3 createPlan, version, createdBy, createdAt, updatedAt, currentStepIndex, startedAt, completedAt, output, error,
/// dependsOn, instructions, acceptanceCriteria, suggestedAgent, executedBy, affectedFiles: the names and the values are
/// those of the specification, but for the names of this host.
///
/// Long because the record is.
#[test]
fn the_plan_of_the_specification_is_recorded_as_it_stands_there() {
    let mut json = plan_json("analyze middleware login<-middleware tests<-middleware,login");
    json.metadata.extra = serde_json::from_value(json!({
        "task": "Implement user authentication with JWT",
        "reasoning": "Nothing can log in before tokens are checked.",
        "complexity": 5, "tags": ["auth", "jwt"], "constraints": ["Use the existing library"],
    }))
    .unwrap();
    json.tools[2].suggested_skill = Some("developer".to_owned());
    json.tools[2].instructions = Some("Create POST /auth/login".to_owned());
    json.tools[2].acceptance_criteria = vec!["Returns JWT on success".into()];
    let mut record = PlanRecord::from_plan_json(&json, None, "something else", "planner", at(0));
    let by = |skill: &str| Some(format!("{skill}@1.0.0"));
    record.start_step(0, by("planner"), at(0)).unwrap();
    record.complete_step(0, Some(json!("Found src/auth/")), Vec::new(), at(10)).unwrap();
    record.start_step(1, by("developer"), at(15)).unwrap();
    let files = vec!["src/auth/middleware.ts".to_owned()];
    record.complete_step(1, Some(json!("Created it")), files, at(30)).unwrap();
    record.start_step(2, by("developer"), at(35)).unwrap();
    assert_snapshot!(format!("{:#}", record.to_json()), @r#"
    {
      "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
      "task": "Implement user authentication with JWT",
      "status": "in_progress",
      "version": 1,
      "createdBy": "planner",
      "createdAt": "2026-01-23T10:00:00Z",
      "updatedAt": "2026-01-23T10:35:00Z",
      "currentStepIndex": 2,
      "steps": [
        {
          "index": 0,
          "toolId": "analyze",
          "description": "any/thing",
          "status": "complete",
          "executedBy": "planner@1.0.0",
          "startedAt": "2026-01-23T10:00:00Z",
          "completedAt": "2026-01-23T10:10:00Z",
          "output": "Found src/auth/"
        },
        {
          "index": 1,
          "toolId": "middleware",
          "description": "any/thing",
          "status": "complete",
          "executedBy": "developer@1.0.0",
          "startedAt": "2026-01-23T10:15:00Z",
          "completedAt": "2026-01-23T10:30:00Z",
          "output": "Created it",
          "affectedFiles": [
            "src/auth/middleware.ts"
          ]
        },
        {
          "index": 2,
          "toolId": "login",
          "description": "any/thing",
          "status": "in_progress",
          "suggestedSkill": "developer",
          "executedBy": "developer@1.0.0",
          "startedAt": "2026-01-23T10:35:00Z",
          "dependsOn": [
            1
          ],
          "instructions": "Create POST /auth/login",
          "acceptanceCriteria": [
            "Returns JWT on success"
          ]
        },
        {
          "index": 3,
          "toolId": "tests",
          "description": "any/thing",
          "status": "blocked",
          "dependsOn": [
            1,
            2
          ]
        }
      ],
      "reasoning": "Nothing can log in before tokens are checked.",
      "metadata": {
        "complexity": 5,
        "tags": [
          "auth",
          "jwt"
        ],
        "constraints": [
          "Use the existing library"
        ]
      }
    }
    "#);
    record.fail_step(2, "no store", at(40)).unwrap();
    assert_eq!(record.to_json()["steps"][2]["error"], json!("no store"));
    check_contract(&record.to_json());
}

/// S3 startStep, executedBy
#[test]
fn starting_a_step_makes_it_current_and_the_plan_in_progress() {
    let mut record = record("a b c");
    record.start_step(1, Some("any@1.2.3".to_owned()), at(1)).unwrap();
    assert_eq!(show(&record), "in_progress 1: a=ready b=in_progress c=ready");
    let step = &record.steps[1];
    assert_eq!((step.started_at, step.executed_by.as_deref()), (Some(at(1)), Some("any@1.2.3")));
    assert_eq!((record.created_at, record.updated_at), (at(0), at(1)));
    record.hand_over(1, "other@2.0.0".to_owned(), at(2)).unwrap();
    assert_eq!(record.steps[1].executed_by.as_deref(), Some("other@2.0.0"));
}

/// S3 completeStep
#[test]
fn completing_a_step_goes_on_to_the_next_and_the_last_completes_the_plan() {
    let mut record = record("a b<-a");
    record.start_step(0, None, at(1)).unwrap();
    record.complete_step(0, Some(json!({"x": 1})), vec!["a.png".to_owned()], at(2)).unwrap();
    assert_eq!(show(&record), "in_progress 1: a=complete b=ready");
    let step = &record.steps[0];
    assert_eq!((step.completed_at, &step.output), (Some(at(2)), &Some(json!({"x": 1}))));
    assert_eq!((&step.affected_files[..], record.progress()), (&["a.png".to_owned()][..], (1, 2)));
    record.start_step(1, None, at(3)).unwrap();
    record.complete_step(1, None, Vec::new(), at(4)).unwrap();
    assert_eq!(show(&record), "complete 2: a=complete b=complete");
    record.finish(at(5)).unwrap();
    assert_eq!((record.status, record.updated_at), (PlanStatus::Complete, at(4)));
}

/// S3 completeStep, with several steps in progress at once.
#[test]
fn a_plan_is_not_complete_while_a_sibling_runs() {
    let mut record = record("a b c<-a,b");
    record.start_step(0, None, at(1)).unwrap();
    record.start_step(1, None, at(1)).unwrap();
    record.complete_step(0, None, Vec::new(), at(2)).unwrap();
    assert_eq!(show(&record), "in_progress 1: a=complete b=in_progress c=blocked");
    record.complete_step(1, None, Vec::new(), at(3)).unwrap();
    assert_eq!(show(&record), "in_progress 2: a=complete b=complete c=ready");
}

/// S3 failStep
#[test]
fn a_failed_step_leaves_the_plan_replanning_until_the_executor_decides() {
    let mut failed = record("a b c<-a");
    failed.start_step(0, None, at(1)).unwrap();
    failed.fail_step(0, "the dice fell off the table", at(2)).unwrap();
    assert_eq!(show(&failed), "replanning 0: a=failed b=ready c=blocked");
    let step = &failed.steps[0];
    assert_eq!(
        (step.error.as_deref(), step.completed_at),
        (Some("the dice fell off the table"), None)
    );

    let mut given_up = failed.clone();
    given_up.mark_failed(at(3)).unwrap();
    assert_eq!(show(&given_up), "failed 0: a=failed b=ready c=blocked");

    failed.start_step(1, None, at(3)).unwrap();
    failed.complete_step(1, None, Vec::new(), at(4)).unwrap();
    failed.block_step(2, "dependency_failed", at(5)).unwrap();
    assert_eq!(show(&failed), "replanning 3: a=failed b=complete c=blocked");
    assert!(failed.start_step(2, None, at(6)).is_err());
    failed.finish(at(6)).unwrap();
    assert_eq!(failed.status, PlanStatus::Complete);
}

/// S2 "StepStatus", "Strategy 1": the steps behind a failure are blocked for good, the others go on. Before that, `blocked` and `ready`
/// say what waits for what.
#[test]
fn a_step_that_waits_is_blocked_or_ready() {
    let mut record = record("a b<-a c<-b d");
    record.set_status(PlanStatus::InProgress);
    assert_eq!(show(&record), "in_progress 0: a=ready b=blocked c=blocked d=ready");
    record.start_step(0, None, at(1)).unwrap();
    record.complete_step(0, None, Vec::new(), at(2)).unwrap();
    assert_eq!(show(&record), "in_progress 1: a=complete b=ready c=blocked d=ready");
    record.start_step(1, None, at(3)).unwrap();
    record.fail_step(1, "no dice", at(4)).unwrap();
    assert_eq!(show(&record), "replanning 1: a=complete b=failed c=blocked d=ready");
    assert!(record.steps[2].is_waiting());
    record.block_step(2, "dependency_failed", at(5)).unwrap();
    assert!(!record.steps[2].is_waiting());
    record.start_step(3, None, at(6)).unwrap();
    record.complete_step(3, None, Vec::new(), at(7)).unwrap();
    assert_eq!(show(&record), "replanning 4: a=complete b=failed c=blocked d=complete");
    assert!(PlanRecord::from_json(record.to_json()).unwrap() == record);
}

/// S3 skipStep
#[test]
fn a_skipped_step_is_over_and_the_plan_goes_on() {
    let mut record = record("a b<-a c<-b");
    record.skip_step(0, "denied", at(1)).unwrap();
    assert_eq!(show(&record), "draft 1: a=skipped b=pending c=pending");
    assert_eq!((record.steps[0].reason.as_deref(), record.updated_at), (Some("denied"), at(1)));
    record.start_step(1, None, at(2)).unwrap();
    // The player left during the step.
    record.skip_step(1, "cancelled", at(3)).unwrap();
    assert_eq!(show(&record), "in_progress 2: a=skipped b=skipped c=ready");
    assert_eq!((record.steps[1].completed_at, record.progress()), (None, (0, 3)));
    record.skip_step(2, "condition_false", at(4)).unwrap();
    assert_eq!(show(&record), "complete 3: a=skipped b=skipped c=skipped");
}

/// S3 "Plan Lifecycle": created, in progress, replanning; then the next version is in progress, until one is complete or
/// no other follows.
#[test]
fn a_plan_lives_through_versions_until_one_is_complete_or_none_is_left() {
    let mut first = record("a b<-a");
    let mut seen = vec![show(&first)];
    first.start_step(0, None, at(1)).unwrap();
    seen.push(show(&first));
    first.fail_step(0, "no dice", at(2)).unwrap();
    seen.push(show(&first));
    let mut second = first.replan(&plan_json("a"), None, "lexical", at(3));
    seen.push(show(&second));
    second.start_step(0, None, at(4)).unwrap();
    seen.push(show(&second));
    let mut third = second.clone();
    second.complete_step(0, None, Vec::new(), at(5)).unwrap();
    seen.push(show(&second));
    third.fail_step(0, "no dice either", at(5)).unwrap();
    third.mark_failed(at(6)).unwrap();
    seen.push(show(&third));
    assert_snapshot!(seen.join("\n"), @"
    draft 0: a=pending b=pending
    in_progress 0: a=in_progress b=blocked
    replanning 0: a=failed b=blocked
    draft 0: a=pending
    in_progress 0: a=in_progress
    complete 1: a=complete
    failed 0: a=failed
    ");
    // A version that has ended stays as it is.
    assert!(second.mark_replanning(at(7)).is_err() && third.mark_replanning(at(7)).is_err());
}

/// S3 "Plan Persistence", docs/plans.md, "After a crash": a version that is interrupted and resumed.
#[test]
fn an_interrupted_version_keeps_every_step_that_has_ended() {
    let mut cut = record("a b c<-a d");
    cut.start_step(0, Some("any@1.2.3".to_owned()), at(1)).unwrap();
    cut.complete_step(0, Some(json!(7)), Vec::new(), at(2)).unwrap();
    cut.start_step(1, Some("any@1.2.3".to_owned()), at(3)).unwrap();
    cut.fail_step(1, "no dice", at(4)).unwrap();
    cut.start_step(2, None, at(5)).unwrap();
    cut.skip_step(3, "denied", at(6)).unwrap();
    let mut again = record("a b c<-a d");
    again.reuse_results(&cut, &["a", "b", "c", "d"].into(), at(7));
    assert_eq!(show(&again), "replanning 2: a=complete b=failed c=ready d=skipped");
    for reused in [0, 1, 3] {
        assert_eq!(again.steps[reused], cut.steps[reused]);
    }
}

/// S3 findNextPendingStep
#[test]
fn the_next_pending_step_is_one_that_could_start() {
    let mut record = record("a b<-a c d<-c");
    assert_eq!(record.next_pending(None), Some(0));
    assert_eq!(record.next_pending(Some(0)), Some(2));
    assert_eq!(record.next_pending(Some(2)), None);
    record.skip_step(0, "skipped_by_player", at(1)).unwrap();
    assert_eq!(record.next_pending(Some(0)), Some(1));
    assert_eq!(record.steps[0].reason.as_deref(), Some("skipped_by_player"));
    assert_eq!((record.next_pending(Some(usize::MAX)), record.status), (None, PlanStatus::Draft));
}

/// S3 replan, previousPlanId
#[test]
fn a_new_version_names_the_one_before_and_reuses_results() {
    let mut old = record("a b<-a");
    old.start_step(0, Some("any@1.2.3".to_owned()), at(1)).unwrap();
    old.complete_step(0, Some(json!(7)), Vec::new(), at(2)).unwrap();
    old.start_step(1, None, at(2)).unwrap();
    old.fail_step(1, "broken", at(3)).unwrap();
    let mut json = plan_json("a x<-a");
    json.request_id = "00000000-0000-4000-8000-000000000002".to_owned();
    let mut new = old.replan(&json, None, "llama", at(4));
    new.changes = Some("`b` became `x`".to_owned());
    new.reasoning = Some("`b` is broken".to_owned());
    new.reuse_results(&old, &["a", "b", "nobody"].into(), at(4));
    assert_eq!(show(&new), "in_progress 1: a=complete x=ready");
    assert_eq!((new.version, new.previous_plan_id.as_deref()), (2, Some(PLAN_ID)));
    assert_eq!((new.task.as_str(), new.created_by.as_str()), ("Open the door", "llama"));
    assert_eq!((&new.steps[0].output, new.steps[0].completed_at), (&Some(json!(7)), Some(at(2))));
    assert_eq!(show(&old), "replanning 1: a=complete b=failed");
    let mut draft = record("a");
    draft.mark_replanning(at(1)).unwrap();
    assert_eq!(show(&draft), "replanning 0: a=pending");
}

#[test]
fn an_invalid_operation_is_refused_and_changes_nothing() {
    let mut record = record("a b c");
    record.start_step(0, None, at(1)).unwrap();
    record.complete_step(0, None, Vec::new(), at(2)).unwrap();
    let before = record.clone();
    let mut done = before.clone();
    done.mark_failed(at(3)).unwrap();
    let refused = [
        record.start_step(9, None, at(9)),
        record.start_step(0, None, at(9)),
        record.complete_step(1, None, Vec::new(), at(9)),
        record.fail_step(0, "late", at(9)),
        record.skip_step(0, "late", at(9)),
        record.hand_over(1, "x@1.0.0".to_owned(), at(9)),
        record.finish(at(9)),
        done.start_step(1, None, at(9)),
        done.finish(at(9)),
        done.mark_failed(at(9)),
    ];
    let errors: Vec<String> = refused.into_iter().map(|r| r.unwrap_err().to_string()).collect();
    assert_snapshot!(errors.join("\n"), @"
    there is no step 9, the plan has 3
    step `a` is complete, only a step that is pending can be started
    step `b` is ready, only a step that is in progress can be completed
    step `a` is complete, only a step that is pending or in progress can be failed
    step `a` is complete, only a step that is pending or in progress can be skipped
    step `b` is ready, only a step that is in progress can be handed over
    plan `6ba7b810-9dad-11d1-80b4-00c04fd430c8` cannot be finished: steps `b`, `c` are not over
    plan `6ba7b810-9dad-11d1-80b4-00c04fd430c8` is failed, nothing of it can change any more
    plan `6ba7b810-9dad-11d1-80b4-00c04fd430c8` is failed, nothing of it can change any more
    plan `6ba7b810-9dad-11d1-80b4-00c04fd430c8` is failed, nothing of it can change any more
    ");
    assert_eq!(record, before);
}

/// Validates against the contract.
#[track_caller]
fn check_contract(json: &Value) {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
        let contract = include_str!("../../../contracts/plan-record.schema.json");
        Schema::build(serde_json::from_str(contract).unwrap()).unwrap()
    });
    assert_eq!(SCHEMA.mismatches(json), [], "{json}");
}

#[test]
fn a_record_survives_json_and_an_invalid_one_is_refused() {
    let mut record = record("a b<-a");
    record.start_step(0, Some("any@1.2.3".to_owned()), at(1)).unwrap();
    record
        .complete_step(0, Some(json!({"x": [1, null]})), vec!["a.png".to_owned()], at(2))
        .unwrap();
    let json = record.to_json();
    check_contract(&json);
    assert_eq!(PlanRecord::from_json(json.clone()), Ok(record));
    let broken = |pointer: &str, value: Value| {
        let mut json = json.clone();
        *json.pointer_mut(pointer).unwrap() = value;
        PlanRecord::from_json(json).unwrap_err().to_string()
    };
    let errors = [
        broken("/steps/1/index", json!(0)),
        broken("/steps/1/dependsOn", json!([2])),
        broken("/currentStepIndex", json!(3)),
        broken("/version", json!(0)),
        broken("/status", json!("done")),
        broken("/createdAt", json!("yesterday")),
        broken("/steps/0/completedAt", json!("")),
    ];
    assert_snapshot!(errors.join("\n"), @"
    the plan record cannot be read: step `b` has index 0, it is at 1
    the plan record cannot be read: step `b` depends on step 2 of 2
    the plan record cannot be read: currentStepIndex is 3, there are 2 steps
    the plan record cannot be read: version is 0, the first is 1
    the plan record cannot be read: unknown variant `done`, expected one of `draft`, `in_progress`, `complete`, `failed`, `replanning`
    the plan record cannot be read: `yesterday` is no time such as `2026-01-23T10:00:00Z`
    the plan record cannot be read: `` is no time such as `2026-01-23T10:00:00Z`
    ");
    for status in PlanStatus::ALL {
        assert_eq!(PlanStatus::parse(status.as_str()), Some(status));
        assert_eq!(json!(status), status.as_str());
    }
    assert_eq!(PlanStatus::parse("done"), None);
}

proptest! {
    #[test]
    fn no_sequence_of_operations_breaks_the_record(
        operations in proptest::collection::vec((0_u8..9, 0_usize..6, 0_i64..100), 0..60)
    ) {
        let mut record = record("a b<-a c d<-b,c e");
        for (operation, index, minute) in operations {
            let before = record.clone();
            let result = match operation {
                0 | 1 => record.start_step(index, None, at(minute)),
                2 | 3 => record.complete_step(index, Some(Value::Null), Vec::new(), at(minute)),
                4 => record.fail_step(index, "no", at(minute)),
                5 => record.skip_step(index, "no", at(minute)),
                6 => record.finish(at(minute)),
                7 => record.block_step(index, "no", at(minute)),
                _ => if index == 5 { record.mark_failed(at(minute)) } else { Ok(()) },
            };
            if result.is_err() {
                prop_assert_eq!(&record, &before);
            }
            prop_assert!(record.updated_at >= before.updated_at);
            prop_assert!(record.current_step_index <= record.steps.len());
            let count = |status| record.steps.iter().filter(|step| step.status == status).count();
            let open = record.steps.iter().filter(|step| step.is_waiting()).count()
                + count(StepStatus::InProgress);
            match record.status {
                PlanStatus::Draft => prop_assert_eq!(count(StepStatus::InProgress) + count(StepStatus::Complete), 0),
                PlanStatus::Complete => prop_assert_eq!((open, record.current_step_index), (0, 5)),
                PlanStatus::InProgress => prop_assert!(open > 0 && count(StepStatus::Failed) == 0),
                PlanStatus::Replanning => prop_assert!(count(StepStatus::Failed) > 0),
                PlanStatus::Failed => {}
            }
            let waiting = record.steps.iter().filter(|step| step.is_waiting());
            for step in waiting.filter(|_| record.status == PlanStatus::InProgress) {
                let is_ready = step.depends_on.iter().all(|need| {
                    matches!(record.steps[*need].status, StepStatus::Complete | StepStatus::Skipped)
                });
                let expected = if is_ready { StepStatus::Ready } else { StepStatus::Blocked };
                prop_assert_eq!(step.status, expected);
            }
            for step in &record.steps {
                let is_complete = step.status == StepStatus::Complete;
                prop_assert_eq!(step.completed_at.is_some(), is_complete);
                prop_assert!(step.completed_at.is_none_or(|end| step.started_at.is_some_and(|start| start <= end)));
                prop_assert_eq!(step.error.is_some(), step.status == StepStatus::Failed);
            }
            check_contract(&record.to_json());
            prop_assert_eq!(&PlanRecord::from_json(record.to_json()).unwrap(), &record);
        }
    }
}
