//! Remarks in the voice of a style. Each speaks of what the player named: a sentence that says nothing of this turn is
//! left out.

use super::SentencePool;
use crate::story::Style;

/// A remark on what was named, in the voice of the style; the plainer ones have none.
pub(crate) fn aside(style: Style) -> Option<SentencePool> {
    match style {
        Style::Noir => Some(ASIDE_NOIR),
        Style::Whimsical => Some(ASIDE_WHIMSICAL),
        Style::Classic | Style::Terse => None,
    }
}

const ASIDE_NOIR: SentencePool = SentencePool {
    name: "asidenoir",
    short: &["{the} {has} a past."],
    full: &[
        "You have seen the likes of {the} before, and it never ended cheaply.",
        "{the} {has} the look of something with a record.",
        "If {the} could talk, you would both need a lawyer.",
        "{the} wait{s} there like a question that nobody was paid to ask.",
    ],
};

const ASIDE_WHIMSICAL: SentencePool = SentencePool {
    name: "asidewhim",
    short: &["{the} seem{s} flattered."],
    full: &[
        "{the} seem{s} pleased by the attention, in a dignified sort of way.",
        "You could swear that {the} {has} just stopped whistling.",
        "{the} {has} the air of having been somewhere more interesting until a moment ago.",
        "If one were to put a hat on {the}, it would be a small green one.",
    ],
};
