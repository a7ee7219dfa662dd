//! Acceptance criteria, the planner's own words and the files of a plan (S3), in play.

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_plan::{CriterionJudge, CriterionVerdict, PlanRecord};
use narratoria_story::{AssetName, TurnOutcome};
use serde_json::{Value, json};

use super::{
    arbiter::with_arbiter,
    support::{LoggingPlanner, TurnStage, narrated, plan, plans_of, play, scripted, tool},
};

fn stage() -> TurnStage {
    TurnStage::new(&[
        ("good", "echo", json!({})),
        ("other", "echo", json!({})),
        ("broken", "fail", json!({})),
        ("rich", "uses-grants", json!({"scripts": [{"grants": {"assets": true}}]})),
        ("diary", "obeys", json!({"scripts": [{"grants": {"data": true}}]})),
    ])
}

fn records(session: &narratoria_engine::Session) -> Vec<PlanRecord> {
    plans_of(session).into_iter().filter_map(|row| row.record).collect()
}

fn with_criteria(criteria: Value) -> Value {
    let mut walk = tool("walk", "good/echo", &[]);
    walk["acceptanceCriteria"] = criteria;
    narrated(json!([walk]), "You walk.")
}

fn judged(record: &PlanRecord) -> Vec<(CriterionVerdict, CriterionJudge)> {
    record.steps[0].judgments.iter().map(|one| (one.verdict, one.by)).collect()
}

fn all_kinds() -> Value {
    json!([
        {"text": "it is an object", "expect": {"type": "object"}},
        {"text": "there is little of it", "holds": "size(output) < 100"},
        "it is a joy",
        "there is a dragon in it",
    ])
}

/// S3 `acceptanceCriteria`: by a schema, by a condition, and by the model where there is one.
#[tokio::test]
async fn a_model_judges_what_no_rule_does_and_the_player_reads_what_is_missing() {
    let stage = stage();
    let (planner, prompts) = with_arbiter(json!([with_criteria(all_kinds())]), None);
    let mut session = stage.session(planner);
    let (turn, updates) = play(&mut session, "I walk").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    let (met, unmet) = (CriterionVerdict::Met, CriterionVerdict::Unmet);
    let by_model = [(met, CriterionJudge::Model), (unmet, CriterionJudge::Model)];
    let expected = [(met, CriterionJudge::Expect), (met, CriterionJudge::Condition)];
    assert_eq!(judged(&records(&session)[0]), [expected, by_model].concat());
    let warnings: Vec<&str> = updates
        .iter()
        .filter_map(|update| match update {
            Update::Step(StepUpdate {
                event: StepEvent::Warned { error_code, error_message, .. },
                ..
            }) => {
                assert_eq!(error_code, "CRITERION_UNMET");
                Some(error_message.as_str())
            }
            _ => None,
        })
        .collect();
    assert_eq!(warnings, ["the model finds that this is not so: there is a dragon in it"]);
    let prompts = prompts.lock().unwrap();
    assert_eq!(prompts.len(), 2);
    assert!(prompts[0].contains("## Current Task\n\nI walk\n"), "{}", prompts[0]);
    assert!(prompts[0].contains("## Criterion\n\nit is a joy\n"), "{}", prompts[0]);
}

/// S3 `acceptanceCriteria`: without a model, the player judges what no rule does.
#[tokio::test]
async fn without_a_model_the_rest_is_left_to_the_player() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([with_criteria(all_kinds())])));
    play(&mut session, "I walk").await;
    let open = (CriterionVerdict::Open, CriterionJudge::Player);
    let rules = [CriterionJudge::Expect, CriterionJudge::Condition];
    let met = rules.map(|by| (CriterionVerdict::Met, by));
    assert_eq!(judged(&records(&session)[0]), [met, [open; 2]].concat());
}

