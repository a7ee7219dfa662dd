//! The settings that play begins with, and the session that is made from them.

use narratoria_engine::{SessionOptions, TurnError};
use narratoria_executor::ApprovalPolicy;
use narratoria_story::Story;

use super::{
    page_play::PagePlay,
    play_session::{PlayReviewer, PlaySession},
    replay_order::ReplayOrder,
    skills,
};
use crate::{
    args::{Format, InteractionArgs},
    exit::Exit,
    interrupt::Interrupts,
    line_source::{self, LineSource},
    package_loop::PackageLoop,
    planner::PlannerSetup,
    premise::Premise,
    review::TerminalReviewer,
    screen::SharedScreen,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{JsonScreen, Out, PlainScreen, PromptStatus, Screen};

/// Everything that play begins with.
pub(crate) struct PlayStart {
    pub(crate) settings: CliSettings,
    pub(crate) story: Story,
    pub(crate) planner: PlannerSetup,
    pub(crate) people: InteractionArgs,
    /// The premise of a new story.
    pub(crate) premise: Premise,
    /// True if the player chose the seed.
    pub(crate) is_repeatable: bool,
    pub(crate) status: PromptStatus,
    /// The package that its author works on.
    pub(crate) package: Option<PackageLoop>,
    /// The only order to play, instead of lines.
    pub(crate) only: Option<ReplayOrder>,
    /// The source of lines, if the player has already answered a question.
    pub(crate) lines: Option<LineSource>,
    /// The handler of Ctrl-C, if there was one before play.
    pub(crate) interrupts: Option<Interrupts>,
    /// The page that shows the play, if a terminal or a pipe does not.
    pub(crate) page: Option<PagePlay>,
}

impl PlaySession {
    /// Loads the skills and begins to read lines. A failure changes the exit code if one turn is played alone.
    pub(super) fn open(start: PlayStart, plays_alone: bool) -> Result<Self, TurnError> {
        let PlayStart { settings, story, planner, people, premise, status, page, .. } = start;
        let look = settings.terminal.look;
        let is_page = page.is_some();
        let (link, mut err, screen, page_reviewer) = match page {
            Some(PagePlay { link, updates, notes, reviewer }) => {
                (Some(link), notes, Screen::Json(JsonScreen::new(updates)), Some(reviewer))
            }
            None => (None, Out::stderr(look), screen(&settings), None),
        };
        let PlannerSetup { planner, text, pending_model, .. } = planner;
        let folders = setup::GrantedFolders::of(&settings, &story)?;
        let progress = skills::loading_status(status.clone());
        let (skill_set, loader) =
            setup::load_skills_for_play(&settings, folders, text, progress, &mut err)?;
        let mut options = SessionOptions {
            repeatable: start.is_repeatable,
            returns_result: false,
            ..setup::options(&settings, people)?
        };
        if is_page && options.approvals == ApprovalPolicy::Deny {
            options.approvals = ApprovalPolicy::Ask;
        }
        let mut session = setup::session(skill_set, story, planner, options);
        session.set_skill_loader(loader);
        let interrupts = start.interrupts.unwrap_or_else(|| Interrupts::listen_in_session(look));
        let lines = match start.lines {
            Some(lines) => lines,
            None => line_source::open_for_play(&settings, &interrupts, status, &mut err)?,
        };
        let screen = SharedScreen::new(screen);
        let (reads, stops, shows) = (lines.clone(), interrupts.clone(), Some(screen.clone()));
        let reviewer = match page_reviewer {
            Some(reviewer) => Some(PlayReviewer::Page(reviewer)),
            None if people.review => {
                let reviewer = TerminalReviewer::new(&settings, reads, stops, shows)?;
                Some(PlayReviewer::Terminal(Box::new(reviewer)))
            }
            None => None,
        };
        if let Some(link) = &link {
            link.set_pending(session.pending_requests());
        }
        let plain = settings.format == Format::Plain;
        Ok(Self {
            session,
            screen,
            err,
            interrupts,
            lines,
            pending_model,
            package: start.package,
            look,
            is_interactive: settings.plays_on_terminal(),
            is_page,
            reviewer,
            premise,
            opening_plan: None,
            last_sentence: None,
            choices: Vec::new(),
            has_ended: false,
            was_stopped: false,
            allows_commands: plain,
            ignores_failures: (is_page || settings.terminal.is_interactive) && !plays_alone,
            exit: Exit::Done,
        })
    }
}

/// The screen of the chosen format.
fn screen(settings: &CliSettings) -> Screen {
    let look = settings.terminal.look;
    match settings.format {
        Format::Plain => {
            Screen::Plain(Box::new(PlainScreen::new(Out::stdout(look), Out::stderr(look), look)))
        }
        Format::Json => Screen::Json(JsonScreen::new(Out::stdout(look))),
    }
}
