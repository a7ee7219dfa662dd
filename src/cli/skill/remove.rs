//! `narratoria skill remove`: deletes an installed package with its settings.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{PackageDir, PackageOrigin};
use serde_json::json;

use super::install::install_error;
use crate::{
    args::{Format, SkillRemoveArgs},
    exit::Exit,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, visible};

pub(super) fn remove(args: SkillRemoveArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let packages = PackageDir::new(settings.home()?.installed_skills());
    let folder = packages.remove(&args.name).map_err(install_error)?;
    // Another package of that name must not find the settings.
    let origin = PackageOrigin::Folder(folder.clone());
    let removed = settings.skill_settings().remove(&args.name, &origin);
    let had_settings = removed.map_err(|error| {
        let what = format!("the settings of `{}` cannot be removed: {error}", args.name);
        TurnError::new(TurnErrorKind::Internal, what)
    })?;
    if had_settings {
        let what = "your settings of it are removed too";
        note(&mut Out::stderr(look), Tone::Notice, "note", what);
    }
    match settings.format {
        Format::Json => print_document(
            look,
            &json!({"name": args.name, "folder": folder.display().to_string()}),
        )?,
        Format::Plain => print_text(look, &format!("{} removed\n", visible(&args.name)))?,
    }
    Ok(Exit::Done)
}
