//! Plans outside any story, as library calls.

use std::sync::Arc;

use narratoria_engine::{
    self as engine, ClockAndIds, PlanDraft, ReviewFuture, ReviewVerdict, Reviewer, Scripts,
    StandalonePlan, StepEvent, StepUpdate, Update,
};
use narratoria_executor::PendingRequests;
use narratoria_narrator::{PlanFuture, PlanRequest, PlanResponse, Planner, Proposal};
use narratoria_plan::{PlanEdit, PlanJson};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    support::{
        TurnStage, clock_and_ids, keeps, load, narrated, open_story, options, play, prepare,
        scripted, tool,
    },
    update_lines::lines_of,
};

/// Returns one verdict, then starts.
struct OneVerdictReviewer(Option<ReviewVerdict>, Vec<String>);

impl Reviewer for OneVerdictReviewer {
    fn review<'a>(
        &'a mut self,
        draft: &'a PlanDraft,
        refused: Option<&'a str>,
    ) -> ReviewFuture<'a> {
        let results = format!("version {} by {}: {refused:?}", draft.version, draft.created_by);
        self.1.push(results);
        let verdict = self.0.take().unwrap_or(ReviewVerdict::Start);
        Box::pin(async move { verdict })
    }
}

struct StandaloneResult {
    result: Option<Value>,
    lines: String,
    shown: Vec<String>,
}

async fn run(tools: Value, verdict: ReviewVerdict) -> StandaloneResult {
    let stage = TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("good", "echo", json!({})),
        ("broken", "fail", json!({})),
    ]);
    let mut catalog = load(&[stage.skills.path().to_owned()]);
    let story = open_story(stage.home.path());
    let scripts: Arc<Scripts> = Arc::new(prepare(&mut catalog, &story));
    let (clock_and_ids, options): (ClockAndIds, _) = (clock_and_ids(), options());
    let stage = engine::StandaloneRunner {
        catalog: &catalog,
        scripts: &scripts,
        clock_and_ids: &clock_and_ids,
        options: &options,
    };
    let json: PlanJson = serde_json::from_value(narrated(tools, "Done.")).unwrap();
    let (pending, mut reviewer, mut updates) =
        (PendingRequests::new(), OneVerdictReviewer(Some(verdict), Vec::new()), Vec::new());
    let run = StandalonePlan {
        json,
        state: json!({"seen": {"torch": true}}).as_object().unwrap().clone(),
        seed: 7,
        pending: &pending,
        reviewer: Some(&mut reviewer),
    };
    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        if let Update::Step(StepUpdate { tool_id, event: StepEvent::Waiting { .. }, .. }) = &update
        {
            pending.approve(tool_id).unwrap();
        }
        updates.push(update);
    };
    let result = stage.execute_plan(run, &cancel, &mut on_update).await.unwrap();
    assert_eq!(story.turns(), 0);
    StandaloneResult { result, lines: lines_of(&updates), shown: reviewer.1 }
}

/// A plan without a story can be reviewed, edited and approved like any other.
#[tokio::test]
async fn a_plan_without_a_story_is_reviewed_and_approved_as_well() {
    let mut asked = tool("a", "good/echo", &[]);
    asked["requiresApproval"] = json!(true);
    asked["when"] = json!("state.seen.torch");
    let input = json!({"key": "rusty"}).as_object().unwrap().clone();
    let edit = ReviewVerdict::Edit(PlanEdit::SetInput { tool_id: "a".to_owned(), input });
    let steps = json!([asked, tool("b", "counter/counts", &["a"])]);
    let StandaloneResult { result, lines, shown } = run(steps, edit).await;
    insta::assert_snapshot!(lines, @r#"
    reviewed: edit
    version 2: changed step `a` (input.key: nothing -> "rusty")
    reviewed: start
    a waits: {"key":"rusty"}
    a approved by player
    a started: good/echo, attempt 1
    a success
    b started: counter/counts, attempt 1
    b success
    plan over: success, can replan false, failed [], disabled []
    "#);
    assert_eq!(shown, ["version 1 by file: None", "version 2 by player: None"]);
    let result = result.unwrap();
    assert_eq!(result["success"], json!(true));
    assert_eq!(result["toolResults"][0]["output"]["input"], json!({"key": "rusty"}));
    assert_eq!(result["toolResults"][1]["output"], json!({"count": 1}));
}

/// No other plan can be requested, and a cancelled plan has no result.
#[tokio::test]
async fn a_plan_without_a_story_has_no_planner_and_may_be_cancelled() {
    let steps = || json!([tool("a", "broken/fail", &[])]);
    let again = ReviewVerdict::Regenerate { remark: "another".to_owned() };
    let StandaloneResult { result, lines, shown } = run(steps(), again).await;
    insta::assert_snapshot!(lines, @r#"
    reviewed: regenerate
    reviewed: start
    a started: broken/fail, attempt 1
    a retries: it failed on purpose
    a started: broken/fail, attempt 2
    a failed: it failed on purpose
    plan over: failure, can replan true, failed ["a"], disabled ["broken"]
    "#);
    insta::assert_snapshot!(shown.join("\n"), @r#"
    version 1 by file: None
    version 1 by file: Some("there is no sentence that another plan could be made of; `narratoria plan new` makes a plan of one, `narratoria run --review` reviews it")
    "#);
    assert_eq!(result.unwrap()["canReplan"], json!(true));

    let StandaloneResult { result, lines, shown: _ } = run(steps(), ReviewVerdict::Cancel).await;
    assert_eq!((result, lines.as_str()), (None, "reviewed: cancel"));
}

/// Writes down what it is asked, and proposes an empty plan.
struct CuriousPlanner(Vec<String>);

impl Planner for CuriousPlanner {
    fn name(&self) -> &'static str {
        "curious"
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let turns: Vec<&str> = request.recent_turns.iter().map(|turn| &*turn.prompt).collect();
        let state = serde_json::to_string(request.state).unwrap();
        self.0.push(format!("{}; {turns:?}; {state}", request.sentence));
        let plan = json!({"requestId": request.plan_id, "tools": []});
        let plan = serde_json::from_value(plan).unwrap();
        let response = PlanResponse::from_planner("curious", Proposal::Plan(plan));
        Box::pin(async move { Ok(response) })
    }
}

/// S2: a planner outside play sees the story as the next turn would.
#[tokio::test]
async fn a_plan_for_a_story_is_made_from_its_state_and_its_turns() {
    let stage = TurnStage::new(&[("counter", "counts", keeps()), ("good", "echo", json!({}))]);
    let mut session = stage.session(scripted(json!([narrated(json!([]), "You enter.")])));
    play(&mut session, "I enter").await;
    let mut catalog = load(&[stage.skills.path().to_owned()]);
    let scripts = Arc::new(prepare(&mut catalog, session.story()));
    let (clock_and_ids, options) = (clock_and_ids(), options());
    let runner = engine::StandaloneRunner {
        catalog: &catalog,
        scripts: &scripts,
        clock_and_ids: &clock_and_ids,
        options: &options,
    };
    let mut planner = CuriousPlanner(Vec::new());
    let story = session.story();
    runner.propose_plan_in_story(&mut planner, story, "I look", 7).await.unwrap();
    runner
        .propose_plan(&mut planner, &json!({}).as_object().unwrap().clone(), "I look", 7)
        .await
        .unwrap();
    let state = serde_json::to_string(story.state().as_object()).unwrap();
    assert_eq!(planner.0, [format!("I look; [\"I enter\"]; {state}"), "I look; []; {}".to_owned()]);
    assert_eq!(story.turns(), 1);
}