/// S3 `acceptanceCriteria`: a criterion with a rule fails the step, and the record names the criterion.
#[tokio::test]
async fn a_criterion_that_is_not_met_fails_the_step_and_the_next_plan_is_told() {
    let stage = stage();
    let wants_more = json!([
        "it is a joy",
        {"text": "it is an object", "expect": {"type": "object"}},
        {"text": "it has a tail", "holds": "has(output.tail)"},
        {"text": "never reached", "holds": "true"},
    ]);
    // Its skill is disabled for the rest of the turn, as after any failure.
    let other = narrated(json!([tool("run", "other/echo", &[])]), "You run.");
    let (planner, requests) = LoggingPlanner::new(json!([with_criteria(wants_more), other]));
    let mut session = stage.session(planner);
    let (turn, _) = play(&mut session, "I walk").await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    let records = records(&session);
    let open = CriterionVerdict::Open;
    let expected = [
        (open, CriterionJudge::Player),
        (CriterionVerdict::Met, CriterionJudge::Expect),
        (CriterionVerdict::Unmet, CriterionJudge::Condition),
        (open, CriterionJudge::Condition),
    ];
    assert_eq!(judged(&records[0]), expected);
    let why =
        "its output does not meet the criterion \"it has a tail\": `has(output.tail)` is false";
    assert!(records[0].steps[0].error.as_deref().unwrap().contains(why), "{:?}", records[0]);
    assert!(requests.lock().unwrap()[1].contains(why));
}

