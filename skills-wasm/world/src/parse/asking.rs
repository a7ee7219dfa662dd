//! Questions that look like orders or descriptions: `may I see your thumb`, `is he in love with Olive`, `I want to know why`.
//! Each becomes a question to the person who is here, or to nobody, which the world refuses.

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        chart,
        clauses::SentenceClause,
        lexicon::ClauseVerb,
        meaning::Trouble,
        tokens::{Token, text_of},
    },
    world::World,
};

/// The action that asks, or the trouble with the clause; `None` where the clause asks nothing.
type QuestionReading = Option<Result<Vec<Action>, Trouble>>;

/// The answer to a question in a form that no other rule knows for one.
pub(super) fn read(
    world: &World,
    clause: &SentenceClause,
    person: Option<NamedId>,
) -> QuestionReading {
    let plain = clause.tokens.iter().filter(|token| token.word() != "please");
    let plain: Vec<Token> = plain.cloned().collect();
    let asking = ClauseVerb { addressed: person, ..ClauseVerb::of_clause("asking", &plain) };
    invited(world, clause, person).or_else(|| chart::best(world, &asking).map(|(_, built)| built))
}

/// What somebody is invited to do who is spoken to: `would you be so kind as to come out, sir`, `you can cry if you want`.
fn invited(world: &World, clause: &SentenceClause, person: Option<NamedId>) -> QuestionReading {
    let words: Vec<&str> = clause.tokens.iter().map(Token::word).collect();
    let leave = words.starts_with(&["you", "can"]) || words.starts_with(&["you", "may"]);
    let ends = ["if you want", "if you like", "if you wish", "if you want to", "if you need to"];
    let text = text_of(&clause.tokens);
    let is_leave = leave && ends.iter().any(|end| text.ends_with(end));
    let comes = words.iter().rposition(|word| *word == "come");
    let is_coming = comes.is_some_and(|at| {
        let toward = ["out", "here", "down", "over", "closer"];
        let ask = ["would", "will", "could", "can"];
        let led = words.windows(2).take(at).any(|two| ask.contains(&two[0]) && two[1] == "you");
        let is_begged = at == 1 && words[0] == "please" && world.talker().is_some();
        let calls = ["sir", "madam", "mister", "miss", "mate", "dear"];
        let is_called = clause.is_called || words.last().is_some_and(|last| calls.contains(last));
        let behind = words.get(at + 1).is_some_and(|next| toward.contains(next));
        let rest = words.get(at + 2..).unwrap_or_default();
        // `come out of there`
        let is_end = rest.first() == Some(&"of")
            || rest.iter().all(|word| {
                word.is_empty() || calls.contains(word) || ["please", "now"].contains(word)
            });
        // `please come back to bed with me`.
        let is_plea = is_begged && words.ends_with(&["with", "me"]);
        is_plea || behind && is_end && (led || is_called || is_begged)
    });
    if !is_leave && !is_coming {
        return None;
    }
    let action = Action::new(Verb::Say).text(&text);
    Some(Ok(vec![match person.or_else(|| world.talker()) {
        Some(id) => Action { target: Some(world.name(id).to_owned()), ..action },
        None => action,
    }]))
}
