//! `narratoria plan run`: a plan from a file runs, in a story or without one.

use narratoria_engine::{Reviewer, SessionOptions, StandalonePlan, TurnError, TurnRequest};
use narratoria_executor::PendingRequests;
use narratoria_narrator::LexicalPlanner;
use narratoria_plan::PLAN_BYTES_MAX;
use narratoria_protocol::Object;

use super::{
    check::{errors_document, parse_and_build, report_plan_errors},
    outcome,
    terminal::PlanTerminal,
};
use crate::{
    cli::{
        args::{Format, PlanRunArgs},
        exit::Exit,
        files, path_text, print_document,
        settings::CliSettings,
        setup,
    },
    ui::Out,
};

pub(super) async fn run(args: PlanRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let seed = args.seed.seed;
    let name = args.story.as_deref().map(setup::story_name).transpose()?;
    let folder = match &name {
        Some(name) => Some(settings.home()?.stories().join(name.as_str())),
        None => None,
    };
    let skill_set = setup::load_skills_without_model(&settings, folder, &mut err)?;
    skill_set.warn(&mut err);
    let json = match parse_and_build(&text, &skill_set.catalog) {
        Ok((json, _)) => json,
        Err(errors) => {
            if settings.format == Format::Json {
                print_document(look, &errors_document(&errors))?;
            }
            report_plan_errors(&mut err, &path_text::shown(&args.file), &errors);
            return Ok(Exit::BadInput);
        }
    };
    // After the check: a plan that cannot run must not begin a story.
    let story = name.map(|name| setup::story(&settings, &name, seed, &mut err)).transpose()?;
    let mut terminal = PlanTerminal::open(&settings, args.people)?;
    let mut reviewer = terminal.reviewer.take();
    let reviewer = reviewer.as_mut().map(|reviewer| reviewer as &mut dyn Reviewer);
    let running = terminal.begin_turn();
    let repeatable = seed.is_some();
    let options = SessionOptions { repeatable, ..setup::options(&settings, args.people) };
    let result = match story {
        Some(story) => {
            let prompt = format!("(the plan {})", path_text::shown(&args.file));
            let request = TurnRequest { prompt: &prompt, plan: Some(json), reviewer };
            // The file is the plan, so no planner is needed.
            let planner = Box::new(LexicalPlanner::new());
            let mut session = setup::session(skill_set, story, planner, options);
            let (prompter, mut show) = terminal.prompter(session.pending_requests());
            let work = session.play(request, &running.cancel, &mut show);
            let played =
                prompter.run_while_serving(&terminal.interrupts, &running.cancel, work).await;
            played.transpose()?.map(|(_, result)| result)
        }
        None => {
            let pending = PendingRequests::new();
            let (prompter, mut show) = terminal.prompter(pending.clone());
            let bare = skill_set.without_story(options).repeatable(seed);
            let seed = seed.unwrap_or_else(setup::draw_seed);
            let run =
                StandalonePlan { json, state: Object::new(), seed, pending: &pending, reviewer };
            let stage = bare.stage();
            let work = stage.execute_plan(run, &running.cancel, &mut show);
            prompter
                .run_while_serving(&terminal.interrupts, &running.cancel, work)
                .await
                .transpose()?
        }
    };
    let Some(result) = result else { return Ok(Exit::Interrupted) };
    outcome::print(result.as_ref(), &settings, &running.cancel)
}
