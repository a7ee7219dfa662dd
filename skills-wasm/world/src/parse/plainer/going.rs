//! Where somebody goes in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{by_way, laid, rephrase, rewording, sayings, ways};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "pop|nip|duck|step|whizz|skip <out|outside|in|inside|up|down|upstairs|downstairs|back> [for _ @moment]",
        "go <1>",
        "pop outside for a moment",
    ),
    pattern("need|want|get|fancy _? fresh air", "go out", "need some fresh air"),
    pattern(
        "go|make|walk|head|run|come|get|find|step|hurry ... to where {text} is|are|was|were",
        "go to {text}",
        "make my way past the camels to where the water is",
    ),
    Function(by_way::gone_along_with),
    Function(laid::moved_along),
    pattern(
        "my _? @feet carry|carries|take|takes|lead|leads|bring|brings me|us {text}",
        "go {text}",
        "my feet carry me to the cellar",
    ),
    pattern("board {goal}", "go {goal}", "board the cellar"),
    pattern(
        "take|lead|bring|guide|walk|escort|accompany|usher|show|get {present} @ways* to|in|towards|toward {goal}",
        "go to {goal}",
        "take him down to the cellar",
    ),
    pattern(
        "<go|walk|run|hurry|head|leave|climb|return|come|sneak> with it|them|that|those \
         <to|in|out|up|down|through|back|towards> {rest}",
        "<1> <2> {rest}",
        "go with it to the cellar",
    ),
    Function(sayings::done_feeling_so),
    pattern("go|come|get|head|climb|step|walk|run|hurry|slip under", "go down", "go below"),
    pattern(
        "get|squeeze|push|move|go|walk|slide|dodge|step|climb|jump|leap|hop past|by|around|over {present} {rest}",
        "sneak past {present} {rest}",
        "get past the guard and down",
    ),
    pattern(
        "@carries @ways* {held} with|me|along|out|over|back|up|down|across|through* to {goal}",
        "go to {goal}",
        "carry the letter out to the cellar",
    ),
    pattern("start|begin with|in|at {goal}", "go to {goal}", "start with the cellar"),
    Function(by_way::along),
    Function(by_way::through),
    Function(ways::gone_through),
    Function(rewording::out_of),
    Function(rewording::way_to),
    Function(rephrase::gone_to_see),
    Function(rephrase::way_alone),
];
