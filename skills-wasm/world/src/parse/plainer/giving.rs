//! What is given, shown and taken from somebody in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{handed, idioms, plain_handling, rewording, telegraphic, ways};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "{whom} gets|receives|obtains {held} from? me?",
        "give {held} to {whom}",
        "the guard gets the brass key",
    ),
    pattern(
        "... and {whom} gets|receives|obtains {held} from? me?",
        "give {held} to {whom}",
        "bring out the brass key and he gets the key from me",
    ),
    Function(handed::before_eyes),
    pattern(
        "slide|push|pass|shove {held} across|over",
        "give {held} to {partner}",
        "slide the brass key across",
    ),
    pattern(
        "slide|push|pass|set|lay|drop|put|place {held} across|over|on his|her|their|your ^@theirs",
        "give {held} to {partner}",
        "slide the brass key across his tray",
    ),
    pattern(
        "let|allow|have {person} to? see|inspect|examine {held}",
        "show {held} to {person}",
        "let the guard see the brass key",
    ),
    Function(plain_handling::fed),
    pattern(
        "toss|throw|chuck|fling|lob|slip|pass|feed|offer|slide {present} {movable}",
        "give {movable} to {present}",
        "toss the guard the brass key",
    ),
    pattern(
        "trade|swap {present} {movable} for ...",
        "give {movable} to {present}",
        "trade the guard the brass key for the pin",
    ),
    Function(handed::returned_to),
    Function(handed::bribed_with),
    Function(handed::asked_to_sign),
    Function(telegraphic::with_preposition),
    pattern(
        "@holding {held} out|up|right? for {whom} to see|read|inspect|examine",
        "show {held} to {whom}",
        "hold the letter out for her to see",
    ),
    pattern(
        "@holding {held} out|up|right? under|in|at {whom} nose|face",
        "show {held} to {whom}",
        "shove the letter in his face",
    ),
    pattern(
        "hold|raise {held} out|up|right? at {whom}",
        "show {held} to {whom}",
        "hold the letter up at the guard",
    ),
    pattern(
        "share|split|halve {text} with {person}",
        "give {text} to {person}",
        "share the bun with the guard",
    ),
    pattern(
        "@pressing {held} in|on|between {whom} @hand",
        "give {held} to {whom}",
        "press the brass key into his big rough hand",
    ),
    pattern(
        "dip|put|slip|slide|sneak|stick|reach|dig|run|ease|plunge|work ... \
         hand|fingers|finger|hands ... in|through {whom} pocket|pockets|purse|bag|pouch",
        "pickpocket {whom}",
        "dip a hand into his pocket",
    ),
    pattern(
        "@sliding {held} across|over|along ... to {person}",
        "give {held} to {person}",
        "slide the brass key across the counter to the guard",
    ),
    Function(ways::brought_along),
    pattern(
        "wave|flash|dangle|brandish|wiggle|shake {held} at|before|to {person}",
        "show {held} to {person}",
        "wave the letter at the guard",
    ),
    Function(rewording::held_out),
    Function(rewording::gift_for),
    Function(rewording::brought_you),
    pattern(
        "pass|hand|give|toss|throw|bring|get|fetch|lend|grab|slide|find me|us over? {free}",
        "take {free}",
        "pass me the bun",
    ),
    pattern(
        "let {person} have|take _? glimpse|look|peek|sight|view of|at {text}",
        "show {text} to {person}",
        "let the guard have a glimpse of the letter",
    ),
    pattern(
        "let {person} see|read {text}",
        "show {text} to {person}",
        "let the guard read the letter",
    ),
    pattern(
        "let {person} have|hold|keep|take {text}",
        "give {text} to {person}",
        "let the guard have the letter",
    ),
    Function(rewording::traded),
    Function(idioms::may_have),
    pattern(
        "relieve|rob|strip|deprive|fleece|lighten|rid {person} of {text}",
        "steal {text} from {person}",
        "relieve the guard of his pin",
    ),
    pattern(
        "hold|raise|lift|turn|tilt|put|wave {held} up|out|high* so that? {person} can|may|could|will \
         see|read|inspect|examine|get|look ...",
        "show {held} to {person}",
        "hold the letter up so that the guard can see it",
    ),
];
