//! For people: narration, dice and choices on stdout, everything else on stderr.

#[cfg(test)]
mod tests;

use narratoria_engine::Update;

use super::{
    Look, Out, Tone,
    live::LiveSteps,
    notice::notice,
    report::{note, report_lines},
    text::{visible, visible_line},
    words::{choices_list, dice_line, question_text},
    wrap::Wrapper,
};

/// Follows text that was told and does not count. It cannot be taken off a page, so it stands in the story's
/// own stream.
const RETRACTED: &str = "[That did not happen. The story goes on as it was before.]";

/// The `ui_event` that is drawn as a line of its own.
const DICE_ROLL: &str = "dice_roll";

/// The plain front end.
pub(crate) struct PlainScreen {
    out: Out,
    err: Out,
    look: Look,
    prose: Wrapper,
    /// What of this turn's narration is on the screen.
    narrated: String,
    /// Whether the cursor stands behind text.
    line_open: bool,
    /// Whether something else came in the middle of the narration.
    interrupted: bool,
    /// What a step complained of last; often that is also why it failed, and need not be said twice.
    warned: Option<Box<(String, String)>>,
    /// The lines of running steps on stderr, below everything else.
    live: LiveSteps,
    /// Whether somebody is being asked.
    is_held: bool,
    /// What happened since then, for afterwards.
    deferred: Vec<Update>,
}

impl PlainScreen {
    /// Tells the story on `out`.
    pub(crate) fn new(out: Out, err: Out, look: Look) -> PlainScreen {
        let prose = Wrapper::new(look.width);
        PlainScreen {
            out,
            err,
            look,
            prose,
            narrated: String::new(),
            line_open: false,
            interrupted: false,
            warned: None,
            live: LiveSteps::new(look),
            is_held: false,
            deferred: Vec::new(),
        }
    }

    pub(super) fn out(&self) -> &Out {
        &self.out
    }

    /// Text whose lines are to stay as they are.
    pub(super) fn print(&mut self, text: &str) {
        self.write_out(&visible(text));
    }

    /// Somebody is asked: the live lines go away, and where a person types nothing is shown until
    /// `release`, because it would stand in the middle of what they type.
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

    /// A script's question, as part of the story.
    pub(super) fn ask(&mut self, tool_id: &str, question: &str, choices: &[String]) {
        let asker = self.live.tool_path(tool_id).unwrap_or(tool_id).to_owned();
        self.break_line();
        self.write_out(&question_text(&asker, question, choices));
    }

    /// A line that cannot wait.
    pub(super) fn interject(&mut self, tone: Tone, word: &str, message: &str) {
        if self.is_held && self.look.interactive {
            // The cursor stands behind a prompt.
            self.err.write("\n");
        }
        self.note(tone, word, message);
        self.redraw();
    }

    /// Alone writes to stdout: the live lines must not be in the way.
    fn write_out(&mut self, text: &str) {
        self.erase_live();
        self.out.write(text);
    }

    fn note(&mut self, tone: Tone, word: &str, message: &str) {
        self.erase_live();
        note(&mut self.err, tone, word, message);
    }

    fn erase_live(&mut self) {
        let erased = self.live.erase();
        if !erased.is_empty() {
            self.err.write(&erased);
        }
    }

    fn redraw(&mut self) {
        // Without a width, stdout is not on the screen that the lines are drawn on.
        let on_screen = self.line_open && self.look.width.is_some();
        let drawn = self.live.redraw(if on_screen { self.prose.column() } else { 0 });
        if !drawn.is_empty() {
            self.err.write(&drawn);
        }
    }

    /// Text of our own, or prose that was told before.
    pub(super) fn say(&mut self, text: &str) {
        let mut said = self.prose.feed(&visible(text));
        said += &self.prose.finish();
        self.write_out(&said);
    }

    pub(super) fn show(&mut self, update: &Update) {
        if self.is_held && self.look.interactive {
            self.deferred.push(update.clone());
            return;
        }
        self.live.apply(update);
        self.show_once(update);
        self.redraw();
    }

