//! Row 8: draws updates and reports; the only place that prints. Knows what the crates below return; knows nothing
//! of arguments, settings or commands.
//!
//! Data goes to stdout, notices and errors to stderr. Untrusted text (of a skill, a plan or a model) is escaped by
//! [`visible`] before it reaches the terminal.

mod check;
mod count_bar;
#[cfg(feature = "llama")]
mod download;
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
mod table;
mod text;
mod tick_progress;
mod typing_echo;
mod words;
mod wrap;

pub(crate) use check::{CheckBar, check_report, coverage_text, example_text};
pub(crate) use count_bar::CountBar;
#[cfg(feature = "llama")]
pub(crate) use download::{DownloadLine, download_line};
pub(crate) use eval::{EvalProgress, eval_report};
pub(crate) use external_editor::{
    DraftError, EditedDraft, ExternalEditor, edit_in_editor, fallback_editor,
};
pub(crate) use form_table::settings_table;
pub(crate) use graph::plan_graph;
pub(crate) use hidden_input::{HiddenInput, read_hidden};
pub(crate) use json::JsonScreen;
pub(crate) use line_editor::{
    EditorPrompt, PROMPT, PromptStatus, StatusTopic, TypedKeys, complete_commands, open_editor,
    suspend,
};
pub(crate) use log::open_log;
pub(crate) use output::{
    Look, Out, TerminalSize, TerminalStreams, Tone, raw_stdout, streams, terminal_size, tool_stdio,
};
pub(crate) use package::{PackageView, package_view};
pub(crate) use plain::PlainScreen;
pub(crate) use plan_record::{PlanListRow, diff_view, plans_table, record_view};
pub(crate) use plan_table::{ExpectedTime, PlanFacts, plan_table, step_view};
pub(crate) use prompt::{
    ApprovalPrompt, ApprovalReply, MoveTarget, QuestionPrompt, ReviewCommand, ReviewPrompt,
    SettingPrompt, SettingReply, WaitingStep,
};
pub(crate) use report::{note, report, report_lines};
pub(crate) use table::render_table;
pub(crate) use text::{visible, visible_json, visible_line};
pub(crate) use tick_progress::TickProgress;
pub(crate) use typing_echo::{HiddenEcho, VisibleEcho, restore_echo};
pub(crate) use words::{choices_list, event_line, question_text, usage_line};

use std::collections::BTreeSet;

use narratoria_engine::Update;

/// A front end that shows a session.
pub(crate) enum Screen {
    /// For people.
    Plain(Box<PlainScreen>),
    /// For programs: exactly the update stream.
    Json(JsonScreen),
}

impl Screen {
    pub(crate) fn show(&mut self, update: &Update) {
        match self {
            Screen::Plain(plain) => plain.show(update),
            Screen::Json(json) => json.show(update),
        }
    }

    /// True if its player has commands; programs have none.
    pub(crate) fn has_commands(&self) -> bool {
        matches!(self, Screen::Plain(_))
    }

    /// Prints prose, such as the narration of the last turn; only for people.
    pub(crate) fn say(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.say(text);
        }
    }

    /// Prints text whose line breaks stay as they are; only for people.
    pub(crate) fn print(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.print(text);
        }
    }

    /// The skills whose questions are the program's own; another skill's question says who asks.
    pub(crate) fn set_built_in_skills(&mut self, skills: BTreeSet<String>) {
        if let Screen::Plain(plain) = self {
            plain.set_built_in_skills(skills);
        }
    }

    /// Prints a script's question. Returns false for programs, which read it in the update stream.
    pub(crate) fn ask(&mut self, tool_id: &str, question: &str, choices: &[String]) -> bool {
        match self {
            Screen::Plain(plain) => plain.ask(tool_id, question, choices),
            Screen::Json(_) => return false,
        }
        true
    }

    /// Prints one line at once, even between `hold` and `release`. Returns false for programs.
    pub(crate) fn interject(&mut self, tone: Tone, word: &str, message: &str) -> bool {
        match self {
            Screen::Plain(plain) => plain.interject(tone, word, message),
            Screen::Json(_) => return false,
        }
        true
    }

    /// Leaves the terminal to a player who is being asked something. Updates are shown on `release`.
    pub(crate) fn hold(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.hold();
        }
    }

    pub(crate) fn release(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.release();
        }
    }

    /// The stream for data.
    pub(crate) fn out(&self) -> &Out {
        match self {
            Screen::Plain(plain) => plain.out(),
            Screen::Json(json) => json.out(),
        }
    }
}
