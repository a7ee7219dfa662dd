//! Emphasis in the text of a story: `*word*` and `_word_`, and `**word**` where it is strong. Pure.
//!
//! Text arrives in pieces, so a mark waits until the mark that closes it has come, or until none can come any more. Marks
//! that are not balanced are text, and so are those inside a word or beside a blank: `2*3*4`, `a_name_of_a_file`, `* * *`.

/// How emphasis is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// With its marks, as it is written: for programs and files.
    #[default]
    Marks,
    /// Without its marks: for a terminal without colour.
    Plain,
    Italic,
    /// For a terminal that has no italics.
    Underline,
}

/// Longest text with emphasis, in characters. A mark that is never closed must not hold the story back.
const EMPHASIS_CHARS_MAX: usize = 400;

/// Most marks in a row that mean emphasis. More of them are a line between two scenes.
const MARKS_IN_A_ROW_MAX: usize = 2;

const MARKS: [char; 2] = ['*', '_'];

impl Emphasis {
    /// Returns the codes before and after a word.
    fn codes(self, is_strong: bool) -> Option<(&'static str, &'static str)> {
        match self {
            Emphasis::Marks | Emphasis::Plain => None,
            Emphasis::Italic | Emphasis::Underline if is_strong => {
                Some(("\u{1b}[1m", "\u{1b}[22m"))
            }
            Emphasis::Italic => Some(("\u{1b}[3m", "\u{1b}[23m")),
            Emphasis::Underline => Some(("\u{1b}[4m", "\u{1b}[24m")),
        }
    }
}

/// Returns a complete text with its emphasis.
pub(super) fn emphasised(text: &str, shown: Emphasis) -> String {
    let mut reader = EmphasisReader::new(shown);
    let mut ready = reader.feed(text);
    ready += &reader.finish();
    ready
}

/// Reads a text that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct EmphasisReader {
    shown: Emphasis,
    /// The character before the waiting text.
    before: Option<char>,
    /// Begins with a mark that may open an emphasis.
    waiting: String,
}

impl EmphasisReader {
    pub(super) fn new(shown: Emphasis) -> EmphasisReader {
        EmphasisReader { shown, ..EmphasisReader::default() }
    }

    /// Takes a piece, and returns the text that can be printed now.
    pub(super) fn feed(&mut self, text: &str) -> String {
        if self.shown == Emphasis::Marks {
            return text.to_owned();
        }
        self.waiting.push_str(text);
        self.settle(false)
    }

    /// Returns the rest. The next piece begins a text of its own.
    pub(super) fn finish(&mut self) -> String {
        let rest = self.settle(true);
        self.before = None;
        rest
    }

    fn settle(&mut self, is_end: bool) -> String {
        let text = std::mem::take(&mut self.waiting);
        let mut rest = text.as_str();
        let mut ready = String::with_capacity(text.len());
        while let Some(at) = rest.find(MARKS) {
            self.pass(&rest[..at], &mut ready);
            rest = &rest[at..];
            let read = match read_marks(rest, self.before, is_end) {
                MarksRead::Open => {
                    rest.clone_into(&mut self.waiting);
                    return ready;
                }
                MarksRead::Text(read) => {
                    self.pass(&rest[..read], &mut ready);
                    read
                }
                MarksRead::Emphasis { marks, read } => {
                    ready += &self.styled(&rest[marks..read - marks], marks > 1);
                    self.before = rest[..read].chars().next_back();
                    read
                }
            };
            rest = &rest[read..];
        }
        self.pass(rest, &mut ready);
        ready
    }

    fn pass(&mut self, text: &str, ready: &mut String) {
        ready.push_str(text);
        self.before = text.chars().next_back().or(self.before);
    }

    /// Returns the text with codes around each word, so that a line may end between two of them.
    fn styled(&self, text: &str, is_strong: bool) -> String {
        let plain = emphasised(text, Emphasis::Plain);
        let Some((begin, end)) = self.shown.codes(is_strong) else { return plain };
        let piece = |piece: &str| {
            let word = piece.trim_end();
            match word.is_empty() {
                true => piece.to_owned(),
                false => format!("{begin}{word}{end}{}", &piece[word.len()..]),
            }
        };
        plain.split_inclusive(char::is_whitespace).map(piece).collect()
    }
}

/// The meaning of the marks at the beginning of a text. Lengths are in bytes.
enum MarksRead {
    /// The text is not long enough to tell.
    Open,
    /// So much of it is text.
    Text(usize),
    Emphasis {
        /// The length of the marks at each end.
        marks: usize,
        /// The length with the marks.
        read: usize,
    },
}

