//! `narratoria plan export`: a plan of a story as a document for other programs.

use narratoria_engine::TurnError;
use narratoria_story::{export_plan, export_runnable_plan, to_yaml};

use crate::{
    args::{DocumentForm, PlanExportArgs},
    exit::Exit,
    print_data, print_document,
    settings::CliSettings,
    setup,
};

pub(super) fn export(args: PlanExportArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let story = setup::existing_story(&settings, &args.of.story)?;
    let kept = story.plan(&args.plan)?;
    let document = match args.plan_only {
        true => export_runnable_plan(&kept.row),
        false => export_plan(kept.row, kept.ordinal, kept.turn),
    };
    match args.form {
        DocumentForm::Json => print_document(look, &document)?,
        DocumentForm::Yaml => print_data(look, &to_yaml(&document))?,
    }
    Ok(Exit::Done)
}
