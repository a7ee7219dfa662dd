//! A person looks at plans before they run (S2 "Plan Review UI"), as library calls.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use narratoria_engine::{
    FinishedTurn, PlanDraft, REGENERATIONS_MAX, ReviewFuture, ReviewVerdict, Reviewer, Session,
    TurnRequest, Update,
};
use narratoria_plan::{PlanEdit, PlanJson};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    support::{
        LoggingPlanner, TurnStage, keeps, narrated, output_of, plan, plans_of, play, scripted,
        store_of, tool,
    },
    update_lines::lines_of,
};

/// Returns its verdicts one after another, then starts; logs the drafts.
#[derive(Default)]
struct ScriptedReviewer {
    verdicts: VecDeque<ReviewVerdict>,
    shown: Arc<Mutex<Vec<String>>>,
}

impl ScriptedReviewer {
    fn new(verdicts: Vec<ReviewVerdict>) -> ScriptedReviewer {
        ScriptedReviewer { verdicts: verdicts.into(), ..ScriptedReviewer::default() }
    }

    fn shown(&self) -> String {
        self.shown.lock().unwrap().join("\n")
    }
}

impl Reviewer for ScriptedReviewer {
    fn review<'a>(
        &'a mut self,
        draft: &'a PlanDraft,
        refused: Option<&'a str>,
    ) -> ReviewFuture<'a> {
        let steps = draft.plan.steps().iter().map(|step| {
            let kept = if draft.reused_results.contains(&step.tool_id) { "=" } else { "" };
            let skip = if step.skip { "-" } else { "" };
            format!("{skip}{}{kept} {}", step.tool_id, step.input.value())
        });
        let steps = steps.collect::<Vec<_>>().join(", ");
        let mut shown = format!("version {} by {}: {steps}", draft.version, draft.created_by);
        if let Some(why) = refused {
            shown += &format!("\n  refused: {why}");
        }
        self.shown.lock().unwrap().push(shown);
        let verdict = self.verdicts.pop_front().unwrap_or(ReviewVerdict::Start);
        Box::pin(async move { verdict })
    }
}

fn edit(edit: Value) -> ReviewVerdict {
    ReviewVerdict::Edit(serde_json::from_value::<PlanEdit>(edit).unwrap())
}

fn regenerate(remark: &str) -> ReviewVerdict {
    ReviewVerdict::Regenerate { remark: remark.to_owned() }
}

fn stage() -> TurnStage {
    TurnStage::new(&[
        ("counter", "counts", keeps()),
        ("broken", "fail", json!({})),
        ("good", "echo", json!({})),
    ])
}

/// Three steps in a row.
fn row(last: &str) -> Value {
    let steps = json!([
        tool("a", "counter/counts", &[]),
        tool("b", "good/echo", &["a"]),
        tool("c", last, &["b"]),
    ]);
    narrated(steps, "Done.")
}

async fn play_reviewed(
    session: &mut Session,
    plan: Option<PlanJson>,
    critic: &mut ScriptedReviewer,
) -> (FinishedTurn, Vec<Update>) {
    let mut updates = Vec::new();
    let request = TurnRequest { prompt: "I open the door", plan, reviewer: Some(critic) };
    let cancel = CancellationToken::new();
    let (turn, _) =
        session.play(request, &cancel, &mut |update| updates.push(update)).await.unwrap();
    (turn, updates)
}

