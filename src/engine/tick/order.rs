//! Checks the player's options for a tick.

use narratoria_narrator::tick::TickStory;

use crate::{TurnError, TurnErrorKind};

/// Returns an error unless `tick` follows `current`.
pub(super) fn check_next(current: u64, tick: u64, flag: &str) -> Result<(), TurnError> {
    let next = current + 1;
    if tick == next {
        return Ok(());
    }
    let error = format!("`{flag} {tick}`: the next tick is {next}");
    Err(TurnError::new(TurnErrorKind::BadInput, error).hint(format!("use `{flag} {next}`")))
}

/// Returns an error if the story has no living character with this id.
pub(super) fn check_pov(view: &TickStory, pov: Option<&str>) -> Result<(), TurnError> {
    let Some(pov) = pov else { return Ok(()) };
    match view.character(pov) {
        Some(character) if character.is_dead => {
            let error = format!("`{pov}` ({}) is dead and can see nothing", character.name);
            Err(TurnError::new(TurnErrorKind::BadInput, error))
        }
        Some(_) => Ok(()),
        None => {
            let known: Vec<String> = view
                .characters
                .iter()
                .take(8)
                .map(|one| format!("{} ({})", one.id, one.name))
                .collect();
            let error = format!("the story has no character `{pov}`");
            let error = TurnError::new(TurnErrorKind::NotFound, error);
            Err(match known.is_empty() {
                true => error.hint("it has no characters yet; a tick creates the first one"),
                false => error.hint(format!("it has {}", known.join(", "))),
            })
        }
    }
}
