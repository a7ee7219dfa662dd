//! The source of the player's sentences: a line editor, or any stream of lines. A thread of its own reads one line
//! for each request, so that a blocked read never delays a signal and no line is read ahead of its turn.

use std::{
    fs,
    io::{self, BufRead, ErrorKind, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc as blocking,
    },
    thread,
    time::Duration,
};

use narratoria_engine::PROMPT_BYTES_MAX;
use narratoria_skills::{OutsideFileError, open_outside};
use reedline::{EditCommand, Reedline, Signal};
use tokio::{
    sync::{Mutex, mpsc},
    time::timeout,
};

use super::{
    args::Format, error::CliError, interrupt::Interrupts, player_line::COMMANDS,
    settings::CliSettings,
};
use narratoria_ui::{
    CompletionNames, EditorPrompt, HiddenEcho, Out, PROMPT, PromptStatus, Tone, TypedKeys,
    complete_lines, note, open_editor, suspend,
};

/// How long a line editor may take to give the terminal back; it looks ten times a second.
const EDITOR_EXIT_MAX: Duration = Duration::from_millis(500);

/// Purpose of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinePurpose<'a> {
    /// The line becomes a turn of the story.
    Sentence,
    /// The line answers a question. Only a person sees the prompt.
    Answer(&'a str),
}

/// Result of a request for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineInput {
    /// The line as typed, without its end. A block that was pasted into a line editor has several lines.
    Sentence(String),
    /// A line that cannot be played. The next one may be good.
    Bad {
        /// Counted from 1; a line editor has no numbers.
        line_no: Option<u64>,
        why: BadLine,
    },
    /// Ctrl-C in the line editor.
    Interrupted {
        /// True if the player has typed since the last Ctrl-C.
        typed: bool,
    },
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

impl LineInput {
    /// A line that has no number, from an editor or another part of the program.
    fn of_line(line: String) -> LineInput {
        if line.len() <= PROMPT_BYTES_MAX {
            return LineInput::Sentence(line);
        }
        LineInput::Bad { line_no: None, why: BadLine::TooLong { limit: PROMPT_BYTES_MAX } }
    }
}

/// Lines, one at a time. Clones read from one source; requests are served in order.
#[derive(Clone)]
pub(super) struct LineSource {
    requests: blocking::Sender<LineRequest>,
    receiver: Arc<Mutex<LineReceiver>>,
    /// Makes a line editor give the terminal back. `None` for a stream.
    break_editor: Option<Arc<AtomicBool>>,
    /// The names that a line editor completes.
    names: CompletionNames,
    /// Hides the echo of the terminal, because a line editor draws the typed text itself.
    _echo: Option<Arc<HiddenEcho>>,
}

/// A request for a line, with its prompt. Answers do not enter the history.
struct LineRequest {
    prompt: String,
    is_answer: bool,
}

/// The reading thread's side of the channel.
struct LineReceiver {
    from_thread: mpsc::UnboundedReceiver<io::Result<LineInput>>,
    /// True if the requester of a line stopped waiting before it came.
    has_open_request: bool,
    /// The output for the prompt, if a person types.
    prompt_out: Option<Out>,
    prompts: PromptPolicy,
}

/// Kind of input that a prompt precedes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptPolicy {
    /// Programs write sentences, which need no prompt; a person answers questions.
    ByEditor,
    /// A program gets the sentences' news, a person answers.
    Answers,
    All,
}

/// Opens the source for play: a line editor with history if the terminal can draw one.
pub(super) fn open_for_play(
    settings: &CliSettings,
    interrupts: &Interrupts,
    status: PromptStatus,
    err: &mut Out,
) -> Result<LineSource, CliError> {
    let terminal = settings.terminal;
    if !terminal.editable || settings.format != Format::Plain {
        return open_stdin(settings);
    }
    let typed = TypedKeys::default();
    let open = |history| {
        let break_editor = interrupts.break_editor().clone();
        open_editor(history, break_editor, terminal.look.colour_out, typed.clone())
    };
    let history = settings.home()?.history();
    close_to_others(&history);
    // The editor would wait for the writer of a pipe.
    let is_fine = match open_outside(&history) {
        Ok(_) | Err(OutsideFileError::Missing) => Ok(()),
        Err(error) => Err(format!("`{}` {error}", history.display())),
    };
    let opened = is_fine.and_then(|()| open(Some(history)).map_err(|error| error.to_string()));
    let editor = match opened {
        Ok(editor) => editor,
        Err(error) => {
            let text = format!("what you type is not remembered: {error}");
            note(err, Tone::Warning, "warning", &text);
            open(None).map_err(|error| cannot_read(io::Error::other(error)))?
        }
    };
    let answers = open(None).map_err(|error| cannot_read(io::Error::other(error)))?;
    let names = CompletionNames::default();
    let editor = complete_lines(editor, COMMANDS, names.clone(), typed.clone());
    let lines = open_editors((editor, answers), typed, status, settings, interrupts)?;
    Ok(LineSource { names, ..lines })
}

