//! `narratoria skill check`: the check that a package must pass before it is published.

use std::{
    fs::OpenOptions,
    io::Write,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{
    CheckMeaning, CheckOptions, CheckReport, CheckTarget, check_all, report_github, report_json,
    report_junit, report_markdown, report_sarif,
};
use tokio::{runtime::Handle, sync::oneshot};
use tokio_util::sync::CancellationToken;

use super::packages;
#[cfg(feature = "llama")]
use crate::meaning;
use crate::{
    args::{CheckFormat, CommonArgs, Format, PackagesArgs, ProgressForm, SkillCheckArgs},
    check_progress::CheckProgressLines,
    clock_and_ids::{self, utc_now},
    config::{host_policy, load_policy, policy_text},
    environment,
    error::CliError,
    exit::Exit,
    files,
    fleet::{FleetCheck, NO_MEANING},
    interrupt::Interrupts,
    print_data, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{CheckBar, Look, Out, Tone, check_report, note};

/// The variable with the file of the job's summary page, in GitHub Actions.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Bits of a drawn seed. Every JSON parser reads a whole number of 53 bits exactly.
const SEED_BITS: u32 = 53;

pub(super) async fn check(mut args: SkillCheckArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: args.packages.skills.clone(), format: Format::Plain };
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let scratch = packages::scratch_folder()?;
    let targets = find_targets(&mut args.packages, &settings, scratch.path())?;
    let policy = match &args.policy {
        Some(file) => load_policy(file)?,
        None => host_policy(&settings)?,
    };
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = CheckOptions {
        sandbox: setup::offline_sandbox(&settings, &mut err)?,
        runtime: Handle::current(),
        built_in: packages::built_in_skills(),
        policy,
        campaigns: packages::check_campaigns(),
        meaning: check_meaning(&settings),
        env: packages::environment(),
        scratch: scratch.path().to_owned(),
        strict: args.strict,
        jobs: args.jobs.unwrap_or(cores),
        time_budget: args.time_budget,
        seed: args.seed.unwrap_or_else(draw_seed),
        started: utc_now(),
    };
    let is_json = args.progress == ProgressForm::Json;
    let json = is_json.then(|| CheckProgressLines::begin(look, &targets));
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let checked = async {
        match &args.fleet.queue {
            None => on_a_thread(targets, options, (look, json)).await.map(Some),
            Some(queue) => {
                let stop = &running.cancel;
                in_a_fleet(queue, &args, targets, options, stop, (look, json, &mut err)).await
            }
        }
    };
    let report = tokio::select! {
        biased;
        () = running.cancel.cancelled(), if args.fleet.queue.is_none() => None,
        report = checked => report?,
    };
    let Some(report) = report else { return Ok(Exit::Interrupted) };
    for also in &args.also {
        // A file gets no colour, even if the terminal can show it.
        let text = render_report(&report, also.format, Look::default());
        files::write(&also.file, "report", &text)?;
    }
    // A job that writes the page itself must not get it twice.
    let has_page = args.also.iter().any(|also| also.format == CheckFormat::Markdown);
    if args.format == CheckFormat::Github
        && !has_page
        && let Some(page) = environment::raw_variable(STEP_SUMMARY).filter(|page| !page.is_empty())
    {
        append(&PathBuf::from(page), &report_markdown(&report))?;
    }
    let text = render_report(&report, args.format, look);
    match args.format {
        CheckFormat::Human => print_text(look, &text)?,
        _ => print_data(look, &text)?,
    }
    Ok(if report.is_ok() { Exit::Done } else { Exit::Failed })
}

/// The named packages, of which archives are unpacked first.
fn find_targets(
    named: &mut PackagesArgs,
    settings: &CliSettings,
    scratch: &Path,
) -> Result<Vec<CheckTarget>, TurnError> {
    let all = std::mem::take(&mut named.packages);
    let (archives, folders): (Vec<PathBuf>, Vec<PathBuf>) =
        all.into_iter().partition(|path| path.is_file());
    named.packages = folders;
    let mut targets = match archives.is_empty() || !named.packages.is_empty() {
        true => packages::find(named, scratch)?,
        false => Vec::new(),
    };
    for (nth, archive) in archives.iter().enumerate() {
        targets.push(packages::in_archive(archive, scratch.join(format!("archive-{nth}")))?);
    }
    packages::mark_installed(&mut targets, &settings.skill_settings());
    Ok(targets)
}

/// How sentences find scripts.
#[cfg(feature = "llama")]
fn check_meaning(settings: &CliSettings) -> CheckMeaning {
    meaning::check_meaning(settings)
}

#[cfg(not(feature = "llama"))]
fn check_meaning(_: &CliSettings) -> CheckMeaning {
    CheckMeaning::Absent { why: "this program was built without models".to_owned() }
}

/// A seed for one check.
pub(super) fn draw_seed() -> u64 {
    clock_and_ids::draw_seed() >> (u64::BITS - SEED_BITS)
}

/// Appends to the page, because other steps of the job write to it too.
fn append(path: &Path, text: &str) -> Result<(), CliError> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened
        .and_then(|mut page| page.write_all(text.as_bytes()))
        .map_err(|why| CliError::Unwritable { what: "job summary", path: path.to_owned(), why })
}

