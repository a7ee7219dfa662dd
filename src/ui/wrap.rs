//! Wraps text on words: prose that arrives in pieces, and lines that are complete.

use unicode_width::UnicodeWidthChar;

use super::text::columns;

/// Remembers the position on the line between two pieces. A word waits until its end is known.
#[derive(Debug, Default)]
pub(super) struct Wrapper {
    /// In columns; `None` passes everything through.
    width: Option<usize>,
    column: usize,
    gap: usize,
    word: String,
}

impl Wrapper {
    pub(super) fn new(width: Option<usize>) -> Wrapper {
        Wrapper { width, ..Wrapper::default() }
    }

    /// Takes a piece, and returns the text that can be printed now.
    pub(super) fn feed(&mut self, text: &str) -> String {
        if self.width.is_none() {
            return text.to_owned();
        }
        let mut ready = String::with_capacity(text.len() + 8);
        for char in text.chars() {
            match char {
                '\n' => {
                    self.put_word(&mut ready);
                    ready.push('\n');
                    (self.column, self.gap) = (0, 0);
                }
                ' ' | '\t' => {
                    self.put_word(&mut ready);
                    self.gap += 1;
                }
                char => self.word.push(char),
            }
        }
        ready
    }

    /// Returns the rest. The next piece starts a new line.
    pub(super) fn finish(&mut self) -> String {
        let mut rest = String::new();
        self.put_word(&mut rest);
        (self.column, self.gap) = (0, 0);
        rest
    }

    /// Sets the width from the next word on.
    pub(super) fn set_width(&mut self, width: Option<usize>) {
        self.width = width;
    }

    /// Starts at the beginning of a line. A waiting word keeps waiting.
    pub(super) fn restart_line(&mut self) {
        (self.column, self.gap) = (0, 0);
    }

    /// Returns the column of the cursor. A waiting word is not on the screen yet.
    pub(super) fn column(&self) -> usize {
        self.column
    }

    fn put_word(&mut self, to: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let wide = columns(&self.word);
        let width = self.width.unwrap_or(usize::MAX);
        if self.column > 0 && self.column + self.gap + wide > width {
            to.push('\n');
            (self.column, self.gap) = (0, 0);
        }
        to.extend(std::iter::repeat_n(' ', self.gap));
        to.push_str(&self.word);
        self.column += self.gap + wide;
        self.gap = 0;
        self.word.clear();
    }
}

/// Columns by which the rest of a long line is indented further than its beginning.
const HANGING_COLUMNS: usize = 2;

/// Wraps each line of a text on its words. The rest of a long line is indented; below a number it is aligned with the
/// text behind the number, and below a name in a list with the text in the next column.
pub(crate) fn wrap_lines(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let wrap = |line: &str| {
        let indent = hanging_indent(line).min(width / 2).min(room_beside_words(line, width));
        wrap_line(line, indent, width)
    };
    text.split_inclusive('\n').map(wrap).collect()
}

/// Wraps prose on its words, without an indent.
pub(crate) fn wrap_prose(text: &str, width: Option<usize>) -> String {
    let mut wrapper = Wrapper::new(width);
    let mut wrapped = wrapper.feed(text);
    wrapped += &wrapper.finish();
    wrapped
}

/// Wraps prose on its words, and breaks a word that is wider than a line: no part of it is lost.
pub(crate) fn wrap_prose_and_words(text: &str, width: Option<usize>) -> String {
    let wrapped = wrap_prose(text, width);
    let Some(width) = width else { return wrapped };
    wrapped.split_inclusive('\n').map(|line| break_words(line, "", width.max(1))).collect()
}

/// Wraps a row of a table whose last column begins at this column.
pub(crate) fn wrap_row(row: &str, last_column: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return row.to_owned() };
    // A last column that is narrow would be a column of single words.
    let indent = if last_column <= width * 2 / 3 { last_column } else { HANGING_COLUMNS };
    wrap_line(row, indent.min(room_beside_words(row, width)), width)
}

/// Returns the widest indent behind which each word still fits that fits the width alone.
fn room_beside_words(line: &str, width: usize) -> usize {
    let words = line.split_whitespace().map(columns).filter(|word| *word <= width);
    width - words.max().unwrap_or(0)
}

