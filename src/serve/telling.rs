//! What a page has to know of a play before it reads the next event, derived from the updates.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The updates that change it (`contracts/update.schema.json`).
#[derive(Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
enum SeenUpdate {
    #[serde(rename = "session.started")]
    SessionStarted { turns: u64 },
    #[serde(rename = "turn.started")]
    TurnStarted { turn: u64, prompt: String },
    #[serde(rename = "narration.delta")]
    NarrationDelta { text: String },
    #[serde(rename = "narration.discarded")]
    NarrationDiscarded,
    #[serde(rename = "step.waiting")]
    StepWaiting { tool_id: String, tool_path: String, input: Value, description: Option<String> },
    #[serde(rename = "step.decided")]
    StepDecided { tool_id: String },
    #[serde(rename = "step.asked")]
    StepAsked { tool_id: String, question: String, choices: Vec<String> },
    #[serde(rename = "step.answered")]
    StepAnswered { tool_id: String },
    #[serde(rename = "step.finished")]
    StepFinished { tool_id: String },
    #[serde(rename = "turn.finished")]
    TurnFinished { turn: u64, outcome: String },
    #[serde(rename = "turn.failed")]
    TurnFailed,
    #[serde(rename = "story.moved")]
    StoryMoved { turns: u64 },
    #[serde(other)]
    Other,
}

/// A turn so far.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RunningTurn {
    turn: u64,
    prompt: String,
    text: String,
}

/// A step that waits for the player.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UndecidedStep {
    pub tool_id: String,
    #[serde(flatten)]
    pub wants: StepWant,
}

/// What a waiting step needs of the player.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StepWant {
    Approval {
        tool_path: String,
        input: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    Question {
        question: String,
        /// Answers it offers; words of the player's own will do as well.
        choices: Vec<String>,
    },
}

/// A step that waits, and whether a decision is on its way.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PendingStep {
    #[serde(flatten)]
    step: UndecidedStep,
    #[serde(skip)]
    is_taken: bool,
}

/// Why a decision cannot be taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    NothingWaits,
    OtherKind,
}

/// A play as the updates so far have left it.
#[derive(Default)]
pub(crate) struct Telling {
    /// Unknown until the session has started.
    pub(crate) turns: Option<u64>,
    pub(crate) running: Option<RunningTurn>,
    pub(crate) waiting: Vec<PendingStep>,
    pub(crate) review: Option<Value>,
}

impl Telling {
    /// Takes an update that the host has written.
    pub(crate) fn update(&mut self, line: &str) {
        // Another update, or one of a newer version.
        let Ok(update) = serde_json::from_str(line) else { return };
        match update {
            SeenUpdate::SessionStarted { turns } => self.turns = Some(turns),
            SeenUpdate::TurnStarted { turn, prompt } => {
                self.settle();
                self.running = Some(RunningTurn { turn, prompt, text: String::new() });
            }
            SeenUpdate::NarrationDelta { text: more } => {
                if let Some(running) = &mut self.running {
                    running.text.push_str(&more);
                }
            }
            SeenUpdate::NarrationDiscarded => {
                if let Some(running) = &mut self.running {
                    running.text.clear();
                }
            }
            SeenUpdate::StepWaiting { tool_id, tool_path, input, description } => {
                self.wait_for(tool_id, StepWant::Approval { tool_path, input, description });
            }
            SeenUpdate::StepAsked { tool_id, question, choices } => {
                self.wait_for(tool_id, StepWant::Question { question, choices });
            }
            SeenUpdate::StepDecided { tool_id }
            | SeenUpdate::StepAnswered { tool_id }
            | SeenUpdate::StepFinished { tool_id } => {
                self.waiting.retain(|pending| pending.step.tool_id != tool_id);
            }
            SeenUpdate::TurnFinished { turn, outcome } => {
                self.settle();
                // A cancelled turn is no part of the story.
                if outcome != "cancelled" {
                    self.turns = Some(turn);
                }
            }
            SeenUpdate::TurnFailed => self.settle(),
            SeenUpdate::StoryMoved { turns } => {
                self.settle();
                self.turns = Some(turns);
            }
            SeenUpdate::Other => {}
        }
    }

    fn wait_for(&mut self, tool_id: String, wants: StepWant) {
        self.waiting.push(PendingStep { step: UndecidedStep { tool_id, wants }, is_taken: false });
    }

    /// The steps that wait for a decision, and for which none is on its way.
    pub(crate) fn undecided(&self) -> Vec<UndecidedStep> {
        let undecided = self.waiting.iter().filter(|pending| !pending.is_taken);
        undecided.map(|pending| pending.step.clone()).collect()
    }

    /// No turn runs.
    pub(crate) fn settle(&mut self) {
        self.running = None;
        self.waiting.clear();
        self.review = None;
    }

    /// Takes the right to decide about a step, which only one request has.
    pub(crate) fn take(&mut self, tool_id: &str, of_question: bool) -> Result<(), NotTaken> {
        let mut pending = self.waiting.iter_mut();
        let found = pending.find(|pending| pending.step.tool_id == tool_id && !pending.is_taken);
        let found = found.ok_or(NotTaken::NothingWaits)?;
        if matches!(found.step.wants, StepWant::Question { .. }) != of_question {
            return Err(NotTaken::OtherKind);
        }
        found.is_taken = true;
        Ok(())
    }

    /// Gives that right back.
    pub(crate) fn give_back(&mut self, tool_id: &str) {
        let given = self.waiting.iter_mut().filter(|pending| pending.step.tool_id == tool_id);
        given.for_each(|pending| pending.is_taken = false);
    }
}
