//! The review of a plan at the terminal, or by the lines of a pipe (S2 "Plan Review").

use std::{io, path::PathBuf};

use narratoria_engine::{
    PlanDraft, ReviewFuture, ReviewVerdict, Reviewer, TurnError, TurnErrorKind,
};
use narratoria_plan::{PlanEdit, PlanJson, wire::ToolJson};
use narratoria_protocol::{JsonBounds, Object, read_json_as};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::{
    environment,
    interrupt::Interrupts,
    line_source::{LineInput, LinePurpose, LineSource},
    screen::SharedScreen,
    settings::CliSettings,
};
use crate::ui::{
    DraftError, EditedDraft, ExternalEditor, Look, MoveTarget, Out, ReviewCommand, ReviewPrompt,
    Tone, edit_in_editor, note, plan_graph, plan_table, step_view,
};

/// The text that `add` opens in the editor.
const NEW_STEP: &str = r#"{
  "toolId": "new-step",
  "toolPath": "storyteller/narrate",
  "input": {},
  "dependencies": []
}
"#;

/// A reviewer at the terminal.
pub(super) struct TerminalReviewer {
    lines: LineSource,
    interrupts: Interrupts,
    /// The screen of this turn, if anything is shown.
    screen: Option<SharedScreen>,
    err: Out,
    /// Of stderr.
    look: Look,
    is_terminal: bool,
    /// `$VISUAL`, else `$EDITOR`; may be empty.
    editor: String,
    drafts: PathBuf,
    /// The version that is on the table already.
    shown: Option<String>,
}

impl TerminalReviewer {
    pub(super) fn new(
        settings: &CliSettings,
        lines: LineSource,
        interrupts: Interrupts,
        screen: Option<SharedScreen>,
    ) -> Result<TerminalReviewer, TurnError> {
        let terminal = settings.terminal;
        let var = |name: &str| environment::variable(name).filter(|value| !value.trim().is_empty());
        Ok(TerminalReviewer {
            lines,
            interrupts,
            screen,
            err: Out::stderr(terminal.look),
            look: terminal.look.of_stderr(terminal.is_interactive),
            is_terminal: terminal.editable,
            editor: var("VISUAL").or_else(|| var("EDITOR")).unwrap_or_default(),
            drafts: settings.home()?.drafts(),
            shown: None,
        })
    }

