//! `narratoria run`: one sentence, one turn, until there are no more.

use std::{io, time::Duration};

use narratoria::{
    engine::{Choice, ErrorKind, Session, Setup, Turn, TurnError, Update},
    story::TurnOutcome,
};
use serde_json::Value;

use super::{
    args::{Format, RunArgs},
    command::{Typed, help, understand},
    error::CliError,
    exit::Exit,
    interrupt::Interrupts,
    lines::{Line, Lines},
    settings::Settings,
    setup,
};
use crate::ui::{self, Json, Out, Plain, Screen, Tone, choices_list, note};

/// How long a line editor may take to give the terminal back; it looks ten times a second.
const EDITOR_LEAVES_MAX: Duration = Duration::from_millis(500);

/// A session at the table.
struct Play {
    session: Session,
    screen: Screen,
    err: Out,
    interrupts: Interrupts,
    /// Offered by the last turn.
    choices: Vec<Choice>,
    /// Whether numbers and commands mean something; programs say what they mean.
    commands: bool,
    /// Whether a mistake is forgotten when the player leaves.
    forgiving: bool,
    exit: Exit,
}

/// What follows a line.
#[derive(PartialEq, Eq)]
enum Next {
    Line,
    Leave,
}

pub(super) async fn run(args: RunArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let planner = setup::planner(&args.planner.planner)?;
    let name = setup::story_name(&args.story)?;
    let story = setup::story(&settings, &name, args.planner.seed.seed, &mut err)?;
    let kit = setup::kit(&settings, Some(story.folder().to_owned()), &mut err)?;
    let session = Session::open(Setup {
        catalog: kit.catalog,
        problems: kit.problems,
        scripts: kit.scripts,
        planner,
        story,
        world: setup::world(),
        options: setup::options(),
    });
    let listen = |why| CliError::Terminal { action: "listen for Ctrl-C", why };
    let interrupts = Interrupts::listen(look).map_err(listen)?;
    let mut lines = lines(&settings, &interrupts, &mut err)?;
    let plain = settings.format == Format::Plain;
    let screen = if plain {
        Screen::Plain(Plain::new(Out::stdout(look), Out::stderr(look), look))
    } else {
        Screen::Json(Json::new(Out::stdout(look)))
    };
    let mut play = Play {
        session,
        screen,
        err,
        interrupts,
        choices: Vec::new(),
        commands: plain,
        forgiving: settings.terminal.typed,
        exit: Exit::Done,
    };
    play.open(look.interactive && plain);
    play.until_the_end(&mut lines).await?;
    play.close()
}

/// Where the sentences come from.
fn lines(settings: &Settings, interrupts: &Interrupts, err: &mut Out) -> Result<Lines, CliError> {
    let failed = |why| CliError::Terminal { action: "read the terminal", why };
    let terminal = settings.terminal;
    if terminal.editable && settings.format == Format::Plain {
        let open = |history| {
            let break_editor = interrupts.break_editor().clone();
            ui::open_editor(history, break_editor, terminal.look.colour_out)
        };
        let editor = match open(Some(settings.home()?.history())) {
            Ok(editor) => editor,
            Err(error) => {
                let text = format!("what you type is not remembered: {error}");
                note(err, Tone::Warning, "warning", &text);
                open(None).map_err(|error| failed(io::Error::other(error)))?
            }
        };
        return Lines::of_editor(editor).map_err(failed);
    }
    let prompted = terminal.typed && settings.format == Format::Plain;
    let prompt = prompted.then(|| Out::stderr(terminal.look));
    Lines::of_stream(io::BufReader::new(io::stdin()), prompt).map_err(failed)
}

impl Play {
    /// Says hello, and where the story was left.
    fn open(&mut self, greeted: bool) {
        self.screen.show(&self.session.started());
        let last = match self.session.story().recent(1) {
            Ok(mut turns) => turns.pop(),
            Err(error) => {
                let text = format!("the last turn cannot be read: {error}");
                note(&mut self.err, Tone::Warning, "warning", &text);
                None
            }
        };
        let Some(last) = last else { return };
        self.choices = last.choices.iter().filter_map(offered).collect();
        if greeted {
            self.screen.say(&format!("{}\n\n", last.narration.trim_end()));
            if !self.choices.is_empty() {
                self.screen.say(&format!("{}\n", choices_list(&self.choices)));
            }
        }
    }

