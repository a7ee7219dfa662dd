//! What the host does for a script beside listening to it.

use crate::{llm::Writer, store::Keeper};

#[derive(Clone, Default)]
pub(crate) struct Services {
    pub(crate) keeper: Keeper,
    pub(crate) writer: Writer,
}

impl Services {
    /// The host's where there is one.
    pub(crate) fn of_the_host() -> Services {
        Services { keeper: Keeper::of_the_host(), writer: Writer::of_the_host() }
    }
}
