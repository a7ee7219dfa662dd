//! The player's standing with the factions of a story, from −100 to +100 for each. A standing fades with story time and
//! opens and closes things; the state keeps it under `/reputation`. Knows neither dice nor people.

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
