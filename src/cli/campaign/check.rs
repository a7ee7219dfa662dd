//! `narratoria campaign check`: reports every fault of a campaign at once, and the findings of random walks through it.

use std::{num::NonZeroUsize, thread, time::Instant};

use narratoria_campaign::{
    CampaignFindings, CompileResult, ProblemWeight, WalkOptions, WalkReport, WalkReportPage,
    compile, walk_campaign,
};
use narratoria_engine::{TurnError, TurnErrorKind};
use tokio::sync::oneshot;

use super::{
    cover,
    source::{self, FoundCampaign},
};
use crate::{
    args::{CampaignCheckArgs, CampaignReportFormat},
    exit::Exit,
    files,
    interrupt::Interrupts,
    print_data, print_text,
    settings::CliSettings,
};
use narratoria_ui::{CountBar, Look, visible, visible_json};

/// The findings of a check, and the compiled campaign.
struct CampaignChecked {
    findings: CampaignFindings,
    result: CompileResult,
}

pub(super) async fn check(args: CampaignCheckArgs) -> Result<Exit, TurnError> {
    if args.format == CampaignReportFormat::Html && args.walks == 0 {
        let what = "a page shows where walks went, and `--walks 0` makes none";
        return Err(TurnError::new(TurnErrorKind::BadInput, what));
    }
    let began = Instant::now();
    let settings = CliSettings::bare()?;
    let look = settings.terminal.look;
    let found = source::find(&settings, &args.campaign)?;
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let CampaignChecked { findings, result } = tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        checked = on_a_thread(found, args.clone(), look, began) => checked?,
    };
    let report = render(&findings, &result, args.format)?;
    // A campaign that cannot be played has no map.
    let is_page = args.format != CampaignReportFormat::Html || findings.walks.is_some();
    match args.out.as_ref().filter(|_| is_page) {
        Some(path) => files::write(path, "report", &report)?,
        None if args.format == CampaignReportFormat::Text => print_text(look, &report)?,
        None => print_data(look, &report)?,
    }
    let is_refused = |weight: ProblemWeight| match weight {
        ProblemWeight::Error => true,
        ProblemWeight::Warning => args.strict,
        ProblemWeight::Note => false,
    };
    let is_walked = findings.walks.as_ref().is_none_or(WalkReport::is_clean);
    let is_wrong = findings.findings.iter().any(|finding| is_refused(finding.severity));
    match is_wrong || (args.strict && !is_walked) {
        true => Ok(Exit::Failed),
        false => Ok(Exit::Done),
    }
}

/// Runs the check on a thread of its own, because it blocks; Ctrl-C must not wait for it, not even for one turn of a
/// walk.
async fn on_a_thread(
    found: FoundCampaign,
    args: CampaignCheckArgs,
    look: Look,
    began: Instant,
) -> Result<CampaignChecked, TurnError> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        // The receiver is gone after Ctrl-C.
        let _ = sender.send(checked(&found, &args, look, began));
    });
    match receiver.await {
        Ok(checked) => checked,
        Err(_) => Err(TurnError::new(TurnErrorKind::Internal, "the check came to no end")),
    }
}

fn checked(
    found: &FoundCampaign,
    args: &CampaignCheckArgs,
    look: Look,
    began: Instant,
) -> Result<CampaignChecked, TurnError> {
    let source = cover::read_checked(found)?;
    let result = compile(&source, &found.name, args.seed);
    let walks = walks(&result, args, look, began)?;
    let findings = CampaignFindings::of(&found.name, &result).with_walks(walks);
    Ok(CampaignChecked { findings, result })
}

/// Walks through a campaign that can be played, as long as there is time.
fn walks(
    result: &CompileResult,
    args: &CampaignCheckArgs,
    look: Look,
    began: Instant,
) -> Result<Option<WalkReport>, TurnError> {
    let Some(parts) = result.parts.as_ref().filter(|_| args.walks > 0) else { return Ok(None) };
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let options = WalkOptions {
        walks: args.walks,
        turns: args.turns,
        seed: args.seed.unwrap_or(WalkOptions::default().seed),
        threads: cores.min(WalkOptions::default().threads),
    };
    let bar = CountBar::new(look, options.walks, "walks");
    let is_over = || began.elapsed() >= args.time_budget;
    let report = walk_campaign(parts, options, &|| bar.step(), &is_over);
    bar.clear();
    report.map(Some).map_err(|why| {
        TurnError::new(TurnErrorKind::BadInput, format!("the campaign cannot be walked: {why}"))
    })
}

fn render(
    findings: &CampaignFindings,
    result: &CompileResult,
    format: CampaignReportFormat,
) -> Result<String, TurnError> {
    // A report quotes the texts of a campaign, which may be untrusted.
    let text = match (format, &findings.walks, &result.parts) {
        (CampaignReportFormat::Html, Some(report), Some(parts)) => {
            WalkReportPage { report, world: &parts.world }.to_string()
        }
        (CampaignReportFormat::Text | CampaignReportFormat::Html, ..) => findings.render_text(),
        (CampaignReportFormat::Json, ..) => {
            let json = serde_json::to_string_pretty(findings)
                .map_err(|error| TurnError::new(TurnErrorKind::Internal, error.to_string()))?;
            return Ok(visible_json(&json).into_owned() + "\n");
        }
    };
    Ok(visible(&text).into_owned())
}
