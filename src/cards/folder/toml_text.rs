//! Values as TOML text. Control characters are left out, because no text of a campaign may have any.

use crate::card_text::printable;

pub(crate) fn toml_string(text: &str) -> String {
    let is_long = text.contains('\n');
    let mut written = String::from(if is_long { "\"\"\"\n" } else { "\"" });
    for char in printable(text).chars() {
        match char {
            '\\' => written += "\\\\",
            '"' => written += "\\\"",
            char => written.push(char),
        }
    }
    written + if is_long { "\"\"\"" } else { "\"" }
}

/// A list of strings.
pub(crate) fn toml_strings<S: AsRef<str>>(texts: &[S]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| toml_string(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// A string on one line.
pub(crate) fn toml_line(text: &str) -> String {
    let mut written = String::from("\"");
    for char in printable(text).chars() {
        match char {
            '\n' => written += "\\n",
            '\\' => written += "\\\\",
            '"' => written += "\\\"",
            char => written.push(char),
        }
    }
    written + "\""
}
