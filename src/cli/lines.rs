//! Where the player's sentences come from: a line editor, or any stream of lines. A thread of its own
//! reads one line when asked, so that a slow reader never holds up a signal, and nobody reads ahead of
//! the turn.

use std::{
    io::{self, BufRead, ErrorKind, Read},
    sync::mpsc as blocking,
    thread,
};

use narratoria::engine::PROMPT_BYTES_MAX;
use reedline::{Reedline, Signal};
use tokio::sync::mpsc;

use crate::ui::{Out, PROMPT, Ready};

/// What came of asking for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// As typed, without its end.
    Sentence(String),
    /// Not something that can be played. The next one may be.
    Bad {
        /// From 1; a line editor has no numbers.
        line_no: Option<u64>,
        why: BadLine,
    },
    /// Ctrl-C in the line editor.
    Interrupted,
    /// Ctrl-D, or the end of the stream.
    End,
}

/// Why a line cannot be played.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadLine {
    #[error("is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("is not UTF-8, byte {byte} is no part of a letter")]
    NotUtf8 { byte: usize },
}

/// Lines, one at a time.
pub(super) struct Lines {
    ask: blocking::Sender<()>,
    answer: mpsc::UnboundedReceiver<io::Result<Line>>,
}

impl Lines {
    /// From a line editor.
    pub(super) fn of_editor(mut editor: Reedline) -> io::Result<Lines> {
        Lines::spawn(move || {
            let signal = editor.read_line(&Ready).map_err(io::Error::other)?;
            // Written at once: a crash must not cost what was typed, and one that cannot be written
            // is not worth an error at every line.
            let _ = editor.sync_history();
            Ok(match signal {
                Signal::Success(line) if line.len() > PROMPT_BYTES_MAX => {
                    Line::Bad { line_no: None, why: BadLine::TooLong { limit: PROMPT_BYTES_MAX } }
                }
                Signal::Success(line) => Line::Sentence(line),
                Signal::CtrlC => Line::Interrupted,
                _ => Line::End,
            })
        })
    }

    /// From a stream. `prompt` is written before each line, for somebody who types without an editor.
    pub(super) fn of_stream(
        mut from: impl BufRead + Send + 'static,
        mut prompt: Option<Out>,
    ) -> io::Result<Lines> {
        let mut line_no = 0;
        Lines::spawn(move || {
            if let Some(out) = &mut prompt {
                out.write(PROMPT);
            }
            line_no += 1;
            read_line(&mut from, line_no)
        })
    }

    fn spawn(mut read: impl FnMut() -> io::Result<Line> + Send + 'static) -> io::Result<Lines> {
        let (ask, asked) = blocking::channel();
        let (answers, answer) = mpsc::unbounded_channel();
        thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || while asked.recv().is_ok() && answers.send(read()).is_ok() {})?;
        Ok(Lines { ask, answer })
    }

    /// Asks for a line.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        // Fails only when the thread is gone, and then there is no answer either.
        let _ = self.ask.send(());
        self.rest().await
    }

    /// The line that was asked for when somebody stopped waiting.
    pub(super) async fn rest(&mut self) -> io::Result<Line> {
        self.answer.recv().await.unwrap_or(Ok(Line::End))
    }
}

/// Reads up to the end of the line, keeps no more of it than may be played.
fn read_line(from: &mut impl BufRead, line_no: u64) -> io::Result<Line> {
    let line_no = Some(line_no);
    let mut bytes = Vec::new();
    // Two more than a sentence may have: `\r\n`.
    let limit = PROMPT_BYTES_MAX as u64 + 2;
    if from.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(Line::End);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    } else if bytes.len() as u64 == limit {
        skip_line(from)?;
    }
    if bytes.len() > PROMPT_BYTES_MAX {
        let why = BadLine::TooLong { limit: PROMPT_BYTES_MAX };
        return Ok(Line::Bad { line_no, why });
    }
    Ok(match String::from_utf8(bytes) {
        Ok(line) => Line::Sentence(line),
        Err(error) => {
            let byte = error.utf8_error().valid_up_to() + 1;
            Line::Bad { line_no, why: BadLine::NotUtf8 { byte } }
        }
    })
}

/// Reads on to the end of the line without keeping anything.
fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (consumed, ended) = match from.fill_buf() {
            Ok([]) => return Ok(()),
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        from.consume(consumed);
        if ended {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use narratoria::engine::PROMPT_BYTES_MAX;

    use super::{Line, Lines, read_line};

    /// The lines of a stream that arrives in small pieces, as text.
    #[track_caller]
    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut from = BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
        let mut seen = Vec::new();
        for line_no in 1.. {
            match read_line(&mut from, line_no).unwrap() {
                Line::Sentence(text) if text.len() > 40 => seen.push(format!("{}x", text.len())),
                Line::Sentence(text) => seen.push(text),
                Line::Bad { line_no, why } => {
                    seen.push(format!("line {} {why}", line_no.unwrap()));
                }
                Line::Interrupted | Line::End => break,
            }
        }
        seen
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(lines(b"one\ntwo\r\n\nlast"), ["one", "two", "", "last"]);
        assert_eq!(lines(b""), Vec::<String>::new());
    }

    #[test]
    fn a_line_that_is_no_text_costs_only_itself() {
        assert_eq!(
            lines(b"one\nab\xff\ntwo\n"),
            ["one", "line 2 is not UTF-8, byte 3 is no part of a letter", "two"]
        );
    }

    #[test]
    fn the_longest_line_passes_and_one_byte_more_does_not() {
        let longest = "x".repeat(PROMPT_BYTES_MAX);
        let fits = format!("{PROMPT_BYTES_MAX}x");
        let refused = format!("line 1 is longer than {PROMPT_BYTES_MAX} bytes");
        for end in ["", "\n", "\r\n"] {
            assert_eq!(lines(format!("{longest}{end}").as_bytes()), [fits.as_str()], "{end:?}");
            assert_eq!(lines(format!("{longest}x{end}").as_bytes()), [refused.as_str()], "{end:?}");
        }
        let endless = format!("{}\nnext", longest.repeat(3));
        assert_eq!(lines(endless.as_bytes()), [refused.as_str(), "next"]);
    }

    #[tokio::test]
    async fn a_line_is_read_when_it_is_asked_for() {
        let mut lines = Lines::of_stream(Cursor::new("one\n\u{0}\n"), None).unwrap();
        assert_eq!(lines.next().await.unwrap(), Line::Sentence("one".to_owned()));
        assert_eq!(lines.next().await.unwrap(), Line::Sentence("\u{0}".to_owned()));
        assert_eq!(lines.next().await.unwrap(), Line::End);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }
}
