//! `narratoria plan …`: one file for each verb.

mod check;
mod diff;
mod export;
mod list;
mod new;
mod outcome;
mod resume;
mod run;
mod show;
mod templates;

use narratoria_engine::{TurnError, Update};
use narratoria_executor::PendingRequests;

use super::{
    args::{Format, InteractionArgs, PlanCommand},
    exit::Exit,
    interrupt::{Interrupts, TurnGuard},
    line_source::{self, LineSource},
    request_prompter::RequestPrompter,
    review::TerminalReviewer,
    screen::SharedScreen,
    settings::CliSettings,
};
use crate::ui::{Look, Out, PlainScreen, Screen};

pub(super) async fn plan(verb: PlanCommand) -> Result<Exit, TurnError> {
    match verb {
        PlanCommand::New(args) => new::new(args).await,
        PlanCommand::Check(args) => check::check(args),
        PlanCommand::Run(args) => run::run(args).await,
        PlanCommand::List(args) => list::list(args),
        PlanCommand::Show(args) => show::show(args),
        PlanCommand::Diff(args) => diff::diff(args),
        PlanCommand::Export(args) => export::export(args),
        PlanCommand::Resume(args) => resume::resume(args).await,
        PlanCommand::SaveTemplate(args) => templates::save(args),
        PlanCommand::Templates(args) => templates::list(args),
    }
}

/// Where somebody sits while a plan runs. What happens is on stderr for people, nowhere for programs, which
/// get it all in the result.
struct PlanTerminal {
    interrupts: Interrupts,
    lines: LineSource,
    screen: Option<SharedScreen>,
    look: Look,
    reviewer: Option<TerminalReviewer>,
}

impl PlanTerminal {
    fn open(settings: &CliSettings, people: InteractionArgs) -> Result<PlanTerminal, TurnError> {
        let look = settings.terminal.look.of_stderr(settings.terminal.is_interactive);
        let interrupts = Interrupts::listen(look)?;
        let lines = line_source::open_for_requests(settings, &interrupts)?;
        let plain = PlainScreen::new(Out::stderr(look), Out::stderr(look), look);
        let screen = (settings.format == Format::Plain).then_some(Screen::Plain(Box::new(plain)));
        let screen = screen.map(SharedScreen::new);
        let (reads, stops, shows) = (lines.clone(), interrupts.clone(), screen.clone());
        let review = || TerminalReviewer::new(settings, reads, stops, shows);
        let reviewer = people.review.then(review).transpose()?;
        Ok(PlanTerminal { interrupts, lines, screen, look, reviewer })
    }

    fn begin_turn(&self) -> TurnGuard<'_> {
        self.interrupts.begin_turn(self.screen.clone())
    }

    /// Receives requests and updates.
    fn prompter(
        &self,
        pending: PendingRequests,
    ) -> (RequestPrompter, impl FnMut(Update) + Send + use<>) {
        let (lines, screen) = (self.lines.clone(), self.screen.clone());
        let (people, notifier) = RequestPrompter::new(pending, lines, screen.clone(), self.look);
        let show = move |update| {
            notifier.observe(&update);
            if let Some(screen) = &screen {
                screen.lock().show(&update);
            }
        };
        (people, show)
    }
}
