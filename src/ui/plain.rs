//! The front end for people: narration, dice and choices on stdout, everything else on stderr. Knows updates and
//! the terminal; knows nothing of the source of the player's lines.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_protocol::visible::clip;
use narratoria_story::TurnOutcome;

use super::{
    Look, Out, Tone,
    emphasis::{EmphasisReader, emphasised},
    live::LiveSteps,
    notice::{NoticeLine, step_notice, update_notice},
    package_trouble::PackageTrouble,
    report::{note, report_lines},
    text::{visible, visible_line},
    words::{choices_list, dice_line, question_text},
    wrap::Wrapper,
};

/// Follows narration that does not count. Printed text cannot be taken back, so the notice stands in the
/// story's own stream.
const RETRACTED: &str = "[That did not happen. The story goes on as it was before.]";

/// The `ui_event` that has a line of its own.
const DICE_ROLL: &str = "dice_roll";

/// Most bytes that the scripts of a turn show beside the narration: UI events, log lines, progress, warnings. A person
/// reads a screen of them; the log of a step has the rest.
const SHOWN_BYTES_MAX: usize = 64 << 10;

/// Longest line of a script, in characters.
const SHOWN_LINE_CHARS_MAX: usize = 400;

/// The plain front end.
pub struct PlainScreen {
    out: Out,
    err: Out,
    look: Look,
    prose: Wrapper,
    /// The emphasis of this turn's narration.
    emphasis: EmphasisReader,
    /// The part of this turn's narration that is on the screen.
    narrated: String,
    /// True if the cursor stands at the end of a line of narration.
    line_open: bool,
    /// True if another line has interrupted the narration.
    interrupted: bool,
    /// The last warning. Often it is also why the step failed, and is not printed twice.
    last_warning: Option<StepWarning>,
    /// Bytes that the turn's scripts have shown so far.
    shown_bytes: usize,
    /// The number of lines beyond that limit.
    left_out: usize,
    /// The lines of running steps on stderr, below everything else.
    live: LiveSteps,
    /// True while the player answers a question.
    is_held: bool,
    /// The updates since then, which `release` shows.
    deferred: Vec<Update>,
    /// The title of the story, if it is not its name.
    title: Option<String>,
    /// The problems with packages that the player knows.
    trouble: PackageTrouble,
    /// Skills whose questions are the program's own.
    built_in: BTreeSet<String>,
}

struct StepWarning {
    tool_id: String,
    message: String,
}

impl PlainScreen {
    pub fn new(out: Out, err: Out, look: Look) -> PlainScreen {
        let prose = Wrapper::new(look.width);
        PlainScreen {
            out,
            err,
            look,
            prose,
            emphasis: EmphasisReader::new(look.emphasis),
            narrated: String::new(),
            line_open: false,
            interrupted: false,
            last_warning: None,
            shown_bytes: 0,
            left_out: 0,
            live: LiveSteps::new(look),
            is_held: false,
            deferred: Vec::new(),
            title: None,
            trouble: PackageTrouble::default(),
            built_in: BTreeSet::new(),
        }
    }

    pub(super) fn out(&self) -> &Out {
        &self.out
    }

    /// Prints text whose line breaks stay as they are. Long lines are wrapped.
    pub(super) fn print(&mut self, text: &str) {
        self.write_lines(&visible(text));
    }

    /// Removes the live lines while the player answers a question. If the player types at this terminal, no
    /// update is shown until `release`, because it would appear in the middle of their line.
    pub(super) fn hold(&mut self) {
        self.break_line();
        self.erase_live();
        self.live.hold(true);
        self.is_held = true;
    }

    pub(super) fn release(&mut self) {
        self.is_held = false;
        self.live.hold(false);
        for update in std::mem::take(&mut self.deferred) {
            self.show(&update);
        }
        self.redraw();
    }

    pub(super) fn set_built_in_skills(&mut self, skills: BTreeSet<String>) {
        self.built_in = skills;
    }

    pub(super) fn set_title(&mut self, title: String) {
        self.title = Some(title);
    }

    /// Prints a script's question as part of the story.
    pub(super) fn ask(&mut self, tool_id: &str, question: &str, choices: &[String]) {
        let asker = self.live.tool_path(tool_id).unwrap_or(tool_id).to_owned();
        let skill = asker.split('/').next().unwrap_or_default();
        let asker = (!self.built_in.contains(skill)).then_some(asker.as_str());
        self.break_line();
        let text = question_text(asker, question, choices);
        self.write_lines(&emphasised(&text, self.look.emphasis));
    }

    /// Prints a line at once, even while the player answers a question.
    pub(super) fn interject(&mut self, tone: Tone, word: &str, message: &str) {
        if self.is_held && self.look.interactive {
            // The cursor stands after a prompt.
            self.err.write_as_is("\n");
        }
        self.note(tone, word, message);
        self.redraw();
    }