/// Creates the history, readable by its owner alone, because it has every line that the player typed. If that fails,
/// opening the history reports why.
fn close_to_others(history: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
        if let Some(home) = history.parent() {
            let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(home);
        }
        let mut options = fs::OpenOptions::new();
        let created = options.append(true).create_new(true).mode(0o600).open(history);
        if created.is_err() && history.symlink_metadata().is_ok_and(|found| found.is_file()) {
            let _ = fs::set_permissions(history, fs::Permissions::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    let _ = history;
}

/// Opens the source for approvals, answers and reviews only.
pub(super) fn open_for_requests(
    settings: &CliSettings,
    interrupts: &Interrupts,
) -> Result<LineSource, CliError> {
    let terminal = settings.terminal;
    if !terminal.editable {
        return open_stdin(settings);
    }
    let typed = TypedKeys::default();
    let open = || {
        let break_editor = interrupts.break_editor().clone();
        open_editor(None, break_editor, terminal.look.colour_out, typed.clone())
            .map_err(|error| cannot_read(io::Error::other(error)))
    };
    let editors = (open()?, open()?);
    open_editors(editors, typed, PromptStatus::default(), settings, interrupts)
}

/// Reads from line editors, one for sentences and one for answers, that share their `typed`.
fn open_editors(
    editors: (Reedline, Reedline),
    typed: TypedKeys,
    status: PromptStatus,
    settings: &CliSettings,
    interrupts: &Interrupts,
) -> Result<LineSource, CliError> {
    let person = Out::stderr(settings.terminal.look);
    let break_editor = interrupts.break_editor().clone();
    LineSource::from_editors(editors, typed, status, person, break_editor).map_err(cannot_read)
}

fn open_stdin(settings: &CliSettings) -> Result<LineSource, CliError> {
    let terminal = settings.terminal;
    let person = terminal.is_interactive.then(|| Out::stderr(terminal.look));
    let prompts =
        if settings.format == Format::Plain { PromptPolicy::All } else { PromptPolicy::Answers };
    LineSource::from_stream(io::BufReader::new(io::stdin()), person, prompts).map_err(cannot_read)
}

fn cannot_read(why: io::Error) -> CliError {
    CliError::Terminal { action: "read the terminal", why }
}

impl LineSource {
    /// Reads from line editors, one for each kind of line.
    fn from_editors(
        (mut sentences, mut answers): (Reedline, Reedline),
        typed: TypedKeys,
        status: PromptStatus,
        person: Out,
        break_editor: Arc<AtomicBool>,
    ) -> io::Result<LineSource> {
        status.attach_to(&mut sentences);
        let lines = LineSource::spawn(Some(person), PromptPolicy::ByEditor, move |ask| {
            let (editor, status) = match ask.is_answer {
                true => (&mut answers, PromptStatus::default()),
                false => (&mut sentences, status.clone()),
            };
            let ready = EditorPrompt { prompt: &ask.prompt, status };
            let signal = loop {
                match editor.read_line(&ready).map_err(io::Error::other)? {
                    Signal::HostCommand(_) => suspend(),
                    signal => break signal,
                }
            };
            // Writes at once, so that a crash loses no typed line. A history that cannot be written
            // is not worth an error at every line.
            let _ = editor.sync_history();
            if let Signal::ExternalBreak(_) = signal {
                // Half an answer to one question must not become half of one to the next.
                editor.run_edit_commands(&[EditCommand::Clear]);
            }
            Ok(match signal {
                Signal::Success(line) => LineInput::of_line(line),
                Signal::CtrlC => LineInput::Interrupted { typed: typed.take() },
                _ => LineInput::End,
            })
        })?;
        let echo = Some(Arc::new(HiddenEcho::begin()));
        Ok(LineSource { break_editor: Some(break_editor), _echo: echo, ..lines })
    }

    /// Reads from a stream; `person` shows prompts to a player who types without an editor.
    fn from_stream(
        mut from: impl BufRead + Send + 'static,
        person: Option<Out>,
        prompts: PromptPolicy,
    ) -> io::Result<LineSource> {
        let mut line_no = 0;
        LineSource::spawn(person, prompts, move |_| {
            line_no += 1;
            read_line(&mut from, line_no)
        })
    }

    /// Takes lines of another part of the program, which learns each time that one is wanted.
    pub(super) fn from_channel(
        lines: blocking::Receiver<String>,
        mut wanted: impl FnMut() + Send + 'static,
    ) -> io::Result<LineSource> {
        LineSource::spawn(None, PromptPolicy::ByEditor, move |_| {
            wanted();
            Ok(lines.recv().map_or(LineInput::End, LineInput::of_line))
        })
    }

    fn spawn(
        person: Option<Out>,
        prompts: PromptPolicy,
        mut read: impl FnMut(LineRequest) -> io::Result<LineInput> + Send + 'static,
    ) -> io::Result<LineSource> {
        let (ask, asked) = blocking::channel();
        let (answers, from_thread) = mpsc::unbounded_channel();
        thread::Builder::new().name("lines".to_owned()).spawn(move || {
            while let Ok(ask) = asked.recv() {
                if answers.send(read(ask)).is_err() {
                    break;
                }
            }
        })?;
        let answers =
            LineReceiver { from_thread, has_open_request: false, prompt_out: person, prompts };
        Ok(LineSource {
            requests: ask,
            receiver: Arc::new(Mutex::new(answers)),
            break_editor: None,
            names: CompletionNames::default(),
            _echo: None,
        })
    }

    /// Returns the names that a line editor completes.
    pub(super) fn names(&self) -> &CompletionNames {
        &self.names
    }

    /// Requests a line, or takes the line of an abandoned request if there is one.
    pub(super) async fn next(&self, wanted: LinePurpose<'_>) -> io::Result<LineInput> {
        let mut answers = self.receiver.lock().await;
        let (prompt, is_answer) = match wanted {
            LinePurpose::Sentence => (PROMPT, false),
            LinePurpose::Answer(prompt) => (prompt, true),
        };
        let is_written = match answers.prompts {
            PromptPolicy::ByEditor => false,
            PromptPolicy::Answers => is_answer,
            PromptPolicy::All => true,
        };
        let mut prompt = prompt;
        let is_shown = is_written || answers.prompts == PromptPolicy::ByEditor;
        if let Some(person) = answers.prompt_out.as_mut() {
            prompt = if is_shown { person.lead_to_prompt(prompt) } else { prompt };
            if is_written {
                person.write_as_is(prompt);
            }
        }
        if !answers.has_open_request {
            // Fails only when the thread is gone, and then there is no answer either.
            let _ = self.requests.send(LineRequest { prompt: prompt.to_owned(), is_answer });
            answers.has_open_request = true;
        }
        let line = answers.from_thread.recv().await.unwrap_or(Ok(LineInput::End));
        answers.has_open_request = false;
        line
    }

    /// Abandons the open request, if there is one. A line editor returns the terminal and forgets the typed text;
    /// a stream cannot, so its line goes to the next request.
    pub(super) async fn cancel_request(&self) {
        let mut answers = self.receiver.lock().await;
        if !answers.has_open_request {
            return;
        }
        if let Some(break_editor) = &self.break_editor {
            break_editor.store(true, Ordering::Relaxed);
            if timeout(EDITOR_EXIT_MAX, answers.from_thread.recv()).await.is_ok() {
                answers.has_open_request = false;
                // A line may have been complete before the editor checked the flag.
                break_editor.store(false, Ordering::Relaxed);
            }
        }
        if let Some(person) = &mut answers.prompt_out {
            // The cursor stands behind the prompt.
            person.write_as_is("\n");
        }
    }
}

/// Reads up to the end of the line, and keeps no more than a sentence may have.
fn read_line(from: &mut impl BufRead, line_no: u64) -> io::Result<LineInput> {
    let line_no = Some(line_no);
    let mut bytes = Vec::new();
    // The end `\r\n` takes two bytes more than a sentence may have.
    let limit = PROMPT_BYTES_MAX as u64 + 2;
    if from.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(LineInput::End);
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
        return Ok(LineInput::Bad { line_no, why });
    }
    Ok(match String::from_utf8(bytes) {
        Ok(line) => LineInput::Sentence(line),
        Err(error) => {
            let byte = error.utf8_error().valid_up_to() + 1;
            LineInput::Bad { line_no, why: BadLine::NotUtf8 { byte } }
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

    use narratoria_engine::PROMPT_BYTES_MAX;

    use super::{LineInput, LinePurpose, LineSource, PromptPolicy, read_line};

    /// The lines of a stream that arrives in small pieces, as text.
    #[track_caller]
    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut from = BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
        let mut seen = Vec::new();
        for line_no in 1.. {
            match read_line(&mut from, line_no).unwrap() {
                LineInput::Sentence(text) if text.len() > 40 => {
                    seen.push(format!("{}x", text.len()))
                }
                LineInput::Sentence(text) => seen.push(text),
                LineInput::Bad { line_no, why } => {
                    seen.push(format!("line {} {why}", line_no.unwrap()));
                }
                LineInput::Interrupted { .. } | LineInput::End => break,
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
        let lines =
            LineSource::from_stream(Cursor::new("one\n\u{0}\n"), None, PromptPolicy::All).unwrap();
        assert_eq!(
            lines.next(LinePurpose::Sentence).await.unwrap(),
            LineInput::Sentence("one".to_owned())
        );
        assert_eq!(
            lines.next(LinePurpose::Sentence).await.unwrap(),
            LineInput::Sentence("\u{0}".to_owned())
        );
        assert_eq!(lines.next(LinePurpose::Sentence).await.unwrap(), LineInput::End);
        assert_eq!(lines.next(LinePurpose::Sentence).await.unwrap(), LineInput::End);
    }
}
