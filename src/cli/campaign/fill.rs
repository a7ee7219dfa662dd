//! `narratoria campaign fill`: what a campaign lacks, as files that its author can change.

use narratoria_campaign::{CampaignSource, ProblemWeight, compile, write_made};
use narratoria_engine::{TurnError, TurnErrorKind};

use super::new::write_error;
use crate::{
    cli::{args::CampaignFillArgs, exit::Exit, print_text, settings},
    ui::{Out, Tone, note, visible},
};

pub(super) fn fill(args: &CampaignFillArgs) -> Result<Exit, TurnError> {
    let source = CampaignSource::read_folder(&args.folder)
        .map_err(|error| TurnError::new(TurnErrorKind::NotFound, error))?;
    let result = compile(&source, "campaign", args.seed);
    let Some(parts) = &result.parts else {
        let faults = result.problems.iter().filter(|it| it.severity == ProblemWeight::Error);
        let error = TurnError::new(TurnErrorKind::BadInput, "the campaign has faults");
        return Err(faults.take(8).fold(error, |error, fault| error.hint(fault.to_string())));
    };
    let written = write_made(&args.folder, parts).map_err(write_error)?;
    let look = settings::initial_look();
    if written.is_empty() {
        note(&mut Out::stderr(look), Tone::Notice, "note", "nothing is missing");
    }
    let lines: String = written.iter().map(|path| format!("{}\n", visible(path))).collect();
    print_text(look, &lines)?;
    Ok(Exit::Done)
}
