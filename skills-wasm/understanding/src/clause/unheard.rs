//! Clauses that no other rule reads and that address people, present or not.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    world::World,
};

use crate::{
    clause::conversation::without_calls,
    names::{nouns::Meant, pronouns::pronoun},
    rows::sentence_rows::{self, ClauseKind},
    sentence::clauses::{self, SentenceClause},
    words::{
        leads::strip,
        lexicon::{self, Meaning},
        tokens::{Token, text_of, word_at},
    },
};

/// Verbs that need a listener.
const SPEAKING: &[Verb] =
    &[Verb::Talk, Verb::Ask, Verb::Tell, Verb::Say, Verb::Request, Verb::Persuade];

/// Reads a question, a deed to a person whom no clause has named, or a speech without a listener.
pub(crate) fn meant_for_people(world: &World, clause: &SentenceClause) -> Option<Vec<Action>> {
    let tokens = strip(without_calls(&clause.tokens));
    let is_denial = sentence_rows::is(world, ClauseKind::Denial, &clause.tokens);
    if clause.is_asked || (clauses::begins_question(tokens) && !is_denial) {
        return (!is_for_the_program(tokens))
            .then(|| vec![Action::new(Verb::Ask).topic(&text_of(tokens))]);
    }
    let verbs = lexicon::verbs_at_start(tokens);
    let nobody = |word: &&str| matches!(pronoun(world, word), Meant::Missing(_));
    let mut words = tokens.iter().skip(1).map(Token::word);
    if let Some(word) = words.find(|word| WordClass::PersonPronoun.has(word)).filter(nobody) {
        let verb = verbs.iter().find_map(|verb| match verb.meaning {
            Meaning::Do(verb) => Some(verb),
            _ => None,
        });
        let missing = Some(word.to_owned());
        return Some(vec![Action { missing, ..Action::new(verb.unwrap_or(Verb::Examine)) }]);
    }
    let speaks = |meaning: Meaning| {
        matches!(meaning, Meaning::Sway(_) | Meaning::Greet)
            || matches!(meaning, Meaning::Do(verb) if SPEAKING.contains(&verb))
    };
    (world.people_here().is_empty() && verbs.iter().any(|verb| speaks(verb.meaning)))
        .then(|| vec![Action::new(Verb::Talk)])
}

/// A deed to a person whom no clause has named: `hit him`, `talk to the first person I see`. It is refused with the word.
pub(crate) fn done_to_somebody(actions: &[Action]) -> Option<Action> {
    let somebody =
        |word: &&str| WordClass::PersonPronoun.has(word) || WordClass::IndefinitePerson.has(word);
    actions.iter().find_map(|action| {
        let word = action.missing.as_deref()?.split(' ').find(somebody)?.to_owned();
        Some(Action { missing: Some(word), ..action.clone() })
    })
}

/// `how do I save`, `what can I type`: no one in the story knows.
fn is_for_the_program(tokens: &[Token]) -> bool {
    let is_mine = |n: usize| WordClass::SpeakerOrListener.has(word_at(tokens, n));
    WordClass::ModalToProgram.has(word_at(tokens, 0)) && is_mine(1)
        || WordClass::ModalToProgram.has(word_at(tokens, 1)) && is_mine(2)
}
