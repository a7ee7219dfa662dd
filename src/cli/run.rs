//! `narratoria run`: one sentence, one turn, until there are no more.

mod ending;
mod greeting;
mod menu;
mod names_in_scope;
mod new_world;
mod opening;
mod package;
mod page_play;
mod page_start;
mod pasted_lines;
mod play_session;
mod play_start;
mod premises;
mod recap;
mod replay_order;
mod skills;
mod start;
mod story_orders;
mod unfinished_turn;
#[cfg(feature = "llama")]
mod world_words;

use std::{io, pin::pin};

use narratoria_engine::{FinishedTurn, TurnError, TurnErrorKind, TurnRequest, Update};
use narratoria_story::TurnOutcome;

use menu::MenuOutcome;
pub(super) use page_play::{PageLink, PagePlay, PageReviewer};
pub(super) use page_start::{create_story, open_for_page};
use play_session::{PlayReviewer, PlaySession};
pub(super) use play_start::PlayStart;
pub(super) use replay_order::ReplayOrder;
use start::StartArguments;
#[cfg(feature = "llama")]
use world_words::WorldWriter;

#[cfg(feature = "llama")]
use super::config;
use super::{
    args::{PlannerArgs, RunArgs},
    error::CliError,
    exit::Exit,
    fleet::StepFleet,
    interrupt::Interrupts,
    line_source::{self, LineInput, LinePurpose},
    planner,
    player_line::{PlayerLine, help, parse_player_line, parse_skill_command, pick_choice},
    request_prompter::RequestPrompter,
    review::TerminalReviewer,
    settings::CliSettings,
    shorthand::{Shorthand, command_of_words, expand_shorthand},
    story_order::parse_story_order,
};
use narratoria_ui::{Out, PromptStatus, Tone, choices_list, note, report};

/// The next step after a line.
#[derive(PartialEq, Eq)]
enum LoopStep {
    Continue,
    Exit,
}

/// How a run ended, or what the player chose in its place.
pub(super) enum RunEnd {
    Exit(Exit),
    /// The page, with the settings of the command.
    Page(Box<(CliSettings, PlannerArgs)>),
}

pub(super) async fn run(args: RunArgs) -> Result<RunEnd, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let settings = settings.with_flags(args.people).offline(args.planner.is_offline());
    let settings = settings.with_fleet(StepFleet::open(args.fleet).await?);
    let mut err = Out::stderr(settings.terminal.look);
    let status = PromptStatus::default();
    let arguments = StartArguments {
        story: args.story.as_deref(),
        campaign: args.campaign.as_deref(),
        premise: args.premise.as_deref(),
    };
    let chosen = start::start_choice(&arguments, &settings)?;
    let interrupts = Interrupts::listen_in_session(settings.terminal.look);
    let (choice, lines) = match chosen {
        Some(choice) => (choice, None),
        None => {
            let lines =
                line_source::open_for_play(&settings, &interrupts, status.clone(), &mut err)?;
            match menu::ask(&settings, &lines, &interrupts, &mut err).await? {
                MenuOutcome::Choice(choice) => (*choice, Some(lines)),
                MenuOutcome::Page => {
                    return Ok(RunEnd::Page(Box::new((settings, args.planner))));
                }
                MenuOutcome::Left { interrupted: true } => {
                    return Ok(RunEnd::Exit(Exit::Interrupted));
                }
                MenuOutcome::Left { interrupted: false } => return Ok(RunEnd::Exit(Exit::Done)),
            }
        }
    };
    let planner = planner::for_play(&settings, &args.planner, &status, &mut err)?;
    let seed = args.planner.seed.seed;
    let (mut story, campaign) = start::open(&choice, &settings, seed, &mut err)?;
    #[cfg(feature = "llama")]
    let campaign = match &planner.local_model {
        Some(model) => {
            let time = config::words_time(args.words.words_ms, seed.is_some(), &settings)?;
            let writer = WorldWriter { model: model.clone(), time, interrupts: &interrupts };
            writer.campaign_of(&story, campaign, &choice.premise, &settings, &mut err).await?
        }
        None => campaign,
    };
    if let Some(campaign) = campaign {
        story.set_campaign(&campaign.compiled)?;
    }
    if interrupts.exit_token().is_cancelled() {
        return Ok(RunEnd::Exit(Exit::Interrupted));
    }
    let is_repeatable = seed.is_some();
    let (people, package, premise, only) = (args.people, None, choice.premise, None);
    let start = PlayStart {
        settings,
        story,
        planner,
        people,
        premise,
        is_repeatable,
        status,
        package,
        only,
        lines,
        interrupts: Some(interrupts),
        page: None,
    };
    play(start).await.map(RunEnd::Exit)
}

