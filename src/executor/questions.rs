//! The unanswered questions of one attempt, and the channel on which its script reads answers.

use std::collections::VecDeque;

use tokio::sync::mpsc::UnboundedSender;

use narratoria_protocol::Question;

/// Most questions that the scripts of one plan may ask its player, over all steps, items and attempts. The sandbox limits
/// those of one attempt.
pub const PLAN_ASKS_MAX: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    /// The unanswered questions. A person sees only the first one.
    open: VecDeque<Question>,
    /// `None` if no answer will come.
    answers: Option<UnboundedSender<String>>,
}

impl OpenQuestions {
    pub(crate) fn new(answers: Option<UnboundedSender<String>>) -> OpenQuestions {
        OpenQuestions { open: VecDeque::new(), answers }
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(crate) fn first(&self) -> Option<&Question> {
        self.open.front()
    }

    /// Adds a question. Returns true if it is the only open one, so that a person must see it now. Ignores
    /// it if no answer can come.
    pub(crate) fn push(&mut self, question: Question) -> bool {
        if self.answers.is_none() {
            return false;
        }
        self.open.push_back(question);
        self.open.len() == 1
    }

    /// Answers the first question. Returns false if there is none.
    pub(crate) fn answer(&mut self, text: &str) -> bool {
        if self.open.pop_front().is_none() {
            return false;
        }
        if let Some(answers) = &self.answers {
            // A script that reads no more is about to end.
            let _ = answers.send(text.to_owned());
        }
        true
    }

    /// Drops all questions and closes the channel: the script reads the end of its input. Returns true if a
    /// question was open.
    pub(crate) fn close(&mut self) -> bool {
        let was_open = self.is_open();
        self.open.clear();
        self.answers = None;
        was_open
    }
}