/// Has the workers of a fleet check the packages; `None` if the player stops it. Packages that cannot be sent are checked here.
async fn in_a_fleet(
    queue: &str,
    args: &SkillCheckArgs,
    targets: Vec<CheckTarget>,
    options: CheckOptions,
    stop: &CancellationToken,
    (look, json, err): (Look, Option<CheckProgressLines>, &mut Out),
) -> Result<Option<CheckReport>, TurnError> {
    let policy = args
        .policy
        .as_ref()
        .map(|file| policy_text(file).map(|text| (file.to_string_lossy().into_owned(), text)));
    let seed = options.seed;
    let common = (seed, options.strict, options.time_budget);
    let fleet =
        FleetCheck::begin(&args.fleet, queue, &targets, common, policy.transpose()?).await?;
    let waited = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        waited = fleet.wait(look, json.as_ref(), err) => Some(waited),
    };
    let Some(waited) = waited else {
        fleet.cancel().await?;
        let text = format!("the same command with `--seed {seed}` goes on where this one was");
        note(err, Tone::Notice, "note", &text);
        return Ok(None);
    };
    waited?;
    let mut packages = fleet.reports(&targets).await?;
    fleet.cancel().await?;
    let here: Vec<CheckTarget> = fleet.local().iter().map(|idx| targets[*idx].clone()).collect();
    let mut report = on_a_thread(here, options, (look, json)).await?;
    packages.extend(fleet.local().iter().copied().zip(report.packages));
    packages.sort_by_key(|(idx, _)| *idx);
    report.packages = packages.into_iter().map(|(_, package)| package).collect();
    report.meaning_left_out = Some(NO_MEANING.to_owned());
    Ok(Some(report))
}

/// Runs the check on a thread of its own, because it blocks and Ctrl-C must not wait for it.
async fn on_a_thread(
    targets: Vec<CheckTarget>,
    options: CheckOptions,
    (look, json): (Look, Option<CheckProgressLines>),
) -> Result<CheckReport, TurnError> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        let report = match json {
            Some(json) => check_all(targets, options, move |progress| json.show_package(progress)),
            None => {
                let bar = Arc::new(CheckBar::new(look, targets.len()));
                let shown = Arc::clone(&bar);
                let report = check_all(targets, options, move |progress| shown.show(progress));
                bar.clear();
                report
            }
        };
        // The receiver is gone after Ctrl-C.
        let _ = sender.send(report);
    });
    match receiver.await {
        Ok(report) => report.map_err(|error| TurnError::new(TurnErrorKind::Internal, error)),
        Err(_) => Err(TurnError::new(TurnErrorKind::Internal, "the check came to no end")),
    }
}

fn render_report(report: &CheckReport, format: CheckFormat, look: Look) -> String {
    let document = |value: serde_json::Value| format!("{value:#}\n");
    match format {
        CheckFormat::Human => check_report(report, look),
        CheckFormat::Json => document(report_json(report)),
        CheckFormat::Junit => report_junit(report),
        CheckFormat::Sarif => document(report_sarif(report)),
        CheckFormat::Github => report_github(report),
        CheckFormat::Markdown => report_markdown(report),
    }
}
