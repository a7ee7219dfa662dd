//! Reads the steps of a compact plan while the model writes it. Pure. Each byte is read once.

use super::{expand::ExpansionContext, step_syntax::PLAN_STEPS_MAX, tool_set::ToolSet};
use crate::PlanRequest;
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::{JsonBounds, read_json};

/// The beginning of a compact plan, without white space.
const HEAD: &[u8] = br#"{"steps":["#;

/// The bytes of [`HEAD`] that follow no white space, because they are inside quotation marks.
const HEAD_NAME: std::ops::RangeInclusive<usize> = 2..=7;

/// Longest step, in bytes. A grammar allows only far shorter ones.
const STEP_BYTES_MAX: usize = 16 << 10;

/// Returns the same steps as [`ToolSet::expand`] on the whole text, as far as it is written. It stops at the first error
/// without reporting it, because `expand` reports it.
#[derive(Debug, Clone)]
pub struct StepReader {
    tool_set: ToolSet,
    context: ExpansionContext,
    steps: Vec<ToolJson>,
    state: StepReaderState,
    /// The text of the current step.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepReaderState {
    /// How many bytes of [`HEAD`] are read.
    Head(usize),
    /// Before a step.
    Step,
    /// After a step.
    Comma,
    /// Within a step: the number of open brackets, and the position in a string.
    InStep { open: usize, string: StringState },
    /// After the last step, or after an error.
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringState {
    Outside,
    Inside,
    Escaped,
}

impl ToolSet {
    /// A reader for the plan that the model is about to write.
    pub fn step_reader(&self, request: &PlanRequest<'_>) -> StepReader {
        StepReader {
            tool_set: self.clone(),
            context: ExpansionContext::of(request),
            steps: Vec::new(),
            state: StepReaderState::Head(0),
            text: String::new(),
        }
    }
}

impl StepReader {
    /// Reads the next piece of text, and returns the steps that it completes.
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
        let step = read_json(text.as_bytes(), JsonBounds::of_bytes(text.len())).ok();
        let step =
            step.and_then(|it| self.tool_set.expand_step(it, &self.steps, &self.context).ok());
        match step {
            Some(tool) => {
                self.steps.push(tool);
                StepReaderState::Comma
            }
            None => StepReaderState::Ended,
        }
    }
}