fn read_marks(text: &str, before: Option<char>, is_end: bool) -> MarksRead {
    let Some(mark) = text.chars().next() else { return MarksRead::Open };
    let row = |text: &str| text.len() - text.trim_start_matches(mark).len();
    let marks = row(text);
    let open = || if is_end { MarksRead::Text(marks) } else { MarksRead::Open };
    let Some(first) = text[marks..].chars().next() else { return open() };
    let is_inside_word = before.is_some_and(char::is_alphanumeric);
    if marks > MARKS_IN_A_ROW_MAX || first.is_whitespace() || is_inside_word {
        return MarksRead::Text(marks);
    }
    let mut last = mark;
    let (mut at, mut count) = (marks, 0);
    while let Some(letter) = text[at..].chars().next() {
        if letter == '\n' || count >= EMPHASIS_CHARS_MAX {
            return MarksRead::Text(marks);
        }
        if letter == mark {
            let closing = row(&text[at..]);
            let next = text[at + closing..].chars().next();
            if next.is_none() && !is_end {
                return MarksRead::Open;
            }
            (at, count) = (at + closing, count + closing);
            if closing == marks && !last.is_whitespace() {
                if !next.is_some_and(char::is_alphanumeric) {
                    return MarksRead::Emphasis { marks, read: at };
                }
            } else if closing == marks && next.is_some_and(|next| !next.is_whitespace()) {
                // Another one opens, so that this one is never closed.
                return MarksRead::Text(marks);
            }
        } else {
            (at, count) = (at + letter.len_utf8(), count + 1);
        }
        last = letter;
    }
    open()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EMPHASIS_CHARS_MAX, Emphasis, EmphasisReader, emphasised};

    /// The text with `<i>` and `<b>` in the place of codes.
    fn tagged(text: &str) -> String {
        let tags =
            [("[3m", "<i>"), ("[23m", "</i>"), ("[4m", "<u>"), ("[24m", "</u>"), ("[1m", "<b>")];
        let text = tags
            .iter()
            .fold(text.to_owned(), |text, (code, tag)| text.replace(&format!("\u{1b}{code}"), tag));
        text.replace("\u{1b}[22m", "</b>")
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(tagged(&emphasised(text, Emphasis::Italic)), expect, "{text}");
    }

    #[test]
    fn marks_around_words_are_emphasis() {
        check("It is *very* old.", "It is <i>very</i> old.");
        check("“You _knew_,” she says.", "“You <i>knew</i>,” she says.");
        check("*I wait.*", "<i>I</i> <i>wait.</i>");
        check("a **loud** bang", "a <b>loud</b> bang");
        check("*She said _no_.*", "<i>She</i> <i>said</i> <i>no.</i>");
        check("(*so*)—*then*!", "(<i>so</i>)—<i>then</i>!");
        check("*one* and _two_ and *three*", "<i>one</i> and <i>two</i> and <i>three</i>");
    }

    #[test]
    fn marks_that_are_not_balanced_or_stand_inside_words_are_text() {
        for text in [
            "2*3*4",
            "a_name_of_a_file",
            "* * *",
            "***",
            "a *word",
            "a word*",
            "*a\nb*",
            "* no *",
            "**two*",
            "_",
            "",
            "5 * 3 * 2",
        ] {
            check(text, text);
        }
        let long = format!("*{}*", "x".repeat(EMPHASIS_CHARS_MAX + 1));
        check(&long, &long);
        check("*open and *closed*", "*open and <i>closed</i>");
    }

    #[test]
    fn each_terminal_shows_it_as_it_can_and_a_pipe_as_it_is_written() {
        let text = "It is *very* **very** old.";
        let shown = |shown| tagged(&emphasised(text, shown));
        assert_eq!(shown(Emphasis::Marks), text);
        assert_eq!(shown(Emphasis::Plain), "It is very very old.");
        assert_eq!(shown(Emphasis::Italic), "It is <i>very</i> <b>very</b> old.");
        assert_eq!(shown(Emphasis::Underline), "It is <u>very</u> <b>very</b> old.");
    }

    #[test]
    fn a_mark_waits_for_the_one_that_closes_it() {
        let mut reader = EmphasisReader::new(Emphasis::Italic);
        let mut feed = |text: &str| tagged(&reader.feed(text));
        assert_eq!(feed("It is *ve"), "It is ");
        assert_eq!(feed("ry"), "");
        assert_eq!(feed("*"), "");
        assert_eq!(feed(" old *and"), "<i>very</i> old ");
        assert_eq!(feed("\n"), "*and\n");
        assert_eq!(feed("_x"), "");
        assert_eq!(reader.finish(), "_x");
    }

    proptest! {
        #[test]
        fn pieces_read_like_the_whole(text in "[ab .*_\n]{0,40}", at in 0usize..40, then in 0usize..40) {
            let cut = |at: usize| text.chars().take(at).map(char::len_utf8).sum::<usize>();
            let (one, two) = (cut(at.min(then)), cut(at.max(then)));
            let mut reader = EmphasisReader::new(Emphasis::Italic);
            let pieces = [&text[..one], &text[one..two], &text[two..]];
            let mut read: String = pieces.iter().map(|piece| reader.feed(piece)).collect();
            read += &reader.finish();
            prop_assert_eq!(read, emphasised(&text, Emphasis::Italic));
        }

        #[test]
        fn no_letter_is_lost(text in "[ab .*_\n]{0,40}") {
            let letters = |text: &str| text.replace(['*', '_'], "");
            prop_assert_eq!(letters(&emphasised(&text, Emphasis::Plain)), letters(&text));
        }
    }
}
