//! The output streams, their colours, and the known facts about the terminal. A reader may close a stream at any time.

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    process::Stdio,
};

use unicode_width::UnicodeWidthStr;

use super::{
    emphasis::{Emphasis, emphasised},
    line_editor::PROMPT,
    wrap::{wrap_lines, wrap_lines_and_words, wrap_prose},
};

/// Widest prose. Wider lines are tiring to read, even on a wider terminal.
const WIDTH_MAX: usize = 100;

/// Narrowest text, because terminals report 0 columns if they do not know.
const WIDTH_MIN: usize = 20;

/// Fewest columns for an answer beside its question.
const ANSWER_COLUMNS_MIN: usize = 12;

/// Facts about the terminal. Always passed in; only [`Look::follow_resize`] looks them up again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Columns at which prose is wrapped; `None` leaves lines as they are.
    pub width: Option<usize>,
    /// True if stdout takes colour.
    pub colour_out: bool,
    /// True if stderr takes colour.
    pub colour_err: bool,
    /// True if a player types at the terminal: then there are a prompt, a greeting and a list of choices.
    pub interactive: bool,
    /// True if drawings use ASCII only.
    pub ascii: bool,
    /// Set if stderr is a terminal on which lines may be redrawn.
    pub live: Option<TerminalSize>,
    /// Columns at which notes and errors on stderr are wrapped.
    pub err_width: Option<usize>,
    /// True if a person may resize the terminal.
    pub is_resizable: bool,
    /// How stdout shows emphasis in the story.
    pub emphasis: Emphasis,
    /// True if every line that skills write into their log is shown.
    pub logs: bool,
}

/// Returns the size of the terminal, if there is one that knows it. Takes one system call.
pub fn terminal_size() -> Option<TerminalSize> {
    let (columns, rows) = window_size()?;
    let size = TerminalSize { columns: columns.into(), rows: rows.into() };
    (size.columns >= WIDTH_MIN).then_some(size)
}

/// Returns columns and rows. Does not use crossterm, which starts `tput` if there is no terminal.
#[cfg(unix)]
fn window_size() -> Option<(u16, u16)> {
    use rustix::termios::tcgetwinsize;
    let size = tcgetwinsize(io::stdout()).or_else(|_| tcgetwinsize(io::stderr())).ok()?;
    Some((size.ws_col, size.ws_row))
}

#[cfg(not(unix))]
fn window_size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

impl TerminalSize {
    /// Returns the columns at which text is wrapped.
    pub fn text_columns(self) -> usize {
        self.columns.min(WIDTH_MAX)
    }
}

impl Look {
    /// The look after the terminal may have been resized.
    pub(super) fn follow_resize(self) -> Look {
        let Some(size) = self.is_resizable.then(terminal_size).flatten() else { return self };
        let columns = |known: Option<usize>| known.map(|_| size.text_columns());
        Look {
            width: columns(self.width),
            err_width: columns(self.err_width),
            live: self.live.map(|_| size),
            ..self
        }
    }

    /// Returns the look for text that goes to stderr instead of stdout.
    pub fn of_stderr(self, interactive: bool) -> Look {
        let width = self.live.map(|area| area.columns).map(|columns| match self.width {
            Some(width) => width.min(columns),
            None => columns,
        });
        Look { width, colour_out: self.colour_err, interactive, ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    pub columns: usize,
    pub rows: usize,
}

/// Tells which of the process's streams are terminals.
#[derive(Debug, Clone, Copy)]
pub struct TerminalStreams {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

pub fn streams() -> TerminalStreams {
    TerminalStreams {
        stdin: io::stdin().is_terminal(),
        stdout: io::stdout().is_terminal(),
        stderr: io::stderr().is_terminal(),
    }
}

/// The output of a child process: this process's stderr, unchanged.
pub fn tool_stdio() -> Stdio {
    io::stderr().into()
}

/// A colour. It only stresses the meaning of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Error,
    Warning,
    Hint,
    Notice,
    Strong,
    Added,
    Removed,
}

/// A stream that remembers its first failure.
pub struct Out {
    to: Box<dyn Write + Send>,
    colour: bool,
    /// Columns at which lines are wrapped.
    width: Option<usize>,
    emphasis: Emphasis,
    is_resizable: bool,
    failure: Option<io::Error>,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Tone::Error => "1;31",
            Tone::Warning => "33",
            Tone::Hint => "36",
            Tone::Notice => "2",
            Tone::Strong => "1",
            Tone::Added => "32",
            Tone::Removed => "31",
        }
    }

    /// Colours the text, if `colour` is set.
    pub fn paint(self, text: &str, colour: bool) -> String {
        if colour && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", self.code())
        } else {
            text.to_owned()
        }
    }
}

impl Out {
    pub fn new(to: impl Write + Send + 'static, colour: bool) -> Out {
        Out {
            to: Box::new(to),
            colour,
            width: None,
            emphasis: Emphasis::default(),
            is_resizable: false,
            failure: None,
        }
    }

    pub fn stdout(look: Look) -> Out {
        let Look { width, is_resizable, emphasis, .. } = look;
        Out { width, is_resizable, emphasis, ..Out::new(io::stdout(), look.colour_out) }
    }

    pub fn stderr(look: Look) -> Out {
        let (width, is_resizable) = (look.err_width, look.is_resizable);
        Out { width, is_resizable, ..Out::new(io::stderr(), look.colour_err) }
    }

    #[cfg(test)]
    pub(super) fn with_width(self, width: Option<usize>) -> Out {
        Out { width, ..self }
    }

