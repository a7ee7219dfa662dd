//! `narratoria skill check`: the gate.

use std::{num::NonZeroUsize, sync::Arc, thread};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{
    CheckOptions, CheckReport, CheckTarget, check_all, report_github, report_json, report_junit,
    report_sarif,
};
use tokio::{runtime::Handle, sync::oneshot};

use super::packages;
use crate::{
    cli::{
        args::{CheckFormat, CommonArgs, Format, SkillCheckArgs},
        exit::Exit,
        files,
        interrupt::Interrupts,
        print_text,
        settings::CliSettings,
        setup,
    },
    ui::{CheckBar, Look, Out, check_report},
};

pub(super) async fn check(args: SkillCheckArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: args.packages.skills.clone(), format: Format::Plain };
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let scratch = packages::scratch_folder()?;
    let targets = packages::find(&args.packages, scratch.path())?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = CheckOptions {
        sandbox: Arc::new(setup::sandbox(&settings, &mut err)?),
        runtime: Handle::current(),
        env: packages::environment(),
        scratch: scratch.path().to_owned(),
        strict: args.strict,
        jobs: args.jobs.unwrap_or(cores),
    };
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let report = tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        report = on_a_thread(targets, options, look) => report?,
    };
    for also in &args.also {
        let folder = also.file.parent().unwrap_or(&also.file);
        // A file gets no colour, even if the terminal can show it.
        let text = render_report(&report, also.format, Look::default());
        files::write(folder, &also.file, "report", &text)?;
    }
    print_text(look, &render_report(&report, args.format, look))?;
    Ok(if report.is_ok() { Exit::Done } else { Exit::Failed })
}

/// The check blocks for as long as it takes; Ctrl-C must not wait for it.
async fn on_a_thread(
    targets: Vec<CheckTarget>,
    options: CheckOptions,
    look: Look,
) -> Result<CheckReport, TurnError> {
    let (tell, told) = oneshot::channel();
    thread::spawn(move || {
        let bar = CheckBar::new(look, targets.len());
        let report = check_all(&targets, &options, &|progress| bar.show(progress));
        bar.clear();
        // The receiver is gone after Ctrl-C.
        let _ = tell.send(report);
    });
    match told.await {
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
    }
}
