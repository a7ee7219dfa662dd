//! The turn that an earlier process left unfinished: a terminal asks the player, a pipe goes on with it.

use narratoria_engine::{TurnError, UnfinishedPlan};

use super::{LoopStep, play_session::PlaySession};
use crate::{
    error::CliError,
    exit::Exit,
    line_source::{LineInput, LinePurpose},
};
use narratoria_ui::{Tone, note};

impl PlaySession {
    /// An unfinished turn comes first: it must be finished or dropped before anything else happens. A terminal asks the
    /// player; a pipe resumes it.
    pub(super) async fn offer_to_resume(&mut self) -> Result<LoopStep, TurnError> {
        let Some(unfinished) = self.session.unfinished_plan()? else {
            return Ok(LoopStep::Continue);
        };
        let UnfinishedPlan { prompt, finished, steps, is_stale, .. } = unfinished;
        if is_stale {
            self.session.drop_unfinished()?;
            let text = format!(
                "the turn `{prompt}` was cut short, and the story has moved on without it: forgotten"
            );
            note(&mut self.err, Tone::Warning, "note", &text);
            return Ok(LoopStep::Continue);
        }
        let text = format!(
            "the turn `{prompt}` was cut short; {finished} of {steps} steps of its plan are done"
        );
        note(&mut self.err, Tone::Warning, "note", &text);
        if self.is_interactive {
            match self.confirm_resume().await? {
                Some(true) => {}
                Some(false) => {
                    self.session.drop_unfinished()?;
                    let text = "dropped; the story is as it was before it";
                    note(&mut self.err, Tone::Notice, "note", text);
                    return Ok(LoopStep::Continue);
                }
                None => return Ok(LoopStep::Exit),
            }
        } else {
            note(&mut self.err, Tone::Notice, "note", "going on with it");
        }
        // The unfinished plan may need any of them.
        if !self.await_all_skills().await {
            return Ok(LoopStep::Exit);
        }
        let step = self.play(None).await;
        // While the turn is open, no line of a pipe can become another one.
        let is_open = !self.is_interactive && self.session.unfinished_plan()?.is_some();
        Ok(if is_open { LoopStep::Exit } else { step })
    }

    /// Asks the player. `None` if they leave; the next start asks again.
    async fn confirm_resume(&mut self) -> Result<Option<bool>, CliError> {
        loop {
            let wanted = LinePurpose::Answer("go on with it? [Y/n]> ");
            let Some(line) = self.line(wanted).await? else { return Ok(None) };
            let word = match line {
                LineInput::Sentence(line) => line.trim().to_lowercase(),
                LineInput::Bad { .. } => "?".to_owned(),
                LineInput::Interrupted { .. } => {
                    self.exit = Exit::Interrupted;
                    return Ok(None);
                }
                LineInput::End => return Ok(None),
            };
            match word.as_str() {
                "" | "y" | "yes" => return Ok(Some(true)),
                "n" | "no" => return Ok(Some(false)),
                _ => {
                    let ways = "Enter goes on with it, `n` drops it and leaves the story as it \
                                was before it, Ctrl-D leaves it for another time";
                    note(&mut self.err, Tone::Hint, "hint", ways);
                }
            }
        }
    }
}
