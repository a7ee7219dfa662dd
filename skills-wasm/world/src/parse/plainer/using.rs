//! What is lit, used, eaten, drunk, slept and waited in other words, and what is done to somebody.

use super::{Function, PlainerRule, pattern};
use crate::parse::{constructions, handed, idioms, plain_deeds, plain_handling, recording, ways};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern("let? there? be light", "light", "let there be light"),
    pattern(
        "_ {unlit} to|in? alight|aflame|ablaze|aglow|flame|life",
        "light {unlit}",
        "coax the lantern alight",
    ),
    pattern("_ {unnamed} to|in? alight|aflame|ablaze|aglow", "light", "coax the wick alight"),
    pattern("get|have|set {unlit} @going [with ...]", "light {unlit}", "get the lantern going"),
    pattern("get|have|set {seen} @going", "use {seen}", "get the wheel going"),
    pattern(
        "get|have|set {seen} @going with {text}",
        "use {seen} with {text}",
        "get the wheel going with the key",
    ),
    pattern("get|have|make {named} lit|burning", "light {named}", "get the lantern burning"),
    pattern(
        "get|have|make {named} working|running|going|started",
        "use {named}",
        "make the wheel working",
    ),
    Function(constructions::flicked),
    pattern(
        "use|try|employ|take {seen} as a|an ... to|for|on {text}",
        "use {seen} with {text}",
        "use the pin as a key to the chest",
    ),
    Function(plain_handling::held_up),
    pattern(
        "put|set {held} straight|right|level|back|forward|ahead|fast|slow",
        "adjust {held}",
        "put my hat straight",
    ),
    Function(plain_handling::telephone_answered),
    Function(recording::plainer),
    Function(handed::body_pressed),
    Function(plain_deeds::on_watch),
    Function(ways::brought_down),
    pattern(
        "put|set|press|lean|throw|brace|push my|a|both shoulder|shoulders|weight|back against|to {working}",
        "push {working}",
        "put my shoulder against the wheel",
    ),
    pattern(
        "put|set|press|lean|throw|brace|push my|a|both nose|face|forehead|eye against|to {spot}",
        "examine {spot}",
        "press my nose against the chest",
    ),
    pattern(
        "rub|wipe|brush|clean|scrape|blow|polish|shake|wash|scrub|rinse|flick|knock|pick \
         ... ^@dirt off|from|of|around|on {text}",
        "clean {text}",
        "rub the muck off the chest",
    ),
    // What is eaten and drunk.
    pattern(
        "empty|drain|down|finish|neck|knock|gulp|swig back|off|down|up? {drinkable} [in one|a|two ...]",
        "drink {drinkable}",
        "knock back the beer in one go",
    ),
    pattern("wash ... down with {text}", "drink {text}", "wash it down with the beer"),
    pattern("wash down ... with {text}", "drink {text}", "wash down the bun with the beer"),
    // Time that passes.
    pattern(
        "@lying ... nap|sleep|snooze|kip|doze|rest|shuteye",
        "sleep",
        "curl up on the bunk for a nap",
    ),
    Function(plain_deeds::time_passed),
    Function(idioms::time_killed),
    // Harm.
    pattern(
        "level|point|aim|train|cock|brandish|raise|draw {weapon} at|on {person} [,|and ...]",
        "threaten {person}",
        "level my sword at the guard",
    ),
    Function(plain_deeds::harmed),
    pattern("get|be|step|lean ... in {whom} face", "threaten {whom}", "get right up in his face"),
];
