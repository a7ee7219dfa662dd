//! What is searched in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{plain_handling, sayings};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "have|take _? _? @poking about|around|round in|behind|under|among|on|through|near {text}",
        "search {text}",
        "have a good poke about behind the crate",
    ),
    Function(plain_handling::searched_through),
    Function(plain_handling::traces_sought),
    Function(sayings::got_out_of_it),
    pattern(
        "have|take a|another|good|quick feel|dig|rummage|root|poke|grope|ferret|nose|snoop \
         <behind|under|in|inside|through|around|on|among> {text}",
        "search <1> {text}",
        "have a feel behind the crate",
    ),
    pattern(
        "@groping my|her|his|a|an|one|the|both @limb ... @within @within? {spot}",
        "search {spot}",
        "dig my hand down between the cushions",
    ),
    pattern(
        "reach|feel|grope|look|peer|peek|search|fumble|rummage|root|dig up|down|around|round|back|out|over|about \
         up|down|around|round|back|out|over|about* behind|under|in|between {text}",
        "search {text}",
        "reach up behind the crate",
    ),
    pattern(
        "see|check|look if|whether there is|are ... in|under|behind|inside {text}",
        "search {text}",
        "see if there is a safe behind the crate",
    ),
    pattern(
        "reach|feel|grope|look|peer|search|poke|check|stick|put|fumble|dig|rummage|peek|slide|slip|run \
         ... the|a|that|dark|little ^@gap @behind {named}",
        "search {named}",
        "reach into the hole behind the crate",
    ),
];
