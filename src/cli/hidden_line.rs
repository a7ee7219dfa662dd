//! Asks for a secret on a terminal.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_ui::{HiddenInput, Out, Tone, note, read_hidden};

use super::{error::CliError, interrupt::Interrupts};

/// Asks twice, because nothing is shown. Returns `None` if the player leaves.
pub(super) fn ask_hidden_twice(
    prompt: &str,
    interrupts: &Interrupts,
    err: &mut Out,
) -> Result<Option<String>, TurnError> {
    let Some(first) = ask_hidden(prompt, interrupts, err)? else { return Ok(None) };
    let Some(again) = ask_hidden("again: ", interrupts, err)? else { return Ok(None) };
    match first == again {
        true => Ok(Some(first)),
        false => Err(TurnError::new(TurnErrorKind::BadInput, "the two passwords are not the same")),
    }
}

/// Asks, and does not show what the player types. Returns `None` if the player leaves.
pub(super) fn ask_hidden(
    prompt: &str,
    interrupts: &Interrupts,
    err: &mut Out,
) -> Result<Option<String>, CliError> {
    let failed = |why| CliError::Terminal { action: "read the terminal", why };
    loop {
        match read_hidden(err, prompt, interrupts.break_editor()).map_err(failed)? {
            HiddenInput::Line(line) => return Ok(Some(line)),
            HiddenInput::TooLong => note(err, Tone::Hint, "hint", "that is too long for a secret"),
            HiddenInput::Interrupted | HiddenInput::End => return Ok(None),
        }
    }
}
