//! The steps of a compact plan, each as soon as it is written. Pure; every byte is looked at once.

use super::{form::PLAN_STEPS_MAX, menu::Menu};
use crate::{narrator::Ask, plan::wire::ToolJson};

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
    menu: Menu,
    sentence: String,
    tools: Vec<ToolJson>,
    place: Place,
    /// The step that is being written.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// So many bytes of [`HEAD`] are read.
    Head(usize),
    /// Where a step or, if one came before, the end may begin.
    Step,
    /// After a step.
    Comma,
    /// In a step: how many brackets are open, and where in a string we are.
    Within { open: usize, string: Text },
    /// Nothing more is to be had.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    Escaped,
}

impl Menu {
    /// A reader for the plan that is about to be written.
    pub fn reader(&self, ask: &Ask<'_>) -> StepReader {
        StepReader {
            menu: self.clone(),
            sentence: ask.sentence.to_owned(),
            tools: Vec::new(),
            place: Place::Head(0),
            text: String::new(),
        }
    }
}

impl StepReader {
    /// Takes in the next piece of text; gives the steps that are complete with it.
    pub fn push(&mut self, piece: &str) -> Vec<ToolJson> {
        let known = self.tools.len();
        for letter in piece.chars() {
            self.place = self.read(letter);
            if self.place == Place::Over {
                self.text.clear();
                break;
            }
        }
        self.tools[known..].to_vec()
    }

    /// All steps so far.
    pub fn tools(&self) -> &[ToolJson] {
        &self.tools
    }

    fn read(&mut self, letter: char) -> Place {
        let is_space = matches!(letter, ' ' | '\t' | '\n' | '\r');
        match self.place {
            Place::Over => Place::Over,
            Place::Within { open, string } => self.within(letter, open, string),
            Place::Head(read) if is_space && !HEAD_NAME.contains(&read) => Place::Head(read),
            Place::Step | Place::Comma if is_space => self.place,
            Place::Head(read) => match HEAD.get(read) {
                Some(next) if char::from(*next) == letter && read + 1 == HEAD.len() => Place::Step,
                Some(next) if char::from(*next) == letter => Place::Head(read + 1),
                _ => Place::Over,
            },
            Place::Step if matches!(letter, '[' | '{') && self.tools.len() < PLAN_STEPS_MAX => {
                self.text.push(letter);
                Place::Within { open: 1, string: Text::Outside }
            }
            Place::Comma if letter == ',' => Place::Step,
            Place::Step | Place::Comma => Place::Over,
        }
    }

    fn within(&mut self, letter: char, open: usize, string: Text) -> Place {
        if self.text.len() >= STEP_BYTES_MAX {
            return Place::Over;
        }
        self.text.push(letter);
        let (open, string) = match (string, letter) {
            (Text::Outside, '"') => (open, Text::Inside),
            (Text::Outside, '[' | '{') => (open + 1, Text::Outside),
            (Text::Outside, ']' | '}') => (open - 1, Text::Outside),
            (Text::Inside, '"') => (open, Text::Outside),
            (Text::Inside, '\\') => (open, Text::Escaped),
            (Text::Escaped, _) => (open, Text::Inside),
            (string, _) => (open, string),
        };
        if open > 0 {
            return Place::Within { open, string };
        }
        let text = std::mem::take(&mut self.text);
        let step = serde_json::from_str(&text).ok();
        let step = step.and_then(|it| self.menu.step(it, &self.tools, &self.sentence).ok());
        match step {
            Some(tool) => {
                self.tools.push(tool);
                Place::Comma
            }
            None => Place::Over,
        }
    }
}
