//! Planners that are late, that are replaced, or that report the cost of a plan.

use std::{collections::VecDeque, num::NonZeroUsize, sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{EvalCase, EvalOptions, EvalReport, Score, evaluate, parse};
use crate::{ClockAndIds, GrantedResources, Scripts, SessionOptions, StandaloneRunner};
use narratoria_narrator::{
    Fallback, LexicalPlanner, PlanFuture, PlanRequest, PlanResponse, PlanTokens, Planner,
    PlannerError,
};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::{self as skills, Catalog};

const CASES: &str = r#"
{"id": "look", "kind": "narration", "sentence": "I look around", "accept": [["storyteller"]]}
{"id": "roll", "kind": "dice", "sentence": "roll 2d6", "accept": [["dice-roller", "storyteller"]]}
{"id": "wait", "kind": "narration", "sentence": "I wait", "accept": [["player-choices"]]}
"#;

/// Answers as the lexical planner does, after the next of its delays.
#[derive(Default)]
struct SlowPlanner {
    delays: VecDeque<Duration>,
    /// The planner that it replaces, if any.
    fallback: Option<Fallback>,
    tokens: Option<PlanTokens>,
    /// When `prepare` was called.
    prepared: Vec<Instant>,
}

impl Planner for SlowPlanner {
    fn name(&self) -> &str {
        "slow"
    }

    fn prepare(&mut self, request: &PlanRequest<'_>) {
        assert_eq!(request.sentence, "", "the sentence is not known yet");
        self.prepared.push(Instant::now());
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let delay = self.delays.pop_front().unwrap_or_default();
        let (fallback, tokens) = (self.fallback.clone(), self.tokens);
        Box::pin(async move {
            sleep(delay).await;
            let response = LexicalPlanner::new().propose(request).await?;
            let planner = if fallback.is_none() { "slow".to_owned() } else { response.planner };
            Ok::<_, PlannerError>(PlanResponse { planner, fallback, tokens, ..response })
        })
    }
}

async fn evaluate_with(planner: &mut dyn Planner, options: &EvalOptions) -> EvalReport {
    let catalog = skills::load(&[narratoria_built_in::built_in()]).catalog;
    let sandbox = Sandbox::open(&SandboxOptions::default()).unwrap();
    // Nothing runs, so no component needs to be compiled.
    let (scripts, _) =
        Scripts::prepare(&sandbox, &mut Catalog::default(), GrantedResources::default());
    let (scripts, slots) = (Arc::new(scripts), NonZeroUsize::MIN);
    let clock_and_ids =
        ClockAndIds { clock: Arc::new(|| Timestamp::UNIX_EPOCH), ids: Arc::new(Uuid::new_v4) };
    let runner_options = SessionOptions::new(slots);
    let runner = StandaloneRunner {
        catalog: &catalog,
        scripts: &scripts,
        clock_and_ids: &clock_and_ids,
        options: &runner_options,
    };
    let cases: Vec<EvalCase> = parse(CASES.as_bytes()).unwrap();
    evaluate(runner, planner, &cases, options, &mut |_| {}).await
}

/// S0 SC-001, SC-002, FR-005, FR-006: a late plan does not count for its planner, and the player gets the plan of
/// the lexical planner.
#[tokio::test(start_paused = true)]
async fn a_late_planner_is_replaced_and_both_scores_count() {
    let delays = [4999, 5001, 0].map(Duration::from_millis).into();
    let report = evaluate_with(
        &mut SlowPlanner { delays, ..SlowPlanner::default() },
        &EvalOptions::default(),
    )
    .await;
    assert_eq!((report.cases, report.tried), (3, 3));
    assert_eq!(report.valid, Score { own: 2, all: 3, total: 3 });
    assert_eq!(report.right, Score { own: 1, all: 2, total: 3 });
    assert_eq!(report.fallbacks, [("it made no plan within 5s".to_owned(), 1)]);
    let latency = report.latency.unwrap();
    assert_eq!((latency.p50, latency.max), (Duration::from_millis(4999), Duration::from_secs(5)));
    let kinds: Vec<&str> = report.kinds.iter().map(|score| &*score.kind).collect();
    assert_eq!(kinds, ["narration", "dice"]);
    assert_eq!(report.misses.len(), 1);
    assert_eq!((&*report.misses[0].id, &*report.misses[0].planner), ("wait", "slow"));
}

#[tokio::test(start_paused = true)]
async fn a_planner_that_falls_back_by_itself_is_counted_apart() {
    let why = "the model is not there yet".to_owned();
    let fallback = Some(Fallback { planner: "slow".to_owned(), why: why.clone(), text: None });
    let report = evaluate_with(
        &mut SlowPlanner { fallback, ..SlowPlanner::default() },
        &EvalOptions::default(),
    )
    .await;
    assert_eq!(report.valid, Score { own: 0, all: 3, total: 3 });
    assert_eq!((report.valid.own_rate(), report.valid.rate()), (0.0, 1.0));
    assert_eq!(report.fallbacks, [(why, 3)]);
    assert_eq!(report.misses[0].planner, "lexical");
}

#[tokio::test(start_paused = true)]
async fn tokens_are_counted_where_a_model_made_the_plan() {
    let tokens = Some(PlanTokens { prompt: 900, reused: 800, sampled: 20, forced: 30 });
    let report = evaluate_with(
        &mut SlowPlanner { tokens, ..SlowPlanner::default() },
        &EvalOptions::default(),
    )
    .await;
    let cost = report.tokens.unwrap();
    assert_eq!((cost.plans, cost.prompt.p50, cost.sampled.mean), (3, 900, 20.0));
    assert_eq!(
        evaluate_with(&mut SlowPlanner::default(), &EvalOptions::default()).await.tokens,
        None
    );
}

#[tokio::test(start_paused = true)]
async fn a_planner_reads_ahead_while_the_player_types() {
    let typing = Some(Duration::from_secs(2));
    let mut planner = SlowPlanner::default();
    let started = Instant::now();
    evaluate_with(&mut planner, &EvalOptions { typing, ..EvalOptions::default() }).await;
    let after: Vec<u64> = planner.prepared.iter().map(|at| (*at - started).as_secs()).collect();
    assert_eq!(after, [0, 2, 4]);
}

#[tokio::test(start_paused = true)]
async fn an_evaluation_that_is_stopped_reports_what_it_has() {
    let options = EvalOptions::default();
    options.cancel.cancel();
    let report = evaluate_with(&mut SlowPlanner::default(), &options).await;
    assert_eq!((report.cases, report.tried, report.latency), (3, 0, None));
    assert_eq!(report.valid.own_rate(), 0.0);
}
