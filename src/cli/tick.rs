//! `narratoria tick`: continues the story without the player, one scene at a time.

use std::{fs, io, path::Path};

use narratoria_engine::{
    FailedTick, SessionOptions, TickEnd, TickEvent, TickOrder, TickPreview, TickStage, Ticker,
    TickerSetup, TurnError, TurnErrorKind,
};
use narratoria_story::{Story, StoryName};
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{
    args::{Format, TickArgs},
    clock_and_ids, config,
    error::CliError,
    exit::Exit,
    interrupt::Interrupts,
    planner::{self, TickPlannerSetup},
    print_data, print_document, print_line, print_story, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Look, Out, TickProgress, Tone, note, render_table, visible, visible_line};

pub(super) async fn tick(args: TickArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let settings = settings.with_flags(args.people).offline(args.planner.is_offline());
    if args.people.review {
        let error = "a tick has no review";
        let error = TurnError::new(TurnErrorKind::BadInput, error);
        return Err(error.hint("`--dry-run` shows the plan, and `--retry` runs an edited one"));
    }
    if args.people.logs {
        let error = "a tick shows no log while it runs";
        let error = TurnError::new(TurnErrorKind::BadInput, error);
        return Err(
            error.hint("`narratoria plan show N --story NAME --logs` shows that of its plan")
        );
    }
    let mut err = Out::stderr(settings.terminal.look);
    let name = setup::story_name(&args.story)?;
    if args.errors {
        return list_errors(&settings, &name);
    }
    let order = TickOrder { pov: args.pov.as_deref(), retry: args.retry };
    let seed = args.planner.seed.seed;
    let options =
        SessionOptions { repeatable: seed.is_some(), ..setup::options(&settings, args.people)? };
    let planner = planner::for_ticks(&settings, &args.planner, &mut err)?;
    if args.dry_run {
        let request = PreviewRequest { story: &name, order, seed };
        return preview(&settings, request, planner, options, &mut err).await;
    }
    let mut story = setup::story(&settings, &name, seed, &mut err)?;
    for text in Ticker::sync_files(&story)? {
        note(&mut err, Tone::Warning, "warning", &text);
    }
    let TickPlannerSetup { planner, text } = planner;
    let folders = setup::GrantedFolders::of(&settings, &story)?;
    let set = setup::load_skills(&settings, folders, text, &mut err)?;
    set.warn(&mut err);
    let mut ticker = Ticker::open(TickerSetup {
        catalog: set.catalog,
        scripts: set.scripts,
        planner,
        clock_and_ids: clock_and_ids::of_story(&story, &options),
        options,
        context: config::tick_context(&settings)?,
    });
    if let Some(tick) = args.skip {
        ticker.skip(&mut story, tick)?;
        for text in Ticker::sync_files(&story)? {
            note(&mut err, Tone::Warning, "warning", &text);
        }
        note(&mut err, Tone::Notice, "note", &format!("tick {tick} is left out"));
        return Ok(Exit::Done);
    }
    let interrupts = Interrupts::listen(settings.terminal.look);
    run(&settings, &mut ticker, &mut story, order, args.count, &interrupts).await
}

/// Lists the ticks that failed.
fn list_errors(settings: &CliSettings, name: &StoryName) -> Result<Exit, TurnError> {
    let story = setup::existing_story(settings, name.as_str())?;
    let (look, failed) = (settings.terminal.look, Ticker::failed_ticks(&story));
    match settings.format {
        Format::Json => print_document(look, &failed)?,
        Format::Plain if failed.is_empty() => print_text(look, "no tick has left an error file\n")?,
        Format::Plain => {
            let row = |one: &FailedTick| {
                let when = one.timestamp.clone().unwrap_or_default();
                let cells = [one.tick.to_string(), when, one.error.clone(), one.file.clone()];
                cells.map(|cell| visible_line(&cell))
            };
            let rows: Vec<[String; 4]> = failed.iter().map(row).collect();
            print_text(look, &render_table(["TICK", "TIME", "ERROR", "FILE"], &rows, look.width))?;
        }
    }
    Ok(Exit::Done)
}

/// Runs ticks until the count is full, one fails, or the player stops them.
async fn run(
    settings: &CliSettings,
    ticker: &mut Ticker,
    story: &mut Story,
    order: TickOrder<'_>,
    count: u64,
    interrupts: &Interrupts,
) -> Result<Exit, TurnError> {
    let mut screen = TickScreen::new(settings, count);
    for _ in 0..count {
        let running = interrupts.begin_turn(None);
        let end =
            ticker.tick(story, order, &running.cancel, &mut |event| screen.show(&event)).await;
        screen.failure()?;
        match end? {
            TickEnd::Complete { .. } => screen.progress.advance(),
            TickEnd::Cancelled => {
                screen.progress.finish();
                return Ok(Exit::Interrupted);
            }
            TickEnd::Failed { tick, message, folder } => {
                screen.progress.finish();
                return Err(failure(tick, &message, &folder));
            }
        }
        if interrupts.exit_token().is_cancelled() {
            screen.progress.finish();
            return Ok(Exit::Interrupted);
        }
    }
    screen.progress.finish();
    Ok(Exit::Done)
}

