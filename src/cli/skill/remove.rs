//! `narratoria skill remove`: deletes an installed package with its settings.

use narratoria_engine::TurnError;
use narratoria_skills::PackageDir;
use serde_json::json;

use super::install::install_error;
use crate::{
    cli::{
        args::{Format, SkillRemoveArgs},
        exit::Exit,
        print_document, print_text,
        settings::CliSettings,
    },
    ui::visible,
};

pub(super) fn remove(args: SkillRemoveArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let packages = PackageDir::new(settings.home()?.installed_skills());
    let folder = packages.remove(&args.name).map_err(install_error)?;
    match settings.format {
        Format::Json => print_document(
            look,
            &json!({"name": args.name, "folder": folder.display().to_string()}),
        )?,
        Format::Plain => print_text(look, &format!("{} removed\n", visible(&args.name)))?,
    }
    Ok(Exit::Done)
}
