//! The log of a session (S0 FR-029): one line for each decision about plans and skills, made from the same updates that
//! a front end shows. S1 §5.1 names the states, S1 §5.2 the line after a failed attempt. Pure but for the lines.

use std::{cmp::Ordering, collections::BTreeSet};

use super::{SessionOptions, StepEvent, StepUpdate, TurnWatch, Update, update::UpdateSink};
use narratoria_plan::PlanJson;
use narratoria_protocol::LogLevel;
use narratoria_skills::Catalog;
use narratoria_story::{Story, TurnOutcome};

/// Follows the updates of a session.
pub(crate) struct TurnLog {
    attempt: u32,
    attempts_max: u32,
    /// Lines of skills in this turn.
    skill_lines: usize,
    /// Is told what is logged.
    watch: Option<TurnWatch>,
}

/// Most lines of skills that the log has of one turn; the record of the plan has all that a record takes.
const SKILL_LOG_LINES_MAX: usize = 256;

impl TurnLog {
    pub(crate) fn new(options: &SessionOptions) -> TurnLog {
        let watch = options.observer.as_ref().map(|observer| observer.watch());
        TurnLog { attempt: 0, attempts_max: options.attempts_max, skill_lines: 0, watch }
    }

    /// Passes updates on, each after its line.
    pub(crate) fn follow<'a>(
        &'a mut self,
        updates: UpdateSink<'a>,
    ) -> impl FnMut(Update) + Send + 'a {
        move |update| {
            self.observe(&update);
            if let Some(watch) = &mut self.watch {
                watch(&update);
            }
            updates(update);
        }
    }

    /// Writes the line of an update, if it has one.
    pub(crate) fn observe(&mut self, update: &Update) {
        match update {
            Update::TurnStarted { turn, prompt } => {
                (self.attempt, self.skill_lines) = (0, 0);
                tracing::info!(turn, prompt, state = "GENERATING", "turn started");
            }
            Update::PlanProposed { turn, attempt, planner, plan } => {
                self.attempt = *attempt;
                let (plan_id, skills) = (&plan.request_id, selected_skills(plan));
                tracing::info!(turn, attempt, plan_id, planner, ?skills, "plan proposed");
            }
            Update::PlannerReplaced { turn, planner, by, reason, .. } => {
                tracing::info!(turn, planner, by, reason, "planner replaced");
            }
            Update::PlanRevised { turn, plan_id, parent_plan_id, version, changes, .. } => {
                tracing::info!(turn, plan_id, parent_plan_id, version, changes, "plan revised");
            }
            Update::PlanRejected { turn, attempt, plan_id, errors } => {
                tracing::info!(turn, attempt, plan_id, ?errors, "plan rejected");
            }
            Update::PlanStarted { turn, plan_id, steps, .. } => {
                tracing::info!(turn, plan_id, steps, state = "EXECUTING", "plan started");
            }
            Update::PlanFinished { .. } => self.observe_end(update),
            Update::HealthChanged { turn, skill, from, to } => {
                let (from, to) = (from.as_str(), to.as_str());
                tracing::info!(turn, skill, from, to, "health of a skill changed");
            }
            Update::Step(step) => {
                log_step(step);
                self.log_skill(step);
            }
            Update::TurnFinished { turn, outcome, attempts, elapsed_ms, .. } => {
                if *outcome == TurnOutcome::Fallback {
                    if *attempts >= self.attempts_max {
                        tracing::info!("Max replan attempts exceeded");
                    }
                    tracing::info!(turn, state = "FALLBACK", "a template narrates");
                }
                let outcome = outcome.as_str();
                tracing::info!(turn, outcome, attempts, elapsed_ms, "turn finished");
            }
            _ => {}
        }
    }

    /// Logs what a script wrote into its log. None of it is a warning of this program.
    fn log_skill(&mut self, update: &StepUpdate) {
        let StepUpdate { plan_id, tool_id, event, .. } = update;
        let (severity, line) = match event {
            StepEvent::Logged { level, message, .. } => (level.as_str(), message),
            StepEvent::Warned { error_message, .. } => (LogLevel::Error.as_str(), error_message),
            _ => return,
        };
        self.skill_lines += 1;
        match self.skill_lines.cmp(&SKILL_LOG_LINES_MAX) {
            Ordering::Less if severity == LogLevel::Debug.as_str() => {
                tracing::debug!(plan_id, tool_id, severity, line, "log of a skill");
            }
            Ordering::Less => {
                tracing::info!(plan_id, tool_id, severity, line, "log of a skill");
            }
            Ordering::Equal => {
                tracing::info!(
                    plan_id,
                    limit = SKILL_LOG_LINES_MAX,
                    "skills log more lines than fit"
                );
            }
            Ordering::Greater => {}
        }
    }

    fn observe_end(&self, update: &Update) {
        let Update::PlanFinished { turn, plan_id, success, failed_tools, disabled_skills, .. } =
            update
        else {
            return;
        };
        let (state, attempt) = (if *success { "SUCCESS" } else { "REPLANNING" }, self.attempt);
        if !success {
            let failed = failed_tools.join(", ");
            tracing::info!("Plan attempt {attempt} failed, disabling: {failed}");
        }
        tracing::info!(
            turn,
            plan_id,
            success,
            ?failed_tools,
            ?disabled_skills,
            state,
            "plan finished"
        );
    }
}

/// Logs the beginning of a session.
pub(crate) fn log_session(story: &Story, catalog: &Catalog) {
    let skills: Vec<&str> = catalog.iter().map(|skill| skill.name.as_str()).collect();
    tracing::info!(story = %story.name(), turns = story.turns(), ?skills, "session started");
}

/// Logs that a skill was loaded, replaced or removed.
pub(crate) fn log_skills(update: &Update) {
    match update {
        Update::SkillReady { skill, version, reloaded } => {
            tracing::info!(skill, version, reloaded, "skill is ready");
        }
        Update::SkillFailed { skill, problems, .. } => {
            tracing::info!(skill, ?problems, "skill cannot be used");
        }
        Update::SkillRemoved { skill } => tracing::info!(skill, "skill is gone"),
        _ => {}
    }
}

fn log_step(update: &StepUpdate) {
    let StepUpdate { plan_id, tool_id, event, .. } = update;
    match event {
        StepEvent::Started { tool_path, attempt } => {
            tracing::info!(plan_id, tool_id, tool_path, attempt, "step started");
        }
        StepEvent::Retrying { attempt, delay_ms, error } => {
            tracing::info!(plan_id, tool_id, attempt, delay_ms, error, "step tries again");
        }
        StepEvent::TakenOver { from, to, error } => {
            tracing::info!(plan_id, tool_id, from, to, error, "another skill takes over a step");
        }
        StepEvent::Finished { state, error, .. } => {
            tracing::info!(plan_id, tool_id, state = state.as_str(), error, "step finished");
        }
        _ => {}
    }
}

/// The skills that a plan names, in the order of their names.
fn selected_skills(plan: &PlanJson) -> BTreeSet<&str> {
    plan.tools.iter().map(|tool| tool.tool_path.split('/').next().unwrap_or_default()).collect()
}
