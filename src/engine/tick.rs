//! Ticks (S4): a story goes on by itself, one scene at a time. A tick gathers its context, asks a planner for a plan, runs
//! the plan's actions as a chain, writes the scene, and commits all of it in one transaction.
//!
//! A tick is not a turn: it has its own counter and seed, there is no replanning, and the first error stops it. A tick that
//! fails leaves nothing but its error files.

mod documents;
mod event;
mod files;
mod order;
mod planned;
mod run;
mod save;
mod view;
mod writing;

use std::{path::PathBuf, sync::Arc, time::Duration};

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

pub use documents::ERROR_FILE_BYTES_MAX;
pub use event::{TickEvent, TickSink, TickStage};

use self::{
    documents::{TickFault, plan_to_retry, timestamp},
    order::{check_next, check_pov},
    planned::PlannedTick,
    run::{ChainRun, ExecutedActions, ExecutionStop, PlanOrigin},
    save::TickCommit,
    writing::SceneWriter,
};
use crate::{
    ClockAndIds, Scripts, SessionOptions, TurnError, TurnErrorKind, entity_place::EntityPlace,
    host_resources::HostResources, resume::check_no_unfinished_plan,
};
use narratoria_executor::PendingRequests;
use narratoria_narrator::tick::{
    ContextSettings, TickContext, TickPlan, TickPlanError, TickPlanRequest, TickPlanner,
    TickProposal, TickRequest, TickResponse, tools_text,
};
use narratoria_protocol::{EntityId, EntityKind, Novel, Object, TickRecord};
use narratoria_skills::{Catalog, HealthTracker};
use narratoria_story::{StoreRow, Story, TurnOutcome, TurnRecord};

/// The time of one generation. A plan of a tick is longer than one of a turn, and no player waits for it.
pub const TICK_GENERATION_MAX: Duration = Duration::from_secs(180);

/// Everything that ticks need.
pub struct TickerSetup {
    pub catalog: Catalog,
    pub scripts: Scripts,
    pub planner: Box<dyn TickPlanner>,
    pub clock_and_ids: ClockAndIds,
    pub options: SessionOptions,
    pub context: ContextSettings,
}

/// Lets a story tick.
pub struct Ticker {
    catalog: Catalog,
    scripts: Arc<Scripts>,
    planner: Box<dyn TickPlanner>,
    clock_and_ids: ClockAndIds,
    options: SessionOptions,
    context: ContextSettings,
    health: HealthTracker,
    pending: PendingRequests,
}

/// What the player wants of one tick.
#[derive(Debug, Clone, Copy, Default)]
pub struct TickOrder<'a> {
    /// Id of the character whose point of view the scene has; the active one without it.
    pub pov: Option<&'a str>,
    /// The plan comes from the error file of this tick.
    pub retry: Option<u64>,
}

/// How a tick ended.
#[derive(Debug)]
pub enum TickEnd {
    /// Its scene is part of the story.
    Complete { tick: u64 },
    /// The player stopped it; the story is as it was.
    Cancelled,
    /// The story is as it was, and the error files are in the folder.
    Failed { tick: u64, message: String, folder: PathBuf },
}

/// What a planned tick would do.
#[derive(Debug)]
pub struct TickPreview {
    pub tick: u64,
    pub planner: String,
    pub plan: TickPlan,
    pub warnings: Vec<String>,
}

/// The parts of a tick that an error file shows, as far as it came.
#[derive(Default)]
struct Progress {
    context: Option<TickContext>,
    plan: Option<serde_json::Value>,
}

/// What a plan is made for.
struct PlanOrder<'a> {
    request: TickRequest<'a>,
    state: &'a Object,
    /// The plan of an error file.
    given: Option<TickPlan>,
}

/// Why a tick stops.
enum Stop {
    Cancelled,
    Fault(Box<TickFault>),
    /// The host could not do its job.
    Host(TurnError),
}

impl From<TurnError> for Stop {
    fn from(error: TurnError) -> Stop {
        Stop::Host(error)
    }
}

impl From<narratoria_story::StoryError> for Stop {
    fn from(error: narratoria_story::StoryError) -> Stop {
        Stop::Host(error.into())
    }
}

