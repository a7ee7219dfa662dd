//! The material of the tick planner without a model: four arcs, each a question that four threads lead to. They stand in
//! `text/arcs`, whose `README.md` explains them.

/// A question, and the way to its answer.
pub(super) struct Arc {
    /// The open loop of the whole arc.
    pub(super) question: &'static str,
    pub(super) category: &'static str,
    pub(super) threads: [Thread; THREADS],
    /// Answers the question of the arc, at the place and with the person of the last thread.
    pub(super) end: Beat,
}

/// Threads of an arc.
pub(super) const THREADS: usize = 4;

/// Beats of a thread.
pub(super) const BEATS: usize = 3;

pub(super) struct Thread {
    pub(super) question: &'static str,
    pub(super) category: &'static str,
    pub(super) person: PersonSpec,
    pub(super) place: NewPlace,
    /// Of the relationship to the person, once the question is answered.
    pub(super) status: &'static str,
    /// What changed it.
    pub(super) event: &'static str,
    pub(super) beats: [Beat; BEATS],
}

pub(super) enum PersonSpec {
    /// Somebody whom the story knows from an earlier arc, else this new person.
    Friend(NewPerson),
    New(NewPerson),
    /// The person of an earlier thread of the arc.
    Same(usize),
}

pub(super) struct NewPerson {
    pub(super) role: &'static str,
    pub(super) description: &'static str,
    pub(super) traits: [&'static str; 2],
    pub(super) goal: &'static str,
    pub(super) relationship_type: &'static str,
    /// What the point of view thinks of the person.
    pub(super) seen: &'static str,
    /// What the person thinks of the point of view.
    pub(super) sees: &'static str,
}

pub(super) struct NewPlace {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) atmosphere: &'static str,
    pub(super) features: [&'static str; 4],
}

pub(super) struct Beat {
    pub(super) title: &'static str,
    pub(super) intention: &'static str,
    /// The summary of the scene.
    pub(super) bullets: [&'static str; 2],
    pub(super) body: &'static [&'static str],
    pub(super) talk: &'static [&'static str],
    pub(super) hook: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/arcs.rs"));

#[cfg(test)]
mod tests {
    use super::PAGE_PLACES;
    use crate::tick::template::SceneSlots;

    #[test]
    fn every_place_of_the_pages_is_filled() {
        for place in PAGE_PLACES {
            assert!(SceneSlots::default().value(place).is_some(), "{place}");
        }
    }
}
