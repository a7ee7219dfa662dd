//! `narratoria skill dev`: a package is built, tested and played again after each change.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    BuildTools, PackageBuildError, ToolOutput, build_changed, check::CheckTarget, publish_package,
    run_examples,
};
use narratoria_sandbox::Sandbox;
use narratoria_story::Story;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{build_consent, packages, test};
use crate::{
    cli::{
        args::{CommonArgs, InteractionArgs, PlannerArgs, SeedArgs, SkillDevArgs},
        environment,
        error::CliError,
        exit::Exit,
        interrupt::Interrupts,
        package_loop::{PackageLoop, PackageRound},
        planner::{self, PlannerSetup},
        player_settings::PlayerSettingsSource,
        premise::Premise,
        run::{self, PlayStart},
        settings::{self, CliSettings},
        setup,
    },
    ui::{Out, PromptStatus, Tone, note},
};

/// Most bytes of a tool's output that are shown after it failed: its last words.
const TOOL_TAIL_BYTES: usize = 16 << 10;

/// The story of a session that keeps none.
const STORY: &str = "dev";

pub(super) async fn dev(args: SkillDevArgs) -> Result<Exit, TurnError> {
    let SkillDevArgs { package, story, yes, seed, format } = args;
    let scratch = packages::scratch_folder()?;
    let played = scratch.path().join("skills");
    fs::create_dir(&played).map_err(|why| unwritable(&played, why))?;
    let settings = CliSettings::check(CommonArgs { skills: vec![played.clone()], format })?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    build_consent::ensure(&package, yes, &mut err)?;
    let folder = fs::canonicalize(&package)
        .ok()
        .filter(|folder| folder.join("skill.json").is_file())
        .ok_or_else(|| no_package(&package))?;
    let interrupts = Interrupts::listen_in_session(look);
    let (status, cancel) = (PromptStatus::default(), CancellationToken::new());
    let bench = DevBench::open(&folder, &played, &settings, cancel.clone(), &mut err)?;
    let running = interrupts.begin_turn(None);
    let watched = {
        let work = Box::new(move || bench.round());
        PackageLoop::start(folder, status.clone(), cancel, work)
            .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?
    };
    note(&mut err, Tone::Notice, "note", &format!("building `{}`", package.display()));
    tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        () = watched.settle() => {}
    }
    watched.report(&mut err);
    drop(running);
    let story = match &story {
        Some(name) => setup::story(&settings, &setup::story_name(name)?, seed.seed, &mut err)?,
        None => {
            let (root, seed) = (scratch.path().join("stories"), seed.seed);
            let seed = seed.unwrap_or_else(setup::draw_seed);
            Story::open(&root, &setup::story_name(STORY)?, Timestamp::now(), seed)?
        }
    };
    run::play(PlayStart {
        planner: planner(&settings, &seed, &status, &mut err)?,
        settings,
        story,
        people: InteractionArgs::default(),
        premise: Premise::NoWorld,
        is_repeatable: seed.seed.is_some(),
        status,
        package: Some((watched, interrupts)),
        only: None,
        opened: None,
    })
    .await
}

/// The planner that needs no model: it answers at once, and by the triggers that the author writes.
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
    let what = format!("`{}` is not a package: it has no `skill.json`", package.display());
    TurnError::new(TurnErrorKind::NotFound, what).hint("`narratoria skill new NAME` begins one")
}

fn unwritable(path: &Path, why: std::io::Error) -> CliError {
    CliError::Unwritable { what: "folder", path: path.to_owned(), why }
}

/// Everything that builds, tests and publishes the package.
struct DevBench {
    target: CheckTarget,
    /// The copy that the story plays.
    played: PathBuf,
    tools: BuildTools,
    /// The output of the tools.
    log: PathBuf,
    sandbox: Sandbox,
    player: Arc<PlayerSettingsSource>,
    runtime: Handle,
    scratch: TempDir,
}

impl DevBench {
    fn open(
        folder: &Path,
        played: &Path,
        settings: &CliSettings,
        cancel: CancellationToken,
        err: &mut Out,
    ) -> Result<DevBench, TurnError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scratch = packages::scratch_folder()?;
        let log = scratch.path().join("tools.log");
        let tools = BuildTools {
            env: environment::raw_variables().collect(),
            path: environment::search_path(),
            output: ToolOutput::File(log.clone()),
            crate_cache: settings::crate_cache(),
            cancel,
        };
        Ok(DevBench {
            played: played.join(&name),
            target: CheckTarget { display_name: name.clone(), name, folder: folder.to_owned() },
            tools,
            log,
            sandbox: setup::offline_sandbox(settings, err)?,
            player: Arc::new(PlayerSettingsSource::open(settings)?),
            runtime: Handle::current(),
            scratch,
        })
    }

    /// Builds, tests and publishes what is on the disk now. A version that does not build or load is not played.
    fn round(&self) -> PackageRound {
        let mut round = PackageRound::default();
        // The output of this build alone.
        let _ = fs::remove_file(&self.log);
        match build_changed(&self.target.folder, &self.tools) {
            Ok(built) => {
                let names: Vec<&str> = built.iter().map(|script| script.name.as_str()).collect();
                let names =
                    if names.is_empty() { "nothing new".to_owned() } else { names.join(", ") };
                round.news.push((Tone::Notice, "built", names));
            }
            Err(error) => {
                let tail = self.tool_tail();
                round.news.extend(tail.lines().map(|line| (Tone::Notice, "tool", line.to_owned())));
                round.news.extend(build_news(&error));
                return round;
            }
        }
        let scratch = self.scratch.path();
        let (harness, notes) =
            test::build_harness(&self.target, &self.sandbox, scratch, &self.player);
        round.news.extend(notes.into_iter().map(|text| (Tone::Notice, "note", text)));
        let harness = match harness {
            Ok(harness) => harness,
            Err(problems) => {
                let news = problems.into_iter().map(|problem| (Tone::Error, "error", problem));
                round.news.extend(news);
                return round;
            }
        };
        match self.runtime.block_on(run_examples(&harness)) {
            Ok(runs) => {
                let mut differ = 0;
                for (example, run) in harness.skill().examples.iter().zip(&runs) {
                    differ += usize::from(!run.differences.is_empty());
                    round.news.extend(run.differences.iter().map(|difference| {
                        (Tone::Warning, "example", format!("{}: {difference}", example.file))
                    }));
                }
                let text = format!("{} run, {} as expected", runs.len(), runs.len() - differ);
                round.news.push((Tone::Notice, "tested", text));
                round.is_ok = differ == 0;
            }
            Err(error) => round.news.push((Tone::Error, "error", error.to_string())),
        }
        if let Err(error) = publish_package(&self.target.folder, &self.played) {
            let text = format!("the story goes on with the last version: {error}");
            round.news.push((Tone::Error, "error", text));
            round.is_ok = false;
        }
        round
    }

    /// The last words of the tools.
    fn tool_tail(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let from = bytes.len().saturating_sub(TOOL_TAIL_BYTES);
        String::from_utf8_lossy(&bytes[from..]).into_owned()
    }
}

fn build_news(error: &PackageBuildError) -> Vec<(Tone, &'static str, String)> {
    let mut news = vec![(Tone::Error, "error", error.to_string())];
    if let PackageBuildError::NoTool { help, .. } = error {
        news.extend(help.iter().map(|line| (Tone::Hint, "hint", line.clone())));
    }
    news
}
