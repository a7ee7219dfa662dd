//! Questions that have only one wording each: where am I, what do I carry, who is here.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::tokens::{Token, has},
    world::World,
};

/// Questions without a noun, and what they ask for.
const FIXED: &[(WordClass, Verb)] = &[
    (WordClass::AsksPlace, Verb::WhereAmI),
    (WordClass::AsksOwnName, Verb::WhoAmI),
    (WordClass::AsksTime, Verb::Time),
    (WordClass::AsksCompany, Verb::WhoIsHere),
    (WordClass::AsksPossessions, Verb::Inventory),
    (WordClass::AsksWays, Verb::Exits),
    (WordClass::AsksView, Verb::Look),
];

/// The answer to a question without a noun.
pub(crate) fn fixed_question(world: &World, clause: &[Token]) -> Option<Action> {
    // `what is in my bag`, where there is a bag.
    let last = clause.iter().rev().map(Token::word).find(|word| !word.is_empty())?;
    let is_bag = ["bag", "pocket", "pockets"].contains(&last);
    if is_bag && world.seen().any(|id| world.has_name_with(id, last)) {
        return None;
    }
    let strip = |fillers: &[&str]| {
        let kept = clause
            .iter()
            .map(Token::word)
            .filter(|word| !word.is_empty() && !fillers.contains(word))
            .filter(|word| *word != "on" || !has(clause, "earth"));
        kept.collect::<Vec<_>>().join(" ")
    };
    let (bare, plain) = (strip(WordClass::HollowInQuestion.words()), strip(&["the", "a", "an"]));
    let found = FIXED.iter().find(|(class, _)| class.has(&bare) || class.has(&plain));
    found.map(|(_, verb)| Action::new(*verb))
}