    /// The table is the reviewer's alone meanwhile.
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
        if let Some(why) = refused {
            note(&mut self.err, Tone::Error, "error", why);
        }
        if self.shown.as_ref() != Some(&draft.json.request_id) {
            self.shown = Some(draft.json.request_id.clone());
            self.show_plan(draft);
        }
        loop {
            let line = match self.lines.next(LinePurpose::Answer(ReviewPrompt::PROMPT)).await {
                Ok(LineInput::Sentence(line)) => line,
                Ok(LineInput::Bad { why, .. }) => {
                    note(&mut self.err, Tone::Error, "error", &format!("the line {why}"));
                    continue;
                }
                Ok(LineInput::Interrupted) => {
                    self.interrupts.stop_turn();
                    return ReviewVerdict::Cancel;
                }
                Ok(LineInput::End) => return ReviewVerdict::Cancel,
                Err(error) => {
                    note(&mut self.err, Tone::Error, "error", &unreadable(&error));
                    return ReviewVerdict::Cancel;
                }
            };
            match ReviewPrompt::new(&draft.json).parse(&line) {
                Ok(command) => {
                    if let Some(verdict) = self.apply_command(draft, command).await {
                        return verdict;
                    }
                }
                Err(error) => note(&mut self.err, Tone::Error, "error", &error.to_string()),
            }
        }
    }

    /// None when there is nothing to decide yet.
    async fn apply_command(
        &mut self,
        draft: &PlanDraft,
        command: ReviewCommand,
    ) -> Option<ReviewVerdict> {
        let edit = |edit| Some(ReviewVerdict::Edit(edit));
        match command {
            ReviewCommand::Start => Some(ReviewVerdict::Start),
            ReviewCommand::Cancel => Some(ReviewVerdict::Cancel),
            ReviewCommand::Again(remark) => Some(ReviewVerdict::Regenerate { remark }),
            ReviewCommand::Skip(tool_id) => edit(PlanEdit::Skip { tool_id }),
            ReviewCommand::Keep(tool_id) => edit(PlanEdit::Unskip { tool_id }),
            ReviewCommand::Remove(tool_id) => edit(PlanEdit::Remove { tool_id }),
            ReviewCommand::Describe { tool_id, text } => {
                let description = Some(text).filter(|text| !text.is_empty());
                edit(PlanEdit::Describe { tool_id, description })
            }
            ReviewCommand::Move { tool_id, place } => {
                edit(PlanEdit::Move { to: index_of(&draft.json, &tool_id, &place), tool_id })
            }
            ReviewCommand::Edit(tool_id) => self.edit_input(&draft.json, tool_id).await,
            ReviewCommand::Add => self.add_step().await,
            ReviewCommand::Show(None) => {
                self.show_plan(draft);
                None
            }
            ReviewCommand::Show(Some(tool_id)) => {
                if let Some(tool) = tool(&draft.json, &tool_id) {
                    let text = step_view(tool);
                    self.err.write(&text);
                }
                None
            }
            ReviewCommand::Graph => {
                let text = plan_graph(&draft.json, &needs(draft), self.look);
                self.err.write(&text);
                None
            }
            ReviewCommand::Help => {
                self.err.write(&ReviewPrompt::help());
                None
            }
        }
    }

    fn show_plan(&mut self, draft: &PlanDraft) {
        let asks: Vec<bool> = draft
            .json
            .tools
            .iter()
            .map(|tool| {
                let step = draft.plan.steps().iter().find(|step| step.tool_id == tool.tool_id);
                step.is_some_and(|step| step.requires_approval)
            })
            .collect();
        let text = plan_table(&draft.json, &needs(draft), &asks, self.look);
        self.err.write(&text);
        if !draft.reused_results.is_empty() {
            let ids: Vec<&str> = draft.reused_results.iter().map(String::as_str).collect();
            let text = format!("done already and not run again: {}", ids.join(", "));
            note(&mut self.err, Tone::Notice, "note", &text);
        }
    }

    /// The input of a step, as JSON in the player's editor.
    async fn edit_input(&mut self, json: &PlanJson, tool_id: String) -> Option<ReviewVerdict> {
        let tool = tool(json, &tool_id)?;
        let text = serde_json::to_string_pretty(&Value::Object(tool.input.clone()))
            .expect("an input holds only JSON values");
        let input: Object = self.edited(format!("{text}\n"), "an input is a JSON object").await?;
        Some(ReviewVerdict::Edit(PlanEdit::SetInput { tool_id, input }))
    }

    async fn add_step(&mut self) -> Option<ReviewVerdict> {
        let what = "a step is a JSON object with `toolId` and `toolPath`";
        let tool: ToolJson = self.edited(NEW_STEP.to_owned(), what).await?;
        Some(ReviewVerdict::Edit(PlanEdit::Add { tool: Box::new(tool), at: None }))
    }

    /// Returns the edited document. An invalid draft stays in its file.
    async fn edited<T: DeserializeOwned>(&mut self, text: String, what: &str) -> Option<T> {
        let edited = match self
            .open_editor(text)
            .await
            .expect("an editor that is waited for neither panics nor is cancelled")
        {
            Ok(edited) => edited,
            Err(error) => {
                // The error's source is the message of the system.
                let error = TurnError::new(TurnErrorKind::BadInput, error);
                note(&mut self.err, Tone::Error, "error", &error.to_string());
                return None;
            }
        };
        if !edited.changed {
            note(&mut self.err, Tone::Notice, "note", "nothing was changed");
            edited.discard();
            return None;
        }
        match read_json_as(edited.text.as_bytes(), JsonBounds::of_bytes(edited.text.len())) {
            Ok(value) => {
                edited.discard();
                Some(value)
            }
            Err(error) => {
                let kept = edited.draft.display();
                let text = format!("{what}: {error}; the draft is kept as `{kept}`");
                note(&mut self.err, Tone::Error, "error", &text);
                None
            }
        }
    }
}

impl TerminalReviewer {
    /// Lends the terminal, and Ctrl-C with it, to the editor; signals to end still arrive.
    fn open_editor(&self, text: String) -> JoinHandle<Result<EditedDraft, DraftError>> {
        let lease = self.interrupts.lease_terminal();
        let (command, folder) = (self.editor.clone(), self.drafts.clone());
        let is_terminal = self.is_terminal;
        let edit = move || {
            let editor = ExternalEditor { command: &command, folder: &folder, is_terminal };
            let edited = edit_in_editor(&text, ".json", editor);
            drop(lease);
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

fn tool<'a>(json: &'a PlanJson, tool_id: &str) -> Option<&'a ToolJson> {
    json.tools.iter().find(|tool| tool.tool_id == tool_id)
}

/// Returns the dependencies of each step, by index in the text.
fn needs(draft: &PlanDraft) -> Vec<Vec<usize>> {
    let at = |tool_id: &str| draft.json.tools.iter().position(|tool| tool.tool_id == tool_id);
    let steps = draft.json.tools.iter().map(|tool| {
        let step = draft.plan.steps().iter().find(|step| step.tool_id == tool.tool_id);
        let needs = step.map(|step| step.needs.as_slice()).unwrap_or_default();
        needs.iter().filter_map(|need| at(&draft.plan.step(*need).tool_id)).collect()
    });
    steps.collect()
}

/// Returns the target index of a moved step, counted without the step itself.
fn index_of(json: &PlanJson, moved: &str, place: &MoveTarget) -> usize {
    let others = json.tools.iter().filter(|tool| tool.tool_id != moved);
    let others: Vec<&str> = others.map(|tool| tool.tool_id.as_str()).collect();
    let at = |tool_id: &str| others.iter().position(|other| *other == tool_id);
    match place {
        MoveTarget::Before(other) => at(other).unwrap_or(0),
        MoveTarget::After(other) => at(other).map_or(others.len(), |at| at + 1),
    }
}

fn unreadable(error: &io::Error) -> String {
    format!("the terminal cannot be read: {error}")
}
