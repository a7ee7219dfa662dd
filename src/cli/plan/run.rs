//! `narratoria plan run`: a plan from a file runs, in a story or without one.

use narratoria_engine::{
    Reviewer, SessionOptions, StandaloneOutcome, StandalonePlan, TurnError, TurnRequest, Update,
};
use narratoria_executor::PendingRequests;
use narratoria_narrator::LexicalPlanner;
use narratoria_plan::{PLAN_BYTES_MAX, TASK_KEY};
use narratoria_protocol::Object;
use narratoria_story::StoryName;
use serde_json::Value;

use super::{
    check::{errors_document, parse_and_build, report_plan_errors},
    outcome, run_record,
    terminal::PlanTerminal,
};
use crate::{
    cli::{
        args::{Format, PlanRunArgs},
        clock_and_ids,
        exit::Exit,
        files, path_text, print_line,
        settings::CliSettings,
        setup::{self, GrantedFolders},
    },
    ui::{Out, Tone, note},
};

pub(super) async fn run(args: PlanRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?.with_flags(args.people.settings);
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let seed = args.seed.seed;
    let name = args.story.as_deref().map(setup::story_name).transpose()?;
    let folders = match &name {
        Some(name) => folders_of(&settings, name)?,
        None => GrantedFolders::default(),
    };
    let skill_set = setup::load_skills_without_model(&settings, folders, &mut err)?;
    skill_set.warn(&mut err);
    let json = match parse_and_build(&text, &skill_set.catalog, None) {
        Ok((json, _)) => json,
        Err(errors) => {
            if settings.format == Format::Json {
                print_line(look, &errors_document(&errors))?;
            }
            report_plan_errors(&mut err, &path_text::shown(&args.file), &errors);
            return Ok(Exit::BadInput);
        }
    };
    // After the check: a plan that cannot run must not begin a story.
    let story = name.map(|name| setup::story(&settings, &name, seed, &mut err)).transpose()?;
    let mut terminal = PlanTerminal::open(&settings, args.people)?;
    let mut held = terminal.reviewer.take();
    let reviewer = held.as_mut().map(|reviewer| reviewer as &mut dyn Reviewer);
    let running = terminal.begin_turn();
    let task = json.metadata.extra.get(TASK_KEY).and_then(Value::as_str);
    let task = task
        .filter(|task| !task.trim().is_empty())
        .map_or_else(|| format!("(the plan {})", path_text::shown(&args.file)), str::to_owned);
    let repeatable = seed.is_some();
    let options = SessionOptions { repeatable, ..setup::options(&settings, args.people)? };
    let result = match story {
        Some(story) => {
            let request = TurnRequest { prompt: &task, plan: Some(json), reviewer };
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
            let work = stage.execute_recorded_plan(run, &task, &running.cancel, &mut show);
            let played =
                prompter.run_while_serving(&terminal.interrupts, &running.cancel, work).await;
            let finished = played.transpose()?;
            if let Some(Some(finished)) = &finished {
                save_record(&settings, &finished.record, repeatable, &mut show, &mut err);
            }
            finished.map(|finished| finished.map(StandaloneOutcome::into_result))
        }
    };
    let Some(result) = result else { return Ok(Exit::Interrupted) };
    outcome::print(result.as_ref(), held.as_ref(), &settings, &running.cancel)
}

/// Saves the record of a plan that belongs to no story, and reports where it is. With a seed it does not, because the
/// output of two runs is the same.
fn save_record(
    settings: &CliSettings,
    record: &Value,
    is_repeatable: bool,
    show: &mut impl FnMut(Update),
    err: &mut Out,
) {
    // Without a home folder there is no place for it.
    let Ok(home) = settings.home() else { return };
    let plan_id = record["id"].as_str().unwrap_or_default().to_owned();
    match run_record::save(&home.run_records(), record, (clock_and_ids::real().clock)()) {
        Ok(path) if !is_repeatable => {
            show(Update::PlanRecorded { turn: 1, plan_id, path: path.display().to_string() });
        }
        Ok(_) => {}
        Err(error) => note(err, Tone::Warning, "warning", &format!("no record is kept: {error}")),
    }
}

/// The folders of the story that the plan becomes a turn of. It may begin with this plan.
fn folders_of(settings: &CliSettings, name: &StoryName) -> Result<GrantedFolders, TurnError> {
    let folder = settings.home()?.stories().join(name.as_str());
    match setup::existing_story(settings, name.as_str()) {
        Ok(story) => GrantedFolders::of(settings, &story),
        Err(_) => Ok(GrantedFolders { story: Some(folder), campaign: None }),
    }
}
