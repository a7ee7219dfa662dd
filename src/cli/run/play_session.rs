//! The state of a session in play.

use narratoria_engine::{NarrativeChoice, Reviewer, Session};
use narratoria_plan::PlanJson;

use super::page_play::PageReviewer;
use crate::{
    exit::Exit, interrupt::Interrupts, line_source::LineSource, package_loop::PackageLoop,
    planner::PendingModel, premise::Premise, review::TerminalReviewer, screen::SharedScreen,
};
use narratoria_ui::{Look, Out};

/// Who reviews the plans.
pub(super) enum PlayReviewer {
    Terminal(Box<TerminalReviewer>),
    Page(PageReviewer),
}

impl PlayReviewer {
    /// Who reviews the next plan, if it is to be reviewed.
    pub(super) fn of_next_plan(&mut self) -> Option<&mut dyn Reviewer> {
        match self {
            PlayReviewer::Terminal(reviewer) => Some(&mut **reviewer),
            PlayReviewer::Page(reviewer) => reviewer.is_on().then_some(reviewer),
        }
    }

    /// The reviewer at the terminal, or on a pipe.
    pub(super) fn terminal(&self) -> Option<&TerminalReviewer> {
        match self {
            PlayReviewer::Terminal(reviewer) => Some(reviewer),
            PlayReviewer::Page(_) => None,
        }
    }
}

/// A session in play.
pub(super) struct PlaySession {
    pub(super) session: Session,
    pub(super) screen: SharedScreen,
    pub(super) err: Out,
    pub(super) interrupts: Interrupts,
    pub(super) lines: LineSource,
    /// The model that may still load.
    pub(super) pending_model: PendingModel,
    pub(super) look: Look,
    /// True if a person can answer questions.
    pub(super) is_interactive: bool,
    /// The package that its author works on.
    pub(super) package: Option<PackageLoop>,
    /// True if a page shows the play and answers the requests of its plans.
    pub(super) is_page: bool,
    /// With `--review`, or for a page.
    pub(super) reviewer: Option<PlayReviewer>,
    /// The premise of a new story.
    pub(super) premise: Premise,
    /// The plan of the turn that begins now, if it is the opening of the story.
    pub(super) opening_plan: Option<PlanJson>,
    /// The last sentence that became a turn.
    pub(super) last_sentence: Option<String>,
    /// The choices that were offered last. Their numbers hold until others are offered.
    pub(super) choices: Vec<NarrativeChoice>,
    /// True if the story has ended and the player has read what to do then.
    pub(super) has_ended: bool,
    /// True if the player stopped the last turn, or refused its plan.
    pub(super) was_stopped: bool,
    /// True if numbers and commands have a meaning; a program writes only sentences.
    pub(super) allows_commands: bool,
    /// True if a failed turn does not change the exit code.
    pub(super) ignores_failures: bool,
    pub(super) exit: Exit,
}
