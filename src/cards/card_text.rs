//! Text of other programs, made plain.

/// The text with each run of white space as one blank.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