/// Wraps as [`wrap_lines`] does, and breaks a word that is longer than a line. A terminal would continue it at its left
/// edge, where an untrusted word could look like a line of the program.
pub(crate) fn wrap_lines_and_words(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let wrap = |line: &str| {
        let indent = hanging_indent(line).min(width / 2);
        let wrapped = wrap_line(line, indent, width);
        let blanks = " ".repeat(indent);
        wrapped.split_inclusive('\n').map(|line| break_words(line, &blanks, width)).collect()
    };
    text.split_inclusive('\n').map(wrap).collect::<Vec<String>>().concat()
}

/// Breaks the line into lines of at most `width` columns, each but the first behind these blanks.
fn break_words(line: &str, blanks: &str, width: usize) -> String {
    let mut broken = String::with_capacity(line.len());
    let mut column = 0;
    let mut is_code = false;
    for char in line.chars() {
        is_code |= char == '\u{1b}';
        if is_code {
            is_code = char != 'm';
            broken.push(char);
            continue;
        }
        let wide = char.width().unwrap_or(0);
        if column + wide > width {
            broken.push('\n');
            broken += blanks;
            column = blanks.len();
        }
        broken.push(char);
        column += wide;
    }
    broken
}

/// Wraps one line. Blanks at the end of a line without a line break stay, because an answer follows them.
fn wrap_line(line: &str, indent: usize, width: usize) -> String {
    let text = line.trim_end();
    if columns(text) <= width {
        return line.to_owned();
    }
    let wrapped = wrap_prose(text, Some(width));
    // The rest is narrower than the first line, so it is wrapped again as a whole.
    let Some((first, rest)) = wrapped.split_once('\n') else { return wrapped + line_end(line) };
    let rest = wrap_prose(&rest.replace('\n', " "), Some(width - indent));
    let blanks = " ".repeat(indent);
    let rest: String = rest.lines().map(|line| format!("\n{blanks}{line}")).collect();
    format!("{first}{rest}{}", line_end(line))
}

fn line_end(line: &str) -> &str {
    if line.ends_with('\n') { "\n" } else { &line[line.trim_end().len()..] }
}