/// Each version: its planner, its parent, its status, and the changes.
fn lineage(session: &Session) -> String {
    let rows = plans_of(session);
    let lines = rows.iter().map(|row| {
        let parent = rows.iter().position(|other| Some(&other.id) == row.parent_plan_id.as_ref());
        let record = row.record.as_ref();
        let lines = record.map_or("no plan", |record| record.changes.as_deref().unwrap_or("-"));
        let version = record.map_or(0, |record| record.version);
        let of = parent.map_or_else(|| "nothing".to_owned(), |at| (at + 1).to_string());
        format!("{version} of {of} by {}, {}: {lines}", row.planner, row.status)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// S2 "Plan Review UI", "Edit step", "Reorder steps", "Skip step", "Add step", "Start Execution": every edit makes
/// a new version with lineage, and the last one runs.
#[tokio::test]
async fn each_edit_makes_a_version_and_the_last_one_runs() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([row("good/echo")])));
    let extra = tool("d", "good/echo", &[]);
    let mut critic = ScriptedReviewer::new(vec![
        edit(json!({"edit": "setInput", "toolId": "b", "input": {"key": "rusty"}})),
        edit(json!({"edit": "describe", "toolId": "b", "description": "Try the key"})),
        edit(json!({"edit": "add", "tool": extra})),
        edit(json!({"edit": "move", "toolId": "d", "to": 0})),
        edit(json!({"edit": "skip", "toolId": "a"})),
        edit(json!({"edit": "remove", "toolId": "c"})),
    ]);
    let (turn, updates) = play_reviewed(&mut session, None, &mut critic).await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    insta::assert_snapshot!(critic.shown(), @r#"
    version 1 by scripted: a {}, b {}, c {}
    version 2 by player: a {}, b {"key":"rusty"}, c {}
    version 3 by player: a {}, b {"key":"rusty"}, c {}
    version 4 by player: a {}, b {"key":"rusty"}, c {}, d {}
    version 5 by player: d {}, a {}, b {"key":"rusty"}, c {}
    version 6 by player: d {}, -a {}, b {"key":"rusty"}, c {}
    version 7 by player: d {}, -a {}, b {"key":"rusty"}
    "#);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by scripted
    reviewed: edit
    version 2: changed step `b` (input.key: nothing -> "rusty")
    reviewed: edit
    version 3: step `b` is described as "Try the key"
    reviewed: edit
    version 4: step `d` added at place 4, it runs `good/echo`
    reviewed: edit
    version 5: step `d` moved from place 4 to place 1
    reviewed: edit
    version 6: step `a` is skipped
    reviewed: edit
    version 7: step `c` removed
    reviewed: start
    a skipped: skipped_by_player
    d started: good/echo, attempt 1
    d success
    b started: good/echo, attempt 1
    b success
    plan over: success, can replan false, failed [], disabled []
    told after 1
    "#);
    insta::assert_snapshot!(lineage(&session), @r#"
    1 of nothing by scripted, draft: -
    2 of 1 by player, draft: changed step `b` (input.key: nothing -> "rusty")
    3 of 2 by player, draft: step `b` is described as "Try the key"
    4 of 3 by player, draft: step `d` added at place 4, it runs `good/echo`
    5 of 4 by player, draft: step `d` moved from place 4 to place 1
    6 of 5 by player, draft: step `a` is skipped
    7 of 6 by player, complete: step `c` removed
    "#);
    assert_eq!(output_of(&updates, "b")["input"], json!({"key": "rusty"}));
    assert_eq!(plans_of(&session)[6].plan["metadata"]["version"], json!(7));
}

/// A wrong edit says why, shows the same draft again and changes nothing.
#[tokio::test]
async fn a_wrong_edit_is_refused_and_changes_nothing() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([row("good/echo")])));
    let mut critic = ScriptedReviewer::new(vec![
        edit(json!({"edit": "setInput", "toolId": "b", "input": {"of": "$c.input"}})),
        edit(json!({"edit": "skip", "toolId": "bb"})),
        edit(json!({"edit": "remove", "toolId": "a"})),
        edit(json!({"edit": "move", "toolId": "c", "to": 0})),
        edit(json!({"edit": "move", "toolId": "c", "to": 7})),
        edit(json!({"edit": "add", "tool": tool("b", "good/echo", &[])})),
        edit(json!({"edit": "add", "tool": tool("e", "goood/echo", &[])})),
        edit(json!({"edit": "unskip", "toolId": "a"})),
    ]);
    let (_, updates) = play_reviewed(&mut session, None, &mut critic).await;
    let shown = critic.shown();
    let (first, refused) = shown.split_once('\n').unwrap();
    assert!(refused.lines().filter(|line| line.starts_with("version")).all(|line| line == first));
    let refused: Vec<&str> =
        refused.lines().filter(|line| !line.starts_with("version")).map(str::trim).collect();
    insta::assert_snapshot!(refused.join("\n"), @"
    refused: the edited plan would not be valid:
    steps wait for each other: b -> c -> b (take one of these dependencies out; `b` waits for `c` because it refers to it)
    refused: there is no step `bb` in the plan (did you mean `b`?)
    refused: step `a` cannot be removed, `b` needs it (skip it instead, or remove what needs `a` first)
    refused: step `c` cannot come before step `a`, which `c` needs through `b` (take the dependency of `c` on `b` out first, if it is not meant)
    refused: there is no place 7 among 3 steps, the first is 0 and the last is 2
    refused: there is a step `b` in the plan already (give the new step another `toolId`)
    refused: the edited plan would not be valid:
    step `e`: there is no skill `goood` (did you mean `good`?)
    refused: the plan is no different after this edit
    ");
    assert_eq!(plans_of(&session).len(), 1);
    assert!(lines_of(&updates).ends_with("told after 1"), "{}", lines_of(&updates));
}

