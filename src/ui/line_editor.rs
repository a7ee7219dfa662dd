//! The line editor of a terminal: emacs keys, history kept in a file.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

use reedline::{
    FileBackedHistory, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus,
    Reedline, ReedlineError,
};

/// Lines kept. A long evening has some hundred turns; older ones are in the story itself.
const HISTORY_LINES_MAX: usize = 1_000;

/// What stands before the player's words.
pub(crate) const PROMPT: &str = "> ";

/// Asks with this text, [`PROMPT`] or another.
pub(crate) struct EditorPrompt<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) status: PromptStatus,
}

/// A few words at the right end of the prompt's line, which may change while somebody types. Clones share
/// them.
#[derive(Clone, Default)]
pub(crate) struct PromptStatus(Arc<Mutex<PromptStatusState>>);

/// What the words are about. Each topic has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatusTopic {
    #[cfg(feature = "llama")]
    Model,
    Skills,
}

#[derive(Default)]
struct PromptStatusState {
    words: BTreeMap<StatusTopic, String>,
    repaint: Option<Box<dyn Fn() + Send>>,
}

impl PromptStatus {
    /// Says something else of a topic, or nothing.
    pub(crate) fn set(&self, topic: StatusTopic, words: &str) {
        let mut shown = self.lock();
        shown.words.insert(topic, words.to_owned());
        if let Some(repaint) = &shown.repaint {
            repaint();
        }
    }

    /// Stands beside what this editor asks.
    pub(crate) fn attach_to(&self, editor: &mut Reedline) {
        let signal = editor.repaint_signal();
        self.lock().repaint = Some(Box::new(move || signal.request_repaint()));
    }

    fn text(&self) -> String {
        let shown = self.lock();
        let said = shown.words.values().filter(|words| !words.is_empty());
        said.map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    fn lock(&self) -> MutexGuard<'_, PromptStatusState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the editor. `break_signal`, once set, makes it give up the terminal within a moment. A history
/// that cannot be kept is an error to tell and to live without: pass `None` then.
pub(crate) fn open_editor(
    history: Option<PathBuf>,
    break_signal: Arc<AtomicBool>,
    colour: bool,
) -> Result<Reedline, ReedlineError> {
    let editor = Reedline::create()
        .with_ansi_colors(colour)
        .use_bracketed_paste(true)
        .with_break_signal(break_signal);
    Ok(match history {
        Some(file) => {
            editor.with_history(Box::new(FileBackedHistory::with_file(HISTORY_LINES_MAX, file)?))
        }
        None => editor,
    })
}

impl Prompt for EditorPrompt<'_> {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Owned(self.status.text())
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(self.prompt)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(". ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "nothing ",
        };
        Cow::Owned(format!("({found}found for `{}`) ", search.term))
    }
}
