//! `narratoria campaign fill`: writes the parts that a campaign lacks as files that its author can change.

use std::time::Duration;

use narratoria_campaign::{
    CampaignProblem, CampaignWording, ProblemWeight, WordingTally, compile, made_files, write_made,
};
use narratoria_engine::{TurnError, TurnErrorKind};

use super::{
    cover,
    new::write_error,
    source::{CampaignPlace, FoundCampaign, note_warnings},
    word_writer::WordWriter,
    words::{WordingTime, write_words},
};
#[cfg(feature = "llama")]
use crate::planner;
use crate::{
    args::{CampaignFillArgs, PlannerChoice},
    exit::Exit,
    interrupt::Interrupts,
    print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, visible};

/// Most reasons shown for words of the building blocks that the model did not replace.
const KEPT_SHOWN_MAX: usize = 12;

pub(super) async fn fill(args: &CampaignFillArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::bare()?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let place = CampaignPlace::Folder(args.folder.clone());
    let found = FoundCampaign { name: "campaign".to_owned(), place };
    let source = cover::read_checked(&found)?;
    let result = compile(&source, &found.name, args.seed);
    let Some(mut parts) = result.parts else {
        let faults = result.problems.iter().filter(|it| it.severity == ProblemWeight::Error);
        let error = TurnError::new(TurnErrorKind::BadInput, "the campaign has faults");
        return Err(faults.take(8).fold(error, |error, fault| error.hint(fault.to_string())));
    };
    let is_warning = |it: &&CampaignProblem| it.severity == ProblemWeight::Warning;
    note_warnings(&found, result.problems.iter().filter(is_warning).count(), &mut err);
    // A model takes seconds to load.
    let is_lacking = !made_files(&parts, &|_| false).is_empty();
    let writer = if is_lacking { writer(&settings, args, &mut err)? } else { None };
    if let Some(mut writer) = writer {
        let mut wording = CampaignWording::begin(&source, args.seed, parts);
        let interrupts = Interrupts::listen(look);
        let time = WordingTime::from_now(Duration::from_millis(args.time_ms));
        if write_words(&mut wording, &mut writer, time, &interrupts, look).await.is_err() {
            note(&mut err, Tone::Notice, "note", "stopped; no file was written");
            return Ok(Exit::Interrupted);
        }
        let name = writer.name();
        let (worded, tally) = wording.finish(&name);
        parts = worded;
        report(&name, &tally, &mut err);
    }
    let written = write_made(&args.folder, &parts).map_err(write_error)?;
    if written.is_empty() {
        note(&mut err, Tone::Notice, "note", "nothing is missing");
    }
    let lines: String = written.iter().map(|path| format!("{}\n", visible(path))).collect();
    print_text(look, &lines)?;
    Ok(Exit::Done)
}

/// Returns the model that writes the words; `None` if the building blocks write them.
fn writer(
    settings: &CliSettings,
    args: &CampaignFillArgs,
    err: &mut Out,
) -> Result<Option<WordWriter>, TurnError> {
    // Only a model needs these two: it must be found, and that can fail.
    #[cfg(not(feature = "llama"))]
    let _ = (settings, err);
    match &args.planner {
        #[cfg(feature = "llama")]
        PlannerChoice::Auto | PlannerChoice::Llama => {
            let model = planner::model_for_words(settings, &args.planner_args(), err)?;
            Ok(model.map(|model| WordWriter::Model(Box::new(model))))
        }
        #[cfg(not(feature = "llama"))]
        PlannerChoice::Auto => Ok(None),
        PlannerChoice::Lexical => Ok(None),
        PlannerChoice::Scripted(path) => Ok(Some(WordWriter::scripted(path)?)),
    }
}

/// Reports how many words the model wrote, and why the rest stayed as it was.
fn report(name: &str, tally: &WordingTally, err: &mut Out) {
    for why in tally.kept.iter().take(KEPT_SHOWN_MAX) {
        note(err, Tone::Notice, "note", &format!("as the building blocks have it: {why}"));
    }
    let more = tally.kept.len().saturating_sub(KEPT_SHOWN_MAX);
    if more > 0 {
        note(
            err,
            Tone::Notice,
            "note",
            &format!("{more} more are as the building blocks have them"),
        );
    }
    let WordingTally { asked, written, .. } = tally;
    let what = format!("{written} of {asked} texts and names are by `{name}`");
    note(err, Tone::Notice, "note", &what);
}
