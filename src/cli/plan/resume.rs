//! `narratoria plan resume`: resumes a plan in the middle of which a process ended.

use narratoria_engine::{Reviewer, SessionOptions, TurnError, TurnErrorKind};

use super::{outcome, terminal::PlanTerminal};
use crate::{
    args::PlanResumeArgs,
    exit::Exit,
    planner::{self, PlannerSetup},
    print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::Out;

pub(super) async fn resume(args: PlanResumeArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?.with_flags(args.people);
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let story = setup::story_to_change(&settings, &args.of.story)?;
    let PlannerSetup { planner, text, .. } =
        planner::for_command(&settings, &args.planner, &mut err)?;
    let skill_set = setup::load_skills(
        &settings,
        setup::GrantedFolders::of(&settings, &story)?,
        text,
        &mut err,
    )?;
    skill_set.warn(&mut err);
    let repeatable = args.planner.seed.seed.is_some();
    let options = SessionOptions { repeatable, ..setup::options(&settings, args.people)? };
    let mut session = setup::session(skill_set, story, planner, options);
    if args.drop && session.drop_unfinished()? {
        print_text(look, "forgot the unfinished plan; the story is as it was before it\n")?;
        return Ok(Exit::Done);
    }
    if session.unfinished_plan()?.is_none() {
        let error = format!("the story `{}` has no unfinished plan", args.of.story);
        return Err(TurnError::new(TurnErrorKind::NotFound, error)
            .hint("there is one when a process ended in the middle of a turn"));
    }
    let mut terminal = PlanTerminal::open(&settings, args.people)?;
    let mut held = terminal.reviewer.take();
    let reviewer = held.as_mut().map(|reviewer| reviewer as &mut dyn Reviewer);
    let running = terminal.begin_turn();
    let (prompter, mut show) = terminal.prompter(session.pending_requests());
    let work = session.resume(reviewer, &running.cancel, &mut show);
    let Some(done) = prompter.run_while_serving(&terminal.interrupts, &running.cancel, work).await
    else {
        return Ok(Exit::Interrupted);
    };
    let result = done?.and_then(|(_, result)| result);
    outcome::print(result.as_ref(), held.as_ref(), &settings, &running.cancel)
}
