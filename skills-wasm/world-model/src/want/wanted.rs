//! The names of what a verb would like. The build script of `understanding` reads this file too.

use crate::entity::NamedId;

/// What a verb would like its object to be. It decides between things of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Anything.
    Any,
    /// Something that can be taken and is not.
    Takable,
    /// Something that the player has.
    Carried,
    /// Something that the player wears.
    Worn,
    /// Something to wear.
    Wearable,
    /// Something that opens and is closed.
    Closed,
    /// Something that is open.
    Open,
    /// Something that is locked.
    Locked,
    /// The key of this, if the player has it.
    KeyOf(NamedId),
    /// A light that is out.
    Unlit,
    /// A light that is lit.
    Lit,
    /// Something to eat.
    Edible,
    /// Something to drink.
    Drinkable,
    /// Something to read.
    Readable,
    /// A person.
    Person,
    /// Something that a person has.
    Owned,
    /// What can hold things.
    Holder,
    /// A place or a door.
    Place,
}
