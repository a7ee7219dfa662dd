//! What is worn and taken off in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::plain_deeds;

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern("make|have|get|do {worn} off", "remove {worn}", "make my scarf off"),
    pattern("lose|ditch|shed {worn}", "remove {worn}", "lose the scarf"),
    pattern("wear|don|put {seen} as a|an ...", "wear {seen}", "wear the table as a hat"),
    pattern(
        "_ {wearable} @around my|his|her|the @body",
        "wear {wearable}",
        "slide the hat onto my head",
    ),
    pattern("{wearable} on my|her|his @body", "wear {wearable}", "hat on my head"),
    pattern(
        "on my|her|his @body i put|set|place|pull|pop|stick {wearable}",
        "wear {wearable}",
        "on my head I put the hat",
    ),
    pattern("off @goes {worn}", "remove {worn}", "off comes the scarf"),
    pattern("off {worn} @goes", "remove {worn}", "off the scarf comes"),
    pattern("on @goes {wearable}", "wear {wearable}", "on goes the hat"),
    pattern("on {wearable} @goes", "wear {wearable}", "on the hat goes"),
    Function(plain_deeds::fastened_on),
    pattern("_ {worn} off|from my|her|his @body", "remove {worn}", "take the scarf off my neck"),
    pattern("_ {worn} off|from the ^@body", "remove {worn}", "take the scarf off the neck"),
    pattern(
        "@slinging {garment} tight|tighter|close|closer|closely? around|over|round|about|on me|myself|himself|herself",
        "wear {garment}",
        "wrap the hat tight around me",
    ),
    pattern(
        "@slinging {garment} around|over|round|about|on my|his|her|their @body",
        "wear {garment}",
        "throw the hat over my shoulders",
    ),
    pattern(
        "shrug|slip|step|wriggle|struggle|climb|squeeze|ease|get|wiggle|hop|dive|jump|swap|change in {wearable}",
        "wear {wearable}",
        "shrug into the hat",
    ),
    pattern("off with {text}", "remove {text}", "off with the scarf"),
];
