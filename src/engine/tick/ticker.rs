//! The ticks of one story: the number of the next one, how it ends, and the content of its error files. Knows nothing
//! of the stages.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use narratoria_executor::PendingRequests;
use narratoria_narrator::tick::{ContextSettings, TickPlan, TickPlanner, TickRequest};
use narratoria_protocol::{EntityId, EntityKind, Novel, Object, TickRecord};
use narratoria_skills::{Catalog, HealthTracker};
use narratoria_story::{StoreRow, Story, TurnOutcome, TurnRecord};
use tokio_util::sync::CancellationToken;

use super::{
    documents::{TickFault, plan_to_retry, timestamp},
    event::{TickEvent, TickSink, TickStage},
    files::{self, FailedTick},
    order::{check_next, check_pov},
    planned::PlannedTick,
    progress::{PlanOrder, StageProgress, TickStart, TickStop},
    seed::tick_seed,
    view,
};
use crate::{
    ClockAndIds, Scripts, SessionOptions, TurnError, TurnErrorKind, close::delete_working_files,
    resume::check_no_unfinished_plan,
};

/// Everything that ticks need.
pub struct TickerSetup {
    pub catalog: Catalog,
    pub scripts: Scripts,
    pub planner: Box<dyn TickPlanner>,
    pub clock_and_ids: ClockAndIds,
    pub options: SessionOptions,
    pub context: ContextSettings,
}

/// Runs the ticks of a story.
pub struct Ticker {
    pub(super) catalog: Catalog,
    pub(super) scripts: Arc<Scripts>,
    pub(super) planner: Box<dyn TickPlanner>,
    pub(super) clock_and_ids: ClockAndIds,
    pub(super) options: SessionOptions,
    pub(super) context: ContextSettings,
    pub(super) health: HealthTracker,
    pub(super) pending: PendingRequests,
}

/// The player's options for one tick.
#[derive(Debug, Clone, Copy, Default)]
pub struct TickOrder<'a> {
    /// Id of the character whose point of view the scene has; without it, that of the active one.
    pub pov: Option<&'a str>,
    /// The tick whose error file has the plan.
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

/// The plan of a tick that has not run.
#[derive(Debug)]
pub struct TickPreview {
    pub tick: u64,
    pub planner: String,
    pub plan: TickPlan,
    pub warnings: Vec<String>,
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

    /// Returns the ticks of the story that failed, as their error files have them, the newest first.
    pub fn failed_ticks(story: &Story) -> Vec<FailedTick> {
        files::failed_ticks(story)
    }

    /// Plans the next tick of a story and runs nothing. Without a story, plans the first tick of a new one with this
    /// seed.
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
        let mut progress = StageProgress::new(tick);
        let given = self.plan_to_retry(story, tick, order)?;
        let request = TickRequest { story: &view, seed, pov: order.pov };
        let no_state = Object::new();
        let state = story.map_or(&no_state, |story| story.state().as_object());
        let plan_order = PlanOrder { request, state, given };
        let response = self.propose(plan_order, cancel, &mut progress).await;
        let planned =
            response.and_then(|response| PlannedTick::check(response, order.pov, &mut progress));
        let planned = planned.map_err(|stop| match stop {
            TickStop::Cancelled => TurnError::new(TurnErrorKind::Failed, "it was stopped"),
            TickStop::Host(error) => error,
            TickStop::Fault(fault) => TurnError::new(TurnErrorKind::Failed, fault.message),
        })?;
        let warnings = planned.warnings(&view);
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

    /// Runs one tick. `Err` means that the host could not do its job, or that the order is invalid.
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
        let mut progress = StageProgress::new(tick);
        progress.enter(TickStage::Starting, news);
        let start = TickStart { pov: order.pov, given, cancel };
        let ended = self.run(story, start, &mut progress, news).await;
        // The files that its scripts have written are stored by now, or belong to no story.
        delete_working_files(story, &BTreeSet::new());
        match ended {
            Ok(()) => {
                for text in files::write_files(story, tick)? {
                    news(TickEvent::Warning { tick, text });
                }
                progress.enter(TickStage::Complete, news);
                Ok(TickEnd::Complete { tick })
            }
            Err(TickStop::Cancelled) => Ok(TickEnd::Cancelled),
            Err(TickStop::Host(error))
                if matches!(error.kind, TurnErrorKind::BadInput | TurnErrorKind::NotFound) =>
            {
                Err(error)
            }
            Err(TickStop::Host(error)) => {
                let fault = progress.fault("RuntimeError", error.to_string());
                Ok(self.fail(story, &fault, &progress, news))
            }
            Err(TickStop::Fault(fault)) => Ok(self.fail(story, &fault, &progress, news)),
        }
    }

    fn fail(
        &self,
        story: &Story,
        fault: &TickFault,
        progress: &StageProgress,
        news: TickSink<'_>,
    ) -> TickEnd {
        let (tick, at) = (progress.tick, self.clock_and_ids.now());
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

    /// Returns the plan of an error file, if the order asks for it.
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
}
