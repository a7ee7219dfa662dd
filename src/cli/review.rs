//! The review of a plan at the terminal, or by the lines of a pipe (S2 "Plan Review UI").

mod end;
mod facts;
mod verdict;

use std::{io, path::PathBuf};

use narratoria_engine::{
    PlanDraft, ReviewFuture, ReviewVerdict, Reviewer, TurnError, TurnErrorKind,
};
use narratoria_plan::{PlanEdit, PlanJson, diff, wire::ToolJson};
use narratoria_protocol::{JsonBounds, Object, read_json_as};
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;

use end::CancelReason;
pub(super) use end::CancelledPlan;
pub(super) use facts::draft_steps;
use facts::facts;
pub(super) use verdict::verdict_of;
use verdict::{index_of, tool};

use super::{
    editor::player_editor,
    exit::Exit,
    interrupt::Interrupts,
    line_source::{LineInput, LinePurpose, LineSource},
    screen::SharedScreen,
    settings::CliSettings,
};
use narratoria_ui::{
    DraftError, EditedDraft, ExternalEditor, Look, Out, ReviewCommand, ReviewPrompt, Tone,
    VisibleEcho, edit_in_editor, note, plan_graph, plan_table, step_view,
};

/// The text that `add` opens in the editor.
const NEW_STEP: &str = r#"{
  "toolId": "new-step",
  "toolPath": "storyteller/narrate",
  "input": {},
  "dependencies": []
}
"#;

/// Follows the error of a failed order on a pipe.
const ENDS_AT_FIRST_FAILURE: &str =
    "a review on a pipe ends at the first order that fails, so nothing ran";

const SAME_PLAN: &str =
    "the planner made the same plan again; say it in other words, or change the plan yourself";

/// A reviewer at the terminal. A person corrects a failed order; a pipe cannot, so it ends the review and nothing
/// runs.
pub(super) struct TerminalReviewer {
    lines: LineSource,
    interrupts: Interrupts,
    /// The screen of this turn, if anything is shown.
    screen: Option<SharedScreen>,
    err: Out,
    /// The look of stderr.
    look: Look,
    is_terminal: bool,
    /// True if no person reads the errors.
    is_pipe: bool,
    /// Why the last review let nothing run.
    cancelled: Option<CancelledPlan>,
    /// The order that was read last. `None` if it was no text.
    last_order: Option<String>,
    /// `$VISUAL`, otherwise `$EDITOR`, otherwise an editor that is installed; empty if there is none.
    editor: String,
    drafts: PathBuf,
    /// The draft of the last edit, until the edit is accepted.
    open_draft: Option<EditedDraft>,
    /// The version that the table shows already.
    shown: Option<String>,
    /// The planner's plans of this turn that were sent back or that the table shows.
    proposed: Vec<PlanJson>,
}

impl TerminalReviewer {
    pub(super) fn new(
        settings: &CliSettings,
        lines: LineSource,
        interrupts: Interrupts,
        screen: Option<SharedScreen>,
    ) -> Result<TerminalReviewer, TurnError> {
        let terminal = settings.terminal;
        Ok(TerminalReviewer {
            lines,
            interrupts,
            screen,
            err: Out::stderr(terminal.look),
            look: terminal.look.of_stderr(terminal.is_interactive),
            is_terminal: terminal.editable,
            is_pipe: !terminal.is_interactive,
            cancelled: None,
            last_order: None,
            editor: player_editor(),
            drafts: settings.home()?.drafts(),
            open_draft: None,
            shown: None,
            proposed: Vec::new(),
        })
    }

