//! `narratoria plan run`: a plan from a file runs, in a story or without one.

use narratoria::{
    engine::{Options, PlanRun, Request, Reviewer, TurnError},
    executor::Desk,
    narrator::LexicalVoice,
    plan::PLAN_BYTES_MAX,
    protocol::Object,
};

use super::{
    Seat,
    check::{checked, errors_document, tell},
    outcome,
};
use crate::{
    cli::{
        args::{Format, PlanRunArgs},
        exit::Exit,
        files, print_document,
        settings::Settings,
        setup,
    },
    ui::Out,
};

pub(super) async fn run(args: PlanRunArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let seed = args.seed.seed;
    let name = args.story.as_deref().map(setup::story_name).transpose()?;
    let folder = match &name {
        Some(name) => Some(settings.home()?.stories().join(name.as_str())),
        None => None,
    };
    let kit = setup::kit_without_model(&settings, folder, &mut err)?;
    kit.warn(&mut err);
    let json = match checked(&text, &kit.catalog) {
        Ok((json, _)) => json,
        Err(errors) => {
            if settings.format == Format::Json {
                print_document(look, &errors_document(&errors))?;
            }
            tell(&mut err, &files::shown(&args.file), &errors);
            return Ok(Exit::BadInput);
        }
    };
    // After the check: a plan that cannot run must not begin a story.
    let story = name.map(|name| setup::story(&settings, &name, seed, &mut err)).transpose()?;
    let mut seat = Seat::open(&settings, args.people)?;
    let mut reviewer = seat.reviewer.take();
    let reviewer = reviewer.as_mut().map(|reviewer| reviewer as &mut dyn Reviewer);
    let running = seat.begin_turn();
    let repeatable = seed.is_some();
    let options = Options { repeatable, ..setup::options(&settings, args.people) };
    let result = match story {
        Some(story) => {
            let prompt = format!("(the plan {})", files::shown(&args.file));
            let request = Request { prompt: &prompt, plan: Some(json), reviewer };
            // Nobody is asked for a plan where there is one.
            let planner = Box::new(LexicalVoice::new());
            let mut session = setup::session(kit, story, planner, options);
            let (people, mut show) = seat.people(session.desk());
            let work = session.play(request, &running.cancel, &mut show);
            let played = people.attended(&seat.interrupts, &running.cancel, work).await;
            played.transpose()?.map(|(_, result)| result)
        }
        None => {
            let desk = Desk::new();
            let (people, mut show) = seat.people(desk.clone());
            let bare = kit.without_story(options).repeatable(seed);
            let seed = seed.unwrap_or_else(setup::draw_seed);
            let run = PlanRun { json, state: Object::new(), seed, desk: &desk, reviewer };
            let stage = bare.stage();
            let work = stage.execute_plan(run, &running.cancel, &mut show);
            people.attended(&seat.interrupts, &running.cancel, work).await.transpose()?
        }
    };
    let Some(result) = result else { return Ok(Exit::Interrupted) };
    outcome::print(result.as_ref(), &settings, &running.cancel)
}