impl Ticker {
    pub fn open(setup: TickerSetup) -> Ticker {
        let TickerSetup { catalog, scripts, planner, clock_and_ids, options, context } = setup;
        Ticker {
            catalog,
            scripts: Arc::new(scripts),
            planner,
            clock_and_ids,
            options,
            context,
            health: HealthTracker::default(),
            pending: PendingRequests::new(),
        }
    }

    /// Brings the files of the ticks in line with the story, after a crash or an undo. Returns what could not be written.
    pub fn sync_files(story: &Story) -> Result<Vec<String>, TurnError> {
        files::sync(story)
    }

    /// Plans the next tick of a story and runs nothing. Without a story, that of a new one with this seed.
    pub async fn preview(
        &mut self,
        story: Option<&Story>,
        seed: u64,
        order: TickOrder<'_>,
        cancel: &CancellationToken,
    ) -> Result<TickPreview, TurnError> {
        let view = story.map(view::story_view).transpose()?.unwrap_or_default();
        check_pov(&view, order.pov)?;
        let tick = view.current_tick + 1;
        let seed = story.map_or(seed, Story::seed);
        let mut progress = Progress::default();
        let given = self.plan_to_retry(story, tick, order)?;
        let request = TickRequest { story: &view, seed, pov: order.pov };
        let no_state = Object::new();
        let state = story.map_or(&no_state, |story| story.state().as_object());
        let order = PlanOrder { request, state, given };
        let planned = self.plan(order, cancel, &mut progress).await;
        let planned = planned.map_err(|stop| match stop {
            Stop::Cancelled => TurnError::new(TurnErrorKind::Failed, "it was stopped"),
            Stop::Host(error) => error,
            Stop::Fault(fault) => TurnError::new(TurnErrorKind::Failed, fault.message),
        })?;
        let warnings = planned.warnings();
        let PlannedTick { plan, planner, .. } = planned;
        Ok(TickPreview { tick, planner, plan, warnings })
    }

    /// Leaves out the next tick, which must have this number: the counter advances without a scene.
    pub fn skip(&mut self, story: &mut Story, tick: u64) -> Result<(), TurnError> {
        let novel = story.novel()?;
        check_next(novel.current_tick, tick, "narratoria tick --skip")?;
        let now = self.clock_and_ids.now();
        let novel = Novel { current_tick: tick, last_updated: Some(timestamp(now)), ..novel };
        let id = EntityId::new(EntityKind::Tick, tick);
        let record = TurnRecord {
            prompt: format!("tick {tick} (skipped)"),
            narration: String::new(),
            outcome: TurnOutcome::Ticked,
            choices: Vec::new(),
            patches: Vec::new(),
            plans: Vec::new(),
            assets: Vec::new(),
            store_writes: vec![
                StoreRow::entity(EntityId::NOVEL, &novel),
                StoreRow::entity(id, &TickRecord::default()),
            ],
            seed: tick_seed(story.seed(), tick),
            started_at: now,
            finished_at: now,
        };
        story.commit(&record)?;
        Ok(())
    }

    /// Runs one tick. `Err` means that the host could not do its job, or that the order makes no sense.
    pub async fn tick(
        &mut self,
        story: &mut Story,
        order: TickOrder<'_>,
        cancel: &CancellationToken,
        news: TickSink<'_>,
    ) -> Result<TickEnd, TurnError> {
        check_no_unfinished_plan(story)?;
        let tick = story.novel()?.current_tick + 1;
        let given = self.plan_to_retry(Some(story), tick, order)?;
        let mut progress = Progress::default();
        news(TickEvent::Stage { tick, stage: TickStage::Starting });
        match self.run(story, tick, order, given, cancel, &mut progress, news).await {
            Ok(()) => {
                for text in files::write_files(story, tick)? {
                    news(TickEvent::Warning { tick, text });
                }
                news(TickEvent::Stage { tick, stage: TickStage::Complete });
                Ok(TickEnd::Complete { tick })
            }
            Err(Stop::Cancelled) => Ok(TickEnd::Cancelled),
            Err(Stop::Host(error))
                if matches!(error.kind, TurnErrorKind::BadInput | TurnErrorKind::NotFound) =>
            {
                Err(error)
            }
            Err(Stop::Host(error)) => {
                let fault =
                    self.fault(TickStage::Saving, "RuntimeError", error.to_string(), &progress);
                Ok(self.fail(story, tick, &fault, &progress, news))
            }
            Err(Stop::Fault(fault)) => Ok(self.fail(story, tick, &fault, &progress, news)),
        }
    }

