//! A story being played: the replan loop of DESIGN §4.6 around everything below.

use std::{collections::BTreeSet, fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    FinishedTurn, PlanDraft, Reviewer, Scripts, SkillLoader, TurnError, TurnErrorKind, Update,
    attempts::{Attempts, PlanVersion},
    eager::EagerHandover,
    generation::GenerationOutcome,
    narration_stream::SharedNarration,
    review::{NO_PLANNER, PlanReview, ReviewOutcome, TOO_MANY_REGENERATIONS},
    turn::PROMPT_BYTES_MAX,
};
use narratoria_executor::{
    self as executor, ApprovalPolicy, PendingRequests, QuestionPolicy, ReusedResults, Trace,
};
use narratoria_narrator::{Planner, RecentTurn};
use narratoria_plan::{BuildOptions, Plan, PlanJson};
use narratoria_skills::{Catalog, HealthTracker, Problem};
use narratoria_story::{Story, TurnOutcome};

/// Beats of the story that a planner gets to see.
const BEATS_MAX: usize = 8;

/// How often a player may send a draft back in one turn. Generations that are sent back do not count as
/// attempts, so they need a bound of their own.
pub const REGENERATIONS_MAX: u32 = 32;

/// Who made a plan that came with the request. No planner can be asked for another.
pub(super) const FILE_PLANNER: &str = "file";

/// Hears every update of a session.
pub type UpdateSink<'a> = &'a mut (dyn FnMut(Update) + Send);

/// Clock and ids, handed in: the library has none of its own.
#[derive(Clone)]
pub struct ClockAndIds {
    /// The time now.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// A fresh UUID.
    pub ids: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

/// Bounds of a turn.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Steps that may run at the same time.
    pub slots: NonZeroUsize,
    /// For one plan (S0 FR-018).
    pub plan_timeout: Duration,
    /// For one generation (S0 FR-006); afterwards the voice without a model answers.
    pub generation_timeout: Duration,
    /// Plans made in one turn (S0 FR-023).
    pub attempts_max: u32,
    /// What steps in flight get when the turn is stopped (S0 §6).
    pub shutdown_grace: Duration,
    /// What becomes of steps that need approval.
    pub approvals: ApprovalPolicy,
    /// What becomes of scripts that ask the player something.
    pub questions: QuestionPolicy,
    /// Whether the same story, seed and sentences are to be told the same to the byte: the news of steps that
    /// run at the same time come in plan order, and every time that is told is 0. The story keeps the real ones.
    pub repeatable: bool,
}

/// A turn to be played.
pub struct TurnRequest<'a> {
    /// What the player typed.
    pub prompt: &'a str,
    /// A plan that somebody else made, in place of the planner's. It is tried once: if it fails, the turn
    /// ends in fallback narration.
    pub plan: Option<PlanJson>,
    /// Who looks at each plan before it runs.
    pub reviewer: Option<&'a mut dyn Reviewer>,
}

/// Everything a session needs.
pub struct SessionSetup {
    /// The usable skills.
    pub catalog: Catalog,
    /// What was wrong with others; only told.
    pub problems: Vec<Problem>,
    /// The catalog's components.
    pub scripts: Scripts,
    /// The voice that makes the plans.
    pub planner: Box<dyn Planner>,
    /// Where turns are kept.
    pub story: Story,
    /// Clock and ids.
    pub clock_and_ids: ClockAndIds,
    /// Bounds.
    pub options: SessionOptions,
}

/// A story being played.
pub struct Session {
    pub(super) catalog: Catalog,
    pub(super) problems: Vec<Problem>,
    pub(super) scripts: Arc<Scripts>,
    pub(super) planner: Box<dyn Planner>,
    pub(super) story: Story,
    pub(super) clock_and_ids: ClockAndIds,
    pub(super) options: SessionOptions,
    /// Lives as long as the session: a restart forgives (S1 §3.1).
    pub(super) health: HealthTracker,
    /// What waits for the player while a plan runs.
    pub(super) pending: PendingRequests,
    /// The voice that front ends have been told of.
    pub(super) reported_planner: String,
    /// Where other skills come from, if any do.
    pub(super) skill_loader: Option<SkillLoader>,
    /// What became of skills and has not been told.
    pub(super) skill_updates: Vec<Update>,
}