/// S3 createPlan, replan, task, reasoning, context, complexity, tags, constraints, informedByMemories: all of it is kept. The planner's own words come before the host's.
#[tokio::test]
async fn the_record_keeps_the_planners_reasoning_and_what_the_plan_rests_on() {
    let stage = stage();
    let mut first = plan(json!([tool("a", "broken/fail", &[])]));
    first["metadata"] = json!({
        "reasoning": "The door looks weak.",
        "task": "I dance",
        "context": {"memories": ["The door is old."], "constraints": ["no noise"]},
        "complexity": 3, "tags": ["door"], "constraints": ["stay outside"],
        "informedByMemories": ["The door is old."],
    });
    let second = narrated(json!([tool("a", "good/echo", &[])]), "Done.");
    let mut session = stage.session(scripted(json!([first, second])));
    play(&mut session, "I open the door").await;
    let shown: Vec<String> = records(&session)
        .iter()
        .map(|record| {
            let record = record.to_json();
            let fields = ["task", "reasoning", "context", "metadata"];
            fields.map(|field| format!("{field}: {}", record[field])).join("\n")
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n--\n"), @r#"
    task: "I open the door"
    reasoning: "The door looks weak."
    context: {"memories":["The door is old."],"constraints":["no noise"]}
    metadata: {"complexity":3,"tags":["door"],"constraints":["stay outside"],"informedByMemories":["The door is old."],"planner":"scripted"}
    --
    task: "I open the door"
    reasoning: "step `a` (`broken/fail`) failed after 2 attempts: it failed on purpose"
    context: {"constraints":["without the skill `broken`"],"discoveries":["step `a` (`broken/fail`) failed after 2 attempts: it failed on purpose"]}
    metadata: {"planner":"scripted"}
    "#);
}

/// S3 createPlan: a document whose metadata are wrong is no plan.
#[test]
fn metadata_of_another_form_are_refused_by_name() {
    let with = |metadata: Value| {
        let mut plan = narrated(json!([tool("a", "good/echo", &[])]), "Done.");
        plan["metadata"] = metadata;
        plan.to_string()
    };
    let wrong = [
        json!({"complexity": 0}),
        json!({"complexity": 10.5}),
        json!({"tags": "x"}),
        json!({"context": {"memory": []}}),
    ];
    for metadata in wrong {
        let errors = narratoria_plan::parse(with(metadata.clone()).as_bytes()).unwrap_err();
        let field = metadata.as_object().unwrap().keys().next().unwrap().clone();
        assert!(errors.to_string().contains(&format!("metadata.{field}")), "{errors}");
    }
    assert!(narratoria_plan::parse(with(json!({"complexity": 10})).as_bytes()).is_ok());
}

/// S3 `affectedFiles`: a plan that failed has left no file, whatever its steps claimed.
#[tokio::test]
async fn the_files_of_a_plan_that_failed_are_not_listed() {
    let stage = stage();
    let steps = json!([tool("map", "rich/uses-grants", &[]), tool("a", "broken/fail", &["map"])]);
    let mut session = stage.session(scripted(json!([plan(steps), {"abort": "enough"}])));
    play(&mut session, "I draw").await;
    assert_eq!(records(&session)[0].steps[0].affected_files, Vec::<String>::new());
}

/// S3 `affectedFiles`: a step whose result is reused keeps its files, in both versions.
#[tokio::test]
async fn the_files_of_a_reused_result_belong_to_both_versions() {
    let stage = stage();
    let map = || tool("map", "rich/uses-grants", &[]);
    let fails = plan(json!([map(), tool("a", "broken/fail", &["map"])]));
    let works = narrated(json!([map(), tool("a", "good/echo", &["map"])]), "Done.");
    let mut session = stage.session(scripted(json!([fails, works])));
    play(&mut session, "I draw").await;
    let records = records(&session);
    let file = records[0].steps[0].affected_files[0].clone();
    assert!(AssetName::of_path(&file).is_some(), "{file}");
    assert!(session.story().folder().join(&file).is_file());
    for record in &records {
        assert_eq!(record.steps[0].affected_files, std::slice::from_ref(&file));
    }
}

/// A step that does what `orders` say; see the guest `obeys`.
fn writes(id: &str, orders: Value, dependencies: &[&str]) -> Value {
    let mut step = tool(id, "diary/obeys", dependencies);
    step["input"] = json!({ "do": orders });
    step
}

/// S3 `affectedFiles`: the files in a data folder that a step has written itself, also where it then failed, because they stay.
#[tokio::test]
async fn the_files_in_a_data_folder_belong_to_the_step_that_wrote_them() {
    let stage = stage();
    let first = json!([
        ["write", "/data/monday", "rain", 1],
        ["write", "/data/tuesday", "sun", 1],
        ["asset", "../data/claimed", "text/plain"],
    ]);
    let second = json!([["write", "/data/tuesday", "more sun", 1]]);
    let third = json!([["write", "/data/draft", "snow", 1], ["fail", "NO_INK"]]);
    let mut last = writes("third", third, &["second"]);
    last["required"] = json!(false);
    let tools = json!([writes("first", first, &[]), writes("second", second, &["first"]), last]);
    let mut session = stage.session(scripted(json!([narrated(tools, "Done.")])));
    play(&mut session, "I write").await;
    let record = &records(&session)[0];
    let files: Vec<&[String]> = record.steps.iter().map(|s| s.affected_files.as_slice()).collect();
    let in_data = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("data/diary/{name}")).collect()
    };
    assert_eq!(files[0], in_data(&["monday", "tuesday"]));
    assert_eq!(files[1], in_data(&["tuesday"]));
    assert_eq!(files[2], in_data(&["draft"]));
    for file in files.concat() {
        assert!(session.story().folder().join(&file).is_file(), "{file}");
    }
}

/// S3 `affectedFiles`: what is in a data folder outlives its plan, and a later version that reuses the result has it as well.
#[tokio::test]
async fn a_failed_plan_names_the_files_that_it_has_left_in_data_folders() {
    let stage = stage();
    let note = || writes("note", json!([["write", "/data/note", "rain", 1]]), &[]);
    let fails = plan(json!([note(), tool("a", "broken/fail", &["note"])]));
    let works = narrated(json!([note(), tool("a", "good/echo", &["note"])]), "Done.");
    let mut session = stage.session(scripted(json!([fails, works])));
    play(&mut session, "I write").await;
    let records = records(&session);
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record.steps[0].affected_files, ["data/diary/note"]);
    }
}