    fn fail(
        &self,
        story: &Story,
        tick: u64,
        fault: &TickFault,
        progress: &Progress,
        news: TickSink<'_>,
    ) -> TickEnd {
        let at = self.clock_and_ids.now();
        let warnings =
            files::write_error(story.folder(), tick, at, fault, progress.context.as_ref());
        for text in warnings {
            news(TickEvent::Warning { tick, text });
        }
        let folder = files::errors_folder(story.folder());
        news(TickEvent::Failed {
            tick,
            error: fault.kind.to_owned(),
            message: fault.message.clone(),
            folder: folder.display().to_string(),
        });
        TickEnd::Failed { tick, message: fault.message.clone(), folder }
    }

    fn fault(
        &self,
        stage: TickStage,
        kind: &'static str,
        message: String,
        progress: &Progress,
    ) -> TickFault {
        TickFault {
            kind,
            traceback: format!("{}: {kind}: {message}", stage.as_str()),
            message,
            plan: progress.plan.clone().unwrap_or_else(|| serde_json::json!({})),
            execution: None,
        }
    }

    /// The plan of an error file, if the order asks for it.
    fn plan_to_retry(
        &self,
        story: Option<&Story>,
        next: u64,
        order: TickOrder<'_>,
    ) -> Result<Option<TickPlan>, TurnError> {
        let Some(tick) = order.retry else { return Ok(None) };
        check_next(next - 1, tick, "narratoria tick --retry")?;
        let Some(story) = story else {
            let error = format!("the story has no failed tick {tick}, it has not begun");
            return Err(TurnError::new(TurnErrorKind::NotFound, error));
        };
        let (path, read) = files::read_error(story.folder(), tick);
        let bytes = read.map_err(|why| {
            let error = format!("the error file `{}` {why}", path.display());
            TurnError::new(TurnErrorKind::NotFound, error)
                .hint("a tick that has failed leaves its plan there; `narratoria tick` makes another plan")
        })?;
        let plan = plan_to_retry(&bytes, tick).map_err(|why| {
            let error = format!("the error file `{}` cannot be used: {why}", path.display());
            TurnError::new(TurnErrorKind::BadInput, error)
        })?;
        Ok(Some(plan))
    }

