//! The form of an arc. Plain data.

/// A question, and the way to its answer.
pub(in crate::tick) struct Arc {
    /// The open loop of the whole arc.
    pub(in crate::tick) question: &'static str,
    pub(in crate::tick) category: &'static str,
    pub(in crate::tick) threads: [Thread; THREADS],
    /// Answers the question of the arc, at the place and with the person of the last thread.
    pub(in crate::tick) end: Beat,
}

/// Threads of an arc.
pub(in crate::tick) const THREADS: usize = 4;

/// Beats of a thread.
pub(in crate::tick) const BEATS: usize = 3;

pub(in crate::tick) struct Thread {
    pub(in crate::tick) question: &'static str,
    pub(in crate::tick) category: &'static str,
    pub(in crate::tick) person: PersonSpec,
    pub(in crate::tick) place: NewPlace,
    /// Of the relationship to the person, once the question is answered.
    pub(in crate::tick) status: &'static str,
    /// What changed it.
    pub(in crate::tick) event: &'static str,
    pub(in crate::tick) beats: [Beat; BEATS],
}

pub(in crate::tick) enum PersonSpec {
    /// Somebody whom the story knows from an earlier arc, else this new person.
    Friend(NewPerson),
    New(NewPerson),
    /// The person of an earlier thread of the arc.
    Same(usize),
}

pub(in crate::tick) struct NewPerson {
    pub(in crate::tick) role: &'static str,
    pub(in crate::tick) description: &'static str,
    pub(in crate::tick) traits: [&'static str; 2],
    pub(in crate::tick) goal: &'static str,
    pub(in crate::tick) relationship_type: &'static str,
    /// What the point of view thinks of the person.
    pub(in crate::tick) seen: &'static str,
    /// What the person thinks of the point of view.
    pub(in crate::tick) sees: &'static str,
}

pub(in crate::tick) struct NewPlace {
    pub(in crate::tick) name: &'static str,
    pub(in crate::tick) description: &'static str,
    pub(in crate::tick) atmosphere: &'static str,
    pub(in crate::tick) features: [&'static str; 4],
}

pub(in crate::tick) struct Beat {
    pub(in crate::tick) title: &'static str,
    pub(in crate::tick) intention: &'static str,
    /// The summary of the scene.
    pub(in crate::tick) bullets: [&'static str; 2],
    pub(in crate::tick) body: &'static [&'static str],
    pub(in crate::tick) talk: &'static [&'static str],
    pub(in crate::tick) hook: &'static str,
}
