//! The settings of a skill.

use narratoria_sdk::Ctx;
use serde::de::DeserializeOwned;

/// Reads the settings. If they cannot be read, logs a warning and returns the defaults: a typing mistake must not cost
/// the turn.
pub fn settings<T: DeserializeOwned + Default>(ctx: &mut Ctx) -> T {
    ctx.config().unwrap_or_else(|error| {
        ctx.warn(&format!("{error}: the settings are those of the package"));
        T::default()
    })
}
