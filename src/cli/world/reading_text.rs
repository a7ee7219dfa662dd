//! How a sentence is read, as text for people. Knows the output of `world/read`, and nothing of worlds.

use std::fmt::Write as _;

use serde_json::Value;

/// Width of the names in front of the lines.
const LABEL_CHARS: usize = 8;

/// Width of the stage of a step.
const STAGE_CHARS: usize = 24;

/// Most classes of a word that are shown: small words are of dozens. The document for programs has all.
const CLASSES_SHOWN_MAX: usize = 8;

/// Renders one reading: a paragraph for its words, its names, its steps, what lost, and what comes out.
pub(super) fn render_reading(reading: &Value) -> String {
    let text = |key: &str| reading[key].as_str().unwrap_or_default();
    let list = |key: &str| reading[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut out = format!("> {}\n", text("sentence"));
    section(&mut out, "here", [text("here").to_owned()]);
    section(&mut out, "words", list("words").iter().map(word));
    section(&mut out, "names", list("names").iter().map(name));
    section(&mut out, "steps", list("steps").iter().map(step));
    section(&mut out, "lost", list("lost").iter().map(lost));
    section(&mut out, "actions", list("actions").iter().map(action));
    let unclear: Vec<&str> = list("unclear").iter().filter_map(Value::as_str).collect();
    if !unclear.is_empty() {
        section(&mut out, "asks", [unclear.join(", or ")]);
    }
    if let Some(message) = reading["message"].as_str() {
        section(&mut out, "told", [message.to_owned()]);
    }
    section(&mut out, "sure", certainty(reading));
    out
}

/// How sure the actions are, and whether a part of the sentence is left out.
fn certainty(reading: &Value) -> Option<String> {
    let certainty = reading["certainty"].as_str();
    match (certainty, reading["unknown"] == true) {
        (Some(certainty), true) => Some(format!("{certainty}; a part means nothing here")),
        (Some(certainty), false) => Some(certainty.to_owned()),
        (None, true) => Some("means nothing here".to_owned()),
        (None, false) => None,
    }
}

/// Adds lines with a name in front of the first.
pub(super) fn section(out: &mut String, label: &str, lines: impl IntoIterator<Item = String>) {
    for (at, line) in lines.into_iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        let _ = writeln!(out, "{label:<LABEL_CHARS$}{line}");
    }
}

fn word(word: &Value) -> String {
    let mut line = word["word"].as_str().unwrap_or_default().to_owned();
    for (key, what) in [("lemma", "of"), ("respelled", "read as")] {
        if let Some(other) = word[key].as_str() {
            let _ = write!(line, ", {what} `{other}`");
        }
    }
    if word["verb"] == true {
        line += ", begins a verb";
    }
    let classes: Vec<&str> =
        word["classes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !classes.is_empty() {
        let shown = &classes[..classes.len().min(CLASSES_SHOWN_MAX)];
        let _ = write!(line, ": @{}", shown.join(" @"));
        if let Some(more) = classes.len().checked_sub(shown.len()).filter(|more| *more > 0) {
            let _ = write!(line, " and {more} more");
        }
    }
    line
}

fn name(name: &Value) -> String {
    let text = |key: &str| name[key].as_str().unwrap_or_default();
    let seen = if name["seen"] == true { "seen" } else { "not seen" };
    format!("{} = {} ({}, {seen}): {}", text("words"), text("name"), text("kind"), text("why"))
}

fn step(step: &Value) -> String {
    let stage = step["stage"].as_str().unwrap_or_default();
    let stage = match step["clause"].as_u64() {
        Some(clause) => format!("{clause} {stage}"),
        None => stage.to_owned(),
    };
    let made = step["made"].as_str().unwrap_or_default();
    let line = format!("{stage:<STAGE_CHARS$}{made}");
    match &step["row"] {
        Value::Null => line,
        found => format!("{line}\n{}", row(found)),
    }
}

fn lost(lost: &Value) -> String {
    let text = |key: &str| lost[key].as_str().unwrap_or_default();
    let line = format!("{}: {}", text("tried"), text("missing"));
    match &lost["row"] {
        Value::Null => line,
        found => format!("{line}\n{}", row(found)),
    }
}

/// The row of a step, on a line of its own: where it stands, and what it says.
fn row(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let line = row["line"].as_u64().map_or_else(String::new, |line| format!(":{line}"));
    let meaning = match text("meaning") {
        "" => String::new(),
        meaning => format!(" => {meaning}"),
    };
    let indent = LABEL_CHARS + 2;
    format!("{:indent$}{}{line}  {}{meaning}", "", text("file"), text("wording"))
}

/// An action with its names: `unlock shed door, with brass key`.
fn action(action: &Value) -> String {
    let text = |key: &str| action[key].as_str();
    let mut line = text("action").unwrap_or_default().replace('_', " ");
    for (key, what) in [
        ("target", ""),
        ("with", "with "),
        ("topic", "about "),
        ("direction", "to "),
        ("text", "in the words "),
        ("missing", "but there is no "),
    ] {
        if let Some(name) = text(key) {
            let _ = write!(line, " {what}`{name}`");
        }
    }
    line
}
