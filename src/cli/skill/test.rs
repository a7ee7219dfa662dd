//! `narratoria skill test`: runs the examples of packages and compares the results.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    ExampleCoverage, ExampleRun, PackageHarness,
    check::{CheckTarget, TargetKind},
    run_example, stale_schemas, updated_example,
};
use narratoria_protocol::nearest::nearest;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{self as skills, Problem, SkillExample};
use tokio::task::spawn_blocking;

use super::{
    packages,
    test_report::{TestedExample, TestedPackage, test_document, test_junit},
    unbuilt::way_out,
};
use crate::{
    args::{CommonArgs, Format, SkillTestArgs, TestFormat},
    clock_and_ids::{self, utc_now},
    exit::Exit,
    files,
    interrupt::Interrupts,
    player_settings::PlayerSettingsSource,
    print_data, print_document,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Look, Out, Tone, coverage_text, example_text, note, report_lines};

/// The tools that the tests of all packages share.
struct TestRun {
    sandbox: Sandbox,
    player: Arc<PlayerSettingsSource>,
    seed: u64,
    /// The examples or scripts to run; all of them if it is empty.
    only: Vec<String>,
    update: bool,
    format: TestFormat,
    look: Look,
}

pub(super) async fn test(args: SkillTestArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: args.packages.skills.clone(), format: Format::Plain };
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let scratch = packages::scratch_folder()?;
    let targets = packages::find(&args.packages, scratch.path())?;
    let run = TestRun {
        sandbox: setup::offline_sandbox(&settings, &mut err)?,
        player: Arc::new(PlayerSettingsSource::open(&settings)?),
        seed: clock_and_ids::draw_seed(),
        only: args.only,
        update: args.update,
        format: args.format,
        look,
    };
    let started = utc_now();
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let mut tested = Vec::new();
    for target in &targets {
        if run.update && target.kind != TargetKind::BuiltIn {
            run.update_schemas(target, scratch.path()).await?;
        }
        let package = run.test_package(target, scratch.path(), &mut err);
        tokio::select! {
            biased;
            () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
            package = package => tested.push(package?),
        }
    }
    run.check_names(&tested)?;
    match args.format {
        TestFormat::Json => print_document(look, &test_document(&tested))?,
        TestFormat::Junit => print_data(look, &test_junit(&tested, started))?,
        TestFormat::Plain => Out::stdout(look).write(&summary(&tested)),
    }
    Ok(tested.iter().map(TestedPackage::exit).max().unwrap_or(Exit::Done))
}

impl TestRun {
    /// Runs the examples of one package, and reports each as it ends.
    async fn test_package(
        &self,
        target: &CheckTarget,
        scratch: &Path,
        err: &mut Out,
    ) -> Result<TestedPackage, TurnError> {
        let began = Instant::now();
        let package = |problems: Vec<String>| TestedPackage {
            name: target.name.clone(),
            folder: target.display_name.clone(),
            problems,
            examples: Vec::new(),
            names: Vec::new(),
            coverage: ExampleCoverage::default(),
            took: Duration::ZERO,
        };
        let harness = match self.harness(target, scratch, err).await? {
            Ok(harness) => harness,
            Err(problems) => {
                for (idx, problem) in problems.iter().enumerate() {
                    let is_last = idx + 1 == problems.len();
                    let hint = is_last.then(|| way_out(&problems, &target.display_name));
                    report_lines(err, problem, &hint.into_iter().collect::<Vec<_>>());
                }
                return Ok(TestedPackage { took: began.elapsed(), ..package(problems) });
            }
        };
        let mut tested = package(Vec::new());
        tested.coverage = ExampleCoverage::of(harness.skill());
        let mut out = Out::stdout(self.look);
        for example in &harness.skill().examples {
            tested.names.extend([stem(example).to_owned(), example.script.clone()]);
            if !self.is_wanted(example) {
                continue;
            }
            let example = self.run_example(target, scratch, &harness, example).await?;
            if self.format == TestFormat::Plain {
                let shown = example_text(&target.name, &example.file, &example.run, self.look);
                let shown = if example.is_updated { updated_text(target, &example) } else { shown };
                out.write(&shown);
            }
            tested.examples.push(example);
        }
        if self.format == TestFormat::Plain && self.only.is_empty() {
            out.write(&coverage_text(&tested.coverage, self.look));
        }
        Ok(TestedPackage { took: began.elapsed(), ..tested })
    }

    /// Writes the schemas that the scripts describe into the files that are older.
    async fn update_schemas(&self, target: &CheckTarget, scratch: &Path) -> Result<(), TurnError> {
        let stale = stale_schemas(&target.folder, &self.sandbox, scratch).await;
        let stale = stale.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
        for (file, text) in stale {
            let path = target.folder.join(&file);
            files::write(&path, "schema", text)?;
            if self.format == TestFormat::Plain {
                Out::stdout(self.look).write(&format!("updated {}/{file}\n", target.name));
            }
        }
        Ok(())
    }

    async fn run_example(
        &self,
        target: &CheckTarget,
        scratch: &Path,
        harness: &PackageHarness,
        example: &SkillExample,
    ) -> Result<TestedExample, TurnError> {
        let began = Instant::now();
        let failed = |error| TurnError::new(TurnErrorKind::Internal, error);
        let run = run_example(harness, example).await.map_err(failed)?;
        let is_new = example.expect.is_empty();
        let wants_update = self.update && (is_new || !run.differences.is_empty());
        let is_updated = wants_update && update(target, scratch, example, &run)?;
        Ok(TestedExample {
            file: example.file.clone(),
            script: example.script.clone(),
            run,
            is_updated,
            took: began.elapsed(),
        })
    }