    async fn until_the_end(&mut self, lines: &mut Lines) -> Result<(), CliError> {
        let leave = self.interrupts.leave().clone();
        // Whether the last thing was Ctrl-C in the line editor.
        let mut pressed = false;
        while !self.screen.out().is_gone() {
            let line = tokio::select! {
                biased;
                () = leave.cancelled() => {
                    let _ = tokio::time::timeout(EDITOR_LEAVES_MAX, lines.rest()).await;
                    self.exit = Exit::Interrupted;
                    return Ok(());
                }
                line = lines.next() => line,
            };
            let line = line.map_err(|why| CliError::Terminal { action: "read a line", why })?;
            if leave.is_cancelled() {
                self.exit = Exit::Interrupted;
                return Ok(());
            }
            let again = std::mem::replace(&mut pressed, line == Line::Interrupted);
            match line {
                Line::End => return Ok(()),
                Line::Interrupted if again => {
                    self.exit = Exit::Interrupted;
                    return Ok(());
                }
                Line::Interrupted => {
                    note(&mut self.err, Tone::Aside, "note", "Ctrl-C again leaves, Ctrl-D too");
                }
                Line::Bad { line_no, why } => {
                    let place = line_no.map(|line_no| format!(" {line_no}")).unwrap_or_default();
                    self.failed(TurnError::new(ErrorKind::BadInput, format!("line{place} {why}")));
                }
                Line::Sentence(text) => {
                    if self.take(&text).await == Next::Leave {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// One line of the player.
    async fn take(&mut self, line: &str) -> Next {
        if !self.commands {
            return match line.trim() {
                "" => Next::Line,
                sentence => self.turn(sentence).await,
            };
        }
        let choices = std::mem::take(&mut self.choices);
        let typed = understand(line, &choices);
        let answer = match &typed {
            Typed::Sentence(sentence) => return self.turn(sentence).await,
            Typed::Quit => return Next::Leave,
            Typed::Empty => String::new(),
            Typed::Choices if choices.is_empty() => "You were offered no choices.\n".to_owned(),
            Typed::Choices => choices_list(&choices),
            Typed::State => state_text(&self.session),
            Typed::Skills => skills_text(&self.session),
            Typed::Help => help(),
            Typed::Mistaken(instead) => {
                note(&mut self.err, Tone::Hint, "hint", instead);
                String::new()
            }
        };
        self.screen.print(&answer);
        self.choices = choices;
        Next::Line
    }

    async fn turn(&mut self, sentence: &str) -> Next {
        let running = self.interrupts.begin_turn();
        let (cancel, leave) = (running.cancel.clone(), self.interrupts.leave().clone());
        let mut started = None;
        let screen = &mut self.screen;
        let mut show = |update: Update| {
            if let Update::TurnStarted { turn, .. } = &update {
                started = Some(*turn);
            }
            screen.show(&update);
            if screen.out().is_gone() {
                // Nobody listens any more.
                cancel.cancel();
            }
        };
        let ended = tokio::select! {
            biased;
            () = leave.cancelled() => None,
            ended = self.session.turn(sentence, &running.cancel, &mut show) => Some(ended),
        };
        drop(running);
        match ended {
            None => {
                self.exit = Exit::Interrupted;
                Next::Leave
            }
            Some(Ok(turn)) => {
                self.finished(turn);
                Next::Line
            }
            Some(Err(error)) => {
                let kind = error.kind;
                self.screen.show(&failure(started, &error));
                self.remember(kind.into());
                if kind == ErrorKind::Internal { Next::Leave } else { Next::Line }
            }
        }
    }

    fn finished(&mut self, turn: Turn) {
        if turn.outcome == TurnOutcome::Cancelled && !self.screen.out().is_gone() {
            self.remember(Exit::Interrupted);
        }
        self.choices = turn.choices;
    }

    /// A line that never became a turn.
    fn failed(&mut self, error: TurnError) {
        if let Screen::Json(_) = self.screen {
            self.screen.show(&failure(None, &error));
        }
        ui::report(&mut self.err, &error);
        self.remember(error.kind.into());
    }

    /// Somebody at a terminal has seen the message; a pipe has only the exit code.
    fn remember(&mut self, exit: Exit) {
        if !self.forgiving || exit == Exit::Internal {
            self.exit = self.exit.max(exit);
        }
    }

    fn close(mut self) -> Result<Exit, TurnError> {
        self.screen.show(&self.session.finished());
        match self.screen.out().failure() {
            Some(why) => {
                let why = io::Error::new(why.kind(), why.to_string());
                Err(CliError::Terminal { action: "write to stdout", why }.into())
            }
            None => Ok(self.exit),
        }
    }
}

fn failure(turn: Option<u64>, error: &TurnError) -> Update {
    Update::TurnFailed {
        turn,
        kind: error.kind.as_str().to_owned(),
        message: error.to_string(),
        hints: error.hints.clone(),
    }
}

/// A choice as the story kept it.
fn offered(kept: &Value) -> Option<Choice> {
    let text = |field: &str| kept.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(Choice { id: text("id"), label: text("label")?, prompt: text("prompt") })
}

fn state_text(session: &Session) -> String {
    let state = serde_json::to_string_pretty(session.story().state().as_object());
    format!("{}\n", state.expect("a state holds only JSON values"))
}

fn skills_text(session: &Session) -> String {
    let skills = session.catalog().iter();
    skills.map(|skill| format!("  {}: {}\n", skill.name, skill.description)).collect()
}