/// A plan that ran, whatever came of it.
pub(super) struct ExecutedPlan {
    pub(super) plan: Plan,
    pub(super) trace: Trace,
}

/// How the attempts of a turn ended.
pub(super) enum TurnEnd {
    Succeeded(ExecutedPlan),
    Cancelled,
    /// With what the last plan that ran had to say, if any ran.
    Failed(Option<ExecutedPlan>),
}

/// What is the same for every attempt of a turn.
pub(super) struct TurnContext<'a> {
    pub(super) turn: u64,
    pub(super) prompt: &'a str,
    pub(super) seed: u64,
    pub(super) beats: Vec<RecentTurn>,
    pub(super) started_at: Timestamp,
    pub(super) cancel: &'a CancellationToken,
    /// What of the turn's text has been told.
    pub(super) narration: SharedNarration,
}

/// Where the plans of a turn come from, and who looks at them.
pub(super) struct PlanSource<'a> {
    /// The first one, when it is there already.
    pub(super) first: Option<PlanStart>,
    /// Whether planners are asked for others.
    pub(super) can_replan: bool,
    pub(super) reviewer: Option<&'a mut dyn Reviewer>,
}

/// A plan that is there already.
pub(super) struct PlanStart {
    pub(super) draft: PlanDraft,
    /// What of it is done.
    pub(super) reused_results: Option<ReusedResults>,
    /// Of that, what was done while it was being written.
    pub(super) eager: Option<EagerHandover>,
}

impl TurnEnd {
    /// A failed plan is given up unless another attempt follows.
    fn of(ran: ExecutedPlan) -> TurnEnd {
        match &ran.trace {
            trace if trace.success => TurnEnd::Succeeded(ran),
            trace if trace.cancelled => TurnEnd::Cancelled,
            _ => TurnEnd::Failed(Some(ran)),
        }
    }
}

impl SessionOptions {
    /// The defaults of S1 §7: 60 s a plan, 5 s a generation, 5 attempts, 5 s grace. Told as it happens.
    pub fn new(slots: NonZeroUsize) -> SessionOptions {
        SessionOptions {
            slots,
            plan_timeout: executor::PLAN_TIMEOUT,
            generation_timeout: Duration::from_secs(5),
            attempts_max: 5,
            shutdown_grace: executor::SHUTDOWN_GRACE,
            approvals: ApprovalPolicy::Ask,
            questions: QuestionPolicy::Ask,
            repeatable: false,
        }
    }

    pub(super) fn executor(&self, seed: u64) -> executor::ExecutionOptions {
        executor::ExecutionOptions {
            plan_timeout: self.plan_timeout,
            shutdown_grace: self.shutdown_grace,
            approvals: self.approvals,
            questions: self.questions,
            ..executor::ExecutionOptions::new(self.slots, seed)
        }
    }
}

impl Session {
    /// Takes everything over; does nothing yet.
    pub fn open(setup: SessionSetup) -> Session {
        let SessionSetup {
            catalog,
            problems,
            scripts,
            planner,
            story,
            clock_and_ids: world,
            options,
        } = setup;
        let (scripts, health, desk) =
            (Arc::new(scripts), HealthTracker::default(), PendingRequests::new());
        let narrator = planner.name().to_owned();
        Session {
            catalog,
            problems,
            scripts,
            planner,
            story,
            clock_and_ids: world,
            options,
            health,
            pending: desk,
            reported_planner: narrator,
            skill_loader: None,
            skill_updates: Vec::new(),
        }
    }

    /// The story as it stands.
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// The usable skills.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Where approvals and answers are given while a turn is played; a clone may go to any thread.
    pub fn pending_requests(&self) -> PendingRequests {
        self.pending.clone()
    }

    /// The first update of a session.
    pub fn started_update(&self) -> Update {
        Update::SessionStarted {
            story: self.story.name().to_string(),
            turns: self.story.turns(),
            skills: self.catalog.iter().map(|skill| skill.name.clone()).collect(),
            problems: self.problems.iter().map(ToString::to_string).collect(),
            narrator: self.reported_planner.clone(),
        }
    }

