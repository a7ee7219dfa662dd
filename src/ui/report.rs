//! Errors, warnings, notes and hints.

use narratoria_engine::TurnError;

use super::{Out, Tone, text::visible_line};

pub(crate) fn report(err: &mut Out, error: &TurnError) {
    report_lines(err, &error.to_string(), &error.hints);
}

/// Prints one `error:` for each line of the message, then the hints.
pub(crate) fn report_lines(err: &mut Out, message: &str, hints: &[String]) {
    let mut text = String::new();
    for line in message.lines() {
        text += &format!("{} {}\n", err.paint(Tone::Error, "error:"), visible_line(line));
    }
    for hint in hints {
        text += &format!("{} {}\n", err.paint(Tone::Hint, "hint:"), visible_line(hint));
    }
    err.write(&text);
}

/// Prints one line, such as `warning: …`.
pub(crate) fn note(err: &mut Out, tone: Tone, word: &str, message: &str) {
    let text = format!("{} {}\n", err.paint(tone, &format!("{word}:")), visible_line(message));
    err.write(&text);
}
