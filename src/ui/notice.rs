//! Notices: news that is not the story, as lines beside it. Pure.

use narratoria_engine::{DecidedBy, StepEvent, StepState, StepUpdate, Update};
use narratoria_protocol::LogLevel;
use narratoria_skills::Health;

use super::{
    Look, Tone,
    text::{cut_line, visible_line},
};

/// Columns of an input that a line shows; `--format json` has all of it.
const INPUT_COLUMNS: usize = 160;

/// A line: its colour, its first word, its text.
pub(super) type NoticeLine = (Tone, &'static str, String);

/// Returns the notice for news that is not a step's, if it has one.
pub(super) fn update_notice(update: &Update) -> Option<NoticeLine> {
    match update {
        // The errors concern authors of planners and skills, who find them in the log.
        Update::PlanRejected { attempt, plan_id: Some(_), .. } => {
            note(format!("plan {attempt} does not work; the log says why"))
        }
        Update::PlanRejected { attempt, plan_id: None, .. } => {
            note(format!("attempt {attempt} gave no plan; the log says why"))
        }
        // This is the player's own edit. A planner's change after a failure is only in the log, because the notice of
        // the failure says why.
        Update::PlanRevised { version, changes, plan: Some(_), .. } => {
            note(format!("version {version} of the plan: {changes}"))
        }
        Update::PlannerReplaced { planner, by, reason, .. } => {
            note(format!("`{by}` makes the plan in place of `{planner}`: {reason}"))
        }
        Update::PlanRecorded { path, .. } => note(format!("recorded in `{path}`")),
        Update::NarratorChanged { from, to } => {
            note(format!("`{to}` makes the plans from now on, instead of `{from}`"))
        }
        Update::HealthChanged { skill, from, to, .. } => note(health_sentence(skill, *from, *to)),
        Update::SkillReady { skill, version, reloaded: true } => {
            note(format!("skill `{skill}` is loaded again (version {version})"))
        }
        Update::SkillFailed { problems, still_used, .. } => {
            let rest = if *still_used { "; the version loaded before is still used" } else { "" };
            warning(format!("{}{rest}", problems.join("; ")))
        }
        Update::SkillRemoved { skill } => {
            note(format!("skill `{skill}` is gone, and so is its package"))
        }
        _ => None,
    }
}

fn health_sentence(skill: &str, from: Health, to: Health) -> String {
    match to {
        Health::Healthy if from == Health::PermanentFailure => {
            format!("`{skill}` is in play again")
        }
        Health::Healthy => format!("`{skill}` works again"),
        Health::Degraded => format!("`{skill}` fails often; plans use it with caution"),
        Health::TemporaryFailure => format!("`{skill}` does not answer; it may recover"),
        Health::PermanentFailure => format!(
            "`{skill}` has failed for good, so plans go without it; in `run`, `/enable {skill}` brings it back"
        ),
    }
}

/// Returns the notice for a step's news, if it has one. Live lines show progress and retries; at a terminal, prompts
/// show the steps that wait for approval.
pub(super) fn step_notice(update: &StepUpdate, look: Look) -> Option<NoticeLine> {
    let StepUpdate { tool_id, event, .. } = update;
    let is_live = look.live.is_some();
    match event {
        StepEvent::Warned { error_code, error_message, .. } => {
            warning(format!("step `{tool_id}`: {error_message} ({error_code})"))
        }
        StepEvent::Logged { level: LogLevel::Warn | LogLevel::Error, message, .. } => {
            warning(format!("step `{tool_id}`: {message}"))
        }
        StepEvent::Logged { level, message, .. } if look.logs => {
            let text = format!("step `{tool_id}`: {}: {message}", level.as_str());
            Some((Tone::Notice, "log", text))
        }
        StepEvent::Progressed { progress, message } if !is_live => {
            note(format!("step `{tool_id}`: {progress:.0}% {message}"))
        }
        StepEvent::Retrying { attempt, delay_ms, error } if !is_live => {
            note(format!("step `{tool_id}`: {error}; attempt {attempt} follows in {delay_ms} ms"))
        }
        StepEvent::TakenOver { from, to, error } => {
            warning(format!("step `{tool_id}`: `{from}` failed: {error}; `{to}` takes over"))
        }
        StepEvent::Reused { state } => {
            let state = state.as_str();
            note(format!("step `{tool_id}` is not run again, its result stands ({state})"))
        }
        StepEvent::Finished { state, error: Some(error), .. } => {
            let word = if *state == StepState::Timeout { "timed out" } else { "failed" };
            warning(format!("step `{tool_id}` {word}: {error}"))
        }
        StepEvent::Waiting { tool_path, input, .. } if !look.interactive => {
            let input = serde_json::to_string(input).expect("an input is JSON");
            let input = cut_line(&visible_line(&input), INPUT_COLUMNS, look.ascii);
            note(format!("step `{tool_id}` wants to run `{tool_path}` with {input}"))
        }
        StepEvent::Decided { by: DecidedBy::Settings, approved: true } => {
            note(format!("step `{tool_id}` is approved by `--yes`"))
        }
        StepEvent::Decided { by: DecidedBy::Settings, approved: false } => warning(format!(
            "step `{tool_id}` is denied: nobody is there to be asked, `--yes` would approve it"
        )),
        StepEvent::Answered { answered: false } => note(format!("step `{tool_id}` got no answer")),
        _ => None,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "reads as what it is for")]
fn warning(message: String) -> Option<NoticeLine> {
    Some((Tone::Warning, "warning", message))
}

#[expect(clippy::unnecessary_wraps, reason = "reads as what it is for")]
fn note(message: String) -> Option<NoticeLine> {
    Some((Tone::Notice, "note", message))
}