    /// The last update of a session.
    pub fn finished_update(&self) -> Update {
        Update::SessionFinished { story: self.story.name().to_string(), turns: self.story.turns() }
    }

    /// Plays one turn to its end. Whatever skills and planners do, the turn ends in a story; `Err`
    /// means that the host could not do its job, and then the story is as it was before.
    pub async fn turn(
        &mut self,
        prompt: &str,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<FinishedTurn, TurnError> {
        let request = TurnRequest { prompt, plan: None, reviewer: None };
        self.play(request, cancel, updates).await.map(|(turn, _)| turn)
    }

    /// Plays one turn to its end, as [`Session::turn`] does. Also gives the execution result of the last
    /// plan that ran, if one did.
    ///
    /// A plan of the request runs under a fresh id, because a file may be run twice and an id names one
    /// execution; its own id becomes the parent.
    pub async fn play(
        &mut self,
        request: TurnRequest<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<(FinishedTurn, Option<Value>), TurnError> {
        let prompt = check_prompt(request.prompt)?;
        self.check_no_unfinished_plan()?;
        let mut attempts = Attempts::new(self.health.permanent_failures());
        let given = request.plan.map(|mut json| {
            json.metadata.parent_plan_id = Some(json.request_id);
            json.request_id = (self.clock_and_ids.ids)().to_string();
            let disabled = attempts.disabled().clone();
            build(json.clone(), &self.catalog, disabled).map(|plan| (json, plan))
        });
        let given = given.transpose()?;
        let frame = self.turn_context(prompt, cancel);
        let clock = Instant::now();
        self.report_skills(updates);
        self.report_planner(updates);
        updates(Update::TurnStarted { turn: frame.turn, prompt: prompt.to_owned() });
        let replans = given.is_none();
        let first = given.map(|(json, plan)| {
            self.record_version(&frame, &mut attempts, FILE_PLANNER, &json, updates);
            let (by, version, kept) =
                (FILE_PLANNER.to_owned(), attempts.version_count(), BTreeSet::new());
            PlanStart {
                draft: PlanDraft { json, plan, created_by: by, version, reused_results: kept },
                reused_results: None,
                eager: None,
            }
        });
        let source = PlanSource { first, can_replan: replans, reviewer: request.reviewer };
        let (ended, result) = self.run_attempts(&frame, source, &mut attempts, updates).await;
        let turn = self.close(&frame, ended, attempts, clock.elapsed(), updates)?;
        Ok((turn, result))
    }

    pub(super) fn turn_context<'a>(
        &self,
        prompt: &'a str,
        cancel: &'a CancellationToken,
    ) -> TurnContext<'a> {
        let turn = self.story.turns() + 1;
        let recent = self.story.recent_turns(BEATS_MAX).unwrap_or_else(|error| {
            // The planner does without; the turn itself will tell if the file is gone.
            tracing::warn!("the last turns cannot be read: {error}");
            Vec::new()
        });
        let beats = recent
            .into_iter()
            .filter(|turn| turn.outcome == TurnOutcome::Narrated)
            .map(|turn| RecentTurn { prompt: turn.prompt, narration: turn.narration })
            .collect();
        let (seed, started_at) = (turn_seed(self.story.seed(), turn), (self.clock_and_ids.clock)());
        let teller = SharedNarration::default();
        TurnContext { turn, prompt, seed, beats, started_at, cancel, narration: teller }
    }

