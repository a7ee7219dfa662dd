//! `narratoria skill dev`: builds, tests and plays a package again after each change.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{PoisonError, atomic::Ordering},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{PackageBuildError, ToolOutput, build_changed, source_fingerprint};
use narratoria_story::Story;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    build_consent,
    build_tools::build_tools,
    dev_bench::{DevBench, DevFolders, build_news, unwritable},
    packages,
};
use crate::{
    args::{CommonArgs, InteractionArgs, PlannerArgs, SeedArgs, SkillDevArgs},
    clock_and_ids,
    exit::Exit,
    interrupt::Interrupts,
    package_loop::{PackageLoop, StderrLines},
    planner::{self, PlannerSetup},
    premise::Premise,
    run::{self, PlayStart},
    settings::{AuthoredPackage, CliSettings},
    setup, system_clock,
};
use narratoria_ui::{Out, PromptStatus, Tone, note, tool_stdio};

/// The name of the story of a session that keeps none.
const STORY: &str = "dev";

pub(super) async fn dev(args: SkillDevArgs) -> Result<Exit, TurnError> {
    let SkillDevArgs { package, story, yes, seed, format } = args;
    let scratch = packages::scratch_folder()?;
    let skills = scratch.path().join("skills");
    fs::create_dir(&skills).map_err(|why| unwritable(&skills, why))?;
    let settings = CliSettings::check(CommonArgs { skills: vec![skills], format })?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    build_consent::ensure(&package, yes, &mut err)?;
    let folder = fs::canonicalize(&package).ok();
    let folder = folder.filter(|folder| folder.join("skill.json").is_file());
    let folder = folder.ok_or_else(|| no_package(&package))?;
    let folders = DevFolders::of(&folder, scratch.path());
    let copies = vec![folders.copy.clone(), folders.played.clone()];
    let stderr = StderrLines::default();
    let authored = AuthoredPackage { folder: folder.clone(), copies, stderr: stderr.clone() };
    let settings = settings.with_authored(authored);
    let interrupts = Interrupts::listen_in_session(look);
    let (status, cancel) = (PromptStatus::default(), CancellationToken::new());
    let mut bench = DevBench::open(folders, &settings, cancel.clone(), &mut err)?;
    let (runs_from_source, last_built) = (bench.runs_from_source(), bench.last_built());
    let running = interrupts.begin_turn(None);
    let watched = {
        let work = Box::new(move || bench.round());
        PackageLoop::start(folder.clone(), status.clone(), cancel, work)
            .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?
            .with_stderr(stderr)
    };
    note(&mut err, Tone::Notice, "note", &format!("building `{}`", package.display()));
    tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        () = watched.settle() => {}
    }
    build_consent::record_present(&package, &mut err);
    watched.report(&mut err);
    drop(running);
    let story = match &story {
        Some(name) => setup::story(&settings, &setup::story_name(name)?, seed.seed, &mut err)?,
        None => {
            let (root, seed) = (scratch.path().join("stories"), seed.seed);
            let seed = seed.unwrap_or_else(clock_and_ids::draw_seed);
            Story::open(&root, &setup::story_name(STORY)?, system_clock::now(), seed)?
        }
    };
    let exit = run::play(PlayStart {
        planner: planner(&settings, &seed, &status, &mut err)?,
        settings,
        story,
        people: InteractionArgs::default(),
        premise: Premise::NoWorld,
        is_repeatable: seed.seed.is_some(),
        status,
        package: Some(watched),
        only: None,
        lines: None,
        interrupts: Some(interrupts.clone()),
        page: None,
    })
    .await?;
    let last_built = *last_built.lock().unwrap_or_else(PoisonError::into_inner);
    let what = match () {
        () if exit == Exit::Interrupted => return Ok(exit),
        () if runs_from_source.load(Ordering::Relaxed) => "what was played from its source",
        () if last_built != Some(source_fingerprint(&folder)) => "the last edit",
        () => return Ok(exit),
    };
    Ok(exit.max(build_for_others(folder, what, &interrupts, &mut err).await))
}

/// Builds the components that are older than their sources, for `skill check` and `skill pack`. `what` says why they are.
async fn build_for_others(
    folder: PathBuf,
    what: &str,
    interrupts: &Interrupts,
    err: &mut Out,
) -> Exit {
    let text = format!("building {what}; Ctrl-C leaves that to `skill build`");
    note(err, Tone::Notice, "note", &text);
    let running = interrupts.begin_turn(None);
    let tools = build_tools(ToolOutput::Shown(tool_stdio), running.cancel.clone());
    let built = spawn_blocking(move || build_changed(&folder, &tools)).await;
    match built.expect("building does not panic") {
        Ok(built) => {
            let names: Vec<&str> = built.iter().map(|script| script.name.as_str()).collect();
            let names = names.join(", ");
            let names = if names.is_empty() { "nothing new" } else { &names };
            note(err, Tone::Notice, "built", names);
            Exit::Done
        }
        Err(PackageBuildError::Interrupted) => Exit::Interrupted,
        Err(error) => {
            for (tone, word, text) in build_news(&error) {
                note(err, tone, word, &text);
            }
            Exit::Failed
        }
    }
}

/// Returns the planner that needs no model: it answers at once, by the triggers that the author writes.
fn planner(
    settings: &CliSettings,
    seed: &SeedArgs,
    status: &PromptStatus,
    err: &mut Out,
) -> Result<PlannerSetup, TurnError> {
    let args = PlannerArgs::lexical(SeedArgs { seed: seed.seed });
    planner::for_play(settings, &args, status, err)
}

fn no_package(package: &Path) -> TurnError {
    if package.join("SKILL.md").is_file() {
        let what =
            format!("`{}` has only a `SKILL.md`, and no scripts to build", package.display());
        let hint = "`narratoria run --skills .` plays with it and with its neighbours";
        return TurnError::new(TurnErrorKind::BadInput, what).hint(hint);
    }
    let what = format!("`{}` is not a package: it has no `skill.json`", package.display());
    TurnError::new(TurnErrorKind::NotFound, what).hint("`narratoria skill new NAME` begins one")
}