    /// Gathers the context and makes a plan, or takes the given one.
    async fn plan(
        &mut self,
        order: PlanOrder<'_>,
        cancel: &CancellationToken,
        progress: &mut Progress,
    ) -> Result<PlannedTick, Stop> {
        let PlanOrder { request: tick, state, given } = order;
        let pov = tick.pov;
        let context = TickContext::build(tick.story, self.context, tools_text(&self.catalog));
        progress.context = Some(context.clone());
        let response = match given {
            Some(plan) => TickResponse::new(RETRY_PLANNER, TickProposal::Plan(plan)),
            None => {
                let request = TickPlanRequest {
                    tick,
                    context: &context,
                    catalog: &self.catalog,
                    state,
                    budget: TICK_GENERATION_MAX,
                    cancel,
                };
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Err(Stop::Cancelled),
                    answer = self.planner.propose(request) => answer.map_err(|error| {
                        let message = error.to_string();
                        Stop::Fault(Box::new(self.fault(TickStage::Planning, "PlannerError", message, progress)))
                    })?,
                }
            }
        };
        let TickResponse { planner, proposal, fallback } = response;
        let parsed = match proposal {
            TickProposal::Plan(plan) => Ok(plan),
            TickProposal::Text(text) => TickPlan::parse(&text),
        };
        let mut plan = parsed.map_err(|error| {
            if let TickPlanError::Invalid { document, .. } = &error {
                progress.plan = Some((**document).clone());
            }
            let (kind, message) = (error.kind(), error.to_string());
            Stop::Fault(Box::new(self.fault(TickStage::Validating, kind, message, progress)))
        })?;
        if let Some(pov) = pov {
            plan.pov_character = Some(pov.to_owned());
            plan.document.insert("pov_character".to_owned(), pov.into());
        }
        progress.plan = Some(plan.document.clone().into());
        Ok(PlannedTick { plan, planner, fallback })
    }

    // Long because it is the list of a tick's stages, in order.
    #[expect(clippy::too_many_arguments, reason = "each is another part of one tick")]
    async fn run(
        &mut self,
        story: &mut Story,
        tick: u64,
        order: TickOrder<'_>,
        given: Option<TickPlan>,
        cancel: &CancellationToken,
        progress: &mut Progress,
        news: TickSink<'_>,
    ) -> Result<(), Stop> {
        let started_at = self.clock_and_ids.now();
        news(TickEvent::Stage { tick, stage: TickStage::GatheringContext });
        let view = view::story_view(story)?;
        check_pov(&view, order.pov)?;
        news(TickEvent::Stage { tick, stage: TickStage::Planning });
        let request = TickRequest { story: &view, seed: story.seed(), pov: order.pov };
        let plan_order = PlanOrder { request, state: story.state().as_object(), given };
        let planned = self.plan(plan_order, cancel, progress).await?;
        news(TickEvent::Stage { tick, stage: TickStage::Validating });
        let mut warnings = planned.warnings();
        let PlannedTick { plan, planner, fallback } = planned;
        news(TickEvent::Planned {
            tick,
            planner: planner.clone(),
            plan: plan.document.clone().into(),
        });
        news(TickEvent::Stage { tick, stage: TickStage::Executing });
        let seed = tick_seed(story.seed(), tick);
        let entities = EntityPlace::of_tick(story, tick);
        let host = HostResources {
            catalog: &self.catalog,
            scripts: &self.scripts,
            options: &self.options,
            clock_and_ids: &self.clock_and_ids,
            pending: &self.pending,
            entities: Some(&entities),
            guidance: None,
        };
        let health = &mut self.health;
        let planner = PlanOrigin { planner: &planner, fallback: fallback.as_ref() };
        let actions = ChainRun { host, story, health, tick, seed, planner, cancel };
        let executed: ExecutedActions = match actions.run(&plan).await {
            Ok(executed) => executed,
            Err(ExecutionStop::Cancelled) => return Err(Stop::Cancelled),
            Err(ExecutionStop::Failed { message, execution, action_idx }) => {
                let tool = &plan.actions[action_idx].tool;
                return Err(Stop::Fault(Box::new(TickFault {
                    kind: "RuntimeError",
                    traceback: format!(
                        "executing: action {action_idx}, {tool}\nRuntimeError: {message}"
                    ),
                    message,
                    plan: plan.document.clone().into(),
                    execution: Some(execution),
                })));
            }
        };
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        news(TickEvent::Stage { tick, stage: TickStage::Writing });
        let writer = SceneWriter {
            host,
            story,
            view: &view,
            plan: &plan,
            results: &executed.results,
            seed,
            has_model: self.planner.has_model(),
            cancel,
        };
        let scene = writer.write(&executed).await;
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        warnings.extend(scene.warnings.iter().cloned());
        for text in &warnings {
            news(TickEvent::Warning { tick, text: text.clone() });
        }
        news(TickEvent::Stage { tick, stage: TickStage::Saving });
        let context = progress.context.as_ref().expect("the context was gathered before the plan");
        let commit = TickCommit {
            tick,
            seed,
            started_at,
            now: self.clock_and_ids.now(),
            plan: &plan,
            context,
            warnings: &warnings,
            pov: order.pov,
            scene,
            executed,
        };
        let scene = commit.commit(story)?;
        news(scene);
        Ok(())
    }
}

/// The planner of a plan from an error file.
const RETRY_PLANNER: &str = "retry";

/// The seed of a tick: the first eight bytes of SHA-256 over a word, the story's seed and the tick's number.
fn tick_seed(story_seed: u64, tick: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update("narratoria tick\n");
    hasher.update(story_seed.to_le_bytes());
    hasher.update(tick.to_le_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