    /// GENERATING → EXECUTING → SUCCESS, or REPLANNING while attempts are left (S1 §5). Results of steps
    /// that the next plan has unchanged are kept (S2, strategy 3). Also gives the last execution result.
    pub(super) async fn run_attempts(
        &mut self,
        frame: &TurnContext<'_>,
        mut source: PlanSource<'_>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> (TurnEnd, Option<Value>) {
        let (mut last_ran, mut last_result) = (None, None);
        let mut sent_back = 0;
        loop {
            let looks_first = source.reviewer.is_some();
            let PlanStart { draft, reused_results: kept, eager: begun } = match source.first.take()
            {
                Some(start) => start,
                None if attempts.count() >= self.options.attempts_max => break,
                None if !source.can_replan => break,
                None => match self.generate(frame, attempts, looks_first, updates).await {
                    GenerationOutcome::Draft(start) => *start,
                    GenerationOutcome::Rejected => continue,
                    GenerationOutcome::Unrecoverable => break,
                    GenerationOutcome::Cancelled => return (TurnEnd::Cancelled, last_result),
                },
            };
            let draft = match &mut source.reviewer {
                // What is half done goes on as it was.
                _ if kept.is_some() => draft,
                None => draft,
                Some(reviewer) => {
                    let can_regenerate = match source.can_replan {
                        false => Err(NO_PLANNER),
                        true if sent_back == REGENERATIONS_MAX => Err(TOO_MANY_REGENERATIONS),
                        true => Ok(()),
                    };
                    let reviewed = self.review(
                        frame,
                        draft,
                        &mut **reviewer,
                        can_regenerate,
                        attempts,
                        updates,
                    );
                    match reviewed.await {
                        ReviewOutcome::Start(draft) => *draft,
                        ReviewOutcome::Cancelled => return (TurnEnd::Cancelled, last_result),
                        ReviewOutcome::Regenerate(remark) => {
                            sent_back += 1;
                            attempts.record_sent_back(remark);
                            continue;
                        }
                    }
                }
            };
            let kept = kept
                .unwrap_or_else(|| attempts.results().reused(&draft.reused_results, &draft.plan));
            let (ran, result) = self.run_plan(frame, draft, kept, begun, attempts, updates).await;
            last_result = Some(result);
            match TurnEnd::of(ran) {
                TurnEnd::Failed(ran) => last_ran = ran,
                ended => return (ended, last_result),
            }
        }
        (TurnEnd::Failed(last_ran), last_result)
    }

    /// Skills that have failed for good in this session (S1 §3.1).
    pub(super) fn failed_skills(&self) -> BTreeSet<String> {
        self.health.permanent_failures().map(str::to_owned).collect()
    }

    async fn review(
        &self,
        frame: &TurnContext<'_>,
        draft: PlanDraft,
        reviewer: &mut dyn Reviewer,
        can_regenerate: Result<(), &'static str>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> ReviewOutcome {
        let mut review = PlanReview {
            turn: frame.turn,
            catalog: &self.catalog,
            disabled: attempts.disabled(),
            results: attempts.results(),
            failed_skills: &self.failed_skills(),
            can_regenerate,
            clock_and_ids: &self.clock_and_ids,
            cancel: frame.cancel,
            reviewer,
        };
        let (reviewed, versions) = review.run(draft, updates).await;
        for (draft, changes) in versions {
            let at = (self.clock_and_ids.clock)();
            attempts.record_edit(
                PlanVersion::of(&draft.json, &draft.created_by, frame.prompt, at),
                &changes,
            );
        }
        reviewed
    }
}

/// Checks a plan for somebody who is not a planner: the errors are the person's to mend.
pub(super) fn build(
    json: PlanJson,
    catalog: &Catalog,
    disabled_skills: BTreeSet<String>,
) -> Result<Plan, TurnError> {
    let options = BuildOptions { disabled_skills, ..BuildOptions::default() };
    Plan::build(json, catalog, &options).map_err(|errors| {
        let hints = errors.hints();
        TurnError { hints, ..TurnError::new(TurnErrorKind::BadInput, errors) }
    })
}

/// The turn's own seed: the first eight bytes of SHA-256 over the story's seed and the turn's number,
/// so that a story told again with the same seed is told the same.
fn turn_seed(story_seed: u64, turn: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(story_seed.to_le_bytes());
    hasher.update(turn.to_le_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

pub(super) fn check_prompt(prompt: &str) -> Result<&str, TurnError> {
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return Err(TurnError::new(TurnErrorKind::BadInput, "the sentence is empty")
            .hint("type what you want to do, for example `I look around`"));
    }
    if prompt.len() > PROMPT_BYTES_MAX {
        let error =
            format!("the sentence has {} bytes, the limit is {PROMPT_BYTES_MAX}", prompt.len());
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("say it in fewer words"));
    }
    Ok(prompt)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("story", &self.story.name()).finish_non_exhaustive()
    }
}
