//! `narratoria run`: one sentence, one turn, until there are no more.

mod skills;

use std::{io, pin::pin};

use narratoria::{
    engine::{
        Choice, ErrorKind, Options, Request, Reviewer, Session, Turn, TurnError, Unfinished, Update,
    },
    story::TurnOutcome,
};
use serde_json::Value;

use super::{
    args::{Format, RunArgs},
    command::{Typed, help, understand},
    error::CliError,
    exit::Exit,
    interrupt::Interrupts,
    lines::{self, Line, Lines, Wanted},
    narrator::{self, Coming, Narrator},
    people::People,
    review::TableReviewer,
    screen::SharedScreen,
    settings::Settings,
    setup,
};
use crate::ui::{Json, Look, Out, Plain, Screen, Status, Tone, choices_list, note, report};

/// A session at the table.
struct Play {
    session: Session,
    screen: SharedScreen,
    err: Out,
    interrupts: Interrupts,
    lines: Lines,
    /// The model, if one is on its way.
    coming: Coming,
    look: Look,
    /// Whether somebody sits there who can be asked.
    asks: bool,
    /// With `--review`.
    reviewer: Option<TableReviewer>,
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
    let status = Status::default();
    let Narrator { planner, text, coming } =
        narrator::for_play(&settings, &args.planner, &status, &mut err)?;
    let name = setup::story_name(&args.story)?;
    let story = setup::story(&settings, &name, args.planner.seed.seed, &mut err)?;
    let (folder, progress) = (story.folder().to_owned(), skills::progress(status.clone()));
    let (kit, stock) = setup::kit_for_play(&settings, folder, text, progress, &mut err)?;
    let repeatable = args.planner.seed.seed.is_some();
    let options = Options { repeatable, ..setup::options(&settings, args.people) };
    let mut session = setup::session(kit, story, planner, options);
    session.follow(stock);
    let interrupts = Interrupts::listen(look)?;
    let lines = lines::of_player(&settings, &interrupts, status, &mut err)?;
    let plain = settings.format == Format::Plain;
    let screen = if plain {
        Screen::Plain(Box::new(Plain::new(Out::stdout(look), Out::stderr(look), look)))
    } else {
        Screen::Json(Json::new(Out::stdout(look)))
    };
    let screen = SharedScreen::new(screen);
    let (reads, stops, shows) = (lines.clone(), interrupts.clone(), Some(screen.clone()));
    let review = || TableReviewer::new(&settings, reads, stops, shows);
    let reviewer = args.people.review.then(review).transpose()?;
    let mut play = Play {
        session,
        screen,
        err,
        interrupts,
        lines,
        coming,
        look,
        asks: settings.terminal.typed && plain,
        reviewer,
        choices: Vec::new(),
        commands: plain,
        forgiving: settings.terminal.typed,
        exit: Exit::Done,
    };
    play.open(look.interactive && plain);
    if !play.forgiving {
        play.read_up().await;
    }
    if play.offer_to_resume().await? == Next::Line {
        play.until_the_end().await?;
    }
    play.close()
}

