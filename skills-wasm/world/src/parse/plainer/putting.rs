//! What is dropped, and put somewhere, in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{idioms, laid};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "let {held} fall|drop|slip|go [to|on|of|from|at|down ...]",
        "drop {held}",
        "let the letter fall to the ground",
    ),
    Function(laid::beside),
    pattern(
        "<in|on> to? {holder} with <it|them|that|this|these>",
        "put <2> <1> {holder}",
        "into the crate with it",
    ),
    Function(laid::all_moved),
    pattern(
        "<in|on> {holder} <it|they|them|that> @goes",
        "put <2> <1> {holder}",
        "into the crate it goes",
    ),
    pattern(
        "spread|drape|sling|hang|fling|throw|lay|fold|stretch|toss {text} out|open|flat? over|across {holder}",
        "put {text} on {holder}",
        "spread the letter out over the table",
    ),
    Function(laid::cleared),
    pattern(
        "spread|lay|fold|roll|smooth {held} out on {text}",
        "put {held} on {text}",
        "spread the letter out on the table",
    ),
    pattern(
        "spread|lay|fold|roll|smooth out {held} on {text}",
        "put {held} on {text}",
        "spread out the letter on the table",
    ),
    pattern(
        "spread|lay|fold|roll|smooth {held} out ...",
        "drop {held}",
        "smooth the letter out before me",
    ),
    pattern(
        "spread|lay|fold|roll|smooth out {held} [next|beside|by ...]",
        "drop {held}",
        "smooth out the letter",
    ),
    pattern(
        "set|put|lay|place {held} down [beside|near|by ...]",
        "drop {held}",
        "set the letter down",
    ),
    pattern(
        "set|put|lay|place {held} down <in|on|under|behind|at> {text} [beside|near|by ...]",
        "put {held} <1> {text}",
        "set the letter down on the table",
    ),
    pattern(
        "leave {held} lying|standing|sitting|behind [beside|near|by ...]",
        "drop {held}",
        "leave the letter lying",
    ),
    pattern(
        "leave {held} lying|standing|sitting|behind <in|on|under|at> {text} [beside|near|by ...]",
        "put {held} <1> {text}",
        "leave the letter lying on the table",
    ),
    pattern(
        "@breaking {movable} in {holder}",
        "put {movable} in {holder}",
        "crumble the bun into the crate",
    ),
    Function(idioms::goes_where),
    Function(idioms::all_into),
];
