//! `narratoria skill remove`: deletes an installed package with its settings.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{PackageDir, PackageOrigin, RemovedPackage, SignerKey};
use serde_json::json;

use super::install_error::install_error;
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
    let RemovedPackage { folder, pinned } = packages.remove(&args.name).map_err(install_error)?;
    // Another package of that name must not find the settings.
    let origin = PackageOrigin::Folder(folder.clone());
    let removed = settings.skill_settings().remove(&args.name, &origin);
    let had_settings = removed.map_err(|error| {
        let what = format!("the settings of `{}` cannot be removed: {error}", args.name);
        TurnError::new(TurnErrorKind::Internal, what)
    })?;
    let mut err = Out::stderr(look);
    if had_settings {
        note(&mut err, Tone::Notice, "note", "your settings of it are removed too");
    }
    let key = pinned.map(|pinned| pinned.key);
    if let Some(key) = &key {
        let what =
            format!("its key {key} is kept; the next package of this name by another one asks");
        note(&mut err, Tone::Notice, "note", &what);
    }
    match settings.format {
        Format::Json => print_document(
            look,
            &json!({
                "name": args.name,
                "folder": folder.display().to_string(),
                "key": key.as_ref().map(SignerKey::as_str),
            }),
        )?,
        Format::Plain => print_text(look, &format!("{} removed\n", visible(&args.name)))?,
    }
    Ok(Exit::Done)
}
