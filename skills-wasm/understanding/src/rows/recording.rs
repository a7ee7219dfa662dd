//! Writing down and measuring: what would matter if it happened is an action on the thing that is there for it, and
//! never only told back to the player.

use english::WordClass;
use world_model::{entity::NamedId, want::Want, words, world::World};

use crate::{
    names::{
        nouns::first_meant,
        spans::{nameable, named_tokens},
    },
    words::{
        parts::ClauseParts,
        plain_clause::verb_on,
        tokens::{Token, word_at},
    },
};

/// The clause in the plain words of what is used, looked at or given.
pub(crate) fn plainer(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rules = [written_down, recorded, measured];
    rules.iter().find_map(|rule| rule(world, clause))
}

/// Returns true if something happens when the thing is used by itself or with a tool.
fn has_use(world: &World, id: NamedId) -> bool {
    world.thing(id).is_some_and(|thing| thing.reacts_to("use"))
}

/// Uses the thing, or looks at it where it has no use and nothing to read.
fn worked(world: &World, id: NamedId) -> Vec<Token> {
    let is_of_use = has_use(world, id)
        || world.thing(id).is_some_and(|thing| thing.text.is_some())
        || !world.is_seen(id);
    let verb = if is_of_use { "use" } else { "examine" };
    verb_on(world, verb, id)
}

/// The thing that the words mean: one that is here, or one that is known to be elsewhere.
fn thing(world: &World, tokens: &[Token], want: Want) -> Option<NamedId> {
    first_meant(world, tokens, want).filter(|id| world.thing(*id).is_some())
}

fn named_here(world: &World, tokens: &[Token], want: Want) -> Option<NamedId> {
    thing(world, tokens, want).filter(|id| world.is_seen(*id))
}

/// `write that a beetle went home in a jar`, `put under remarks`: the book that lies ready, since what is written names no jar.
fn written_down(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(verb, _)| verb.is(WordClass::WritingDown))?;
    let (first, said) = rest.split_first()?;
    let is_said = (first.word() == "that" || *first == Token::Comma) && !said.is_empty();
    let is_headed = rest.iter().take(3).any(|token| token.is(WordClass::Heading));
    if !is_said && !is_headed || named_tokens(world, clause, &nameable(world))[0] {
        return None;
    }
    book_at_hand(world).map(|id| worked(world, id))
}

/// `write the readings in the book`, `fill in tonight's line`, `note it down`: uses what is written in.
fn recorded(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    if !WordClass::Recording.has(verb) || named_tokens(world, clause, &nameable(world))[0] {
        return None;
    }
    let particles = ["down", "up", "out"];
    let is_fill = verb == "fill" && ["in", "out", "up"].contains(&word_at(clause, 1));
    let is_led = particles.contains(&word_at(clause, 1)) || is_fill;
    let rest = clause.get(1 + usize::from(is_led)..)?;
    let parts = ClauseParts::of(rest);
    let place = parts.after.iter().find(|(lead, tokens)| {
        ["in", "on", "to", "at", "under"].contains(&lead.as_str()) && !tokens.is_empty()
    });
    if let Some((lead, tokens)) = place
        && (verb != "fill" || is_fill)
    {
        // `in the blank line of the blue book`.
        let of = tokens.iter().rposition(|token| token.word() == "of");
        let whole = of.and_then(|of| named_here(world, &tokens[of + 1..], Want::Readable));
        // `in the book`, where there are several: the one that lies ready.
        let is_any = tokens.last().is_some_and(|last| last.is(WordClass::Book));
        let ready = || book_at_hand(world).filter(|_| is_any);
        let id = whole.or_else(|| thing(world, tokens, Want::Readable)).or_else(ready)?;
        let is_address = lead == "to" && ["write", "sign", "list"].contains(&verb);
        return (!is_address).then(|| worked(world, id));
    }
    let object = parts.object.as_slice();
    if verb == "fill" && !is_fill || parts.after.iter().any(|(lead, _)| lead == "with") {
        return None;
    }
    // `sign the book`, `write the last line`; the lamp is not written, and `it` is what was read.
    let is_it = object.len() == 1 && ["it", "that", "this", "them"].contains(&word_at(object, 0));
    let is_written = |id: &NamedId| {
        let has_text = world.thing(*id).is_some_and(|thing| thing.text.is_some());
        (has_text || is_book(world, *id)) && (verb != "enter" || world.container(*id).is_none())
    };
    let named = named_here(world, object, Want::Readable).filter(|_| !is_it);
    if let Some(id) = named.filter(is_written) {
        return Some(worked(world, id));
    }
    let is_figure = object.iter().any(|token| token.is(WordClass::Figure));
    if WordClass::LooseRecording.has(verb) && !is_figure {
        return None;
    }
    book_at_hand(world).map(|id| worked(world, id))
}