    /// Writes to stdout. Every write passes here, because the live lines must be erased first.
    fn write_out(&mut self, text: &str) {
        self.erase_live();
        self.out.write_as_is(text);
    }

    /// Writes complete lines.
    fn write_lines(&mut self, text: &str) {
        let wrapped = self.out.wrap(text);
        self.write_out(&wrapped);
    }

    fn note(&mut self, tone: Tone, word: &str, message: &str) {
        self.erase_live();
        note(&mut self.err, tone, word, message);
    }

    fn erase_live(&mut self) {
        let erased = self.live.erase();
        if !erased.text.is_empty() {
            self.err.write_as_is(&erased.text);
        }
        if erased.starts_line {
            self.prose.restart_line();
        }
    }

    /// Checks if the terminal was resized since the last text.
    fn follow_resize(&mut self) {
        let look = self.look.follow_resize();
        if look != self.look {
            self.look = look;
            self.live.resize(look.live);
            // Lines that were drawn for the old size must be redrawn.
            self.erase_live();
            self.prose.set_width(look.width);
        }
    }

    fn redraw(&mut self) {
        self.follow_resize();
        // Without a width, stdout is not the screen on which the live lines are drawn.
        let on_screen = self.line_open && self.look.width.is_some();
        let drawn = self.live.redraw(if on_screen { self.prose.column() } else { 0 });
        if !drawn.is_empty() {
            self.err.write_as_is(&drawn);
        }
    }

    /// Prints wrapped prose: the program's own, or narration of an earlier turn.
    pub(super) fn say(&mut self, text: &str) {
        let text = emphasised(&visible(text), self.look.emphasis);
        let mut wrapped = self.prose.feed(&text);
        wrapped += &self.prose.finish();
        self.write_out(&wrapped);
    }

    pub(super) fn show(&mut self, update: &Update) {
        if self.is_held && self.look.interactive {
            self.deferred.push(update.clone());
            return;
        }
        self.follow_resize();
        self.live.apply(update);
        self.show_once(update);
        self.redraw();
    }

    fn show_once(&mut self, update: &Update) {
        match update {
            Update::SessionStarted { problems, .. } => {
                if self.look.interactive {
                    if let Some(sentence) = self.trouble.at_start(problems) {
                        self.note(Tone::Warning, "warning", &sentence);
                    }
                } else {
                    for problem in problems {
                        self.note(Tone::Warning, "warning", problem);
                    }
                }
                self.greet(update);
            }
            Update::TurnStarted { .. } => {
                self.narrated.clear();
                self.interrupted = false;
                (self.shown_bytes, self.left_out) = (0, 0);
            }
            Update::NarrationDelta { text, .. } => self.narrate(text),
            Update::NarrationDiscarded { .. } => self.retract_narration(),
            Update::Step(step) => self.show_step(step),
            Update::TurnFinished { .. } => self.end_turn(update),
            Update::TurnFailed { message, hints, .. } => {
                self.report_left_out();
                self.break_line();
                self.erase_live();
                report_lines(&mut self.err, message, hints);
            }
            Update::SkillFailed { .. } if self.look.interactive => {
                if let Some(sentence) = self.trouble.during_play(update) {
                    self.show_notice(Some((Tone::Warning, "warning", sentence)));
                }
            }
            _ => {
                self.trouble.during_play(update);
                if matches!(update, Update::PlanFinished { .. }) {
                    self.report_left_out();
                }
                self.show_notice(update_notice(update));
            }
        }
    }

    fn show_step(&mut self, step: &StepUpdate) {
        match &step.event {
            StepEvent::UiEvent { event, payload, .. } if event == DICE_ROLL => {
                self.script_line(&dice_line(payload.as_ref()));
            }
            StepEvent::UiEvent { placeholder: Some(placeholder), .. } => {
                self.script_line(placeholder);
            }
            StepEvent::AssetCreated { kind, path, .. } => {
                self.script_line(&format!("[{kind}: {path}]"));
            }
            // The end of a step is shown even if its script has already shown too much.
            StepEvent::Logged { .. } | StepEvent::Progressed { .. } | StepEvent::Warned { .. } => {
                let notice = self.step_notice(step);
                if let Some((tone, word, message)) = notice
                    && self.has_room(message.len())
                {
                    self.show_notice(Some((tone, word, message)));
                }
            }
            _ => {
                let notice = self.step_notice(step);
                self.show_notice(notice);
            }
        }
    }

    /// Prints a line that a script chose, if the limit allows it.
    fn script_line(&mut self, line: &str) {
        let line = clip(line, SHOWN_LINE_CHARS_MAX);
        if self.has_room(line.len()) {
            self.line(&line);
        }
    }

