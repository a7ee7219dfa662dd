//! Errors, warnings, notes and hints.

use narratoria_engine::TurnError;

use super::{Out, Tone, text::visible_line};

pub fn report(err: &mut Out, error: &TurnError) {
    report_lines(err, &error.to_string(), &error.hints);
}

/// Prints one `error:` for each line of the message, then the hints.
pub fn report_lines(err: &mut Out, message: &str, hints: &[String]) {
    let mut text = String::new();
    for line in message.lines() {
        text += &labelled_line(err, Tone::Error, "error", line);
    }
    for hint in hints {
        text += &labelled_line(err, Tone::Hint, "hint", hint);
    }
    err.write_as_is(&text);
}

/// Prints one line, such as `warning: …`.
pub fn note(err: &mut Out, tone: Tone, word: &str, message: &str) {
    let text = labelled_line(err, tone, word, message);
    err.write_as_is(&text);
}

/// Returns the line, wrapped. Only its first word has a colour.
fn labelled_line(err: &Out, tone: Tone, word: &str, message: &str) -> String {
    let label = format!("{word}:");
    let line = err.wrap(&format!("{label} {}\n", visible_line(message)));
    format!("{}{}", err.paint(tone, &label), &line[label.len()..])
}