/// Returns the error with the folder and the three ways to go on.
fn failure(tick: u64, message: &str, folder: &Path) -> TurnError {
    let error = format!("tick {tick} failed: {message}");
    TurnError::new(TurnErrorKind::Failed, error)
        .hint(format!("error details are in {}; review them and either:", folder.display()))
        .hint("1. fix the issue and run `narratoria tick` again".to_owned())
        .hint(format!(
            "2. edit the plan in error_{tick:03}.json and run `narratoria tick --retry {tick}`"
        ))
        .hint(format!("3. skip this tick with `narratoria tick --skip {tick}`"))
}

/// The tick of a `--dry-run`.
struct PreviewRequest<'a> {
    story: &'a StoryName,
    order: TickOrder<'a>,
    seed: Option<u64>,
}

/// Shows the plan of the next tick. Reads a copy of the story, so that none of its files changes.
async fn preview(
    settings: &CliSettings,
    request: PreviewRequest<'_>,
    planner: TickPlannerSetup,
    options: SessionOptions,
    err: &mut Out,
) -> Result<Exit, TurnError> {
    let PreviewRequest { story: name, order, seed } = request;
    let folder = settings.home()?.stories().join(name.as_str());
    let copy = copy_story(&folder, name)?;
    let story = copy.as_ref().map(|copy| Story::open_existing(copy.path(), name)).transpose()?;
    let TickPlannerSetup { planner, text } = planner;
    let set = setup::load_skills(settings, setup::GrantedFolders::default(), text, err)?;
    set.warn(err);
    let mut ticker = Ticker::open(TickerSetup {
        catalog: set.catalog,
        scripts: set.scripts,
        planner,
        clock_and_ids: clock_and_ids::real(),
        options,
        context: config::tick_context(settings)?,
    });
    let cancel = CancellationToken::new();
    let seed = seed.unwrap_or_else(clock_and_ids::draw_seed);
    let previewed = ticker.preview(story.as_ref(), seed, order, &cancel).await?;
    drop(story);
    let TickPreview { tick, planner, plan, warnings } = previewed;
    let look = settings.terminal.look;
    for text in &warnings {
        note(err, Tone::Warning, "warning", text);
    }
    let document = serde_json::Value::Object(plan.document);
    match settings.format {
        Format::Json => {
            print_line(
                look,
                &json!({"type": "planned", "tick": tick, "planner": planner, "plan": document}),
            )?;
        }
        Format::Plain => print_data(look, &visible(&format!("{document:#}\n")))?,
    }
    Ok(Exit::Done)
}

/// Copies the files of a story's database into a temporary folder that only this user can read. Returns `None` if there
/// is no such story.
fn copy_story(folder: &Path, name: &StoryName) -> Result<Option<TempDir>, TurnError> {
    if !folder.join("story.db").is_file() {
        return Ok(None);
    }
    let failed = |error: io::Error| {
        let error = format!("the story cannot be copied to look at it: {error}");
        TurnError::new(TurnErrorKind::Refused, error)
    };
    let copy = tempfile::tempdir().map_err(failed)?;
    let target = copy.path().join(name.as_str());
    fs::create_dir(&target).map_err(failed)?;
    for file in ["story.db", "story.db-wal"] {
        let from = folder.join(file);
        if from.is_file() {
            fs::copy(from, target.join(file)).map_err(failed)?;
        }
    }
    Ok(Some(copy))
}

/// Shows what ticks do: scenes on stdout, stages on stderr, or every event as a line of JSON.
struct TickScreen {
    look: Look,
    format: Format,
    err: Out,
    progress: TickProgress,
    error: Option<CliError>,
}

impl TickScreen {
    fn new(settings: &CliSettings, count: u64) -> TickScreen {
        let look = settings.terminal.look;
        let is_plain = settings.format == Format::Plain;
        TickScreen {
            look,
            format: settings.format,
            err: Out::stderr(look),
            progress: TickProgress::new(count, look.interactive && is_plain && count > 1),
            error: None,
        }
    }

    fn show(&mut self, event: &TickEvent) {
        let shown = match self.format {
            Format::Json => print_line(self.look, event),
            Format::Plain => self.show_plain(event),
        };
        if let Err(error) = shown {
            self.error.get_or_insert(error);
        }
    }

    fn show_plain(&mut self, event: &TickEvent) -> Result<(), CliError> {
        match event {
            TickEvent::Stage { tick, stage } => {
                let text = match stage {
                    TickStage::Complete => format!("tick {tick} is complete"),
                    stage => format!("tick {tick}: {}", stage.as_str()),
                };
                let err = &mut self.err;
                self.progress.suspend(|| note(err, Tone::Notice, "tick", &text));
            }
            TickEvent::Warning { text, .. } => {
                let err = &mut self.err;
                self.progress.suspend(|| note(err, Tone::Warning, "warning", text));
            }
            TickEvent::Scene { title, text, .. } => {
                let scene = format!("# {title}\n\n{text}\n\n");
                let scene = visible(&scene).into_owned();
                let look = self.look;
                return self.progress.suspend(|| print_story(look, &scene));
            }
            TickEvent::Planned { .. } | TickEvent::Failed { .. } => {}
        }
        Ok(())
    }

    fn failure(&mut self) -> Result<(), CliError> {
        self.error.take().map_or(Ok(()), Err)
    }
}
