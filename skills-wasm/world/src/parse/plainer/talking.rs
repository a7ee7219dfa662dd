//! Who is greeted, asked and persuaded in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{greetings, idioms};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "speak|talk|sing|whisper to|with me|us of|about|on {text} [, ...]",
        "tell me about {text}",
        "speak to me of the mill",
    ),
    Function(greetings::respects_paid),
    pattern("what is up {present}", "talk to {present}", "what is up guard"),
    pattern(
        "tell {person} _ lie|lies|fib|fibs|untruth|whopper ...",
        "lie to {person}",
        "tell the guard a lie",
    ),
    pattern(
        "give anything|everything|world|lot|fortune|kingdom ... for {text}",
        "ask about {text}",
        "give anything for the recipe",
    ),
    pattern(
        "take|draw|pull|call|lead|bring|steer|usher|get|beckon {person} aside",
        "talk to {person}",
        "draw the guard aside",
    ),
    pattern(
        "talk|coax|charm|sweet|argue|push {person} in -ing {rest}",
        "persuade {person} {rest}",
        "talk the guard into letting me have the key",
    ),
    Function(idioms::drawn_out),
    pattern(
        "bring|take|talk|raise|go up|over|through @matter* {text} with {person}",
        "ask {person} about {text}",
        "bring up the ambassador with the guard",
    ),
    pattern(
        "broach|raise|discuss|mention|debate|explore @matter* {text} with {person}",
        "ask {person} about {text}",
        "broach the subject of the ambassador with the guard",
    ),
    pattern(
        "bid|wish {person} good|a day|morning|evening|afternoon|night|welcome",
        "greet {person}",
        "bid the guard good evening",
    ),
];