    /// Returns true if an order on a pipe has failed. The lines after it are orders too, so play must not read them as
    /// sentences.
    pub(super) fn has_failed(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|it| it.reason() == CancelReason::OrderFailed)
    }

    /// Why the last review let nothing run.
    pub(super) fn cancelled(&self) -> Option<&CancelledPlan> {
        self.cancelled.as_ref()
    }

    /// Returns the exit code of a reviewed turn: a failed order is bad input, not a refusal.
    pub(super) fn exit(reviewer: Option<&TerminalReviewer>, exit: Exit) -> Exit {
        match reviewer {
            Some(reviewer) if reviewer.has_failed() && exit == Exit::Refused => Exit::BadInput,
            _ => exit,
        }
    }

    /// Reads orders until there is a verdict. Nothing else may write to the screen meanwhile.
    async fn decide(&mut self, draft: &PlanDraft, refused: Option<&str>) -> ReviewVerdict {
        let screen = self.screen.clone();
        if let Some(screen) = &screen {
            screen.lock().hold();
        }
        let verdict = self.verdict(draft, refused).await;
        if let Some(screen) = &screen {
            screen.lock().release();
        }
        verdict
    }

    async fn verdict(&mut self, draft: &PlanDraft, refused: Option<&str>) -> ReviewVerdict {
        self.settle_draft(refused);
        if let Some(verdict) = refused.and_then(|why| self.end_on_pipe(draft, why)) {
            return verdict;
        }
        if self.shown.as_ref() != Some(&draft.json.request_id) {
            self.shown = Some(draft.json.request_id.clone());
            self.show_plan(draft);
            self.compare_proposals(draft);
        }
        loop {
            let line = match self.lines.next(LinePurpose::Answer(ReviewPrompt::PROMPT)).await {
                Ok(LineInput::Sentence(line)) => line,
                Ok(LineInput::Bad { why, .. }) => {
                    let why = format!("the line {why}");
                    self.show_error(&why);
                    self.last_order = None;
                    match self.end_on_pipe(draft, &why) {
                        Some(verdict) => return verdict,
                        None => continue,
                    }
                }
                Ok(LineInput::Interrupted { .. }) => {
                    self.interrupts.stop_turn();
                    return self.cancel(draft, CancelReason::Interrupted);
                }
                Ok(LineInput::End) => return self.cancel(draft, CancelReason::LinesEnded),
                Err(error) => {
                    self.show_error(&unreadable(&error));
                    return self.cancel(draft, CancelReason::LinesEnded);
                }
            };
            self.last_order = Some(line.clone());
            let applied = match ReviewPrompt::new(&draft.json).parse(&line) {
                Ok(command) => self.apply_command(draft, command).await,
                Err(error) => Err(error.to_string()),
            };
            let verdict = match applied {
                Ok(verdict) => verdict,
                Err(why) => {
                    self.show_error(&why);
                    self.end_on_pipe(draft, &why)
                }
            };
            if let Some(verdict) = verdict {
                if let ReviewVerdict::Start | ReviewVerdict::Cancel = verdict {
                    self.proposed.clear();
                }
                if verdict == ReviewVerdict::Cancel && !self.has_failed() {
                    return self.cancel(draft, CancelReason::Cancelled);
                }
                return verdict;
            }
        }
    }

    /// Drops the draft of the last edit, or keeps it if the engine has refused the edit.
    fn settle_draft(&mut self, refused: Option<&str>) {
        let draft = self.open_draft.take();
        match (refused, draft) {
            (Some(why), Some(draft)) => self.show_error(&kept(why, &draft)),
            (Some(why), None) => self.show_error(why),
            (None, Some(draft)) => draft.discard(),
            (None, None) => {}
        }
    }

    fn show_error(&mut self, text: &str) {
        note(&mut self.err, Tone::Error, "error", text);
    }

    /// Returns the verdict on a failed order, or `None` if a person can correct it.
    fn end_on_pipe(&mut self, draft: &PlanDraft, why: &str) -> Option<ReviewVerdict> {
        if !self.is_pipe {
            return None;
        }
        let order = self.last_order.take();
        let plan_id = &draft.json.request_id;
        self.cancelled = Some(CancelledPlan::by_failed_order(plan_id, order, why.to_owned()));
        note(&mut self.err, Tone::Hint, "hint", ENDS_AT_FIRST_FAILURE);
        Some(ReviewVerdict::Cancel)
    }

    fn cancel(&mut self, draft: &PlanDraft, reason: CancelReason) -> ReviewVerdict {
        self.cancelled = Some(CancelledPlan::new(&draft.json.request_id, reason));
        ReviewVerdict::Cancel
    }

    /// Reports if the planner has answered a remark with a plan that it made before.
    fn compare_proposals(&mut self, draft: &PlanDraft) {
        if draft.is_edited() {
            return;
        }
        let is_same = |earlier: &PlanJson| {
            let mut changes = diff(earlier, &draft.json);
            changes.plan.retain(|change| change.field != "disabledSkills");
            changes.is_empty()
        };
        if self.proposed.iter().any(is_same) {
            note(&mut self.err, Tone::Notice, "note", SAME_PLAN);
        } else {
            self.proposed.push(draft.json.clone());
        }
    }

    /// Applies an order. Returns `None` if there is no verdict yet; an error changes nothing.
    async fn apply_command(
        &mut self,
        draft: &PlanDraft,
        command: ReviewCommand,
    ) -> Result<Option<ReviewVerdict>, String> {
        let json = &draft.json;
        match command {
            ReviewCommand::OpenEditor(None) => return self.edit_plan(json).await,
            ReviewCommand::OpenEditor(Some(tool_id)) => {
                return self.edit_input(json, tool_id).await;
            }
            ReviewCommand::Add { tool: None, place } => {
                return self.add_step(place.map(|place| index_of(json, "", &place))).await;
            }
            ReviewCommand::Show(None) => self.show_plan(draft),
            ReviewCommand::Show(Some(tool_id)) => {
                if let Some(tool) = tool(json, &tool_id) {
                    let text = step_view(tool);
                    self.err.write(&text);
                }
            }
            ReviewCommand::Graph => {
                let text = plan_graph(json, &facts(draft).needs, self.look);
                self.err.write(&text);
            }
            ReviewCommand::Help => self.err.write(&ReviewPrompt::help()),
            command => return verdict_of(draft, command),
        }
        Ok(None)
    }

    fn show_plan(&mut self, draft: &PlanDraft) {
        let text = plan_table(&draft.json, &facts(draft), self.look);
        self.err.write(&text);
        if !draft.reused_results.is_empty() {
            let ids: Vec<&str> = draft.reused_results.iter().map(String::as_str).collect();
            let text = format!("done already and not run again: {}", ids.join(", "));
            note(&mut self.err, Tone::Notice, "note", &text);
        }
    }

    /// Opens the input of a step, as JSON, in the player's editor.
    async fn edit_input(
        &mut self,
        json: &PlanJson,
        tool_id: String,
    ) -> Result<Option<ReviewVerdict>, String> {
        let Some(tool) = tool(json, &tool_id) else { return Ok(None) };
        let text = json_text(&tool.input);
        let input: Option<Object> = self.edited(text, ReviewPrompt::INPUT_FORM).await?;
        Ok(input.map(|input| ReviewVerdict::Edit(PlanEdit::SetInput { tool_id, input })))
    }

    async fn edit_plan(&mut self, json: &PlanJson) -> Result<Option<ReviewVerdict>, String> {
        let plan: Option<PlanJson> = self.edited(json_text(json), ReviewPrompt::PLAN_FORM).await?;
        let edit = |plan| PlanEdit::ReplaceAll { plan: Box::new(plan) };
        Ok(plan.map(|plan| ReviewVerdict::Edit(edit(plan))))
    }

    async fn add_step(&mut self, at: Option<usize>) -> Result<Option<ReviewVerdict>, String> {
        let tool: Option<ToolJson> =
            self.edited(NEW_STEP.to_owned(), ReviewPrompt::STEP_FORM).await?;
        let edit = |tool| PlanEdit::Add { tool: Box::new(tool), at };
        Ok(tool.map(|tool| ReviewVerdict::Edit(edit(tool))))
    }

    /// Returns the edited document, or `None` if the player left it unchanged. A draft that cannot be used stays in its
    /// file.
    async fn edited<T: DeserializeOwned>(
        &mut self,
        text: String,
        what: &str,
    ) -> Result<Option<T>, String> {
        let edited = self
            .open_editor(text)
            .await
            .expect("an editor that is waited for neither panics nor is cancelled")
            // The error's source is the message of the system.
            .map_err(|error| TurnError::new(TurnErrorKind::BadInput, error).to_string())?;
        if !edited.changed {
            note(&mut self.err, Tone::Notice, "note", "nothing was changed");
            edited.discard();
            return Ok(None);
        }
        let bounds = JsonBounds::of_bytes(edited.text.len());
        match read_json_as(edited.text.as_bytes(), bounds) {
            Ok(value) => {
                self.open_draft = Some(edited);
                Ok(Some(value))
            }
            Err(error) => Err(kept(&format!("{what}: {error}"), &edited)),
        }
    }
}

