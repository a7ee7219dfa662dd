//! Each person's perception of the player, from −100 to +100. It begins with the opinion of the person's faction, the
//! player's visible traits and chance, fades back to that beginning, and gives rolls a modifier from −3 to +3. The
//! state keeps it under `/perception`, with each person's memories. Knows no dice and no rules of a world.

mod feeling;
mod first_sight;
mod people;
mod query;
mod settings;
mod update;

pub use query::query_perception;
pub use update::update_perception;

#[cfg(test)]
mod tests;
