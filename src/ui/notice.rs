//! News that is not the story, as lines beside it. Pure.

use narratoria_engine::Update;

use super::{
    Look, Tone,
    text::{cut_line, visible_line},
};

/// How much of an input a line shows; `--format json` has the whole.
const INPUT_COLUMNS: usize = 160;

/// A line: its colour, its first word, its text.
pub(super) type NoticeLine = (Tone, &'static str, String);

/// What is worth a line, if anything is. Where `look` has live lines, those say what passes; where a
/// person types, the questions put to them say the rest.
pub(super) fn notice(update: &Update, look: Look) -> Option<NoticeLine> {
    let live = look.live.is_some();
    match update {
        Update::StepWarned { tool_id, error_code, error_message, .. } => {
            warning(format!("step `{tool_id}`: {error_message} ({error_code})"))
        }
        Update::StepLogged { tool_id, level, message, .. }
            if level == "warn" || level == "error" =>
        {
            warning(format!("step `{tool_id}`: {message}"))
        }
        Update::StepProgress { tool_id, progress, message, .. } if !live => {
            note(format!("step `{tool_id}`: {progress:.0}% {message}"))
        }
        Update::StepRetrying { tool_id, attempt, delay_ms, error, .. } if !live => {
            note(format!("step `{tool_id}`: {error}; attempt {attempt} follows in {delay_ms} ms"))
        }
        Update::StepFinished { tool_id, state, error: Some(error), .. } => {
            let word = if state == "timeout" { "timed out" } else { "failed" };
            warning(format!("step `{tool_id}` {word}: {error}"))
        }
        Update::PlanRejected { attempt, errors, .. } => {
            note(format!("plan {attempt} cannot run: {}", errors.join("; ")))
        }
        Update::HealthChanged { skill, from, to, .. } => {
            note(format!("skill `{skill}` went from {from} to {to}"))
        }
        Update::SkillReady { .. } | Update::SkillFailed { .. } | Update::SkillRemoved { .. } => {
            skill_notice(update)
        }
        _ => interaction_notice(update, look),
    }
}

/// What became of a package while somebody plays.
fn skill_notice(update: &Update) -> Option<NoticeLine> {
    match update {
        Update::SkillReady { skill, version, reloaded: true } => {
            note(format!("skill `{skill}` is loaded anew (version {version})"))
        }
        Update::SkillReady { skill, .. } => note(format!("skill `{skill}` is ready")),
        Update::SkillFailed { problems, kept, .. } => {
            let stays = if *kept { "; what it was before is still used" } else { "" };
            warning(format!("{}{stays}", problems.join("; ")))
        }
        Update::SkillRemoved { skill } => {
            note(format!("skill `{skill}` is gone, and so is its package"))
        }
        _ => None,
    }
}

/// What has to do with a person's will, and with plans that change.
fn interaction_notice(update: &Update, look: Look) -> Option<NoticeLine> {
    match update {
        Update::StepWaiting { tool_id, tool_path, input, .. } if !look.interactive => {
            let input = serde_json::to_string(input).expect("an input is JSON");
            let input = cut_line(&visible_line(&input), INPUT_COLUMNS, look.ascii);
            note(format!("step `{tool_id}` wants to run `{tool_path}` with {input}"))
        }
        Update::StepDecided { tool_id, approved, by, .. } => match (by.as_str(), approved) {
            ("player", _) => None,
            (_, false) => warning(format!(
                "step `{tool_id}` is denied: nobody is there to be asked, `--yes` would approve it"
            )),
            (_, true) => note(format!("step `{tool_id}` is approved by `--yes`")),
        },
        Update::StepAnswered { tool_id, answered: false, .. } => {
            note(format!("step `{tool_id}` got no answer"))
        }
        Update::StepTakenOver { tool_id, from, to, error, .. } => {
            warning(format!("step `{tool_id}`: `{from}` failed: {error}; `{to}` takes over"))
        }
        Update::StepKept { tool_id, state, .. } => {
            note(format!("step `{tool_id}` is not run again, its result stands ({state})"))
        }
        Update::PlannerReplaced { planner, by, reason, .. } => {
            note(format!("`{by}` makes the plan in place of `{planner}`: {reason}"))
        }
        Update::NarratorChanged { from, to } => {
            note(format!("`{to}` makes the plans from now on, instead of `{from}`"))
        }
        Update::PlanRevised { version, changes, .. } => {
            note(format!("version {version} of the plan: {changes}"))
        }
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
