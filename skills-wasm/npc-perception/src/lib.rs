//! What each person thinks of the player: a perception from −100 to +100, which begins with what the person's faction
//! thinks, what can be seen of the player and chance, fades back to that beginning, and gives rolls a modifier from −3 to
//! +3. Kept in the state under `/perception`, with what each person remembers. Knows no dice and no rules of a world.

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