impl Play {
    /// Says hello, and where the story was left.
    fn open(&mut self, greeted: bool) {
        self.screen.lock().show(&self.session.started());
        let coming = self.session.skills_coming();
        self.note_skills(&coming, |names| {
            format!("compiling {names} meanwhile; that happens once")
        });
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
            self.screen.lock().say(&format!("{}\n\n", last.narration.trim_end()));
            if !self.choices.is_empty() {
                self.screen.lock().say(&format!("{}\n", choices_list(&self.choices)));
            }
        }
    }

    /// A pipe has its sentences ready; the voice takes its time first.
    async fn read_up(&mut self) {
        let leave = self.interrupts.leave();
        tokio::select! {
            biased;
            () = leave.cancelled() => {}
            () = self.session.read_up() => {}
        }
    }

    async fn until_the_end(&mut self) -> Result<(), CliError> {
        // Whether the last thing was Ctrl-C in the line editor.
        let mut pressed = false;
        while !self.screen.lock().out().is_gone() {
            self.session.prepare();
            for news in self.coming.take_news() {
                note(&mut self.err, Tone::Aside, "note", &news);
            }
            let screen = &self.screen;
            self.session.tell_skills(&mut |update| screen.lock().show(&update));
            let Some(line) = self.line(Wanted::Sentence).await? else { return Ok(()) };
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

    /// The next line; none when the program is to leave.
    async fn line(&mut self, wanted: Wanted<'_>) -> Result<Option<Line>, CliError> {
        let leave = self.interrupts.leave();
        let line = {
            let mut ready = pin!(self.coming.ready());
            let mut next = pin!(self.lines.next(wanted));
            let mut stirred = pin!(self.session.skills_stirred());
            let mut is_ready = false;
            loop {
                tokio::select! {
                    biased;
                    () = leave.cancelled() => break None,
                    line = &mut next => break Some(line),
                    // The model came while somebody types: it reads what it can until they are done.
                    () = &mut ready, if !is_ready => {
                        is_ready = true;
                        self.session.prepare();
                    }
                    // So did a skill. It is told when the line is there, which nothing may disturb.
                    () = &mut stirred => {
                        self.session.prepare();
                        stirred.set(self.session.skills_stirred());
                    }
                }
            }
        };
        if line.is_none() {
            self.lines.take_back().await;
        }
        let line =
            line.transpose().map_err(|why| CliError::Terminal { action: "read a line", why })?;
        if leave.is_cancelled() {
            self.exit = Exit::Interrupted;
            return Ok(None);
        }
        Ok(line)
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
            Typed::Skills => skills::list(&mut self.session),
            Typed::Help => help(),
            Typed::Mistaken(instead) => {
                note(&mut self.err, Tone::Hint, "hint", instead);
                String::new()
            }
        };
        self.screen.lock().print(&answer);
        self.choices = choices;
        Next::Line
    }

    async fn turn(&mut self, sentence: &str) -> Next {
        if !self.await_skills().await {
            return Next::Leave;
        }
        self.play(Some(sentence)).await
    }

    /// A turn of a sentence; without one, the turn that a process has left unfinished.
    async fn play(&mut self, sentence: Option<&str>) -> Next {
        let interrupts = self.interrupts.clone();
        let running = interrupts.begin_turn(Some(self.screen.clone()));
        let cancel = running.cancel.clone();
        let mut started = None;
        let (desk, screen) = (self.session.desk(), self.screen.clone());
        let (people, bell) = People::new(desk, self.lines.clone(), Some(screen.clone()), self.look);
        let mut show = |update: Update| {
            if let Update::TurnStarted { turn, .. } = &update {
                started = Some(*turn);
            }
            bell.hear(&update);
            let mut screen = screen.lock();
            screen.show(&update);
            if screen.out().is_gone() {
                // Nobody listens any more.
                cancel.cancel();
            }
        };
        let reviewer = self.reviewer.as_mut().map(|reviewer| reviewer as &mut dyn Reviewer);
        let session = &mut self.session;
        let work = async {
            match sentence {
                Some(prompt) => {
                    let request = Request { prompt, plan: None, reviewer };
                    session.play(request, &running.cancel, &mut show).await.map(Some)
                }
                None => session.resume(reviewer, &running.cancel, &mut show).await,
            }
        };
        let ended = people.attended(&interrupts, &running.cancel, work).await;
        let was_stopped = running.cancel.is_cancelled();
        drop(running);
        match ended {
            None => {
                self.exit = Exit::Interrupted;
                Next::Leave
            }
            Some(Ok(None)) => Next::Line,
            Some(Ok(Some((turn, _)))) => {
                self.finished(turn, was_stopped);
                Next::Line
            }
            Some(Err(error)) => {
                let kind = error.kind;
                self.screen.lock().show(&failure(started, &error));
                self.remember(kind.into());
                if kind == ErrorKind::Internal { Next::Leave } else { Next::Line }
            }
        }
    }

    /// A turn that a process has left in its middle comes first: nothing else may happen before it is told
    /// or dropped. Whoever sits at a terminal is asked; a pipe goes on with it.
    async fn offer_to_resume(&mut self) -> Result<Next, TurnError> {
        let Some(unfinished) = self.session.unfinished()? else { return Ok(Next::Line) };
        let Unfinished { prompt, finished, steps, is_stale, .. } = unfinished;
        if is_stale {
            self.session.drop_unfinished()?;
            let text = format!(
                "the turn `{prompt}` was cut short, and the story has moved on without it: forgotten"
            );
            note(&mut self.err, Tone::Warning, "note", &text);
            return Ok(Next::Line);
        }
        let text = format!(
            "the turn `{prompt}` was cut short; {finished} of {steps} steps of its plan are done"
        );
        note(&mut self.err, Tone::Warning, "note", &text);
        if self.asks {
            match self.asked_to_go_on().await? {
                Some(true) => {}
                Some(false) => {
                    self.session.drop_unfinished()?;
                    let text = "dropped; the story is as it was before it";
                    note(&mut self.err, Tone::Aside, "note", text);
                    return Ok(Next::Line);
                }
                None => return Ok(Next::Leave),
            }
        } else {
            note(&mut self.err, Tone::Aside, "note", "going on with it");
        }
        // Its plan may need any of them.
        if !self.await_all_skills().await {
            return Ok(Next::Leave);
        }
        Ok(self.play(None).await)
    }

    /// Whether the player wants to. None when they leave: it can be asked again another time.
    async fn asked_to_go_on(&mut self) -> Result<Option<bool>, CliError> {
        loop {
            let wanted = Wanted::Answer("go on with it? [Y/n]> ");
            let Some(line) = self.line(wanted).await? else { return Ok(None) };
            let word = match line {
                Line::Sentence(line) => line.trim().to_lowercase(),
                Line::Bad { .. } => "?".to_owned(),
                Line::Interrupted => {
                    self.exit = Exit::Interrupted;
                    return Ok(None);
                }
                Line::End => return Ok(None),
            };
            match word.as_str() {
                "" | "y" | "yes" => return Ok(Some(true)),
                "n" | "no" => return Ok(Some(false)),
                _ => {
                    let ways = "Enter goes on with it, `n` drops it and leaves the story as it \
                                was before it, Ctrl-D leaves it for another time";
                    note(&mut self.err, Tone::Hint, "hint", ways);
                }
            }
        }
    }

    fn finished(&mut self, turn: Turn, was_stopped: bool) {
        if turn.outcome == TurnOutcome::Cancelled && !self.screen.lock().out().is_gone() {
            // Otherwise whoever reviewed the plan did not want it to run.
            self.remember(if was_stopped { Exit::Interrupted } else { Exit::Refused });
        }
        self.choices = turn.choices;
    }

    /// A line that never became a turn.
    fn failed(&mut self, error: TurnError) {
        if !self.commands {
            self.screen.lock().show(&failure(None, &error));
        }
        report(&mut self.err, &error);
        self.remember(error.kind.into());
    }

    /// Somebody at a terminal has seen the message; a pipe has only the exit code.
    fn remember(&mut self, exit: Exit) {
        if !self.forgiving || exit == Exit::Internal {
            self.exit = self.exit.max(exit);
        }
    }

    fn close(self) -> Result<Exit, TurnError> {
        self.screen.lock().show(&self.session.finished());
        match self.screen.lock().out().failure() {
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
