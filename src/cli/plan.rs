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

use narratoria::{
    engine::{TurnError, Update},
    executor::Desk,
};

use super::{
    args::{Format, PeopleArgs, PlanVerb},
    exit::Exit,
    interrupt::{Interrupts, Running},
    lines::{self, Lines},
    people::People,
    review::TableReviewer,
    screen::SharedScreen,
    settings::Settings,
};
use crate::ui::{Look, Out, Plain, Screen};

pub(super) async fn plan(verb: PlanVerb) -> Result<Exit, TurnError> {
    match verb {
        PlanVerb::New(args) => new::new(args).await,
        PlanVerb::Check(args) => check::check(args),
        PlanVerb::Run(args) => run::run(args).await,
        PlanVerb::List(args) => list::list(args),
        PlanVerb::Show(args) => show::show(args),
        PlanVerb::Diff(args) => diff::diff(args),
        PlanVerb::Export(args) => export::export(args),
        PlanVerb::Resume(args) => resume::resume(args).await,
        PlanVerb::SaveTemplate(args) => templates::save(args),
        PlanVerb::Templates(args) => templates::list(args),
    }
}

/// Where somebody sits while a plan runs. What happens is on stderr for people, nowhere for programs, which
/// get it all in the result.
struct Seat {
    interrupts: Interrupts,
    lines: Lines,
    screen: Option<SharedScreen>,
    look: Look,
    reviewer: Option<TableReviewer>,
}

impl Seat {
    fn open(settings: &Settings, people: PeopleArgs) -> Result<Seat, TurnError> {
        let look = settings.terminal.look.of_stderr(settings.terminal.typed);
        let interrupts = Interrupts::listen(look)?;
        let lines = lines::of_desk(settings, &interrupts)?;
        let plain = Plain::new(Out::stderr(look), Out::stderr(look), look);
        let screen = (settings.format == Format::Plain).then_some(Screen::Plain(Box::new(plain)));
        let screen = screen.map(SharedScreen::new);
        let (reads, stops, shows) = (lines.clone(), interrupts.clone(), screen.clone());
        let review = || TableReviewer::new(settings, reads, stops, shows);
        let reviewer = people.review.then(review).transpose()?;
        Ok(Seat { interrupts, lines, screen, look, reviewer })
    }

    fn begin_turn(&self) -> Running<'_> {
        self.interrupts.begin_turn(self.screen.clone())
    }

    /// Who is asked, and who hears of everything.
    fn people(&self, desk: Desk) -> (People, impl FnMut(Update) + Send + use<>) {
        let (lines, screen) = (self.lines.clone(), self.screen.clone());
        let (people, bell) = People::new(desk, lines, screen.clone(), self.look);
        let show = move |update| {
            bell.hear(&update);
            if let Some(screen) = &screen {
                screen.lock().show(&update);
            }
        };
        (people, show)
    }
}
