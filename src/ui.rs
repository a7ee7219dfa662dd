//! Row 7: draws updates; alone may print. Knows the engine's news; knows nothing of arguments, settings
//! or what a verb is for.
//!
//! Data goes to stdout, news and errors to stderr. Everything that a skill, a plan or a model wrote goes
//! through [`visible`] first, so that none of them can redraw the player's terminal.

mod editor;
mod json;
mod log;
mod out;
mod plain;
mod report;
mod table;
mod text;
mod words;
mod wrap;

pub(crate) use editor::{PROMPT, Ready, open_editor};
pub(crate) use json::{Json, event_value};
pub(crate) use log::open_log;
pub(crate) use out::{Look, Out, Streams, Tone, streams};
pub(crate) use plain::Plain;
pub(crate) use report::{note, report, report_lines};
pub(crate) use table::render_table;
pub(crate) use text::visible;
pub(crate) use words::{choices_list, event_line, usage_line};

use narratoria::engine::Update;

/// One way of showing a session.
pub(crate) enum Screen {
    /// For people.
    Plain(Plain),
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

    /// Where the data goes.
    pub(crate) fn out(&self) -> &Out {
        match self {
            Screen::Plain(plain) => plain.out(),
            Screen::Json(json) => json.out(),
        }
    }
}