/// S2 "Regenerate plan": a plan that was sent back does not count as an attempt, and the planner gets the remark.
#[tokio::test]
async fn a_plan_that_is_sent_back_is_made_again_with_the_remark() {
    let stage = stage();
    let (planner, requests) =
        LoggingPlanner::new(json!([row("good/echo"), "no plan", row("good/echo")]));
    let mut session = stage.session(planner);
    let mut critic = ScriptedReviewer::new(vec![
        edit(json!({"edit": "skip", "toolId": "a"})),
        regenerate("use the window instead"),
    ]);
    let (turn, updates) = play_reviewed(&mut session, None, &mut critic).await;
    // The text that was no plan counts.
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    insta::assert_snapshot!(requests.lock().unwrap().join("\n--\n"), @"
    attempt 1
    --
    attempt 1
    remark: use the window instead
    --
    attempt 2
    remark: use the window instead
    failure: the plan is not JSON: line 1, column 2: expected ident; without it: no usable skill can answer the player's words
    ");
    insta::assert_snapshot!(lines_of(&updates), @"
    plan 1 by listener
    reviewed: edit
    version 2: step `a` is skipped
    reviewed: regenerate
    plan 1 rejected: the plan is not JSON: line 1, column 2: expected ident; without it: no usable skill can answer the player's words
    plan 2 by listener
    version 4: changed step `a` (skip: true -> nothing)
    reviewed: start
    a started: counter/counts, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    c started: good/echo, attempt 1
    c success
    plan over: success, can replan false, failed [], disabled []
    told after 2
    ");
    insta::assert_snapshot!(lineage(&session), @r"
    1 of nothing by listener, draft: -
    2 of 1 by player, draft: step `a` is skipped
    0 of 2 by listener, draft: no plan
    4 of 3 by listener, complete: changed step `a` (skip: true -> nothing)
    ");
    let reasons: Vec<Option<String>> = plans_of(&session)
        .into_iter()
        .map(|row| row.record.and_then(|record| record.reasoning))
        .collect();
    assert_eq!(reasons.len(), 4);
}

/// A player can send back a limited number of drafts; the refusal says so, and the draft stays.
#[tokio::test]
async fn a_plan_cannot_be_sent_back_for_ever() {
    let stage = stage();
    let plans = vec![row("good/echo"); REGENERATIONS_MAX as usize + 1];
    let mut session = stage.session(scripted(json!(plans)));
    let often = vec![regenerate("another"); REGENERATIONS_MAX as usize + 1];
    let mut critic = ScriptedReviewer::new(often);
    let (turn, _) = play_reviewed(&mut session, None, &mut critic).await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 1));
    let shown = critic.shown();
    insta::assert_snapshot!(shown.lines().last().unwrap(), @"  refused: no other plan is made in this turn, so many were sent back already; start this one, change it yourself, or cancel");
}

/// S2 "Cancel": nothing runs, but the versions are stored. The story goes on as if the turn had not been.
#[tokio::test]
async fn a_plan_that_is_cancelled_never_runs() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([row("good/echo"), row("good/echo")])));
    let skip = edit(json!({"edit": "skip", "toolId": "a"}));
    let mut critic = ScriptedReviewer::new(vec![skip, ReviewVerdict::Cancel]);
    let (turn, updates) = play_reviewed(&mut session, None, &mut critic).await;
    assert_eq!((turn.outcome, turn.narration.as_str()), (TurnOutcome::Cancelled, ""));
    insta::assert_snapshot!(lines_of(&updates), @r"
    plan 1 by scripted
    reviewed: edit
    version 2: step `a` is skipped
    reviewed: cancel
    cancelled after 1
    ");
    insta::assert_snapshot!(lineage(&session), @r"
    1 of nothing by scripted, draft: -
    2 of 1 by player, draft: step `a` is skipped
    ");
    assert_eq!(store_of(&session, "counter"), json!({}));
    assert_eq!((session.story().turns(), session.story().recent_turns(9).unwrap()), (0, vec![]));
    let (turn, _) = play(&mut session, "again").await;
    assert_eq!((turn.turn, turn.outcome), (1, TurnOutcome::Narrated));
    assert_eq!(session.story().recent_turns(9).unwrap().len(), 1);
}

/// Never decides.
struct SilentReviewer;

impl Reviewer for SilentReviewer {
    fn review<'a>(&'a mut self, _: &'a PlanDraft, _: Option<&'a str>) -> ReviewFuture<'a> {
        Box::pin(std::future::pending())
    }
}