    fn show_once(&mut self, update: &Update) {
        match update {
            Update::SessionStarted { problems, .. } => {
                for problem in problems {
                    self.note(Tone::Warning, "warning", problem);
                }
                self.greet(update);
            }
            Update::TurnStarted { .. } => {
                self.narrated.clear();
                self.interrupted = false;
            }
            Update::NarrationDelta { text, .. } => self.narrate(text),
            Update::NarrationDiscarded { .. } => self.retract_narration(),
            Update::UiEvent { event, payload, .. } if event == DICE_ROLL => {
                let line = dice_line(payload.as_ref());
                self.line(&line);
            }
            Update::UiEvent { placeholder: Some(placeholder), .. } => self.line(placeholder),
            Update::AssetCreated { kind, path, .. } => self.line(&format!("[{kind}: {path}]")),
            Update::TurnFinished { .. } => self.end_turn(update),
            Update::TurnFailed { message, hints, .. } => {
                self.break_line();
                self.erase_live();
                report_lines(&mut self.err, message, hints);
            }
            _ => self.show_notice(update),
        }
    }

    fn show_notice(&mut self, update: &Update) {
        match update {
            Update::StepWarned { tool_id, error_message, .. } => {
                self.warned = Some(Box::new((tool_id.clone(), error_message.clone())));
            }
            Update::StepRetrying { tool_id, attempt, delay_ms, error, .. }
                if self.look.live.is_none()
                    && self.warned.as_ref().is_some_and(|w| w.0 == *tool_id && w.1 == *error) =>
            {
                let text = format!("step `{tool_id}`: attempt {attempt} follows in {delay_ms} ms");
                self.break_line();
                self.note(Tone::Notice, "note", &text);
                return;
            }
            Update::StepFinished { tool_id, error: Some(error), .. } => {
                let warned = self.warned.take();
                if warned.is_some_and(|warned| warned.0 == *tool_id && warned.1 == *error) {
                    return;
                }
            }
            Update::StepProgress { tool_id, progress, message, .. }
                if !self.live.is_worth_a_line(tool_id, *progress, message) =>
            {
                return;
            }
            _ => {}
        }
        if let Some((tone, word, message)) = notice(update, self.look) {
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
        let title = self.out.paint(Tone::Strong, &format!("{}, {age}", visible_line(story)));
        self.write_out(&format!("{title}\n"));
        if !skills.is_empty() {
            let skills = format!("skills: {}", skills.join(", "));
            let skills = self.out.paint(Tone::Notice, &visible(&skills));
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
        let seen = self.prose.feed(text);
        self.write_out(&seen);
    }

    /// What was told of this turn does not count.
    fn retract_narration(&mut self) {
        if !std::mem::take(&mut self.narrated).trim().is_empty() {
            self.line(RETRACTED);
        }
    }

    /// A line between the narration's pieces.
    fn line(&mut self, line: &str) {
        self.break_line();
        let line = format!("{}\n", visible_line(line));
        self.write_out(&line);
    }

    /// Ends a line of narration that is still open.
    fn break_line(&mut self) {
        if self.line_open {
            let rest = self.prose.finish();
            self.write_out(&format!("{rest}\n"));
            (self.line_open, self.interrupted) = (false, true);
        }
    }

    fn end_turn(&mut self, update: &Update) {
        let Update::TurnFinished { outcome, narration, choices, .. } = update else { return };
        match narration.strip_prefix(self.narrated.trim_end()) {
            Some(rest) if rest.trim().is_empty() => {}
            Some(rest) => {
                let rest = rest.to_owned();
                self.narrate(&rest);
            }
            // Something else was told in the end, and nobody said so.
            None => {
                self.retract_narration();
                self.narrate(narration);
            }
        }
        self.break_line();
        self.narrated.clear();
        self.interrupted = false;
        if outcome == "cancelled" {
            self.note(Tone::Notice, "note", "the turn was stopped");
        }
        let mut rest = String::new();
        if !choices.is_empty() {
            rest = format!("\n{}", choices_list(choices));
        }
        rest.push('\n');
        self.write_out(&rest);
    }
}
