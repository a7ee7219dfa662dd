//! The line editor of a terminal: emacs keys, and a history in a file.

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

/// Most lines of history. A long evening has some hundred turns; the story has the older ones.
const HISTORY_LINES_MAX: usize = 1_000;

/// The prompt for a sentence.
pub(crate) const PROMPT: &str = "> ";

pub(crate) struct EditorPrompt<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) status: PromptStatus,
}

/// A few words at the right end of the prompt's line, which may change while the player types. Clones share
/// them.
#[derive(Clone, Default)]
pub(crate) struct PromptStatus(Arc<Mutex<PromptStatusState>>);

/// A topic of the status. Each has words of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatusTopic {
    #[cfg(feature = "llama")]
    Model,
    Package,
    Skills,
}

#[derive(Default)]
struct PromptStatusState {
    words: BTreeMap<StatusTopic, String>,
    repaint: Option<Box<dyn Fn() + Send>>,
}

impl PromptStatus {
    /// Replaces the words of a topic; empty words remove them.
    pub(crate) fn set(&self, topic: StatusTopic, words: &str) {
        let mut shown = self.lock();
        shown.words.insert(topic, words.to_owned());
        if let Some(repaint) = &shown.repaint {
            repaint();
        }
    }

    /// Repaints this editor whenever the status changes.
    pub(crate) fn attach_to(&self, editor: &mut Reedline) {
        let signal = editor.repaint_signal();
        self.lock().repaint = Some(Box::new(move || signal.request_repaint()));
    }

    fn text(&self) -> String {
        let shown = self.lock();
        let words = shown.words.values().filter(|words| !words.is_empty());
        words.map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    fn lock(&self) -> MutexGuard<'_, PromptStatusState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the editor. Once set, `break_signal` makes it return the terminal within a moment. If the history file fails,
/// the caller reports that and passes `None`.
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