/// Returns the column at which the rest of a line begins.
fn hanging_indent(line: &str) -> usize {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    if text[digits..].starts_with(". ") && digits > 0 {
        return indent + digits + 2;
    }
    let next_column = text.split_once("  ").and_then(|(name, rest)| {
        let rest = rest.trim_start_matches(' ');
        let ends_sentence = name.ends_with(['.', '!', '?', ':', ',', ';']);
        let has_both = !name.is_empty() && !rest.trim_end().is_empty();
        (has_both && !ends_sentence).then(|| columns(line) - columns(rest))
    });
    next_column.unwrap_or(indent + HANGING_COLUMNS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::{Wrapper, wrap_lines, wrap_lines_and_words, wrap_row};

    fn wrap(pieces: &[&str], width: usize) -> String {
        let mut wrapper = Wrapper::new(Some(width));
        let mut text: String = pieces.iter().map(|piece| wrapper.feed(piece)).collect();
        text += &wrapper.finish();
        text
    }

    #[test]
    fn lines_break_between_words() {
        insta::assert_snapshot!(wrap(&["You examine the ancient door. It hums."], 16), @r"
        You examine the
        ancient door. It
        hums.
        ");
    }

    #[test]
    fn a_word_in_two_pieces_is_one_word() {
        assert_eq!(wrap(&["the anc", "ient door"], 11), "the ancient\ndoor");
    }

    #[test]
    fn paragraphs_and_indentation_stay() {
        assert_eq!(wrap(&["one two\n\n  three"], 5), "one\ntwo\n\n  three");
    }

    #[test]
    fn a_word_longer_than_the_line_stands_alone() {
        assert_eq!(wrap(&["a pneumonoultramicroscopic b"], 8), "a\npneumonoultramicroscopic\nb");
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(wrap(&["戸戸 戸戸"], 8), "戸戸\n戸戸");
    }

    #[test]
    fn without_a_width_everything_passes() {
        let mut wrapper = Wrapper::new(None);
        assert_eq!(wrapper.feed("a  b \n"), "a  b \n");
        assert_eq!(wrapper.finish(), "");
    }

    #[test]
    fn a_long_line_breaks_between_words_and_its_rest_is_indented() {
        let text =
            "error: the package `a` cannot be used\nshort\n  12. Follow the river to its source\n";
        insta::assert_snapshot!(wrap_lines(text, Some(20)), @"
        error: the package
          `a` cannot be used
        short
          12. Follow the
              river to its
              source
        ");
        assert_eq!(wrap_lines(text, None), text);
        assert_eq!(wrap_lines("no end", Some(20)), "no end");
        assert_eq!(wrap_lines("", Some(20)), "");
    }

    #[test]
    fn the_rest_of_an_item_stands_below_its_text() {
        let text = "  1  go on with The Ferry House\n  need N M  let N wait for M\nIt rains.  It goes on for days.\n";
        insta::assert_snapshot!(wrap_lines(text, Some(24)), @"
          1  go on with The
             Ferry House
          need N M  let N wait
                    for M
        It rains.  It goes on
          for days.
        ");
        assert_eq!(
            wrap_row("omens  1.0  Reads the sky.\n", 12, Some(20)),
            "omens  1.0  Reads\n            the sky.\n"
        );
        assert_eq!(
            wrap_row("an-omen  1.0.0  Reads it.\n", 16, Some(20)),
            "an-omen  1.0.0\n  Reads it.\n"
        );
    }

    #[test]
    fn no_indent_makes_a_word_wider_than_the_line() {
        assert_eq!(
            wrap_lines("a note: misunderstandings happen\n", Some(20)),
            "a note:\n  misunderstandings\n  happen\n"
        );
        assert_eq!(
            wrap_lines("  /history  misunderstandings happen\n", Some(20)),
            "  /history\n   misunderstandings\n   happen\n"
        );
        assert_eq!(
            wrap_row("omens  1.0  misunderstandings\n", 12, Some(20)),
            "omens  1.0\n   misunderstandings\n"
        );
    }

    #[test]
    fn colours_change_no_line_and_a_question_keeps_the_blank_before_its_answer() {
        let painted = "\u{1b}[1mone two\u{1b}[0m three four";
        assert_eq!(wrap_lines(painted, Some(13)), "\u{1b}[1mone two\u{1b}[0m three\n  four");
        assert_eq!(wrap_lines("Install it now? [y/N] ", Some(15)), "Install it now?\n  [y/N] ");
        assert_eq!(
            wrap_lines_and_words("\u{1b}[33mabcdef\u{1b}[0m", Some(4)),
            "\u{1b}[33mabcd\n  ef\u{1b}[0m"
        );
    }

    #[test]
    fn a_word_of_a_stranger_is_broken_behind_an_indent() {
        let text = "  asks: aaaaaaaaaaaaaaaaaaaaaaaaaaa_asks:_nothing\n  reads: /a\n";
        insta::assert_snapshot!(wrap_lines_and_words(text, Some(20)), @"
          asks:
            aaaaaaaaaaaaaaaa
            aaaaaaaaaaa_asks
            :_nothing
          reads: /a
        ");
    }

    proptest! {
        /// No line of untrusted text begins where a line of the program does.
        #[test]
        fn each_line_but_the_first_is_indented_further(
            text in "[a-zé戸` ]{1,90}", width in 12usize..40,
        ) {
            let wrapped = wrap_lines_and_words(&format!("  - {text}\n"), Some(width));
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(letters(&wrapped), letters(&format!("-{text}")));
            for line in wrapped.lines().skip(1) {
                prop_assert!(line.trim_end().width() <= width, "{line:?}");
                prop_assert!(line.starts_with("    ") || line.trim().is_empty(), "{line:?}");
            }
        }

        /// Paths and commands are copied from the screen, so no word may lose a part or break.
        #[test]
        fn lines_fit_and_keep_their_words(
            text in "( {0,4}([0-9]{1,3}[.] )?[a-zé戸` ]{0,60}\n?){0,4}",
            width in 12usize..40,
        ) {
            let wrapped = wrap_lines(&text, Some(width));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrapped), words(&text));
            prop_assert_eq!(wrapped.ends_with('\n'), text.ends_with('\n'));
            for line in wrapped.lines() {
                prop_assert!(
                    line.trim_end().width() <= width || line.split_whitespace().count() <= 2,
                    "{line:?}",
                );
            }
        }

        #[test]
        fn pieces_do_not_matter_and_no_word_is_lost(
            text in "[a-zé戸 \n]{0,80}",
            mut sizes in prop::collection::vec(1usize..12, 1..8),
            width in 4usize..20,
        ) {
            let whole = wrap(&[&text], width);
            let mut chars = text.chars().peekable();
            let mut pieces = Vec::new();
            while chars.peek().is_some() {
                sizes.rotate_left(1);
                pieces.push(chars.by_ref().take(sizes[0]).collect::<String>());
            }
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(&wrap(&pieces, width), &whole);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&whole), words(&text));
            for line in whole.lines() {
                prop_assert!(line.width() <= width || line.split_whitespace().count() == 1);
            }
        }
    }
}
