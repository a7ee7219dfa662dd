//! The live lines: one for each running step, at the bottom of a terminal (S2 "Progress Streaming"). Pure: takes
//! updates, returns the text to write.
//!
//! Invariant: between `erase` and `redraw` the terminal looks as if there were no live lines, and the
//! cursor stands where it stood before they were drawn. While they are drawn, it stands at the beginning of the first: a
//! terminal that is resized may wrap the lines again, and only the cursor stays with its line.

#[cfg(test)]
mod tests;

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_protocol::LogLevel;
use unicode_width::UnicodeWidthStr;

use super::{
    Look,
    output::TerminalSize,
    text::{cut_line, pad, visible_line},
};

/// Most lines; a plan may run more steps than a person can watch.
const LINES_MAX: usize = 8;

/// Cells of a bar.
const BAR_CELLS: usize = 10;

/// Percent that a step must advance before a pipe gets another line.
const PROGRESS_STEP: f64 = 10.0;

/// Columns for the name of a step, so that the text after it does not move.
const NAME_COLUMNS_MAX: usize = 16;

/// The running steps, and the lines drawn for them.
#[derive(Debug, Default)]
pub(super) struct LiveSteps {
    area: Option<TerminalSize>,
    ascii: bool,
    steps: Vec<LiveStep>,
    /// The lines that are on the screen.
    drawn: Option<LiveFrame>,
    /// True while the player answers a question there.
    is_held: bool,
}

#[derive(Debug)]
struct LiveStep {
    tool_id: String,
    tool_path: String,
    progress: Option<f64>,
    message: String,
    /// Progress and message of the last line that was printed to a pipe.
    last_reported: Option<(f64, String)>,
}

#[derive(Debug, PartialEq, Eq)]
struct LiveFrame {
    /// The cursor's column before the lines were drawn.
    column: usize,
    lines: Vec<String>,
}

/// The text that erases the lines.
#[derive(Debug, Default)]
pub(super) struct ErasedLines {
    pub(super) text: String,
    /// True if the cursor then stands at the beginning of a line, not behind the narration.
    pub(super) starts_line: bool,
}

impl LiveSteps {
    pub(super) fn new(look: Look) -> LiveSteps {
        LiveSteps { area: look.live, ascii: look.ascii, ..LiveSteps::default() }
    }

    /// Draws no lines while held. The caller erases them first.
    pub(super) fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Returns the `<skill>/<script>` of a step that runs or waits.
    pub(super) fn tool_path(&self, tool_id: &str) -> Option<&str> {
        self.steps.iter().find(|step| step.tool_id == tool_id).map(|step| step.tool_path.as_str())
    }

    /// Follows the steps; draws nothing.
    pub(super) fn apply(&mut self, update: &Update) {
        match update {
            Update::PlanGrowing { tool, .. } => {
                self.begin(&tool.tool_id, &tool.tool_path, "planned".to_owned());
            }
            Update::Step(step) => self.apply_step(step),
            Update::TurnStarted { .. }
            | Update::PlanRejected { .. }
            | Update::PlannerReplaced { .. }
            | Update::PlanStarted { .. }
            | Update::PlanFinished { .. }
            | Update::TurnFinished { .. }
            | Update::TurnFailed { .. }
            | Update::SessionFinished { .. } => self.steps.clear(),
            _ => {}
        }
    }

    fn apply_step(&mut self, update: &StepUpdate) {
        let StepUpdate { tool_id, event, .. } = update;
        match event {
            StepEvent::Started { tool_path, attempt } => {
                let message =
                    if *attempt > 1 { format!("attempt {attempt}") } else { String::new() };
                self.begin(tool_id, tool_path, message);
            }
            StepEvent::Waiting { tool_path, .. } => {
                self.begin(tool_id, tool_path, "waiting for your approval".to_owned());
            }
            StepEvent::Decided { approved, .. } => {
                self.set_message(tool_id, if *approved { "approved" } else { "denied" });
            }
            StepEvent::Progressed { progress, message } => {
                if let Some(step) = self.step_mut(tool_id) {
                    step.progress = Some(*progress);
                    step.message.clone_from(message);
                }
            }
            StepEvent::Logged { level: LogLevel::Info, message, .. } => {
                self.set_message(tool_id, message);
            }
            StepEvent::Retrying { attempt, delay_ms, error } => {
                if let Some(step) = self.step_mut(tool_id) {
                    step.progress = None;
                    step.message = format!("attempt {attempt} in {delay_ms} ms: {error}");
                }
            }
            StepEvent::Asked { question, .. } => {
                self.set_message(tool_id, &format!("asks: {question}"));
            }
            StepEvent::Answered { .. } => self.set_message(tool_id, ""),
            StepEvent::TakenOver { to, .. } => {
                if let Some(step) = self.step_mut(tool_id) {
                    step.tool_path.clone_from(to);
                    (step.progress, step.message) = (None, "takes over".to_owned());
                }
            }
            StepEvent::Finished { .. } => self.steps.retain(|step| step.tool_id != *tool_id),
            StepEvent::Logged { .. }
            | StepEvent::Warned { .. }
            | StepEvent::Reused { .. }
            | StepEvent::UiEvent { .. }
            | StepEvent::AssetCreated { .. } => {}
        }
    }

