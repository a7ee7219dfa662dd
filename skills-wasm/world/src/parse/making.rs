//! Sentences that claim or make a thing, such as `build a boat` or `I have a gun`. The world decides whether the thing exists,
//! so a sentence cannot add it.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        leads::strip,
        nouns::{Meant, Want, resolve},
        parts::ClauseParts,
        tokens::Token,
    },
    world::World,
};

/// Verbs that would bring something into the world, or claim that it is there.
const MAKING: &str = "bake build brew forge craft construct create conjure summon invent knit sew weave carve fashion produce \
    assemble manufacture cook make write paint sketch dig buy purchase have own possess materialize materialise \
    spawn draw become";

/// Nouns that name an act and no thing: `make a bow`, `have a laugh`, `write a few words`.
const PRODUCTS: &str = "bow run face noise sound fuss wish promise joke deal offer toast call decision mess scene start move gesture \
    sign point guess bet fool try attempt plan plea speech show pact vow circle fist grimace effort mistake remark \
    comment apology peace love haste sense conversation friends contact amends merry room way time progress sure \
    laugh cry rest break fit thought idea feeling dream chat word words name stretch seat go bath shower smoke \
    walk fight dance party good fun hole memory question suspicion doubt headache cold cough hunch song tune \
    breath faith courage strength hope mercy shadow distance attention entrance exit note notes list curtsy \
    curtsey salute pose wager pause stand turn leap jump dash dive escape getaway beeline silhouette smile";

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// What nobody can make here, or say that they have: `build a boat`, `I have a gun`. The world has it or it does not.
pub(super) fn made_of_nothing(
    world: &World,
    clause: &[Token],
    actions: Vec<Action>,
) -> Vec<Action> {
    let words = strip(clause);
    let Some((verb, rest)) = words.split_first() else { return actions };
    let verb = english::inflected(verb.word()).unwrap_or(verb.word());
    let is_gesture =
        matches!(actions.as_slice(), [one] if one.action == Verb::Gesture && one.text.is_some());
    if !is_gesture || !has(MAKING, verb) {
        return actions;
    }
    let object = ClauseParts::of(rest).object;
    // `I have bought the bun`, which lies where it lay.
    if verb == "have"
        && let [done, thing @ ..] = object.as_slice()
        && english::irregular(done.word()).is_some()
        && let Meant::Entities(ids) = resolve(world, thing, Want::Any)
    {
        return vec![Action::on(Verb::Find, world.name(ids[0]))];
    }
    let is_known = |token: &Token| token.is(WordClass::ArticleOfMadeThing);
    let Some(head) = object.last().map(Token::word).filter(|head| !head.is_empty()) else {
        return actions;
    };
    let is_free = has(PRODUCTS, head)
        || WordClass::Abstract.has(head)
        || WordClass::Body.has(head)
        || crate::words::is_hollow(head);
    let is_there = object.first().is_some_and(is_known)
        && !matches!(resolve(world, &object, Want::Any), Meant::Missing(_));
    if is_free || is_there {
        return actions;
    }
    let named: Vec<&str> =
        object.iter().map(Token::word).filter(|word| !crate::words::is_hollow(word)).collect();
    vec![Action { missing: Some(named.join(" ")), ..Action::new(Verb::Use) }]
}