    /// Counts a line of a script, shown or left out.
    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.shown_bytes + bytes <= SHOWN_BYTES_MAX;
        match has_room {
            true => self.shown_bytes += bytes,
            false => self.left_out += 1,
        }
        has_room
    }

    /// Reports how many lines of scripts were left out.
    fn report_left_out(&mut self) {
        let lines = match std::mem::take(&mut self.left_out) {
            0 => return,
            1 => "1 more line".to_owned(),
            lines => format!("{lines} more lines"),
        };
        self.show_notice(Some((Tone::Notice, "note", format!("{lines} of skills left out"))));
    }

    /// Returns the line for a step's news, unless it would repeat a line that is on the screen.
    fn step_notice(&mut self, step: &StepUpdate) -> Option<NoticeLine> {
        let StepUpdate { tool_id, event, .. } = step;
        match event {
            StepEvent::Warned { error_message, .. } => {
                let (tool_id, message) = (tool_id.clone(), error_message.clone());
                self.last_warning = Some(StepWarning { tool_id, message });
            }
            StepEvent::Retrying { attempt, delay_ms, error }
                if self.look.live.is_none() && self.has_warned(tool_id, error) =>
            {
                let text = format!("step `{tool_id}`: attempt {attempt} follows in {delay_ms} ms");
                return Some((Tone::Notice, "note", text));
            }
            StepEvent::Finished { error: Some(error), .. } => {
                let has_warned = self.has_warned(tool_id, error);
                self.last_warning = None;
                if has_warned {
                    return None;
                }
            }
            StepEvent::Progressed { progress, message }
                if !self.live.is_worth_a_line(tool_id, *progress, message) =>
            {
                return None;
            }
            _ => {}
        }
        step_notice(step, self.look)
    }

    fn has_warned(&self, tool_id: &str, error: &str) -> bool {
        let warning = self.last_warning.as_ref();
        warning.is_some_and(|warning| warning.tool_id == tool_id && warning.message == error)
    }

    fn show_notice(&mut self, notice: Option<NoticeLine>) {
        if let Some((tone, word, message)) = notice {
            self.break_line();
            self.note(tone, word, &message);
        }
    }

    fn greet(&mut self, update: &Update) {
        let Update::SessionStarted { story, turns, skills, .. } = update else { return };
        if !self.look.interactive {
            return;
        }
        let age = match turns {
            0 => "a new story".to_owned(),
            1 => "1 turn so far".to_owned(),
            turns => format!("{turns} turns so far"),
        };
        let title = visible_line(self.title.as_ref().unwrap_or(story));
        let title = self.out.paint(Tone::Strong, &format!("{title}, {age}"));
        self.write_lines(&format!("{title}\n"));
        if !skills.is_empty() {
            let skills = format!("skills: {}", skills.join(", "));
            let skills = self.out.wrap(&visible(&skills));
            let skills = self.out.paint(Tone::Notice, &skills);
            self.write_out(&format!("{skills}\n"));
        }
        self.say("Say what you do. /help lists the commands, Ctrl-D leaves.\n\n");
    }

    fn narrate(&mut self, text: &str) {
        self.narrated.push_str(text);
        let text = visible(text);
        let text = if self.interrupted { text.trim_start() } else { &text };
        if !text.is_empty() {
            self.interrupted = false;
            self.line_open = !text.ends_with('\n');
        }
        let text = self.emphasis.feed(text);
        let wrapped = self.prose.feed(&text);
        self.write_out(&wrapped);
    }

    /// Reports that the narration on the screen does not count, if there is any.
    fn retract_narration(&mut self) {
        if !std::mem::take(&mut self.narrated).trim().is_empty() {
            self.line(RETRACTED);
        }
    }

    /// Prints a separate line between pieces of narration.
    fn line(&mut self, line: &str) {
        self.break_line();
        let line = format!("{}\n", visible_line(line));
        self.write_lines(&line);
    }

    /// Ends a line of narration that is still open.
    fn break_line(&mut self) {
        if self.line_open {
            let waiting = self.emphasis.finish();
            let mut rest = self.prose.feed(&waiting);
            rest += &self.prose.finish();
            self.write_out(&format!("{rest}\n"));
            (self.line_open, self.interrupted) = (false, true);
        }
    }

    fn end_turn(&mut self, update: &Update) {
        let Update::TurnFinished { outcome, narration, choices, .. } = update else { return };
        self.report_left_out();
        match narration.strip_prefix(self.narrated.trim_end()) {
            Some(rest) if rest.trim().is_empty() => {}
            Some(rest) => {
                let rest = rest.to_owned();
                self.narrate(&rest);
            }
            // The final narration differs, and no update has discarded the text on the screen.
            None => {
                self.retract_narration();
                self.narrate(narration);
            }
        }
        self.break_line();
        self.narrated.clear();
        self.interrupted = false;
        if *outcome == TurnOutcome::Cancelled {
            self.note(Tone::Notice, "note", "the turn was stopped");
        }
        let mut rest = String::new();
        if !choices.is_empty() {
            let list = emphasised(&choices_list(choices), self.look.emphasis);
            rest = format!("\n{list}");
        }
        rest.push('\n');
        self.write_lines(&rest);
    }
}
