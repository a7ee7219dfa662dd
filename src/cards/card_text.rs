//! Text of other programs, made plain.

/// The text with each run of white space as one blank, and without control characters.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text as a campaign can hold it: lines stay, a tab is a blank, and other control characters are left out.
pub(crate) fn printable(text: &str) -> String {
    let harmless = text.chars().map(|char| if char == '\t' { ' ' } else { char });
    harmless.filter(|char| !char.is_control() || *char == '\n').collect()
}
