//! The terminal while a plan runs outside play: its screen, its lines and its reviewer.

use narratoria_engine::{TurnError, Update};
use narratoria_executor::PendingRequests;

use crate::{
    args::{Format, InteractionArgs},
    interrupt::{Interrupts, TurnGuard},
    line_source::{self, LineSource},
    request_prompter::RequestPrompter,
    review::TerminalReviewer,
    screen::SharedScreen,
    settings::CliSettings,
};
use narratoria_ui::{JsonScreen, Look, Out, PlainScreen, Screen};

/// The player's terminal. People get updates on stderr; programs get them on stdout, as the lines of `narratoria run`,
/// and the result after them.
pub(super) struct PlanTerminal {
    pub(super) interrupts: Interrupts,
    lines: LineSource,
    screen: SharedScreen,
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
        let screen = SharedScreen::new(match settings.format {
            Format::Plain => {
                let (narration, notes) = (Out::stderr(look), Out::stderr(look));
                Screen::Plain(Box::new(PlainScreen::new(narration, notes, look)))
            }
            Format::Json => Screen::Json(JsonScreen::new(Out::stdout(settings.terminal.look))),
        });
        let (reads, stops, shows) = (lines.clone(), interrupts.clone(), Some(screen.clone()));
        let review = || TerminalReviewer::new(settings, reads, stops, shows);
        let reviewer = people.review.then(review).transpose()?;
        Ok(PlanTerminal { interrupts, lines, screen, look, reviewer })
    }

    pub(super) fn begin_turn(&self) -> TurnGuard<'_> {
        self.interrupts.begin_turn(Some(self.screen.clone()))
    }

    /// Receives requests and updates.
    pub(super) fn prompter(
        &self,
        pending: PendingRequests,
    ) -> (RequestPrompter, impl FnMut(Update) + Send + use<>) {
        let (lines, screen) = (self.lines.clone(), self.screen.clone());
        let (prompter, notifier) =
            RequestPrompter::new(pending, lines, Some(screen.clone()), self.look);
        let show = move |update| {
            notifier.observe(&update);
            screen.lock().show(&update);
        };
        (prompter, show)
    }
}
