//! The aims that a walker may have.

use world_model::entity::NamedId;

/// An aim of a walker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WalkAim {
    /// To see the storylet with this index, and to take this choice of it.
    Storylet(usize, Option<String>),
    /// To have a thing.
    Fetch(NamedId),
    /// To have a light burn.
    Light(NamedId),
    /// To have a door or a container open.
    Open(NamedId),
    /// To have a thing lie at a place.
    Put(NamedId, NamedId),
    /// To ask a person about a topic.
    Talk(NamedId, String),
    /// To be at a place.
    Place(NamedId),
    /// To go through the exit of a place with this index.
    Exit(NamedId, usize),
    /// To let an hour pass.
    Wait,
}
