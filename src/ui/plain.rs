//! For people: narration, dice and choices on stdout, everything else on stderr.

use narratoria::engine::Update;

use super::{
    Look, Out, Tone,
    report::{note, report_lines},
    text::{visible, visible_line},
    words::{choices_list, dice_line},
    wrap::Wrapper,
};

/// The `ui_event` that is drawn as a line of its own.
const DICE_ROLL: &str = "dice_roll";

/// The plain front end.
pub(crate) struct Plain {
    out: Out,
    err: Out,
    look: Look,
    prose: Wrapper,
    /// What of this turn's narration is on the screen.
    told: String,
    /// Whether the cursor stands behind text.
    line_open: bool,
    /// Whether something else came in the middle of the narration.
    interrupted: bool,
    /// What a step complained of last; often that is also why it failed, and need not be said twice.
    warned: Option<(String, String)>,
}

impl Plain {
    /// Tells the story on `out`.
    pub(crate) fn new(out: Out, err: Out, look: Look) -> Plain {
        let prose = Wrapper::new(look.width);
        Plain {
            out,
            err,
            look,
            prose,
            told: String::new(),
            line_open: false,
            interrupted: false,
            warned: None,
        }
    }

    pub(super) fn out(&self) -> &Out {
        &self.out
    }

    /// Text whose lines are to stay as they are.
    pub(super) fn print(&mut self, text: &str) {
        self.out.write(&visible(text));
    }

    /// Text of our own, or prose that was told before.
    pub(super) fn say(&mut self, text: &str) {
        let mut said = self.prose.feed(&visible(text));
        said += &self.prose.finish();
        self.out.write(&said);
    }

    pub(super) fn show(&mut self, update: &Update) {
        match update {
            Update::SessionStarted { problems, .. } => {
                for problem in problems {
                    note(&mut self.err, Tone::Warning, "warning", problem);
                }
                self.greet(update);
            }
            Update::TurnStarted { .. } => {
                self.told.clear();
                self.interrupted = false;
            }
            Update::NarrationDelta { text, .. } => self.tell(text),
            Update::UiEvent { event, payload, .. } if event == DICE_ROLL => {
                let line = dice_line(payload.as_ref());
                self.line(&line);
            }
            Update::UiEvent { placeholder: Some(placeholder), .. } => self.line(placeholder),
            Update::AssetCreated { kind, path, .. } => self.line(&format!("[{kind}: {path}]")),
            Update::TurnFinished { .. } => self.end_turn(update),
            Update::TurnFailed { message, hints, .. } => {
                self.break_line();
                report_lines(&mut self.err, message, hints);
            }
            _ => self.tell_aside(update),
        }
    }

