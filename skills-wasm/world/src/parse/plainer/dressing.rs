//! Wordings that put clothes on and take them off.

use english::WordClass;

use super::rule::{PlainerRule, pattern, position};
use crate::{
    parse::{
        lexicon,
        nouns::{Want, carried, suited},
        plain_clause::with_verb,
        tokens::{Token, word_at},
    },
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/wordings_dressing.rs"));

/// `fasten the pearls round my own neck`, `stick it on`: what can be worn is worn.
fn fastened_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    // `pin the badge on my pullover`: the world need not know the pullover.
    let verb = word_at(clause, 0);
    let is_known = WordClass::Fastening.has(verb);
    if !is_known && lexicon::verbs_at_start(clause.get(..1)?).iter().any(is_deed) {
        return None;
    }
    let on = position(clause, &["on", "around", "round", "over", "about"])?;
    // `tilt it low over my eyes`.
    let how = ["low", "down", "firmly", "tightly", "tight", "well", "back"];
    let end = on - usize::from(how.contains(&clause[on - 1].word()) && on > 2);
    let body: Vec<&str> =
        clause[on + 1..].iter().map(Token::word).filter(|word| *word != "own").collect();
    let is_body = match body.as_slice() {
        [] => clause[on].word() == "on",
        [me] => ["me", "myself"].contains(me),
        [my, part] => {
            ["my", "her", "his", "their"].contains(my)
                && (WordClass::Body.has(part)
                    || *part == "neck"
                    || WordClass::GarmentPart.has(part))
        }
        _ => false,
    };
    let object = &clause[1..end];
    let is_meant = suited(world, object, Want::Wearable).is_some()
        || is_known && body.len() == 2 && carried(world, object).is_some();
    (is_body && is_meant).then(|| with_verb("wear", object))
}

/// Whether the verb does something else by itself: `search`, `take`.
fn is_deed(verb: &lexicon::ClauseVerb) -> bool {
    use crate::action::Verb;
    match verb.meaning {
        lexicon::Meaning::Do(deed) => {
            ![Verb::Pull, Verb::Push, Verb::Turn, Verb::Wear].contains(&deed)
        }
        lexicon::Meaning::Gesture(_) | lexicon::Meaning::Put | lexicon::Meaning::Lift => false,
        _ => true,
    }
}
