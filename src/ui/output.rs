//! A stream to a person or a program that may close it at any time.

use std::{
    io::{self, ErrorKind, IsTerminal, Write},
    process::Stdio,
};

/// What is known of where the output goes; never asked for here, always handed in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns to wrap prose at; `None` leaves lines as they are.
    pub(crate) width: Option<usize>,
    /// Whether stdout takes colour.
    pub(crate) colour_out: bool,
    /// Whether stderr takes colour.
    pub(crate) colour_err: bool,
    /// Whether a person sits there and types: prompt, greeting, list of choices.
    pub(crate) interactive: bool,
    /// Whether drawings must do without the lines of Unicode.
    pub(crate) ascii: bool,
    /// Set when stderr is a terminal on which lines may be drawn again.
    pub(crate) live: Option<TerminalSize>,
}

impl Look {
    /// For text that stands on stderr in stdout's place. `interactive` says whether somebody types.
    pub(crate) fn of_stderr(self, interactive: bool) -> Look {
        let width = self.live.map(|area| area.columns).map(|columns| match self.width {
            Some(width) => width.min(columns),
            None => columns,
        });
        Look { width, colour_out: self.colour_err, interactive, ..self }
    }
}

/// Size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// Which of the process's streams are terminals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TerminalStreams {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

/// Looks at the process's streams.
pub(crate) fn streams() -> TerminalStreams {
    TerminalStreams {
        stdin: io::stdin().is_terminal(),
        stdout: io::stdout().is_terminal(),
        stderr: io::stderr().is_terminal(),
    }
}

/// Where the words of a program go that we start: to our stderr, as they are.
pub(crate) fn tool_stdio() -> Stdio {
    io::stderr().into()
}

/// What colour adds to words that already say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Error,
    Warning,
    Hint,
    Notice,
    Strong,
    Added,
    Removed,
}

/// A stream that remembers whether it is still there.
pub(crate) struct Out {
    to: Box<dyn Write + Send>,
    colour: bool,
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

    /// The text in this colour, when there is colour at all.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        if colour && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", self.code())
        } else {
            text.to_owned()
        }
    }
}

impl Out {
    /// Over any writer.
    pub(crate) fn new(to: impl Write + Send + 'static, colour: bool) -> Out {
        Out { to: Box::new(to), colour, failure: None }
    }

    /// The process's stdout.
    pub(crate) fn stdout(look: Look) -> Out {
        Out::new(io::stdout(), look.colour_out)
    }

    /// The process's stderr.
    pub(crate) fn stderr(look: Look) -> Out {
        Out::new(io::stderr(), look.colour_err)
    }

    /// Writes all of it at once, so that a reader never waits for the rest of a line. After the first
    /// failure nothing more is tried.
    pub(crate) fn write(&mut self, text: &str) {
        if self.failure.is_none()
            && let Err(error) = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush())
        {
            self.failure = Some(error);
        }
    }

    /// The text in its colour, when there is colour at all.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        tone.paint(text, self.colour)
    }

    /// Whether writing on is pointless.
    pub(crate) fn is_gone(&self) -> bool {
        self.failure.is_some()
    }

    /// Why, unless the reader has simply gone away, which is its good right.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref().filter(|error| error.kind() != ErrorKind::BrokenPipe)
    }
}

/// The process's stdout for what is not text, and not for people.
pub(crate) fn raw_stdout() -> impl Write {
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

    use super::{CapturedOutput, Out, Tone};

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
    fn a_reader_that_left_is_no_failure_but_a_full_disk_is() {
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
}
