//! The stages of a tick, in order: context, plan, actions, scene, commit. A stage that fails ends the tick.

use std::time::Duration;

use narratoria_narrator::tick::{
    TickContext, TickPlan, TickPlanRequest, TickProposal, TickRequest, TickResponse, tools_text,
};
use narratoria_story::Story;
use tokio_util::sync::CancellationToken;

use super::{
    author::overreach,
    documents::TickFault,
    event::{TickEvent, TickSink, TickStage},
    order::check_pov,
    planned::PlannedTick,
    progress::{PlanOrder, StageProgress, TickStart, TickStop},
    run::{ChainRun, ExecutionStop, PlanOrigin},
    save::TickCommit,
    seed::tick_seed,
    ticker::Ticker,
    view,
    writing::SceneWriter,
};
use crate::{entity_place::EntityPlace, host_resources::HostResources};

/// Longest time of one generation. A plan of a tick is longer than one of a turn, and no player waits for it.
pub const TICK_GENERATION_MAX: Duration = Duration::from_secs(180);

/// The planner of a plan from an error file.
const RETRY_PLANNER: &str = "retry";

impl Ticker {
    /// Runs all stages from the context to the commit.
    // Long because it is the list of a tick's stages, in order.
    pub(super) async fn run(
        &mut self,
        story: &mut Story,
        start: TickStart<'_>,
        progress: &mut StageProgress,
        news: TickSink<'_>,
    ) -> Result<(), TickStop> {
        let TickStart { pov, given, cancel } = start;
        let tick = progress.tick;
        let started_at = self.clock_and_ids.now();
        progress.enter(TickStage::GatheringContext, news);
        let view = view::story_view(story)?;
        check_pov(&view, pov)?;
        progress.enter(TickStage::Planning, news);
        let request = TickRequest { story: &view, seed: story.seed(), pov };
        let plan_order = PlanOrder { request, state: story.state().as_object(), given };
        let response = self.propose(plan_order, cancel, progress).await?;
        progress.enter(TickStage::Validating, news);
        let planned = PlannedTick::check(response, pov, progress)?;
        let mut warnings = planned.warnings(&view);
        let PlannedTick { plan, planner, fallback } = planned;
        let document = plan.document.clone().into();
        news(TickEvent::Planned { tick, planner: planner.clone(), plan: document });
        progress.enter(TickStage::Executing, news);
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
        let planner = PlanOrigin { planner: &planner, fallback: fallback.as_ref() };
        let health = &mut self.health;
        let actions = ChainRun { host, story, health, tick, seed, planner, cancel };
        let executed = actions.run(&plan).await.map_err(|stop| stopped(stop, &plan))?;
        check_running(cancel)?;
        if let Some(what) = overreach(story, &view, &executed.trace)? {
            return Err(TickStop::Fault(Box::new(progress.fault("RuntimeError", what))));
        }
        progress.enter(TickStage::Writing, news);
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
        check_running(cancel)?;
        warnings.extend(scene.warnings.iter().cloned());
        warnings.iter().for_each(|text| news(TickEvent::Warning { tick, text: text.clone() }));
        progress.enter(TickStage::Saving, news);
        let commit = TickCommit {
            tick,
            seed,
            started_at,
            now: self.clock_and_ids.now(),
            plan: &plan,
            context: progress.context.as_ref(),
            warnings: &warnings,
            pov,
            novel_name: &view.novel_name,
            scene,
            executed,
        };
        let (scene, refused) = commit.commit(story)?;
        news(scene);
        refused.into_iter().for_each(|text| news(TickEvent::Warning { tick, text }));
        Ok(())
    }

    /// Gathers the context and asks the planner for a plan, or takes the given one.
    pub(super) async fn propose(
        &mut self,
        order: PlanOrder<'_>,
        cancel: &CancellationToken,
        progress: &mut StageProgress,
    ) -> Result<TickResponse, TickStop> {
        let PlanOrder { request: tick, state, given } = order;
        let context = TickContext::build(tick.story, self.context, tools_text(&self.catalog));
        let context = progress.context.insert(context);
        if let Some(plan) = given {
            return Ok(TickResponse::new(RETRY_PLANNER, TickProposal::Plan(plan)));
        }
        let request = TickPlanRequest {
            tick,
            context,
            catalog: &self.catalog,
            state,
            budget: TICK_GENERATION_MAX,
            cancel,
        };
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(TickStop::Cancelled),
            answer = self.planner.propose(request) => answer,
        };
        answer.map_err(|error| {
            TickStop::Fault(Box::new(progress.fault("PlannerError", error.to_string())))
        })
    }
}

fn stopped(stop: ExecutionStop, plan: &TickPlan) -> TickStop {
    match stop {
        ExecutionStop::Cancelled => TickStop::Cancelled,
        ExecutionStop::Failed { message, execution, action_idx } => {
            let tool = &plan.actions[action_idx].tool;
            TickStop::Fault(Box::new(TickFault {
                kind: "RuntimeError",
                traceback: format!(
                    "executing: action {action_idx}, {tool}\nRuntimeError: {message}"
                ),
                message,
                plan: plan.document.clone().into(),
                execution: Some(execution),
            }))
        }
    }
}

fn check_running(cancel: &CancellationToken) -> Result<(), TickStop> {
    if cancel.is_cancelled() { Err(TickStop::Cancelled) } else { Ok(()) }
}
