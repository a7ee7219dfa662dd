//! The resources of every plan that the host runs, inside a story and outside.

use std::sync::Arc;

use super::{ClockAndIds, Scripts, SessionOptions, entity_place::EntityPlace};
use narratoria_executor::PendingRequests;
use narratoria_skills::{Catalog, StoryGuidance};

#[derive(Clone, Copy)]
pub(crate) struct HostResources<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) scripts: &'a Arc<Scripts>,
    pub(crate) options: &'a SessionOptions,
    pub(crate) clock_and_ids: &'a ClockAndIds,
    pub(crate) pending: &'a PendingRequests,
    /// The story's people, places and memories; `None` outside a story.
    pub(crate) entities: Option<&'a EntityPlace>,
    /// The guides and notes for the texts of this turn; `None` for the guides alone.
    pub(crate) guidance: Option<&'a Arc<StoryGuidance>>,
}
