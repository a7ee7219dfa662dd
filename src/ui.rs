//! Row 7: draws updates; alone may print. Knows the engine's news; knows nothing of arguments, settings
//! or what a verb is for.
//!
//! Data goes to stdout, news and errors to stderr. Everything that a skill, a plan or a model wrote goes
//! through [`visible`] first, so that none of them can redraw the player's terminal.

mod aside;
mod check;
#[cfg(feature = "llama")]
mod download;
mod draft;
mod editor;
mod eval;
mod form_table;
mod graph;
mod json;
mod live;
mod log;
mod out;
mod package;
mod plain;
mod plan_table;
mod prompt;
mod record;
mod report;
mod secret;
mod table;
mod text;
mod words;
mod wrap;

pub(crate) use check::{CheckBar, check_report, example_text};
#[cfg(feature = "llama")]
pub(crate) use download::{DownloadLine, download_line};
pub(crate) use draft::{EditError, Edited, Editor, edit_in_editor};
pub(crate) use editor::{PROMPT, Ready, Status, Topic, open_editor};
pub(crate) use eval::{Counter, eval_report};
pub(crate) use form_table::settings_table;
pub(crate) use graph::plan_graph;
pub(crate) use json::Json;
pub(crate) use log::open_log;
pub(crate) use out::{Area, Look, Out, Streams, Tone, raw_stdout, streams, words_of_tools};
pub(crate) use package::{PackageView, package_view};
pub(crate) use plain::Plain;
pub(crate) use plan_table::{plan_table, step_view};
pub(crate) use prompt::{
    ApprovalPrompt, ApprovalReply, Place, QuestionPrompt, ReviewCommand, ReviewPrompt,
    SettingPrompt, SettingReply, WaitingStep,
};
pub(crate) use record::{PlanRow, diff_view, plans_table, record_view};
pub(crate) use report::{note, report, report_lines};
pub(crate) use secret::{Hidden, read_hidden};
pub(crate) use table::render_table;
pub(crate) use text::{visible, visible_json};
pub(crate) use words::{choices_list, event_line, question_text, usage_line};

use narratoria::engine::Update;

/// One way of showing a session.
pub(crate) enum Screen {
    /// For people.
    Plain(Box<Plain>),
    /// For programs: exactly the update stream.
    Json(Json),
}

impl Screen {
    /// Shows one piece of news.
    pub(crate) fn show(&mut self, update: &Update) {
        match self {
            Screen::Plain(plain) => plain.show(update),
            Screen::Json(json) => json.show(update),
        }
    }

    /// Prose, such as what was told before; only for people.
    pub(crate) fn say(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.say(text);
        }
    }

    /// The same for text whose lines are to stay as they are.
    pub(crate) fn print(&mut self, text: &str) {
        if let Screen::Plain(plain) = self {
            plain.print(text);
        }
    }

    /// Puts a script's question to the player. False where that is not a screen's business: programs hear
    /// of it in the update stream.
    pub(crate) fn ask(&mut self, tool_id: &str, question: &str, choices: &[String]) -> bool {
        match self {
            Screen::Plain(plain) => plain.ask(tool_id, question, choices),
            Screen::Json(_) => return false,
        }
        true
    }

    /// One line of news at once, even between `hold` and `release`. False where it has no place.
    pub(crate) fn interject(&mut self, tone: Tone, word: &str, message: &str) -> bool {
        match self {
            Screen::Plain(plain) => plain.interject(tone, word, message),
            Screen::Json(_) => return false,
        }
        true
    }

    /// Leaves the terminal to a person who is asked something, until `release`. What happens meanwhile is
    /// shown then.
    pub(crate) fn hold(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.hold();
        }
    }

    /// Ends `hold`.
    pub(crate) fn release(&mut self) {
        if let Screen::Plain(plain) = self {
            plain.release();
        }
    }

    /// Where the data goes.
    pub(crate) fn out(&self) -> &Out {
        match self {
            Screen::Plain(plain) => plain.out(),
            Screen::Json(json) => json.out(),
        }
    }
}
