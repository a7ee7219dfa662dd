//! Makes text fit. Escaping is `narratoria_protocol::visible`, the one rule for all crates.

pub use narratoria_protocol::visible::{visible, visible_json, visible_line};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Cuts a line that is too wide, and ends it with an ellipsis.
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

    use super::cut_line;

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