/// S0 "closes application": a player can leave while the plan is shown.
#[tokio::test]
async fn leaving_while_a_plan_is_shown_ends_the_turn() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([row("good/echo")])));
    let cancel = CancellationToken::new();
    let mut on_update = |update: Update| {
        if matches!(update, Update::PlanProposed { .. }) {
            cancel.cancel();
        }
    };
    let reviewer: &mut dyn Reviewer = &mut SilentReviewer;
    let request = TurnRequest { prompt: "go", plan: None, reviewer: Some(reviewer) };
    let (turn, result) = session.play(request, &cancel, &mut on_update).await.unwrap();
    assert_eq!((turn.outcome, result), (TurnOutcome::Cancelled, None));
}

/// A repair is reviewed as well. The draft shows its reused results, and an edited step loses its result; the
/// request for another repair still has the failures.
#[tokio::test]
async fn a_repair_shows_its_reused_results_and_an_edited_step_runs_again() {
    let stage = stage();
    let planner = json!([row("broken/fail"), row("good/echo"), row("good/echo")]);
    let (planner, requests) = LoggingPlanner::new(planner);
    let mut session = stage.session(planner);
    let mut critic = ScriptedReviewer::new(vec![
        ReviewVerdict::Start,
        regenerate("look closer"),
        edit(json!({"edit": "setInput", "toolId": "b", "input": {"closer": true}})),
    ]);
    let (turn, updates) = play_reviewed(&mut session, None, &mut critic).await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Narrated, 2));
    insta::assert_snapshot!(critic.shown(), @r#"
    version 1 by listener: a {}, b {}, c {}
    version 2 by listener: a= {}, b= {}, c {}
    version 3 by listener: a= {}, b= {}, c {}
    version 4 by player: a= {}, b {"closer":true}, c {}
    "#);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by listener
    reviewed: start
    a started: counter/counts, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    c started: broken/fail, attempt 1
    c retries: it failed on purpose
    c started: broken/fail, attempt 2
    c failed: it failed on purpose
    plan over: failure, can replan true, failed ["c"], disabled ["broken"]
    plan 2 by listener
    version 2: changed step `c` (toolPath: "broken/fail" -> "good/echo")
    reviewed: regenerate
    plan 2 by listener
    reviewed: edit
    version 4: changed step `b` (input.closer: nothing -> true)
    reviewed: start
    a kept: success
    b started: good/echo, attempt 1
    b success
    c started: good/echo, attempt 1
    c success
    plan over: success, can replan false, failed [], disabled ["broken"]
    told after 2
    "#);
    insta::assert_snapshot!(lineage(&session), @r#"
    1 of nothing by listener, replanning: -
    2 of 1 by listener, draft: changed step `c` (toolPath: "broken/fail" -> "good/echo")
    3 of 2 by listener, draft: -
    4 of 3 by player, complete: changed step `b` (input.closer: nothing -> true)
    "#);
    let requests = requests.lock().unwrap();
    let expected = requests[1].replacen("attempt 2\n", "attempt 2\nremark: look closer\n", 1);
    assert_eq!(requests[2], expected, "it hears the same as before, and the remark");
    assert_eq!(store_of(&session, "counter"), json!({"count": 1}));
}

/// An edit cannot make a failed skill run again.
#[tokio::test]
async fn an_edit_cannot_bring_a_disabled_skill_back() {
    let stage = stage();
    let mut mended = row("good/echo");
    mended["tools"][2] = tool("c", "broken/fail", &["b"]);
    mended["tools"][2]["skip"] = json!(true);
    let mut session = stage.session(scripted(json!([row("broken/fail"), mended])));
    let unskip = edit(json!({"edit": "unskip", "toolId": "c"}));
    let mut critic = ScriptedReviewer::new(vec![ReviewVerdict::Start, unskip]);
    let (turn, _) = play_reviewed(&mut session, None, &mut critic).await;
    assert_eq!(turn.outcome, TurnOutcome::Narrated);
    insta::assert_snapshot!(critic.shown(), @r"
    version 1 by scripted: a {}, b {}, c {}
    version 2 by scripted: a= {}, b= {}, -c {}
    version 2 by scripted: a= {}, b= {}, -c {}
      refused: the edited plan would not be valid:
    step `c` uses skill `broken`, which is disabled (known scripts: counter/counts, good/echo)
    ");
}

/// A plan from a file can be edited, but no other plan can be requested, before it runs or after it fails.
#[tokio::test]
async fn a_plan_from_a_file_is_reviewed_without_a_planner() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([])));
    let file: PlanJson = serde_json::from_value(row("broken/fail")).unwrap();
    let mut critic = ScriptedReviewer::new(vec![
        regenerate("another"),
        edit(json!({"edit": "setInput", "toolId": "b", "input": {"key": "rusty"}})),
        regenerate("another"),
    ]);
    let (turn, updates) = play_reviewed(&mut session, Some(file), &mut critic).await;
    assert_eq!((turn.outcome, turn.attempts), (TurnOutcome::Fallback, 1));
    insta::assert_snapshot!(critic.shown(), @r#"
    version 1 by file: a {}, b {}, c {}
    version 1 by file: a {}, b {}, c {}
      refused: there is no sentence that another plan could be made of; `narratoria plan new` makes a plan of one, `narratoria run --review` reviews it
    version 2 by player: a {}, b {"key":"rusty"}, c {}
    version 2 by player: a {}, b {"key":"rusty"}, c {}
      refused: there is no sentence that another plan could be made of; `narratoria plan new` makes a plan of one, `narratoria run --review` reviews it
    "#);
    insta::assert_snapshot!(lines_of(&updates), @r#"
    plan 1 by file
    reviewed: regenerate
    reviewed: edit
    version 2: changed step `b` (input.key: nothing -> "rusty")
    reviewed: regenerate
    reviewed: start
    a started: counter/counts, attempt 1
    a success
    b started: good/echo, attempt 1
    b success
    c started: broken/fail, attempt 1
    c retries: it failed on purpose
    c started: broken/fail, attempt 2
    c failed: it failed on purpose
    plan over: failure, can replan true, failed ["c"], disabled ["broken"]
    fallback after 1
    "#);
}

/// A plan file that cannot run is an error for its author, and no turn.
#[tokio::test]
async fn a_plan_from_a_file_that_cannot_run_is_an_error_and_no_turn() {
    let stage = stage();
    let mut session = stage.session(scripted(json!([])));
    let file = plan(json!([tool("a", "goood/echo", &[]), tool("b", "good/echo", &["c"])]));
    let file: PlanJson = serde_json::from_value(file).unwrap();
    let request = TurnRequest { prompt: "go", plan: Some(file), reviewer: None };
    let cancel = CancellationToken::new();
    let mut updates = Vec::new();
    let error =
        session.play(request, &cancel, &mut |update| updates.push(update)).await.unwrap_err();
    insta::assert_snapshot!(format!("{error}\n{}", error.hints.join("\n")), @r"
    step `b` needs `c`, which is not in the plan
    step `a`: there is no skill `goood`
    a dependency is the `toolId` of another step of the plan
    did you mean `good`?
    ");
    assert_eq!((updates, session.story().turns()), (Vec::new(), 0));
}
