//! Everyday wordings that only an order has: a question in the same words asks for something else.

use super::{Function, PlainerRule, pattern};
use crate::parse::everyday;

/// The rules in the order in which they are tried, before all others.
pub(super) const RULES: &[PlainerRule] = &[
    pattern("go|carry|keep|head|walk|continue|move on <@direction>", "<1>", "carry on north"),
    pattern("go for @hollow? walk|stroll|wander|ramble|hike", "what exits", "go for a walk"),
    pattern("go @hollow? walk|stroll|wander|ramble|hike", "what exits", "go a stroll"),
    pattern("take|have @hollow? walk|stroll|wander|ramble|hike", "what exits", "take a stroll"),
    Function(everyday::crossed),
    Function(everyday::to_far_side),
    Function(everyday::turned_over),
    pattern("feed {text} with {held}", "give {held} to {text}", "feed the guard with the letter"),
    Function(everyday::rung_for),
    pattern("help|serve myself|yourself", "take what is inside", "help myself"),
    pattern("help|serve myself|yourself to {text}", "take {text}", "help myself to the bun"),
    pattern(
        "see|check|look|find what is happening|going|up|wrong on? out|outside",
        "go out",
        "see what is going on outside",
    ),
    pattern(
        "see|check|look|find what is happening|going|up|wrong on? <@direction|upstairs|downstairs>",
        "go <1>",
        "see what is up upstairs",
    ),
    Function(everyday::out_of_its_box),
    Function(everyday::felt_about),
    pattern(
        "lean|prop|stand|rest|set|put|leave {held} against ...",
        "drop {held}",
        "lean the sword against the wall",
    ),
    Function(everyday::flame_held_to),
];
