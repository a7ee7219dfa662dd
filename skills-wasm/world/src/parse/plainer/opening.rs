//! What opens, closes and is unlocked in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{constructions, idioms, plain_deeds, ways};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "!keep|hold|find|see|leave|is|be|have|stay|shut|close {open} shut|closed",
        "close {open}",
        "buckle the crate shut",
    ),
    Function(constructions::locked_up),
    Function(constructions::lid_put_on),
    pattern(
        "<unlock|open|light|break|force> {text} by -ing {held} [on|in|against|at|over ...]",
        "<1> {text} with {held}",
        "unlock the chest by rubbing my hat on it",
    ),
    pattern("open {text} just? a|an|just @little", "open {text}", "open the chest just a crack"),
    pattern(
        "see|try|test|check|find|discover out? if|whether {seen:key} \
         fit|fits|open|opens|unlock|unlocks|works|work|turns in|on? {locked}",
        "unlock {locked} with {key}",
        "see if the brass key fits the chest",
    ),
    Function(plain_deeds::key_turned),
    pattern(
        "swing|fling|throw|push|pull|open|draw|haul {text} wide open?",
        "open {text}",
        "fling the chest wide open",
    ),
    pattern("pull|push|swing|draw {open} to", "close {open}", "pull the crate to"),
    Function(plain_deeds::key_worked),
    pattern(
        "@shutting {text} shut|closed behind|after @self",
        "close {text}",
        "pull the crate shut behind me",
    ),
    pattern(
        "@shutting {text} open behind|after @self",
        "open {text}",
        "pull the chest open after me",
    ),
    pattern(
        "close|shut|slam {text} behind|after @self",
        "close {text}",
        "close the crate behind me",
    ),
    Function(ways::worked_in_lock),
    Function(ways::by_lid),
    Function(idioms::with_pin),
    pattern(
        "peel|tear|rip|pull|strip|cut|slit|break|pick|prise|pry|take|remove|undo|untie|unwind|slice|scrape|pop|lift|snap \
         ... ^@wraps off|from|of|around|on {closed}",
        "open {closed}",
        "peel the tape off the chest",
    ),
    pattern("get|have|make {named} open|opened", "open {named}", "get the chest open"),
    pattern("get|have|make {named} closed|shut", "close {named}", "get the crate shut"),
    pattern("get|have|make {named} unlocked", "unlock {named}", "get the chest unlocked"),
    pattern("get|have|make {named} locked", "lock {named}", "get the crate locked"),
];
