//! What can be in the way to the last place of a made world: the page `ways` in `text`. Knows words, and no world.

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PremiseWay {
    /// The door is locked, and the keeper has the key.
    Key,
    /// The keeper stands before the door.
    Guard,
    /// The keeper stands before the door, and goes away at times.
    Watch,
    /// A machine elsewhere opens the door.
    Machine,
    /// The door is locked, and its key is hidden.
    Search,
    /// Something holds the door that is moved with a tool.
    Jam,
    /// Nothing.
    Open,
}

impl PremiseWay {
    /// Returns true if the keeper stands before the door.
    pub(super) fn has_guard(self) -> bool {
        [PremiseWay::Guard, PremiseWay::Watch].contains(&self)
    }

    /// Its sentences.
    pub(super) fn texts(self) -> &'static WayTexts {
        WAYS.iter().find(|texts| texts.way == self).unwrap_or(&WAYS[0])
    }
}

/// The sentences of what is in the way, with places for names.
#[derive(Debug)]
pub(super) struct WayTexts {
    pub(super) way: PremiseWay,
    pub(super) is_locked: bool,
    pub(super) sight: &'static str,
    pub(super) told: &'static str,
    pub(super) asked: &'static str,
    pub(super) had: Option<&'static str>,
    pub(super) thanks: &'static str,
    pub(super) late: Option<&'static str>,
    /// What reaches each stage, and how a thread behind the door stands then.
    pub(super) stages: &'static [(&'static str, &'static str)],
    pub(super) things: &'static [&'static str],
    pub(super) tools: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/ways.rs"));

/// What is in the way, with the names of what has to do with it.
#[derive(Debug, Clone)]
pub(super) struct WayNames {
    pub(super) way: PremiseWay,
    /// What holds the door, and what it is moved with; empty where nothing does.
    pub(super) jam: String,
    pub(super) tool: String,
    /// Behind what the key is hidden; empty where it is not.
    pub(super) cover: String,
    /// Where the tool or the hidden key is.
    pub(super) nook: String,
    /// When the keeper goes away, and is back.
    pub(super) from: String,
    pub(super) until: String,
}

impl WayNames {
    /// The sentences of what is in the way.
    pub(super) fn texts(&self) -> &'static WayTexts {
        self.way.texts()
    }
}
