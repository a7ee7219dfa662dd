//! What the factions of a story think of the player: a standing from −100 to +100 for each, which fades with story time,
//! opens and closes things, and is kept in the state under `/reputation`. Knows neither dice nor people.

mod gate;
mod phrase;
mod query;
mod rank;
mod settings;
mod standings;
mod update;

pub use query::query_reputation;
pub use update::update_reputation;

#[cfg(test)]
mod tests;
