//! Questions about what stands on something: `what does the letter say`, `what is the last entry in the logbook`.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    parse::{
        answers::named,
        nouns::Want,
        tokens::{Token, has},
    },
    world::World,
};

/// What stands on something: `what does the letter say`, `what is the last entry in the logbook`.
pub(super) fn asked_text(
    world: &World,
    clause: &[Token],
    words: &[&str],
) -> Option<Option<Vec<Action>>> {
    let has_any = |known: &[&str]| known.iter().any(|word| has(clause, word));
    Some(match words {
        ["what" | "which", _, "does", ..]
        | ["what", "is" | "are", "in" | "under" | "behind" | "on", ..] => {
            return None;
        }
        ["what", "is" | "does" | "do" | "i" | "have", ..]
            if has_any(WordClass::Written.words()) =>
        {
            written(world, clause)
        }
        // `see what the book has to say`.
        ["what", .., "has" | "have", "to", "say"] => written(world, &clause[..clause.len() - 3]),
        // `poster on wall say what`.
        [.., "say" | "says", "what"] => {
            named(world, Verb::Read, &clause[..clause.len() - 2], Want::Any)
        }
        ["what", "is" | "are", ..] if has_any(WordClass::TextPart.words()) => {
            let within =
                clause.iter().rposition(|token| ["in", "of", "on"].contains(&token.word()));
            let text = clause.get(within.map_or(2, |at| at + 1)..).unwrap_or_default();
            named(world, Verb::Read, text, Want::Readable)
        }
        _ => return None,
    })
}

/// What the letter says, or a person.
fn written(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let is_noun =
        |word: &str| !WordClass::HollowAboutWriting.has(word) && !WordClass::Written.has(word);
    let mut noun: Vec<Token> =
        clause.iter().filter(|token| is_noun(token.word())).cloned().collect();
    let is_text = |token: &Token| ["line", "page", "pages", "cover"].contains(&token.word());
    let is_empty = noun.iter().all(|token| crate::words::is_hollow(token.word()));
    if is_empty && (has(clause, "it") || clause.iter().any(is_text) || world.last.it.is_some()) {
        noun.clear();
        noun.push(Token::of("it"));
    }
    let actions = named(world, Verb::Read, &noun, Want::Readable)?;
    let id = world.target_of(actions.first()?);
    if id.is_some_and(|id| world.entity(id).is_person()) {
        return Some(
            actions.into_iter().map(|action| Action { action: Verb::Talk, ..action }).collect(),
        );
    }
    Some(actions)
}