    /// Wraps lines at the stream's width.
    pub(super) fn wrap(&self, text: &str) -> String {
        wrap_lines(text, self.columns())
    }

    fn columns(&self) -> Option<usize> {
        let resized = self.width.filter(|_| self.is_resizable).and_then(|_| terminal_size());
        resized.map(TerminalSize::text_columns).or(self.width)
    }

    /// Writes text for people: complete lines, wrapped between words at the width of the terminal. Only
    /// [`Out::write_as_is`] passes by this rule.
    pub fn write(&mut self, text: &str) {
        let wrapped = self.wrap(text);
        self.write_as_is(&wrapped);
    }

    /// Writes text of a story: prose, with its emphasis.
    pub fn tell(&mut self, text: &str) {
        let told = wrap_prose(&emphasised(text, self.emphasis), self.columns());
        self.write_as_is(&told);
    }

    /// Writes complete lines, wrapped so that no part of them stands where a line begins: a person decides by them, and
    /// some of their words are untrusted.
    pub fn write_for_consent(&mut self, text: &str) {
        let wrapped = wrap_lines_and_words(text, self.columns());
        self.write_as_is(&wrapped);
    }

    /// Returns the prompt for a question. A question that leaves too little room for its answer is written above it.
    pub fn lead_to_prompt<'q>(&mut self, question: &'q str) -> &'q str {
        let is_long = |columns: usize| question.width() + ANSWER_COLUMNS_MIN > columns;
        match question.strip_suffix(PROMPT).filter(|_| self.columns().is_some_and(is_long)) {
            Some(words) if !words.is_empty() => {
                self.write(&format!("{words}\n"));
                PROMPT
            }
            _ => question,
        }
    }

    /// Writes and flushes data, and text that is laid out already, so that a reader never waits for the rest of a line.
    /// After the first failure it writes nothing more.
    pub fn write_as_is(&mut self, text: &str) {
        if self.failure.is_none()
            && let Err(error) = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush())
        {
            self.failure = Some(error);
        }
    }

    /// Colours the text, if the stream has colours.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        tone.paint(text, self.colour)
    }

    /// Returns true if a write has failed.
    pub fn is_gone(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns the failure, unless the reader has closed the stream, as it may.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref().filter(|error| error.kind() != ErrorKind::BrokenPipe)
    }
}

/// The process's stdout for bytes.
pub fn raw_stdout() -> impl Write {
    io::stdout()
}

/// A writer that tests can read back.
#[cfg(test)]
#[derive(Clone, Default)]
pub(super) struct CapturedOutput(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

#[cfg(test)]
impl CapturedOutput {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[cfg(test)]
impl Write for CapturedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind, Write};

    use proptest::prelude::*;

    use super::{CapturedOutput, Emphasis, Out, Tone};

    struct ClosedWriter(ErrorKind);

    impl Write for ClosedWriter {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(self.0))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_but_a_full_disk_is() {
        for (kind, is_failure) in [(ErrorKind::BrokenPipe, false), (ErrorKind::StorageFull, true)] {
            let mut out = Out::new(ClosedWriter(kind), false);
            out.write("once upon a time");
            assert!(out.is_gone());
            assert_eq!(out.failure().is_some(), is_failure, "{kind:?}");
        }
    }

    #[test]
    fn without_colour_the_words_stand_alone() {
        assert_eq!(Out::new(CapturedOutput::default(), false).paint(Tone::Error, "error"), "error");
        assert_eq!(
            Out::new(CapturedOutput::default(), true).paint(Tone::Error, "error"),
            "\u{1b}[1;31merror\u{1b}[0m"
        );
    }

    #[test]
    fn a_long_question_stands_above_its_answer() {
        let asked = |question: &str, width| {
            let captured = CapturedOutput::default();
            let mut out = Out::new(captured.clone(), false).with_width(width);
            let prompt = out.lead_to_prompt(question).to_owned();
            format!("{}{prompt}", captured.text())
        };
        let question = "number, or what a story should be about> ";
        assert_eq!(asked(question, None), question);
        assert_eq!(asked(question, Some(60)), question);
        assert_eq!(asked(question, Some(24)), "number, or what a story\n  should be about\n> ");
        assert_eq!(asked("> ", Some(5)), "> ");
    }

    #[test]
    fn a_story_is_told_with_its_emphasis() {
        let told = |emphasis, width| {
            let captured = CapturedOutput::default();
            let mut out = Out { emphasis, width, ..Out::new(captured.clone(), true) };
            out.tell("It is *very* old.\n");
            captured.text()
        };
        assert_eq!(told(Emphasis::Marks, None), "It is *very* old.\n");
        assert_eq!(told(Emphasis::Italic, Some(20)), "It is \u{1b}[3mvery\u{1b}[23m old.\n");
        assert_eq!(told(Emphasis::Plain, Some(8)), "It is\nvery\nold.\n");
    }

    proptest! {
        /// No line for people is cut inside a word that fits.
        #[test]
        fn lines_break_between_words_at_every_width(
            text in "([a-z]{1,19}( {1,3}|, |: |\n|  [0-9]  )){1,30}",
            width in 20usize..120,
        ) {
            let captured = CapturedOutput::default();
            let mut out = Out::new(captured.clone(), false).with_width(Some(width));
            out.write(&text);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&captured.text()), words(&text));
            for line in captured.text().lines() {
                prop_assert!(line.trim_end().len() <= width, "{line:?}");
            }
        }
    }
}
