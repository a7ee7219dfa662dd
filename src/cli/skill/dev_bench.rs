//! The work of `skill dev` after each change: it builds and tests a package, publishes it for play, and checks it.

use std::{
    collections::BTreeSet,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use narratoria_engine::TurnError;
use narratoria_kit::{
    BuildTools, HarnessCall, PackageBuildError, PackageHarness, SOURCE_NOT_LOADED,
    SourceFingerprint, ToolOutput, build_for_play,
    check::{
        CheckMeaning, CheckOptions, CheckReport, CheckTarget, FindingLevel, TargetKind, check_all,
    },
    publish_package, run_examples, source_fingerprint,
};
use narratoria_protocol::{Event, OPERATION_DESCRIBE};
use narratoria_sandbox::Sandbox;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::{build_tools::build_tools, packages, test};
use crate::{
    clock_and_ids::utc_now,
    error::CliError,
    package_loop::PackageRound,
    player_settings::PlayerSettingsSource,
    settings::{self, CliSettings},
    setup,
};
use narratoria_ui::{Out, Tone};

/// Most bytes of a failed tool's output that are shown: the end of it.
const TOOL_TAIL_BYTES: usize = 16 << 10;

/// Longest time of the check after each change. `skill check` does what takes longer.
const CHECK_TIME: Duration = Duration::from_secs(3);

/// The error code of a source with a syntax error.
const SOURCE_SYNTAX: &str = "SOURCE_SYNTAX";

type News = (Tone, &'static str, String);

/// The package and its copies.
pub(super) struct DevFolders {
    /// The author's own folder.
    folder: PathBuf,
    /// The copy that is tested.
    pub(super) copy: PathBuf,
    /// The copy that the story plays.
    pub(super) played: PathBuf,
}

impl DevFolders {
    /// The copies of `folder`, within the folder `scratch`.
    pub(super) fn of(folder: &Path, scratch: &Path) -> DevFolders {
        let name = folder.file_name().unwrap_or_default();
        DevFolders {
            folder: folder.to_owned(),
            copy: scratch.join("next").join(name),
            played: scratch.join("skills").join(name),
        }
    }
}

/// Everything that builds, tests, publishes and checks the package.
pub(super) struct DevBench {
    folders: DevFolders,
    /// The copy, under the name that tests and checks show.
    target: CheckTarget,
    tools: BuildTools,
    /// The output of the tools.
    log: PathBuf,
    settings: CliSettings,
    sandbox: Sandbox,
    player: Arc<PlayerSettingsSource>,
    runtime: Handle,
    scratch: TempDir,
    /// The scripts that cannot run from their source.
    slow: BTreeSet<String>,
    runs_from_source: Arc<AtomicBool>,
    /// The sources that the last build has seen, whether it succeeded or not.
    last_built: Arc<Mutex<Option<SourceFingerprint>>>,
}

impl DevBench {
    pub(super) fn open(
        folders: DevFolders,
        settings: &CliSettings,
        cancel: CancellationToken,
        err: &mut Out,
    ) -> Result<DevBench, TurnError> {
        let name = folders.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scratch = packages::scratch_folder()?;
        let log = scratch.path().join("tools.log");
        let tools = BuildTools {
            base_cache: settings::base_cache(),
            ..build_tools(ToolOutput::File(log.clone()), cancel)
        };
        let folder = folders.copy.clone();
        if let Some(within) = folder.parent() {
            fs::create_dir_all(within).map_err(|why| unwritable(within, why))?;
        }
        Ok(DevBench {
            target: CheckTarget {
                display_name: name.clone(),
                name,
                folder,
                // Authors need no agreement for the package that they work on.
                kind: TargetKind::AgreedReplacement,
                signer: None,
            },
            folders,
            tools,
            log,
            settings: settings.clone(),
            sandbox: setup::offline_sandbox(settings, err)?,
            player: Arc::new(PlayerSettingsSource::open(settings)?),
            runtime: Handle::current(),
            scratch,
            slow: BTreeSet::new(),
            runs_from_source: Arc::default(),
            last_built: Arc::default(),
        })
    }

    /// Becomes true as soon as a script ran from its source: its component may then be older.
    pub(super) fn runs_from_source(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.runs_from_source)
    }

    /// The sources that the last build has seen: others were never built.
    pub(super) fn last_built(&self) -> Arc<Mutex<Option<SourceFingerprint>>> {
        Arc::clone(&self.last_built)
    }

    /// Builds, tests, publishes and checks what is on the disk now. A version that does not build or load is not played.
    pub(super) fn round(&mut self) -> PackageRound {
        let mut round = PackageRound::default();
        let seen = source_fingerprint(&self.folders.folder);
        let built = self.build_and_load(&mut round.news);
        // A build that the end of the session has cut short does not count.
        if !self.tools.cancel.is_cancelled() {
            *self.last_built.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        }
        let Some(harness) = built else { return round };
        self.run_examples(&harness, &mut round);
        drop(harness);
        if let Err(error) = publish_package(&self.folders.copy, &self.folders.played) {
            let text = format!("the story goes on with the last version: {error}");
            round.news.push((Tone::Error, "error", text));
            round.is_ok = false;
        }
        if round.is_ok {
            self.check(&mut round);
        }
        round
    }

    /// Builds and loads the copy of the package. Returns `None` if that fails, and adds the reasons to `news`.
    fn build_and_load(&mut self, news: &mut Vec<News>) -> Option<PackageHarness> {
        let mut slow = self.slow.clone();
        loop {
            // The log has only the output of this build.
            let _ = fs::remove_file(&self.log);
            let DevFolders { folder, copy, played } = &self.folders;
            let built = match build_for_play(folder, (copy, played), &self.tools, &slow) {
                Ok(built) => built,
                Err(error) => {
                    let tail = self.tool_tail();
                    news.extend(tail.lines().map(|line| (Tone::Notice, "tool", line.to_owned())));
                    news.extend(build_news(&error));
                    return None;
                }
            };
            let harness = self.load(news)?;
            match self.runtime.block_on(first_fault(&harness, &built.from_source)) {
                Some(SourceFault::Syntax(message)) => {
                    news.push((Tone::Error, "error", message));
                    return None;
                }
                Some(SourceFault::NotLoaded(script)) => {
                    slow.insert(script);
                    continue;
                }
                None => {}
            }
            self.slow = slow;
            self.runs_from_source.fetch_or(!built.from_source.is_empty(), Ordering::Relaxed);
            let names = built.changed.join(", ");
            let names = if names.is_empty() { "nothing new".to_owned() } else { names };
            news.push((Tone::Notice, "built", names));
            return Some(harness);
        }
    }

    fn load(&self, news: &mut Vec<News>) -> Option<PackageHarness> {
        let scratch = self.scratch.path();
        let (harness, notes) =
            test::build_harness(&self.target, &self.sandbox, scratch, &self.player);
        news.extend(notes.into_iter().map(|text| (Tone::Notice, "note", text)));
        harness
            .map_err(|problems| {
                news.extend(problems.into_iter().map(|problem| (Tone::Error, "error", problem)));
            })
            .ok()
    }

    fn run_examples(&self, harness: &PackageHarness, round: &mut PackageRound) {
        match self.runtime.block_on(run_examples(harness)) {
            Ok(runs) => {
                let mut differ = 0;
                for (example, run) in harness.skill().examples.iter().zip(&runs) {
                    differ += usize::from(!run.differences.is_empty());
                    round.news.extend(run.differences.iter().map(|difference| {
                        (Tone::Warning, "example", format!("{}: {difference}", example.file))
                    }));
                    let stderr = run.run.invocation.stderr_tail.lines();
                    let stderr = stderr.filter(|line| !line.trim().is_empty());
                    round.news.extend(
                        stderr.map(|line| {
                            (Tone::Notice, "stderr", format!("{}: {line}", example.file))
                        }),
                    );
                }
                let text = format!("{} run, {} as expected", runs.len(), runs.len() - differ);
                round.news.push((Tone::Notice, "tested", text));
                round.is_ok = differ == 0;
            }
            Err(error) => round.news.push((Tone::Error, "error", error.to_string())),
        }
    }

    /// Runs the check that CI runs, for at most [`CHECK_TIME`].
    fn check(&mut self, round: &mut PackageRound) {
        let options = CheckOptions {
            sandbox: self.sandbox.clone(),
            runtime: self.runtime.clone(),
            built_in: packages::built_in_skills(),
            policy: self.player.policy.clone(),
            campaigns: packages::check_campaigns(),
            // Notes and figures are for `skill check`, and this check has little time.
            meaning: CheckMeaning::Absent { why: "`skill dev` leaves it out".to_owned() },
            env: packages::environment(),
            scratch: self.scratch.path().to_owned(),
            strict: false,
            jobs: NonZeroUsize::MIN,
            time_budget: CHECK_TIME,
            seed: super::check::draw_seed(),
            started: utc_now(),
        };
        match check_all(vec![self.target.clone()], options, |_| {}) {
            Ok(report) => {
                let is_complete = report.packages.iter().all(|one| one.left_out.is_empty());
                round.is_ok = check_news(&report, &mut round.news);
                if !is_complete {
                    // The check has stopped the compilations of this sandbox, so another replaces it.
                    let mut err = Out::stderr(self.settings.terminal.look);
                    if let Ok(sandbox) = setup::offline_sandbox(&self.settings, &mut err) {
                        self.sandbox = sandbox;
                    }
                }
            }
            Err(error) => round.news.push((Tone::Error, "error", error.to_string())),
        }
    }

    /// Returns the end of the tools' output.
    fn tool_tail(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        let from = bytes.len().saturating_sub(TOOL_TAIL_BYTES);
        String::from_utf8_lossy(&bytes[from..]).into_owned()
    }
}

/// Why a script does not run from its source.
enum SourceFault {
    /// The message, which names the file and the line.
    Syntax(String),
    /// The name of the script, which must be built instead.
    NotLoaded(String),
}

/// Returns the fault of the first of these scripts whose source cannot be loaded.
async fn first_fault(
    harness: &PackageHarness,
    from_source: &BTreeSet<String>,
) -> Option<SourceFault> {
    for (script_idx, script) in harness.skill().scripts.iter().enumerate() {
        if !from_source.contains(&script.name) {
            continue;
        }
        let call =
            HarnessCall { operation: OPERATION_DESCRIBE.to_owned(), ..HarnessCall::default() };
        // A script that fails for another reason fails in the examples too.
        let Ok(run) = harness.run(script_idx, call).await else { continue };
        for message in run.messages {
            match message.event {
                Event::Error { error_code, error_message, .. } if error_code == SOURCE_SYNTAX => {
                    return Some(SourceFault::Syntax(error_message));
                }
                Event::Error { error_code, .. } if error_code == SOURCE_NOT_LOADED => {
                    return Some(SourceFault::NotLoaded(script.name.clone()));
                }
                _ => {}
            }
        }
    }
    None
}

/// Reports the findings of a check, and returns true if none is an error. Notes matter only for publishing.
fn check_news(report: &CheckReport, news: &mut Vec<News>) -> bool {
    let (mut errors, mut warnings, mut requests, mut is_complete) = (0, 0, 0, true);
    for package in &report.packages {
        requests += package.hostile;
        for finding in &package.findings {
            let tone = match finding.level {
                // Reported below.
                _ if finding.rule.id == "check/time-budget" => continue,
                FindingLevel::Error => Tone::Error,
                FindingLevel::Warning => Tone::Warning,
                FindingLevel::Note => continue,
            };
            errors += usize::from(tone == Tone::Error);
            warnings += usize::from(tone == Tone::Warning);
            let file = finding.file.as_deref().unwrap_or("the package");
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = format!("{file}{line}: {} [{}]", finding.what, finding.rule.id);
            news.push((tone, "check", text));
        }
        is_complete &= package.left_out.is_empty();
    }
    let count = |number: usize, word: &str| match number {
        1 => format!("1 {word}"),
        number => format!("{number} {word}s"),
    };
    let rest = if is_complete { "" } else { "; `narratoria skill check` does the rest" };
    let text = format!(
        "{}, {}, {}{rest}",
        count(requests, "hostile request"),
        count(errors, "error"),
        count(warnings, "warning")
    );
    news.push((Tone::Notice, "checked", text));
    errors == 0
}

/// Reports why a build failed.
pub(super) fn build_news(error: &PackageBuildError) -> Vec<News> {
    let mut news = vec![(Tone::Error, "error", error.to_string())];
    if let PackageBuildError::NoTool { help, .. } = error {
        news.extend(help.iter().map(|line| (Tone::Hint, "hint", line.clone())));
    }
    news
}

pub(super) fn unwritable(path: &Path, why: std::io::Error) -> CliError {
    CliError::Unwritable { what: "folder", path: path.to_owned(), why }
}