fn is_book(world: &World, id: NamedId) -> bool {
    let ends =
        |name: &Vec<String>| name.last().is_some_and(|last| WordClass::Book.has(last.as_str()));
    world.thing(id).is_some() && world.names(id).iter().any(ends)
}

/// What is written in, where the words do not say it: the book that lies ready and cannot be taken away, then the paper that the
/// player has brought for it. A book that somebody has written full is only read.
fn book_at_hand(world: &World) -> Option<NamedId> {
    let has_text = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.text.is_some());
    let is_fixed = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.fixed);
    let books = || world.seen().filter(|id| is_book(world, *id));
    books()
        .find(|id| is_fixed(id) && has_text(id))
        .or_else(|| books().find(|id| world.is_with_player(*id) && !has_text(id)))
}

/// `measure the wind`, `take a reading with the wind meter`, `do the rain`: uses the instrument.
fn measured(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let rest = measuring(clause)?;
    let is_plain = ["measure", "gauge", "do"].contains(&word_at(clause, 0));
    let parts = ClauseParts::of(rest);
    let tool = parts.after(&["with"]).and_then(|tokens| thing(world, tokens, Want::Carried));
    let object = match parts.object.as_slice() {
        [] => parts.after(&["of", "from", "on", "at", "in", "off", "for"]).unwrap_or_default(),
        object => object,
    };
    let named = || named_here(world, object, Want::Readable);
    let meter = instrument_for(world, object).or_else(|| named().filter(|_| !is_plain));
    match (tool, meter) {
        (Some(tool), Some(meter)) if tool != meter && world.is_needed_by(tool, meter) => {
            Some([worked(world, tool), verb_on(world, "on", meter)].concat())
        }
        (Some(id), _) | (None, Some(id)) => Some(worked(world, id)),
        (None, None) => None,
    }
}

/// What is measured, if the clause measures.
fn measuring(clause: &[Token]) -> Option<&[Token]> {
    let rest = clause.get(1..)?;
    match word_at(clause, 0) {
        // `do I have the rota` measures nothing.
        "do" if ["i", "you", "we", "they"].contains(&word_at(rest, 0)) => None,
        "measure" | "gauge" | "do" => Some(rest),
        "take" | "get" | "make" | "note" => {
            let nouns = ["reading", "readings", "measurement", "measurements"];
            let at = rest.iter().take(4).position(|token| nouns.contains(&token.word()))?;
            // `take the reading glasses` measures nothing.
            let leads = ["of", "from", "with", "on", "at", "in", "off", "for", ""];
            leads.contains(&word_at(rest, at + 1)).then(|| {
                let from = at + 1 + usize::from(word_at(rest, at + 1) == "of");
                rest.get(from..).unwrap_or_default()
            })
        }
        _ => None,
    }
}

/// The instrument that has the word in its name, as the wind meter has the wind: something with a use, or with figures to read.
fn instrument_for(world: &World, object: &[Token]) -> Option<NamedId> {
    let head = object.iter().rev().map(Token::word).find(|word| !words::is_hollow(word))?;
    let is_one = |id: &NamedId| {
        let has_text = world.thing(*id).is_some_and(|thing| thing.text.is_some());
        has_use(world, *id) || has_text && !is_book(world, *id)
    };
    let has_word =
        |id: &NamedId| world.names(*id).iter().any(|name| name.iter().any(|word| word == head));
    let mut found: Vec<NamedId> =
        world.seen().filter(|id| head.len() > 2 && has_word(id) && is_one(id)).collect();
    found.sort_by_key(|id| !has_use(world, *id));
    found.first().copied()
}
