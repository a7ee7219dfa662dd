//! `narratoria plan show`: a plan of a story, its record, and its result.

use std::path::Path;

use narratoria_engine::TurnError;
use narratoria_story::export_plan;
use serde_json::Value;

use crate::{
    args::{Format, PlanShowArgs},
    exit::Exit,
    files, print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Look, record_view};

pub(super) fn show(args: PlanShowArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = Look { logs: args.logs, ..settings.terminal.look };
    let document = match args.plan.contains(['/', '\\']) {
        true => Value::Object(files::read_object(Path::new(&args.plan), "record")?),
        false => {
            let story = setup::existing_story(&settings, &args.of.story)?;
            let kept = story.plan(&args.plan)?;
            export_plan(kept.row, kept.ordinal, kept.turn)
        }
    };
    match settings.format {
        Format::Json => print_document(look, &document)?,
        Format::Plain => print_text(look, &record_view(&document, look))?,
    }
    Ok(Exit::Done)
}
