//! The player's agreement that the build scripts of a package run. They run outside the sandbox, so the first build needs
//! it, and so does each later one for which something has changed that a build may run. It is kept under the digest of that,
//! wherever the folder lies.

use std::{fs, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::build_digest;

use crate::{
    args::{CommonArgs, Format},
    confirm::{Agreement, confirm},
    files,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note};

/// Asks before a build that nobody has agreed to, unless `yes` agrees. The build itself reports a folder that is no
/// package.
pub(super) fn ensure(package: &Path, yes: bool, err: &mut Out) -> Result<(), TurnError> {
    let Ok(whole) = fs::canonicalize(package) else { return Ok(()) };
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain })?;
    let digest = build_digest(&whole);
    let is_recorded = digest.as_ref().is_some_and(|digest| is_recorded(digest, &settings));
    if is_recorded || !whole.join("skill.json").exists() {
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
            record(&whole, digest.as_deref(), &settings, err);
            Ok(())
        }
        Agreement::Declined => {
            Err(TurnError::new(TurnErrorKind::Refused, format!("`{shown}` is not built")))
        }
        Agreement::NobodyToAsk => {
            let what = format!(
                "`{shown}` was never built here with these build scripts and tools, and nobody has agreed to that"
            );
            let hint =
                "`--yes` agrees, until one of them changes; do so for packages that you trust";
            Err(TurnError::new(TurnErrorKind::BadInput, what).hint(hint))
        }
    }
}

/// Records the agreement for a folder whose content comes from this program, or from a build that was agreed to.
pub(super) fn record_present(package: &Path, err: &mut Out) {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain });
    if let (Ok(whole), Ok(settings)) = (fs::canonicalize(package), settings) {
        record(&whole, build_digest(&whole).as_deref(), &settings, err);
    }
}

/// Returns true if the next build of this folder asks nothing.
pub(super) fn is_agreed(package: &Path) -> bool {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: Format::Plain });
    let Ok(settings) = settings else { return false };
    build_digest(package).is_some_and(|digest| is_recorded(&digest, &settings))
}

fn is_recorded(digest: &str, settings: &CliSettings) -> bool {
    settings.home().is_ok_and(|home| home.build_consents().join(digest).exists())
}

/// Records the agreement. Without a home, or with one that is read-only, the next build asks again.
fn record(whole: &Path, digest: Option<&str>, settings: &CliSettings, err: &mut Out) {
    let Ok(home) = settings.home() else { return };
    let Some(digest) = digest else {
        let text = "the next build asks again: the package has too many files to be known again";
        return note(err, Tone::Notice, "note", text);
    };
    if is_recorded(digest, settings) {
        return;
    }
    let path = home.build_consents().join(digest);
    let text = format!("{}\n", whole.display());
    if let Err(error) = files::write(&path, "agreement to a build", text) {
        note(err, Tone::Warning, "warning", &format!("the next build asks again: {error}"));
    }
}
