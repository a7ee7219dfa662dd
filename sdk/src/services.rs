//! What the host does for a script beside listening to it.

use crate::{http::Web, llm::Writer, memory::Rememberer, store::Keeper};

#[derive(Clone, Default)]
pub(crate) struct Services {
    pub(crate) keeper: Keeper,
    pub(crate) memory: Rememberer,
    pub(crate) writer: Writer,
    pub(crate) web: Web,
}

impl Services {
    /// The host's where there is one.
    pub(crate) fn of_the_host() -> Services {
        Services {
            keeper: Keeper::of_the_host(),
            memory: Rememberer::of_the_host(),
            writer: Writer::of_the_host(),
            web: Web::of_the_host(),
        }
    }
}