impl TerminalReviewer {
    /// Lends the terminal, and Ctrl-C with it, to the editor; signals to end still arrive.
    fn open_editor(&self, text: String) -> JoinHandle<Result<EditedDraft, DraftError>> {
        let echo = VisibleEcho::begin();
        let lease = self.interrupts.lease_terminal();
        let (command, folder) = (self.editor.clone(), self.drafts.clone());
        let is_terminal = self.is_terminal;
        let edit = move || {
            let editor = ExternalEditor { command: &command, folder: &folder, is_terminal };
            let edited = edit_in_editor(&text, ".json", editor);
            drop((lease, echo));
            edited
        };
        tokio::task::spawn_blocking(edit)
    }
}

impl Reviewer for TerminalReviewer {
    fn review<'a>(
        &'a mut self,
        draft: &'a PlanDraft,
        refused: Option<&'a str>,
    ) -> ReviewFuture<'a> {
        Box::pin(self.decide(draft, refused))
    }
}

fn json_text(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("a plan holds only JSON values");
    format!("{text}\n")
}

fn kept(why: &str, draft: &EditedDraft) -> String {
    format!("{why}; the draft is kept as `{}`", draft.draft.display())
}

fn unreadable(error: &io::Error) -> String {
    format!("the terminal cannot be read: {error}")
}
