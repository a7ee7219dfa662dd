//! The steps of a compact plan, each as soon as it is written. Pure; every byte is looked at once.

use super::{step_syntax::PLAN_STEPS_MAX, tool_set::ToolSet};
use crate::PlanRequest;
use narratoria_plan::wire::ToolJson;

/// How a compact plan begins, white space aside.
const HEAD: &[u8] = br#"{"steps":["#;

/// The bytes of [`HEAD`] before which no white space may stand, because they are inside of quotation marks.
const HEAD_NAME: std::ops::RangeInclusive<usize> = 2..=7;

/// Longest text of one step. A grammar lets through far less.
const STEP_BYTES_MAX: usize = 16 << 10;

/// Reads a compact plan while it is being written. What it gives is what [`Menu::expand`] gives of the whole text,
/// as far as it is there. At the first thing that does not belong it stops for good: telling what is wrong is left to
/// whoever reads the whole.
#[derive(Debug, Clone)]
pub struct StepReader {
    tool_set: ToolSet,
    sentence: String,
    steps: Vec<ToolJson>,
    state: StepReaderState,
    /// The step that is being written.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepReaderState {
    /// So many bytes of [`HEAD`] are read.
    Head(usize),
    /// Where a step or, if one came before, the end may begin.
    Step,
    /// After a step.
    Comma,
    /// In a step: how many brackets are open, and where in a string we are.
    InStep { open: usize, string: StringState },
    /// Nothing more is to be had.
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringState {
    Outside,
    Inside,
    Escaped,
}

impl ToolSet {
    /// A reader for the plan that is about to be written.
    pub fn step_reader(&self, ask: &PlanRequest<'_>) -> StepReader {
        StepReader {
            tool_set: self.clone(),
            sentence: ask.sentence.to_owned(),
            steps: Vec::new(),
            state: StepReaderState::Head(0),
            text: String::new(),
        }
    }
}

impl StepReader {
    /// Takes in the next piece of text; gives the steps that are complete with it.
    pub fn push(&mut self, piece: &str) -> Vec<ToolJson> {
        let known = self.steps.len();
        for letter in piece.chars() {
            self.state = self.read(letter);
            if self.state == StepReaderState::Ended {
                self.text.clear();
                break;
            }
        }
        self.steps[known..].to_vec()
    }

    /// All steps so far.
    pub fn steps(&self) -> &[ToolJson] {
        &self.steps
    }

    fn read(&mut self, letter: char) -> StepReaderState {
        let is_space = matches!(letter, ' ' | '\t' | '\n' | '\r');
        match self.state {
            StepReaderState::Ended => StepReaderState::Ended,
            StepReaderState::InStep { open, string } => self.read_in_step(letter, open, string),
            StepReaderState::Head(read) if is_space && !HEAD_NAME.contains(&read) => {
                StepReaderState::Head(read)
            }
            StepReaderState::Step | StepReaderState::Comma if is_space => self.state,
            StepReaderState::Head(read) => match HEAD.get(read) {
                Some(next) if char::from(*next) == letter && read + 1 == HEAD.len() => {
                    StepReaderState::Step
                }
                Some(next) if char::from(*next) == letter => StepReaderState::Head(read + 1),
                _ => StepReaderState::Ended,
            },
            StepReaderState::Step
                if matches!(letter, '[' | '{') && self.steps.len() < PLAN_STEPS_MAX =>
            {
                self.text.push(letter);
                StepReaderState::InStep { open: 1, string: StringState::Outside }
            }
            StepReaderState::Comma if letter == ',' => StepReaderState::Step,
            StepReaderState::Step | StepReaderState::Comma => StepReaderState::Ended,
        }
    }

    fn read_in_step(&mut self, letter: char, open: usize, string: StringState) -> StepReaderState {
        if self.text.len() >= STEP_BYTES_MAX {
            return StepReaderState::Ended;
        }
        self.text.push(letter);
        let (open, string) = match (string, letter) {
            (StringState::Outside, '"') => (open, StringState::Inside),
            (StringState::Outside, '[' | '{') => (open + 1, StringState::Outside),
            (StringState::Outside, ']' | '}') => (open - 1, StringState::Outside),
            (StringState::Inside, '"') => (open, StringState::Outside),
            (StringState::Inside, '\\') => (open, StringState::Escaped),
            (StringState::Escaped, _) => (open, StringState::Inside),
            (string, _) => (open, string),
        };
        if open > 0 {
            return StepReaderState::InStep { open, string };
        }
        let text = std::mem::take(&mut self.text);
        let step = serde_json::from_str(&text).ok();
        let step =
            step.and_then(|it| self.tool_set.expand_step(it, &self.steps, &self.sentence).ok());
        match step {
            Some(tool) => {
                self.steps.push(tool);
                StepReaderState::Comma
            }
            None => StepReaderState::Ended,
        }
    }
}
