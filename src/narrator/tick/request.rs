//! What the planner of ticks without a model is asked for.

use super::{names::full_name, story_view::TickStory};

/// What the planner is asked for.
#[derive(Debug, Clone, Copy)]
pub struct TickRequest<'a> {
    pub story: &'a TickStory,
    /// The seed of the story: its town, its names and the order of its arcs.
    pub seed: u64,
    /// The character whose point of view the scene has, if the caller has chosen one.
    pub pov: Option<&'a str>,
}

impl TickRequest<'_> {
    /// A name that nobody in the story has, from the `nth` free one on.
    pub(super) fn free_name(&self, nth: u64) -> String {
        let taken = |name: &str| {
            self.story.characters.iter().any(|one| one.name.to_lowercase() == name.to_lowercase())
        };
        let nth = nth.max(self.story.characters.len() as u64);
        let mut names = (nth..).map(|nth| full_name(self.seed, nth));
        names.find(|name| !taken(name)).expect("the names do not end")
    }
}
