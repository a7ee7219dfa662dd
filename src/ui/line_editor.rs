//! The line editor of a terminal: emacs keys, and a history in a file.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reedline::{
    Color, ColumnarMenu, EditMode, Emacs, FileBackedHistory, KeyCode, KeyModifiers, Keybindings,
    MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline,
    ReedlineError, ReedlineEvent, ReedlineMenu, ReedlineRawEvent, SimpleMatchHighlighter,
    default_emacs_keybindings,
};

use super::{
    completer::{CompletionNames, LineCompleter},
    typing_echo::VisibleEcho,
};

/// Most lines of history. A long evening has some hundred turns; the story has the older ones.
const HISTORY_LINES_MAX: usize = 1_000;

/// The prompt for a sentence.
pub const PROMPT: &str = "> ";

pub struct EditorPrompt<'a> {
    pub prompt: &'a str,
    pub status: PromptStatus,
}

/// A few words at the right end of the prompt's line, which may change while the player types. Clones share
/// them.
#[derive(Clone, Default)]
pub struct PromptStatus(Arc<Mutex<PromptStatusState>>);

/// A topic of the status. Each has its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusTopic {
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
    pub fn set(&self, topic: StatusTopic, words: &str) {
        let mut shown = self.lock();
        shown.words.insert(topic, words.to_owned());
        if let Some(repaint) = &shown.repaint {
            repaint();
        }
    }

    /// Repaints this editor whenever the status changes.
    pub fn attach_to(&self, editor: &mut Reedline) {
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

/// The name of the menu that Tab opens.
const COMPLETION_MENU: &str = "completions";

/// Reports if the player has used the line editor since the last Ctrl-C. Clones share the answer.
#[derive(Clone, Default)]
pub struct TypedKeys(Arc<AtomicBool>);

impl TypedKeys {
    /// Returns the answer, and resets it.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// Emacs keys that also record every use of the editor except Ctrl-C.
struct NotedKeys {
    keys: Emacs,
    typed: TypedKeys,
}

impl NotedKeys {
    fn boxed(keys: Keybindings, typed: TypedKeys) -> Box<dyn EditMode> {
        Box::new(NotedKeys { keys: Emacs::new(keys), typed })
    }
}

impl EditMode for NotedKeys {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        let event = self.keys.parse_event(event);
        // A resize of the window and a key without a meaning do not count as use of the editor.
        let is_used = !matches!(
            event,
            ReedlineEvent::CtrlC
                | ReedlineEvent::None
                | ReedlineEvent::Resize(..)
                | ReedlineEvent::Mouse { .. }
        );
        if is_used {
            self.typed.0.store(true, Ordering::Relaxed);
        }
        event
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.keys.edit_mode()
    }
}

/// Lets Tab complete these commands, name and description, and the names that can be used now.
pub fn complete_lines(
    editor: Reedline,
    commands: &'static [(&'static str, &'static str)],
    names: CompletionNames,
    typed: TypedKeys,
) -> Reedline {
    let mut keys = own_keys();
    let open = ReedlineEvent::Menu(COMPLETION_MENU.to_owned());
    let next = ReedlineEvent::UntilFound(vec![open, ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, next);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let menu = ColumnarMenu::default().with_name(COMPLETION_MENU).with_columns(1);
    editor
        .with_completer(Box::new(LineCompleter { commands, names }))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(NotedKeys::boxed(keys, typed))
}

/// The longest time until a signal has stopped every thread.
#[cfg(unix)]
const STOP_MAX: Duration = Duration::from_millis(100);

/// Returns the keys of every editor. An editor gets Ctrl-Z as a key, so the program must stop itself.
fn own_keys() -> Keybindings {
    let mut keys = default_emacs_keybindings();
    let suspend = ReedlineEvent::ExecuteHostCommand("suspend".to_owned());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('z'), suspend);
    keys
}

/// Stops the program as Ctrl-Z does, until it is continued, as [`Signal::HostCommand`](reedline::Signal) asks.
#[cfg(unix)]
pub fn suspend() {
    use rustix::process::{Signal, kill_current_process_group};
    // The shell gets a terminal that echoes typed keys.
    let _echo = VisibleEcho::begin();
    // A shell without job control ignores this, and then the program goes on.
    let _ = kill_current_process_group(Signal::TSTP);
    // Another thread may get the signal first. The editor must not take the terminal before this one has stopped too.
    std::thread::sleep(STOP_MAX);
}

#[cfg(not(unix))]
pub fn suspend() {}

/// Opens the editor. Once set, `break_signal` makes it return the terminal within a moment. If the history file fails,
/// the caller reports that and passes `None`.
pub fn open_editor(
    history: Option<PathBuf>,
    break_signal: Arc<AtomicBool>,
    colour: bool,
    typed: TypedKeys,
) -> Result<Reedline, ReedlineError> {
    let editor = Reedline::create()
        .with_ansi_colors(colour)
        // The editor's own highlighter writes in white, which cannot be read on a light terminal.
        .with_highlighter(Box::new(SimpleMatchHighlighter::default()))
        .with_edit_mode(NotedKeys::boxed(own_keys(), typed))
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

    // Only the terminal's own colour is readable on any background.
    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_multiline_color(&self) -> Color {
        Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_right_color(&self) -> Color {
        Color::Default
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
