//! Makes text of outsiders harmless.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text without anything that a terminal would obey: control characters, and the marks that turn
/// the direction of writing and so make a line read as something else. Line ends and tabs stay; what
/// else is not harmless becomes its escape, so that it can be seen.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            char if is_harmless(char) => seen.push(char),
            char => seen.extend(char.escape_unicode()),
        }
    }
    Cow::Owned(seen)
}

/// The same on one line.
pub(super) fn visible_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line as far as it fits, with a sign where it did not.
pub(super) fn cut_line(line: &str, columns_max: usize, ascii: bool) -> String {
    if line.width() <= columns_max {
        return line.to_owned();
    }
    let sign = if ascii { "..." } else { "…" };
    let room = columns_max.saturating_sub(sign.width());
    let mut columns = 0;
    let mut kept: String = line
        .chars()
        .take_while(|char| {
            columns += char.width().unwrap_or(0);
            columns <= room
        })
        .collect();
    kept.truncate(kept.trim_end().len());
    kept.extend(sign.chars().take(columns_max));
    kept
}

/// Padded with blanks on the right.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(blanks))
}

fn is_harmless(char: char) -> bool {
    match char {
        '\n' | '\t' => true,
        // Bidirectional overrides and isolates (Unicode TR 9).
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        // Line ends that only some programs take for such.
        '\u{2028}' | '\u{2029}' => false,
        char => !char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use unicode_width::UnicodeWidthStr;

    use super::{cut_line, visible, visible_line};

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(visible(text), expect);
    }

    #[test]
    fn prose_passes_untouched() {
        check("A door — “old”, oak.\n\tZoë: 戸\n", "A door — “old”, oak.\n\tZoë: 戸\n");
    }

    #[test]
    fn a_terminal_gets_nothing_to_obey() {
        check("\u{1b}[2J\u{1b}]0;owned\u{7}", r"\u{1b}[2J\u{1b}]0;owned\u{7}");
        check("\u{9b}31m", r"\u{9b}31m");
        check("safe\rsorry", r"safe\u{d}sorry");
        check("abc\u{8}\u{8}\u{7f}\0", r"abc\u{8}\u{8}\u{7f}\u{0}");
    }

    #[test]
    fn text_cannot_be_written_backwards() {
        check("\u{202e}exe.gpj", r"\u{202e}exe.gpj");
    }

    #[test]
    fn windows_line_ends_become_line_ends() {
        check("one\r\ntwo\r\n", "one\ntwo\n");
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(visible_line("a\n\n b\t\u{1b}c "), r"a b \u{1b}c");
    }

    #[test]
    fn a_cut_line_says_so() {
        assert_eq!(cut_line("four", 4, false), "four");
        assert_eq!(cut_line("one two", 5, false), "one…");
        assert_eq!(cut_line("one two", 6, true), "one...");
        assert_eq!(cut_line("戸戸戸", 4, false), "戸…");
        assert_eq!(cut_line("abcd", 2, true), "..");
        assert_eq!(cut_line("abcd", 0, false), "");
    }

    proptest! {
        #[test]
        fn a_cut_line_fits(line in "[a戸é ]{0,30}", columns in 0usize..20, ascii in any::<bool>()) {
            prop_assert!(cut_line(&line, columns, ascii).width() <= columns);
        }

        #[test]
        fn nothing_visible_is_control(text in any::<String>()) {
            let seen = visible(&text);
            prop_assert!(seen.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
            prop_assert_eq!(visible(&seen), seen.as_ref());
        }
    }
}
