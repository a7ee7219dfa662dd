//! Makes text fit. Escaping is `narratoria_protocol::visible`, the one rule for all crates.

pub use narratoria_protocol::visible::{visible, visible_json, visible_line};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the columns of a text on a terminal. Colours take none.
pub(super) fn columns(text: &str) -> usize {
    let mut columns = 0;
    let mut rest = text;
    while let Some((plain, code)) = rest.split_once("\u{1b}[") {
        columns += plain.width();
        rest = code.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';');
        rest = rest.strip_prefix('m').unwrap_or(rest);
    }
    columns + rest.width()
}

/// Cuts a line that is too wide, and ends it with an ellipsis. A word of letters is left out whole.
pub(super) fn cut_line(line: &str, columns_max: usize, ascii: bool) -> String {
    if line.width() <= columns_max {
        return line.to_owned();
    }
    let ellipsis = if ascii { "..." } else { "…" };
    let room = columns_max.saturating_sub(ellipsis.width());
    let mut columns = 0;
    let mut cut: String = line
        .chars()
        .take_while(|char| {
            columns += char.width().unwrap_or(0);
            columns <= room
        })
        .collect();
    if line[cut.len()..].starts_with(char::is_alphabetic) {
        let whole = cut.trim_end_matches(char::is_alphabetic);
        // A long word is cut where little else would be left.
        if whole.trim_end().width() * 2 > columns_max {
            cut.truncate(whole.len());
        }
    }
    cut.truncate(cut.trim_end().len());
    cut.extend(ellipsis.chars().take(columns_max));
    cut
}

/// Pads the text with blanks on the right.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let blanks = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(blanks))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use unicode_width::UnicodeWidthStr;

    use super::{columns, cut_line};

    #[test]
    fn colours_take_no_columns() {
        assert_eq!(columns("\u{1b}[1;31merror\u{1b}[0m: 戸"), 9);
        assert_eq!(columns("plain"), 5);
        assert_eq!(columns(""), 0);
    }

    #[test]
    fn a_line_is_not_cut_inside_a_word() {
        assert_eq!(cut_line("striking the match", 12, false), "striking…");
        assert_eq!(cut_line("striking", 4, false), "str…");
        assert_eq!(cut_line("1 striking", 6, false), "1 str…");
        assert_eq!(cut_line("2026-01-23T10:00", 12, false), "2026-01-23T…");
    }

    #[test]
    fn a_cut_line_ends_with_an_ellipsis() {
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
    }
}
