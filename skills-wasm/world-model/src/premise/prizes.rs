//! What can lie behind the locked door, and how its story ends: it is opened, it is read, or it is enough to have it.

/// What ends the story of a prize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrizeEnd {
    /// It opens, and something written is in it.
    Opened(&'static str),
    /// It is read.
    Read,
    /// It is held.
    Held,
}

/// Something that is worth a locked door.
#[derive(Debug)]
pub(super) struct PremisePrize {
    pub(super) name: &'static str,
    pub(super) sight: &'static str,
    pub(super) end: PrizeEnd,
}

include!(concat!(env!("OUT_DIR"), "/prizes.rs"));

/// The prize of this name.
pub(super) fn prize_of(name: &str) -> Option<&'static PremisePrize> {
    PRIZES.iter().find(|prize| prize.name == name)
}
