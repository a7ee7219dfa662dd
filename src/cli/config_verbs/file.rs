//! The file `config.toml` as the verbs read and write it.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_ui::{Out, Tone, note};

use crate::{
    config::{CONFIGURATION, UserConfig, read_config},
    error::CliError,
    files,
    settings::{CliSettings, Home},
};

/// How a file is put right that cannot be used.
const EDIT_HINT: &str = "`narratoria config edit` opens it in your editor";

/// Returns the text of the file; empty if there is none.
pub(super) fn file_text(home: &Home) -> Result<String, TurnError> {
    let bytes = read_config(home)?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| fault_of(error.into_bytes(), home))
}

/// Reads a text as the file would be read that has it.
pub(super) fn check(text: &str, home: &Home) -> Result<UserConfig, TurnError> {
    UserConfig::of_bytes(text.as_bytes().to_vec(), &home.config())
}

/// Returns why a file with these bytes cannot be changed.
pub(super) fn fault_of(bytes: Vec<u8>, home: &Home) -> TurnError {
    UserConfig::of_bytes(bytes, &home.config()).err().unwrap_or_else(|| {
        let error = format!("the {CONFIGURATION} `{}` cannot be changed", home.config().display());
        TurnError::new(TurnErrorKind::BadInput, error)
    })
}

pub(super) fn with_edit_hint(error: TurnError) -> TurnError {
    error.hint(EDIT_HINT)
}

/// Writes the file whole or not at all, unless nothing has changed.
pub(super) fn write(
    before: &str,
    after: &str,
    settings: &CliSettings,
    home: &Home,
) -> Result<(), CliError> {
    let mut err = Out::stderr(settings.terminal.look);
    if before == after {
        note(&mut err, Tone::Notice, "note", "nothing was changed");
        return Ok(());
    }
    let path = home.config();
    match path.symlink_metadata() {
        // The new file has the permissions of the old one.
        Ok(found) if found.is_file() => files::replace(&path, CONFIGURATION, after.as_bytes())?,
        _ => files::write(&path, CONFIGURATION, after)?,
    }
    note(&mut err, Tone::Notice, "note", &format!("`{}` is written", path.display()));
    Ok(())
}
