//! The user interface: draws updates and reports; the only place that prints. Knows what the crates below return; knows
//! nothing of arguments, settings or commands.
//!
//! Data goes to stdout, notices and errors to stderr. Untrusted text (of a skill, a plan or a model) is escaped by
//! [`visible`] before it reaches the terminal.

mod check;
mod completer;
mod count_bar;
#[cfg(feature = "llama")]
mod download;
mod emphasis;
mod eval;
mod external_editor;
mod form_table;
mod graph;
mod hidden_input;
mod json;
mod line_editor;
mod live;
mod log;
mod notice;
mod output;
mod package;
mod package_trouble;
mod plain;
mod plan_record;
mod plan_table;
mod prompt;
mod report;
mod skill_log;
mod table;
mod text;
mod tick_progress;
mod typing_echo;
mod words;
mod wrap;

pub use check::{CheckBar, check_report, coverage_text, example_text, plural};
pub use completer::{CompletionName, CompletionNames};
pub use count_bar::CountBar;
#[cfg(feature = "llama")]
pub use download::{DownloadLine, download_line};
pub use emphasis::Emphasis;
pub use eval::{EvalProgress, eval_report};
pub use external_editor::{
    DraftError, EditedDraft, ExternalEditor, edit_in_editor, fallback_editor,
};
pub use form_table::settings_table;
pub use graph::plan_graph;
pub use hidden_input::{HiddenInput, read_hidden};
pub use json::JsonScreen;
pub use line_editor::{
    EditorPrompt, PROMPT, PromptStatus, StatusTopic, TypedKeys, complete_lines, open_editor,
    suspend,
};
pub use log::open_log;
pub use output::{
    Look, Out, TerminalSize, TerminalStreams, Tone, raw_stdout, streams, terminal_size, tool_stdio,
};
pub use package::{PackageView, package_view};
pub use plain::PlainScreen;
pub use plan_record::{PlanListRow, diff_view, plans_table, record_view};
pub use plan_table::{ExpectedTime, PlanFacts, plan_table, step_view};
pub use prompt::{
    ApprovalPrompt, ApprovalReply, MoveTarget, QuestionPrompt, ReviewCommand, ReviewPrompt,
    SettingPrompt, SettingReply, WaitingStep,
};
pub use report::{note, report, report_lines};
pub use skill_log::{SkillLogLine, skill_log};
pub use table::render_table;
pub use text::{visible, visible_json, visible_line};
pub use tick_progress::TickProgress;
pub use typing_echo::{HiddenEcho, VisibleEcho, restore_echo};
pub use words::{choices_list, event_line, question_text, some_names, usage_line};

use std::collections::BTreeSet;

use narratoria_engine::Update;

/// A front end that shows a session.
pub enum Screen {
    /// For people.
    Plain(Box<PlainScreen>),
    /// For programs: exactly the update stream.
    Json(JsonScreen),
}

impl Screen {
    pub fn show(&mut self, update: &Update) {
        match self {
            Screen::Plain(plain) => plain.show(update),
            Screen::Json(json) => json.show(update),
        }
    }

    /// Returns true if its player has commands; programs have none.
    pub fn has_commands(&self) -> bool {
        matches!(self, Screen::Plain(_))
    }

    /// Prints prose, such as the narration of the last turn; only for people.
    pub fn say(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.say(text);
        }
    }

    /// Prints text whose line breaks stay as they are; only for people.
    pub fn print(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.print(text);
        }
    }

    /// Sets the title of the story, which the greeting shows instead of its name.
    pub fn set_title(&mut self, title: String) {
        if let Screen::Plain(plain) = self {
            plain.set_title(title);
        }
    }

    /// Sets the built-in skills, whose questions are the program's own. A question of another skill names the skill.
    pub fn set_built_in_skills(&mut self, skills: BTreeSet<String>) {
        if let Screen::Plain(plain) = self {
            plain.set_built_in_skills(skills);
        }
    }

    /// Prints a script's question. Returns false for programs, which read it in the update stream.
    pub fn ask(&mut self, tool_id: &str, question: &str, choices: &[String]) -> bool {
        match self {
            Screen::Plain(plain) => plain.ask(tool_id, question, choices),
            Screen::Json(_) => return false,
        }
        true
    }

    /// Prints one line at once, even between `hold` and `release`. Returns false for programs.
    pub fn interject(&mut self, tone: Tone, word: &str, message: &str) -> bool {
        match self {
            Screen::Plain(plain) => plain.interject(tone, word, message),
            Screen::Json(_) => return false,
        }
        true
    }

    /// Leaves the terminal to a player who answers a question. Updates are shown on `release`.
    pub fn hold(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.hold();
        }
    }

    pub fn release(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.release();
        }
    }

    /// Returns the stream for data.
    pub fn out(&self) -> &Out {
        match self {
            Screen::Plain(plain) => plain.out(),
            Screen::Json(json) => json.out(),
        }
    }
}
