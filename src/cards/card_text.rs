//! Text of other programs, made plain.

/// The text with each run of white space as one blank, and without control characters.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without control characters. Lines and tabs stay.
pub(crate) fn printable(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|char| is_printable(*char)).collect()
}

/// True for what a campaign can hold.
pub(crate) fn is_printable(char: char) -> bool {
    !char.is_control() || matches!(char, '\n' | '\t')
}