    /// Returns true if this progress deserves a line on a pipe: the step advanced by [`PROGRESS_STEP`], ended, or has
    /// another message.
    pub(super) fn is_worth_a_line(&mut self, tool_id: &str, progress: f64, message: &str) -> bool {
        let Some(step) = self.step_mut(tool_id) else { return true };
        let is_worth_it = step.last_reported.as_ref().is_none_or(|(last, last_message)| {
            (progress - last).abs() >= PROGRESS_STEP
                || last_message != message
                || progress >= 100.0 && *last < 100.0
        });
        if is_worth_it {
            step.last_reported = Some((progress, message.to_owned()));
        }
        is_worth_it
    }

    fn begin(&mut self, tool_id: &str, tool_path: &str, message: String) {
        let step = LiveStep {
            tool_id: tool_id.to_owned(),
            tool_path: tool_path.to_owned(),
            progress: None,
            message,
            last_reported: None,
        };
        match self.step_mut(tool_id) {
            Some(known) => *known = step,
            None => self.steps.push(step),
        }
    }

    fn set_message(&mut self, tool_id: &str, message: &str) {
        if let Some(step) = self.step_mut(tool_id) {
            message.clone_into(&mut step.message);
        }
    }

    fn step_mut(&mut self, tool_id: &str) -> Option<&mut LiveStep> {
        self.steps.iter_mut().find(|step| step.tool_id == tool_id)
    }

    /// Sets the size of a terminal that may have been resized.
    pub(super) fn resize(&mut self, area: Option<TerminalSize>) {
        self.area = area;
    }

    /// Returns the text that erases the lines; empty if there are none.
    pub(super) fn erase(&mut self) -> ErasedLines {
        let Some(frame) = self.drawn.take() else { return ErasedLines::default() };
        let mut text = "\r\u{1b}[J".to_owned();
        // A narrower terminal may have wrapped the line above, or cut it.
        let is_lost = self.area.is_none_or(|area| frame.column >= area.columns);
        if frame.column > 0 && !is_lost {
            text += &format!("\u{1b}[1A\u{1b}[{}G", frame.column + 1);
        }
        ErasedLines { text, starts_line: frame.column > 0 && is_lost }
    }

    /// Returns the text that brings the lines up to date; empty if they are. `column` is the position of the cursor
    /// without them.
    pub(super) fn redraw(&mut self, column: usize) -> String {
        let frame = self.frame(column);
        if frame == self.drawn {
            return String::new();
        }
        // The column is the one that `erase` leads to, so nothing is lost here.
        let mut text = self.erase().text;
        if let Some(frame) = &frame {
            if frame.column > 0 {
                text.push('\n');
            }
            text += &frame.lines.join("\n");
            text.push('\r');
            if frame.lines.len() > 1 {
                text += &format!("\u{1b}[{}A", frame.lines.len() - 1);
            }
        }
        self.drawn = frame;
        text
    }

    fn frame(&self, column: usize) -> Option<LiveFrame> {
        let area = self.area.filter(|area| !self.is_held && column < area.columns)?;
        let room = area.rows.saturating_sub(2).min(LINES_MAX);
        if self.steps.is_empty() || room == 0 {
            return None;
        }
        let all = self.steps.len() <= room;
        let shown = if all { self.steps.len() } else { room - 1 };
        let name =
            |step: &LiveStep| cut_line(&visible_line(&step.tool_id), NAME_COLUMNS_MAX, self.ascii);
        let width = self.steps.iter().map(|step| name(step).width()).max().unwrap_or(0);
        let mut lines: Vec<String> = self.steps[..shown]
            .iter()
            .map(|step| {
                let what = step_line(step, area.columns.saturating_sub(width + 3));
                format!("{}  {what}", pad(&name(step), width))
            })
            .collect();
        if !all {
            lines.push(format!("and {} more", self.steps.len() - shown));
        }
        // The last column stays free: some terminals wrap as soon as it is written.
        let lines =
            lines.iter().map(|line| cut_line(line.trim_end(), area.columns - 1, self.ascii));
        Some(LiveFrame { column, lines: lines.collect() })
    }
}

/// Returns a step's script, progress and message; without the script if they do not fit.
fn step_line(step: &LiveStep, columns_max: usize) -> String {
    let mut parts = vec![visible_line(&step.tool_path)];
    parts.extend(step.progress.map(bar));
    parts.extend(Some(visible_line(&step.message)).filter(|message| !message.is_empty()));
    if parts.len() > 1 && parts.join("  ").width() > columns_max {
        parts.remove(0);
    }
    parts.join("  ")
}

/// Returns a bar such as `[####------] 42%`.
fn bar(progress: f64) -> String {
    let progress = progress.clamp(0.0, 100.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is 0 to 100"
    )]
    let full = (progress as usize * BAR_CELLS) / 100;
    format!("[{}{}] {progress:.0}%", "#".repeat(full), "-".repeat(BAR_CELLS - full))
}
