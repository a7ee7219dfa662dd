//! The password for others, of which the player's home has a hash.

use std::{
    io::{self, BufRead as _, Read as _},
    path::Path,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_serve::{PasswordHash, limits::PASSWORD_BYTES_MAX};
use narratoria_skills::{OutsideFileError, read_outside, write_private};
use narratoria_ui::{Out, Tone, note};

use crate::{
    args::Format, clock_and_ids::draw_token, error::CliError, exit::Exit,
    hidden_line::ask_hidden_twice, interrupt::Interrupts, settings::CliSettings,
};

/// Names the file in error messages.
const WHAT: &str = "password's file";

/// Longest file. The program itself writes it.
const FILE_BYTES_MAX: u64 = 4096;

/// Asks for a password, or reads a line, and keeps its hash.
pub(super) fn set(settings: &CliSettings) -> Result<Exit, TurnError> {
    let mut err = Out::stderr(settings.terminal.look);
    let is_asked = settings.terminal.is_interactive && settings.format == Format::Plain;
    let password = match is_asked {
        true => {
            let interrupts = Interrupts::listen(settings.terminal.look);
            ask_hidden_twice("password: ", &interrupts, &mut err)?
        }
        false => Some(first_line()?),
    };
    let Some(password) = password else { return Ok(Exit::Interrupted) };
    let hash = PasswordHash::of(&password, &draw_token())
        .map_err(|error| TurnError::new(TurnErrorKind::BadInput, error))?;
    let path = settings.home()?.page_password();
    let failed = |why| CliError::Unwritable { what: WHAT, path: path.clone(), why };
    write_private(&path, &format!("{}\n", hash.to_text())).map_err(failed)?;
    let said =
        "the password is set; `narratoria serve --listen ADDRESS` lets others in who know it";
    note(&mut err, Tone::Notice, "note", said);
    Ok(Exit::Done)
}

/// The first line of stdin, without its end.
fn first_line() -> Result<String, TurnError> {
    let mut line = Vec::new();
    let mut stdin = io::stdin().lock().take(PASSWORD_BYTES_MAX as u64 + 2);
    let failed =
        |why| CliError::Unreadable { what: "password", path: Path::new("-").to_owned(), why };
    stdin.read_until(b'\n', &mut line).map_err(failed)?;
    let line = String::from_utf8(line)
        .map_err(|_| TurnError::new(TurnErrorKind::BadInput, "the password is not in UTF-8"))?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// The hash, if a password is set.
pub(super) fn load(settings: &CliSettings) -> Result<Option<PasswordHash>, TurnError> {
    let path = settings.home()?.page_password();
    let bytes = match read_outside(&path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(OutsideFileError::Missing) => return Ok(None),
        Err(error) => return Err(CliError::outside_file(WHAT, &path, error).into()),
    };
    let hash = PasswordHash::parse(&String::from_utf8_lossy(&bytes));
    let broken = |error| {
        let error = TurnError::new(TurnErrorKind::BadInput, error);
        error.hint(format!("`narratoria serve --set-password` writes `{}` anew", path.display()))
    };
    hash.map(Some).map_err(broken)
}