    fn tell_aside(&mut self, update: &Update) {
        match update {
            Update::StepWarned { tool_id, error_message, .. } => {
                self.warned = Some((tool_id.clone(), error_message.clone()));
            }
            Update::StepFinished { tool_id, error: Some(error), .. } => {
                let warned = self.warned.take();
                if warned.is_some_and(|(step, said)| step == *tool_id && said == *error) {
                    return;
                }
            }
            _ => {}
        }
        if let Some((tone, word, message)) = aside(update) {
            self.break_line();
            note(&mut self.err, tone, word, &message);
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
        let skills =
            self.out.paint(Tone::Aside, &visible(&format!("skills: {}", skills.join(", "))));
        self.out.write(&format!("{title}\n{skills}\n"));
        self.say("Say what you do. /help lists the commands, Ctrl-D leaves.\n\n");
    }

    fn tell(&mut self, text: &str) {
        self.told.push_str(text);
        let text = visible(text);
        let text = if self.interrupted { text.trim_start() } else { &text };
        if !text.is_empty() {
            self.interrupted = false;
            self.line_open = !text.ends_with('\n');
        }
        let seen = self.prose.feed(text);
        self.out.write(&seen);
    }

    /// A line between the narration's pieces.
    fn line(&mut self, line: &str) {
        self.break_line();
        let line = format!("{}\n", visible_line(line));
        self.out.write(&line);
    }

    /// Ends a line of narration that is still open.
    fn break_line(&mut self) {
        if self.line_open {
            let rest = self.prose.finish();
            self.out.write(&format!("{rest}\n"));
            (self.line_open, self.interrupted) = (false, true);
        }
    }

    fn end_turn(&mut self, update: &Update) {
        let Update::TurnFinished { outcome, narration, choices, .. } = update else { return };
        match narration.strip_prefix(self.told.trim_end()) {
            Some(rest) if rest.trim().is_empty() => {}
            Some(rest) => {
                let rest = rest.to_owned();
                self.tell(&rest);
            }
            // Something else was told in the end, for instance because a plan failed half-way.
            None => {
                self.break_line();
                self.tell(narration);
            }
        }
        self.break_line();
        self.told.clear();
        self.interrupted = false;
        if outcome == "cancelled" {
            note(&mut self.err, Tone::Aside, "note", "the turn was stopped");
        }
        let mut rest = String::new();
        if !choices.is_empty() {
            rest = format!("\n{}", choices_list(choices));
        }
        rest.push('\n');
        self.out.write(&rest);
    }
}

/// News that is not the story: worth a line beside it, or none.
fn aside(update: &Update) -> Option<(Tone, &'static str, String)> {
    let warning = |message: String| Some((Tone::Warning, "warning", message));
    let note = |message: String| Some((Tone::Aside, "note", message));
    match update {
        Update::StepWarned { tool_id, error_code, error_message, .. } => {
            warning(format!("step `{tool_id}`: {error_message} ({error_code})"))
        }
        Update::StepLogged { tool_id, level, message, .. }
            if level == "warn" || level == "error" =>
        {
            warning(format!("step `{tool_id}`: {message}"))
        }
        Update::StepRetrying { tool_id, attempt, delay_ms, error, .. } => {
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
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use narratoria::engine::{Choice, Update};
    use serde_json::json;

    use super::Plain;
    use crate::ui::{Look, Out, out::Captured};

    /// What stands on stdout and stderr after these updates.
    fn shown(look: Look, updates: &[Update]) -> String {
        let (out, err) = (Captured::default(), Captured::default());
        let mut plain = Plain::new(
            Out::new(out.clone(), look.colour_out),
            Out::new(err.clone(), look.colour_err),
            look,
        );
        for update in updates {
            plain.show(update);
        }
        format!("{}--- stderr\n{}", out.text(), err.text())
    }

    fn started() -> Update {
        Update::SessionStarted {
            story: "demo".to_owned(),
            turns: 2,
            skills: vec!["dice-roller".to_owned(), "storyteller".to_owned()],
            problems: vec!["package `bad`: skill.json: not JSON".to_owned()],
            narrator: "lexical".to_owned(),
        }
    }

    fn delta(text: &str) -> Update {
        Update::NarrationDelta { turn: 1, text: text.to_owned() }
    }

    fn finished(outcome: &str, narration: &str, choices: &[&str]) -> Update {
        let choice = |label: &&str| Choice { id: None, label: (*label).to_owned(), prompt: None };
        Update::TurnFinished {
            turn: 1,
            outcome: outcome.to_owned(),
            narration: narration.to_owned(),
            choices: choices.iter().map(choice).collect(),
            attempts: 1,
            elapsed_ms: 3,
        }
    }

    fn dice() -> Update {
        Update::UiEvent {
            turn: 1,
            plan_id: "p".to_owned(),
            tool_id: "roll".to_owned(),
            event: "dice_roll".to_owned(),
            payload: Some(
                json!({"formula": "1d20+5", "dice": [{"value": 14}], "modifier": 5, "total": 19}),
            ),
            placeholder: None,
        }
    }

    #[test]
    fn a_pipe_gets_the_story_and_a_blank_line() {
        let updates = [
            started(),
            dice(),
            delta("The lock"),
            delta(" opens."),
            finished("told", "The lock opens.", &["Enter", "Wait"]),
        ];
        insta::assert_snapshot!(shown(Look::default(), &updates), @r"
        roll 1d20+5: [14] + 5 = 19
        The lock opens.

          1. Enter
          2. Wait

        --- stderr
        warning: package `bad`: skill.json: not JSON
        ");
    }

    #[test]
    fn a_terminal_gets_a_greeting_and_wrapped_prose() {
        let look = Look { width: Some(30), interactive: true, ..Look::default() };
        let text = "You examine the ancient door. Cold air comes from under it.";
        let updates = [started(), delta(text), finished("told", text, &[])];
        insta::assert_snapshot!(shown(look, &updates), @r"
        demo, 2 turns so far
        skills: dice-roller, storyteller
        Say what you do. /help lists
        the commands, Ctrl-D leaves.

        You examine the ancient door.
        Cold air comes from under it.

        --- stderr
        warning: package `bad`: skill.json: not JSON
        ");
    }

    #[test]
    fn what_was_not_streamed_is_told_at_the_end() {
        insta::assert_snapshot!(shown(Look::default(), &[finished("told", "It is dark.", &[])]), @r"
        It is dark.

        --- stderr
        ");
        let half = [delta("It is"), finished("told", "It is dark.", &[])];
        insta::assert_snapshot!(shown(Look::default(), &half), @r"
        It is dark.

        --- stderr
        ");
    }

    #[test]
    fn dice_do_not_tear_a_line_apart() {
        let text = "You try. It opens.";
        let updates = [delta("You try."), dice(), delta(" It opens."), finished("told", text, &[])];
        insta::assert_snapshot!(shown(Look::default(), &updates), @r"
        You try.
        roll 1d20+5: [14] + 5 = 19
        It opens.

        --- stderr
        ");
    }

    #[test]
    fn a_story_that_turned_out_otherwise_is_told_anew() {
        let updates = [delta("You open"), finished("fallback", "Nothing happens.", &[])];
        insta::assert_snapshot!(shown(Look::default(), &updates), @r"
        You open
        Nothing happens.

        --- stderr
        ");
    }

    #[test]
    fn nobody_draws_on_the_terminal_but_us() {
        let look = Look { colour_out: true, colour_err: true, ..Look::default() };
        let updates = [
            delta("\u{1b}[2Jgone"),
            Update::StepWarned {
                turn: 1,
                plan_id: "p".to_owned(),
                tool_id: "x".to_owned(),
                error_code: "\u{1b}]0;t\u{7}".to_owned(),
                error_message: "m\u{9b}".to_owned(),
                details: None,
            },
            finished("told", "\u{1b}[2Jgone", &["\u{1b}c"]),
        ];
        let seen = shown(look, &updates);
        assert_eq!(seen.matches('\u{1b}').count(), 2, "only the colour of `warning:`: {seen:?}");
    }

    #[test]
    fn trouble_goes_beside_the_story() {
        let step = |update: fn(u64, String, String) -> Update| {
            update(1, "p".to_owned(), "open".to_owned())
        };
        let updates = [
            step(|turn, plan_id, tool_id| Update::StepRetrying {
                turn,
                plan_id,
                tool_id,
                attempt: 2,
                delay_ms: 100,
                error: "trapped".to_owned(),
            }),
            Update::PlanRejected {
                turn: 1,
                attempt: 2,
                plan_id: None,
                errors: vec!["one".to_owned(), "two".to_owned()],
            },
            Update::TurnFailed {
                turn: Some(1),
                kind: "internal".to_owned(),
                message: "cannot write `story.db`: disk full".to_owned(),
                hints: vec!["make room".to_owned()],
            },
        ];
        insta::assert_snapshot!(shown(Look::default(), &updates), @r"
        --- stderr
        note: step `open`: trapped; attempt 2 follows in 100 ms
        note: plan 2 cannot run: one; two
        error: cannot write `story.db`: disk full
        hint: make room
        ");
    }
}
