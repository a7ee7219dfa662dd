//! The player's agreement that the build scripts of a package run. They run outside the sandbox, so the first build of
//! a folder needs it, and later ones do not.

use std::{fs, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::digest::sha256;

use crate::{
    args::{CommonArgs, Format},
    confirm::{Agreement, confirm},
    files,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note};

/// Asks before the first build of this folder, unless `yes` agrees. The build itself reports a folder that is no
/// package.
pub(super) fn ensure(package: &Path, yes: bool, err: &mut Out) -> Result<(), TurnError> {
    let Ok(whole) = fs::canonicalize(package) else { return Ok(()) };
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain })?;
    if is_recorded(&whole, &settings) || !whole.join("skill.json").exists() {
        return Ok(());
    }
    let shown = package.display();
    let what = format!(
        "building `{shown}` runs its own build scripts and tools on this machine, outside the sandbox"
    );
    if !yes {
        note(err, Tone::Warning, "warning", &what);
    }
    match confirm(&format!("Build `{shown}`?"), yes, &settings, err)? {
        Agreement::Agreed => {
            record(&whole, &settings, err);
            Ok(())
        }
        Agreement::Declined => {
            Err(TurnError::new(TurnErrorKind::Refused, format!("`{shown}` is not built")))
        }
        Agreement::NobodyToAsk => {
            let what = format!("`{shown}` was never built here, and nobody has agreed to that");
            let hint = "`--yes` agrees, once for this folder; do so for packages that you trust";
            Err(TurnError::new(TurnErrorKind::BadInput, what).hint(hint))
        }
    }
}

/// Records the agreement for a folder whose content comes from this program.
pub(super) fn record_new(package: &Path, err: &mut Out) {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain });
    if let (Ok(whole), Ok(settings)) = (fs::canonicalize(package), settings) {
        record(&whole, &settings, err);
    }
}

fn is_recorded(whole: &Path, settings: &CliSettings) -> bool {
    settings.home().is_ok_and(|home| home.build_consents().join(file_name(whole)).exists())
}

/// Records the agreement. Without a home, or with one that is read-only, the next build asks again.
fn record(whole: &Path, settings: &CliSettings, err: &mut Out) {
    let Ok(home) = settings.home() else { return };
    let folder = home.build_consents();
    let path = folder.join(file_name(whole));
    let text = format!("{}\n", whole.display());
    if let Err(error) = files::write(&folder, &path, "agreement to a build", text) {
        note(err, Tone::Warning, "warning", &format!("the next build asks again: {error}"));
    }
}

fn file_name(whole: &Path) -> String {
    sha256(whole.as_os_str().as_encoded_bytes())
}