    fn is_wanted(&self, example: &SkillExample) -> bool {
        let is_named = |name: &String| {
            *name == example.script || *name == example.file || name == stem(example)
        };
        self.only.is_empty() || self.only.iter().any(is_named)
    }

    /// Returns an error if a name of `--only` is neither an example nor a script of any package.
    fn check_names(&self, tested: &[TestedPackage]) -> Result<(), TurnError> {
        if tested.iter().any(|package| !package.problems.is_empty()) {
            // The name may be in the package that cannot be loaded.
            return Ok(());
        }
        let known: Vec<&str> =
            tested.iter().flat_map(|package| &package.names).map(String::as_str).collect();
        let files = tested.iter().flat_map(|package| &package.examples);
        let files: Vec<&str> = files.map(|example| example.file.as_str()).collect();
        for name in &self.only {
            if known.contains(&name.as_str()) || files.contains(&name.as_str()) {
                continue;
            }
            let error = format!("no example and no script with examples is called `{name}`");
            let hint = match nearest(name, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "the name of an example is that of its file without `.json`".to_owned(),
            };
            return Err(TurnError::new(TurnErrorKind::BadInput, error).hint(hint));
        }
        Ok(())
    }

    /// Loads the package with its components, or returns everything that prevents it. Compiles on a thread of its own,
    /// so that Ctrl-C does not wait for it.
    async fn harness(
        &self,
        target: &CheckTarget,
        scratch: &Path,
        err: &mut Out,
    ) -> Result<Result<PackageHarness, Vec<String>>, TurnError> {
        let name = target.name.clone();
        let (target, scratch) = (target.clone(), scratch.to_owned());
        let (sandbox, player) = (self.sandbox.clone(), Arc::clone(&self.player));
        let seed = self.seed;
        let work = move || {
            let (harness, notes) = build_harness(&target, &sandbox, &scratch, &player);
            (harness.map(|harness| harness.with_seed(seed)), notes)
        };
        let built = setup::announce_compiling(&name, err, spawn_blocking(work)).await;
        let (harness, notes) =
            built.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
        for text in notes {
            note(err, Tone::Notice, "note", &text);
        }
        Ok(harness)
    }
}

/// Returns the name of the example's file without folder and extension.
fn stem(example: &SkillExample) -> &str {
    let name = example.file.rsplit('/').next().unwrap_or(&example.file);
    name.strip_suffix(".json").unwrap_or(name)
}

/// Writes the actual result into the example. Returns false if the host stopped the script.
fn update(
    target: &CheckTarget,
    scratch: &Path,
    example: &SkillExample,
    run: &ExampleRun,
) -> Result<bool, TurnError> {
    if target.folder.starts_with(scratch) {
        let error = format!("`{}` is built in, so its examples stay as they are", target.name);
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    let path = target.folder.join(&example.file);
    let text = files::read(&path, "example", files::JSON_BYTES_MAX)?;
    let text = String::from_utf8_lossy(&text);
    let Ok(text) = updated_example(&text, run) else { return Ok(false) };
    files::write(&path, "example", text)?;
    Ok(true)
}

fn updated_text(target: &CheckTarget, example: &TestedExample) -> String {
    format!("updated {}/{}\n", target.name, example.file)
}

fn summary(tested: &[TestedPackage]) -> String {
    let all: Vec<&TestedExample> = tested.iter().flat_map(|package| &package.examples).collect();
    let updated = all.iter().filter(|example| example.is_updated).count();
    let ok = all.iter().filter(|example| example.is_ok()).count();
    let also = if updated > 0 { format!(", {updated} of these updated") } else { String::new() };
    format!("{} run, {ok} as expected{also}, {} not\n", all.len(), all.len() - ok)
}

/// Loads the package with its components, or returns everything that prevents it; and notes for the author.
pub(super) fn build_harness(
    target: &CheckTarget,
    sandbox: &Sandbox,
    scratch: &Path,
    source: &PlayerSettingsSource,
) -> (Result<PackageHarness, Vec<String>>, Vec<String>) {
    let player = source.side().tolerating_missing();
    let loaded = skills::open_package_folder(&target.folder)
        .map_err(|problem| vec![problem])
        .and_then(|package| package.load_with_notes(&player));
    let (skill, notes) = match loaded {
        Ok((skill, notes)) => (Ok(skill), notes.iter().map(Problem::to_string).collect()),
        Err(problems) => (Err(problems), Vec::new()),
    };
    let lines =
        |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect::<Vec<_>>();
    let mut skill = match skill {
        Ok(skill) => skill,
        Err(problems) => return (Err(lines(problems)), notes),
    };
    let refused = source.policy.apply(&mut skill);
    if !refused.is_empty() {
        return (Err(lines(refused)), notes);
    }
    let env = packages::environment();
    let harness = PackageHarness::build(Arc::new(skill), sandbox, env, scratch.to_owned())
        .map_err(|(path, error)| vec![format!("package `{}`: {path}: {error}", target.name)]);
    (harness, notes)
}
