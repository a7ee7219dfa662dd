//! `narratoria plan run`: runs a plan from a file, in a story or without one.

use std::path::Path;

use narratoria_engine::{
    Reviewer, Session, SessionOptions, StandaloneOutcome, StandalonePlan, TurnError, TurnRequest,
    Update,
};
use narratoria_executor::PendingRequests;
use narratoria_narrator::LexicalPlanner;
use narratoria_plan::{PLAN_BYTES_MAX, PlanJson, TASK_KEY};
use narratoria_protocol::Object;
use narratoria_story::StoryName;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    check::{errors_document, parse_and_build, report_plan_errors, report_plan_warnings},
    outcome, run_record,
    terminal::PlanTerminal,
};
use crate::{
    args::{Format, PlanRunArgs},
    clock_and_ids,
    exit::Exit,
    files, path_text, print_line,
    review::TerminalReviewer,
    settings::CliSettings,
    setup::{self, GrantedFolders, StorylessSetup},
};
use narratoria_ui::{Out, Tone, note};

pub(super) async fn run(args: PlanRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?.with_flags(args.people);
    let mut err = Out::stderr(settings.terminal.look);
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
                print_line(settings.terminal.look, &errors_document(&errors))?;
            }
            report_plan_errors(&mut err, &path_text::shown(&args.file), &errors);
            return Ok(Exit::BadInput);
        }
    };
    report_plan_warnings(&mut err, &path_text::shown(&args.file), &json);
    // The story is opened after the check, because a plan that cannot run must not begin a story.
    let story = name.map(|name| setup::story(&settings, &name, seed, &mut err)).transpose()?;
    let mut terminal = PlanTerminal::open(&settings, args.people)?;
    let mut reviewer = terminal.reviewer.take();
    let running = terminal.begin_turn();
    let options =
        SessionOptions { repeatable: seed.is_some(), ..setup::options(&settings, args.people)? };
    let plan = PlanOfFile {
        task: task_of(&json, &args.file),
        json,
        seed,
        reviewer: reviewer.as_mut(),
        terminal: &terminal,
        cancel: &running.cancel,
    };
    let result = match story {
        Some(story) => {
            plan.run_in_story(setup::session(
                skill_set,
                story,
                // The file is the plan, so this planner never runs.
                Box::new(LexicalPlanner::new()),
                options,
            ))
            .await?
        }
        None => plan.run_alone(skill_set.without_story(options), &settings, &mut err).await?,
    };
    let Some(result) = result else { return Ok(Exit::Interrupted) };
    outcome::print(result.as_ref(), reviewer.as_ref(), &settings, &running.cancel)
}

/// The task that the plan names, or its file.
fn task_of(json: &PlanJson, file: &Path) -> String {
    let task = json.metadata.extra.get(TASK_KEY).and_then(Value::as_str);
    task.filter(|task| !task.trim().is_empty())
        .map_or_else(|| format!("(the plan {})", path_text::shown(file)), str::to_owned)
}

/// A plan that was read and can run.
struct PlanOfFile<'a> {
    json: PlanJson,
    task: String,
    seed: Option<u64>,
    reviewer: Option<&'a mut TerminalReviewer>,
    terminal: &'a PlanTerminal,
    cancel: &'a CancellationToken,
}

impl PlanOfFile<'_> {
    /// Runs the plan as a turn. Returns `None` if the player left, and `Some(None)` if the reviewer refused the plan.
    async fn run_in_story(self, mut session: Session) -> Result<Option<Option<Value>>, TurnError> {
        let Self { json, task, reviewer, terminal, cancel, .. } = self;
        let reviewer = reviewer.map(|reviewer| reviewer as &mut dyn Reviewer);
        let request = TurnRequest { prompt: &task, plan: Some(json), reviewer };
        let (prompter, mut show) = terminal.prompter(session.pending_requests());
        let work = session.play(request, cancel, &mut show);
        let played = prompter.run_while_serving(&terminal.interrupts, cancel, work).await;
        Ok(played.transpose()?.map(|(_, result)| result))
    }

    /// Runs the plan without a story and saves its record. The result has the form of that of a turn.
    async fn run_alone(
        self,
        bare: StorylessSetup,
        settings: &CliSettings,
        err: &mut Out,
    ) -> Result<Option<Option<Value>>, TurnError> {
        let pending = PendingRequests::new();
        let Self { json, task, seed, reviewer, terminal, cancel } = self;
        let bare = bare.repeatable(seed);
        let (prompter, mut show) = terminal.prompter(pending.clone());
        let plan = StandalonePlan {
            json,
            state: Object::new(),
            seed: seed.unwrap_or_else(clock_and_ids::draw_seed),
            pending: &pending,
            reviewer: reviewer.map(|reviewer| reviewer as &mut dyn Reviewer),
        };
        let stage = bare.stage();
        let work = stage.execute_recorded_plan(plan, &task, cancel, &mut show);
        let played = prompter.run_while_serving(&terminal.interrupts, cancel, work).await;
        let finished = played.transpose()?;
        if let Some(Some(finished)) = &finished {
            save_record(settings, &finished.record, seed.is_some(), &mut show, err);
        }
        Ok(finished.map(|finished| finished.map(StandaloneOutcome::into_result)))
    }
}

/// Saves the record of a plan that belongs to no story, and reports its path. With a seed it reports none, because two
/// runs must print the same.
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

/// Returns the folders of the story that gets the plan as a turn. The plan may be its first turn.
fn folders_of(settings: &CliSettings, name: &StoryName) -> Result<GrantedFolders, TurnError> {
    let folder = settings.home()?.stories().join(name.as_str());
    match setup::existing_story(settings, name.as_str()) {
        Ok(story) => GrantedFolders::of(settings, &story),
        Err(_) => Ok(GrantedFolders { story: Some(folder), campaign: None }),
    }
}