/// Plays a story to the end of the lines, or one order.
pub(super) async fn play(mut start: PlayStart) -> Result<Exit, TurnError> {
    let only = start.only.take();
    let mut play = PlaySession::open(start, only.is_some())?;
    play.greet(play.look.interactive && play.allows_commands && only.is_none());
    if let Some(order) = only {
        play.play_alone(order).await;
        return play.close();
    }
    if !play.ignores_failures {
        play.prefill_prompt().await;
    }
    if play.offer_to_resume().await? == LoopStep::Continue
        && play.begin_world().await == LoopStep::Continue
    {
        play.play_to_end().await?;
    }
    play.close()
}

impl PlaySession {
    /// A pipe has its sentences ready, so the planner prefills its prompt first.
    async fn prefill_prompt(&mut self) {
        let leave = self.interrupts.exit_token();
        tokio::select! {
            biased;
            () = leave.cancelled() => {}
            () = self.session.prefill() => {}
        }
    }

    async fn play_to_end(&mut self) -> Result<(), CliError> {
        // Ctrl-C in the line editor leaves if the next thing typed is another Ctrl-C.
        let mut is_armed = false;
        while !self.screen.lock().out().is_gone() {
            self.session.prepare();
            for news in self.pending_model.take_news() {
                note(&mut self.err, Tone::Notice, "note", &news);
            }
            let screen = &self.screen;
            self.session.report_skills(&mut |update| screen.lock().show(&update));
            if let Some(package) = &self.package {
                package.report(&mut self.err);
            }
            self.offer_names();
            let Some(line) = self.line(LinePurpose::Sentence).await? else { return Ok(()) };
            let is_interrupt = matches!(line, LineInput::Interrupted { .. });
            let was_armed = std::mem::replace(&mut is_armed, is_interrupt);
            match line {
                LineInput::End => return Ok(()),
                LineInput::Interrupted { typed: false } if was_armed => {
                    self.exit = Exit::Interrupted;
                    return Ok(());
                }
                LineInput::Interrupted { .. } => {
                    note(&mut self.err, Tone::Notice, "note", "Ctrl-C again leaves, Ctrl-D too");
                }
                LineInput::Bad { line_no, why } => {
                    let place = line_no.map(|line_no| format!(" {line_no}")).unwrap_or_default();
                    self.failed(TurnError::new(
                        TurnErrorKind::BadInput,
                        format!("line{place} {why}"),
                    ));
                }
                LineInput::Sentence(text) => {
                    if self.handle_text(&text).await? == LoopStep::Exit {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the next line; `None` if the program must leave.
    async fn line(&mut self, wanted: LinePurpose<'_>) -> Result<Option<LineInput>, CliError> {
        let leave = self.interrupts.exit_token();
        let line = {
            let mut ready = pin!(self.pending_model.ready());
            let mut next = pin!(self.lines.next(wanted));
            let mut skills_changed = pin!(self.session.skills_changed());
            let mut is_ready = false;
            loop {
                tokio::select! {
                    biased;
                    () = leave.cancelled() => break None,
                    line = &mut next => break Some(line),
                    // The model is ready while the player types: it prefills until the line is complete.
                    () = &mut ready, if !is_ready => {
                        is_ready = true;
                        self.session.prepare();
                    }
                    // A skill is ready too. The news waits until the line is complete, so that it does not disturb typing.
                    () = &mut skills_changed => {
                        self.session.prepare();
                        skills_changed.set(self.session.skills_changed());
                    }
                }
            }
        };
        if line.is_none() {
            self.lines.cancel_request().await;
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
    async fn handle_line(&mut self, line: &str) -> LoopStep {
        if let Some(order) = parse_story_order(command_of_words(line).unwrap_or(line)) {
            return self.carry_out(order).await;
        }
        match expand_shorthand(line) {
            None => {}
            Some(Shorthand::Sentence(sentence)) => return self.turn(&sentence).await,
            Some(Shorthand::Again) => return self.repeat().await,
        }
        if !self.allows_commands {
            if let Some(command) = parse_skill_command(line) {
                self.answer_skill_command(command);
                return LoopStep::Continue;
            }
            let choices = self.choices.clone();
            return match (line.trim(), pick_choice(line, &choices)) {
                ("", _) => LoopStep::Continue,
                (_, Some(Ok(sentence))) | (sentence, None) => self.turn(sentence).await,
                (_, Some(Err(why))) => {
                    self.failed(TurnError::new(TurnErrorKind::BadInput, why));
                    LoopStep::Continue
                }
            };
        }
        let choices = self.choices.clone();
        let typed = parse_player_line(line, &choices);
        let answer = match &typed {
            PlayerLine::Sentence(sentence) => return self.turn(sentence).await,
            PlayerLine::Quit => return LoopStep::Exit,
            PlayerLine::Empty => String::new(),
            PlayerLine::Choices if choices.is_empty() => {
                "You were offered no choices.\n".to_owned()
            }
            PlayerLine::Choices => choices_list(&choices),
            PlayerLine::Skills => skills::skills_text(&mut self.session),
            PlayerLine::Enable(name) => {
                self.enable_skill(name);
                String::new()
            }
            PlayerLine::Help => help(),
            PlayerLine::Unknown(instead) => {
                note(&mut self.err, Tone::Hint, "hint", instead);
                String::new()
            }
        };
        self.screen.lock().print(&answer);
        LoopStep::Continue
    }

    /// The last sentence again.
    async fn repeat(&mut self) -> LoopStep {
        let Some(sentence) = self.sentence_to_repeat() else {
            let error = "there is no sentence to repeat yet";
            self.failed(TurnError::new(TurnErrorKind::BadInput, error));
            return LoopStep::Continue;
        };
        if self.is_interactive {
            note(&mut self.err, Tone::Notice, "again", &sentence);
        }
        self.turn(&sentence).await
    }

    async fn turn(&mut self, sentence: &str) -> LoopStep {
        self.last_sentence = Some(sentence.to_owned());
        if !self.await_package().await || !self.await_skills().await {
            return LoopStep::Exit;
        }
        // An undo may have taken back the beginning too.
        if self.is_without_campaign_world() && self.begin_world().await == LoopStep::Exit {
            return LoopStep::Exit;
        }
        self.play(Some(sentence)).await
    }

    /// A turn of a sentence; without one, the turn that a process has left unfinished.
    async fn play(&mut self, sentence: Option<&str>) -> LoopStep {
        let interrupts = self.interrupts.clone();
        let running = interrupts.begin_turn(Some(self.screen.clone()));
        let cancel = running.cancel.clone();
        let mut started = None;
        let (pending, screen) = (self.session.pending_requests(), self.screen.clone());
        screen.lock().set_built_in_skills(self.session.built_in_skills());
        let (prompter, notifier) =
            RequestPrompter::new(pending, self.lines.clone(), Some(screen.clone()), self.look);
        let prompter = if self.is_page { prompter.answered_elsewhere() } else { prompter };
        let quit = prompter.quit_request();
        let mut show = |update: Update| {
            if let Update::TurnStarted { turn, .. } = &update {
                started = Some(*turn);
            }
            notifier.observe(&update);
            let mut screen = screen.lock();
            screen.show(&update);
            if screen.out().is_gone() {
                // The receiver is gone.
                cancel.cancel();
            }
        };
        let reviewer = self.reviewer.as_mut().and_then(PlayReviewer::of_next_plan);
        let plan = self.opening_plan.take();
        let session = &mut self.session;
        let work = async {
            match sentence {
                Some(prompt) => {
                    let request = TurnRequest { prompt, plan, reviewer };
                    session.play(request, &running.cancel, &mut show).await.map(Some)
                }
                None => session.resume(reviewer, &running.cancel, &mut show).await,
            }
        };
        let ended = prompter.run_while_serving(&interrupts, &running.cancel, work).await;
        let was_stopped = running.cancel.is_cancelled();
        drop(running);
        match ended {
            None => {
                self.exit = Exit::Interrupted;
                LoopStep::Exit
            }
            Some(Ok(None)) => LoopStep::Continue,
            Some(Ok(Some((turn, _)))) => {
                let reviewer = self.reviewer.as_ref().and_then(PlayReviewer::terminal);
                let has_failed = reviewer.is_some_and(TerminalReviewer::has_failed);
                let cancelled = match (quit.is_made(), was_stopped) {
                    (true, _) => Exit::Done,
                    (false, true) => Exit::Interrupted,
                    // The reviewer refused the plan.
                    (false, false) => TerminalReviewer::exit(reviewer, Exit::Refused),
                };
                self.finished(turn, cancelled);
                if has_failed || quit.is_made() { LoopStep::Exit } else { LoopStep::Continue }
            }
            Some(Err(error)) => {
                let kind = error.kind;
                self.screen.lock().show(&failure(started, &error));
                self.record_exit(kind.into());
                if kind == TurnErrorKind::Internal { LoopStep::Exit } else { LoopStep::Continue }
            }
        }
    }

    /// `cancelled` is the exit code of a turn that was.
    fn finished(&mut self, turn: FinishedTurn, cancelled: Exit) {
        if turn.outcome == TurnOutcome::Cancelled && !self.screen.lock().out().is_gone() {
            self.record_exit(cancelled);
        }
        self.was_stopped = turn.outcome == TurnOutcome::Cancelled;
        if !turn.choices.is_empty() {
            self.choices = turn.choices;
        }
        self.tell_ending();
    }

    /// A line that never became a turn.
    fn failed(&mut self, error: TurnError) {
        if !self.allows_commands {
            self.screen.lock().show(&failure(None, &error));
        }
        report(&mut self.err, &error);
        self.record_exit(error.kind.into());
    }

    /// A player has seen the message; a pipe has only the exit code.
    fn record_exit(&mut self, exit: Exit) {
        if !self.ignores_failures || exit == Exit::Internal {
            self.exit = self.exit.max(exit);
        }
    }

    fn close(mut self) -> Result<Exit, TurnError> {
        self.record_package();
        self.screen.lock().show(&self.session.finished_update());
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
        kind: error.kind,
        message: error.to_string(),
        hints: error.hints.clone(),
    }
}
