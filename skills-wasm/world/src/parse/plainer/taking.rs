//! What is taken in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{hands, plain_handling, sayings, ways};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "heave|lift|pull|drag|hoist|haul|pick|raise {text} up? off|from the? _? @ground",
        "take {text}",
        "heave the bun off the ground",
    ),
    pattern(
        "bear|carry|haul|cart|drag|lug {seen} away|off [on|in|under|with ...]",
        "take {seen}",
        "bear the bun away on my shoulders",
    ),
    Function(hands::reached_for),
    Function(sayings::lugged),
    pattern(
        "@slinging {movable} around|over|round|about|on my|his|her|their @body",
        "take {movable}",
        "sling the pole over my shoulder",
    ),
    pattern(
        "@wrenching {movable} free|loose ...",
        "take {movable}",
        "wrench the pole free of the block",
    ),
    Function(ways::with_body),
    pattern(
        "@fishing {owned} <from|off> {text}",
        "steal {owned} <1> {text}",
        "fish the pin out of his pocket",
    ),
    pattern(
        "@fishing {free} <from|off> {text}",
        "take {free} <1> {text}",
        "fish the bun out of the crate",
    ),
    pattern(
        "rip|tear|peel|strip|wrench|prise {seen} from|off ...",
        "take {seen}",
        "rip the notice off the wall",
    ),
    pattern(
        "take|get|fetch|bring|pull|lift|reach down {free}",
        "take {free}",
        "take down the pole",
    ),
    pattern(
        "take|get|fetch|bring|pull|lift|reach {free} down",
        "take {free}",
        "pull the pole down",
    ),
    Function(plain_handling::both_taken),
    pattern(
        "{text} is what i <want|need|take|eat|drink|choose>",
        "<1> {text}",
        "the bun is what I want",
    ),
];
