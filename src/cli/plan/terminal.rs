//! The terminal while a plan runs outside play: its screen, its lines and its reviewer.

use narratoria_engine::{TurnError, Update};
use narratoria_executor::PendingRequests;

use crate::{
    cli::{
        args::{Format, InteractionArgs},
        interrupt::{Interrupts, TurnGuard},
        line_source::{self, LineSource},
        request_prompter::RequestPrompter,
        review::TerminalReviewer,
        screen::SharedScreen,
        settings::CliSettings,
    },
    ui::{Look, Out, PlainScreen, Screen},
};

/// The player's terminal. Updates go to stderr for people; programs read everything in the result.
pub(super) struct PlanTerminal {
    pub(super) interrupts: Interrupts,
    lines: LineSource,
    screen: Option<SharedScreen>,
    look: Look,
    pub(super) reviewer: Option<TerminalReviewer>,
}

impl PlanTerminal {
    pub(super) fn open(
        settings: &CliSettings,
        people: InteractionArgs,
    ) -> Result<PlanTerminal, TurnError> {
        let look = settings.terminal.look.of_stderr(settings.terminal.is_interactive);
        let interrupts = Interrupts::listen(look);
        let lines = line_source::open_for_requests(settings, &interrupts)?;
        let plain = PlainScreen::new(Out::stderr(look), Out::stderr(look), look);
        let screen = (settings.format == Format::Plain).then_some(Screen::Plain(Box::new(plain)));
        let screen = screen.map(SharedScreen::new);
        let (reads, stops, shows) = (lines.clone(), interrupts.clone(), screen.clone());
        let review = || TerminalReviewer::new(settings, reads, stops, shows);
        let reviewer = people.review.then(review).transpose()?;
        Ok(PlanTerminal { interrupts, lines, screen, look, reviewer })
    }

    pub(super) fn begin_turn(&self) -> TurnGuard<'_> {
        self.interrupts.begin_turn(self.screen.clone())
    }

    /// Receives requests and updates.
    pub(super) fn prompter(
        &self,
        pending: PendingRequests,
    ) -> (RequestPrompter, impl FnMut(Update) + Send + use<>) {
        let (lines, screen) = (self.lines.clone(), self.screen.clone());
        let (prompter, notifier) = RequestPrompter::new(pending, lines, screen.clone(), self.look);
        let show = move |update| {
            notifier.observe(&update);
            if let Some(screen) = &screen {
                screen.lock().show(&update);
            }
        };
        (prompter, show)
    }
}
