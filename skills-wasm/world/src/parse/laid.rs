//! Rewords deeds by which a thing changes its place or opens: laid beside another thing, put on the player's head, cleared
//! off a table, opened a crack.

use crate::{
    entity::NamedId,
    parse::{
        lexicon,
        nouns::{Meant, Want, resolve, suits},
        plain_clause::{name_tokens, verb_on, with_verb, word},
        tokens::{Token, has, is_any, word_at},
    },
    world::{Holder, World},
};

fn entity(world: &World, tokens: &[Token], want: Want) -> Option<NamedId> {
    match resolve(world, tokens, want) {
        Meant::Entities(ids) => ids.first().copied(),
        _ => None,
    }
}

/// `lay the leaflet down next to the bun` puts it where the bun lies.
pub(super) fn beside(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const LAYING: &[&str] =
        &["put", "lay", "set", "place", "leave", "rest", "stand", "drop", "prop", "park", "pop"];
    let at = clause
        .iter()
        .position(|token| is_any(token, &["next", "beside", "near", "by", "alongside", "with"]))?;
    let to = at + 1 + usize::from(word_at(clause, at) == "next" && word_at(clause, at + 1) == "to");
    if !LAYING.contains(&word_at(clause, 0)) || (word_at(clause, at) == "next" && to == at + 1) {
        return None;
    }
    let object = match clause.get(1..at)? {
        [down, object @ ..] | [object @ .., down] if down.word() == "down" => object,
        object => object,
    };
    let neighbour = entity(world, clause.get(to..)?, Want::Any).filter(|id| world.is_seen(*id))?;
    let moved = entity(world, object, Want::Carried).filter(|id| *id != neighbour)?;
    let (lead, holder) = match world.holders[neighbour.0] {
        Holder::On(holder) => ("on", holder),
        Holder::In(holder) => ("in", holder),
        _ => return None,
    };
    let is_free = world.is_with_player(moved) || suits(world, moved, Want::Takable);
    let there = [word(lead)].into_iter().chain(name_tokens(world, holder));
    is_free.then(|| with_verb("put", object).into_iter().chain(there).collect())
}

/// `put everything on the desk in my bag` names the things on the desk.
pub(super) fn all_moved(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const PUTTING: &[&str] = &[
        "put", "stuff", "shove", "throw", "load", "pack", "sweep", "tip", "pile", "stow", "place",
        "move", "cram", "bung",
    ];
    let [verb, all, rest @ ..] = clause else { return None };
    let lead = rest.iter().position(|token| is_any(token, &["on", "in", "from"]))?;
    let is_link = |token: &Token| is_any(token, &["that", "is", "which", "lies", "there"]);
    let from = &rest[lead + 1..];
    let to = from.iter().rposition(|token| is_any(token, &["in", "on"])).filter(|at| *at > 0)?;
    let is_it = is_any(verb, PUTTING)
        && is_any(all, &["everything", "all"])
        && rest[..lead].iter().all(is_link);
    let holder =
        entity(world, &from[..to], Want::Holder).filter(|id| is_it && world.is_seen(*id))?;
    let held = [Holder::On(holder), Holder::In(holder)].map(|it| world.held_by(it)).concat();
    let target = entity(world, &from[to + 1..], Want::Holder).filter(|id| *id != holder)?;
    let mut named = Vec::new();
    for id in held.into_iter().filter(|id| world.is_seen(*id) && *id != target) {
        if !named.is_empty() {
            named.push(word("and"));
        }
        named.extend(name_tokens(world, id));
    }
    (!named.is_empty()).then(|| [&with_verb("put", &named), &from[to..]].concat())
}

/// `clear the table of everything that is not screwed down`.
pub(super) fn cleared(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [clear, rest @ ..] = clause else { return None };
    if !is_any(clear, &["clear", "strip", "empty", "sweep"]) {
        return None;
    }
    let holder = match rest {
        [off, holder @ ..] if is_any(off, &["off", "up"]) => holder,
        [all, from, holder @ ..]
            if is_any(all, &["everything", "all"]) && is_any(from, &["from", "off"]) =>
        {
            holder
        }
        holder => holder,
    };
    let end = holder.iter().position(|token| is_any(token, &["of", "on", "in", "over"]));
    let end = end.unwrap_or(holder.len());
    // `empty my bag onto the bar`
    if holder.get(end).is_some_and(|next| next.word() != "of") && end + 1 < holder.len() {
        let emptied = entity(world, &holder[..end], Want::Holder);
        let emptied = emptied.filter(|id| world.container(*id).is_some())?;
        let within = world.held_by(Holder::In(emptied));
        let put = ["put", "all", "from"].map(word).into_iter().chain(name_tokens(world, emptied));
        return Some(if within.is_empty() {
            verb_on(world, "search", emptied)
        } else {
            put.chain(holder[end..].iter().cloned()).collect()
        });
    }
    let id = entity(world, &holder[..end], Want::Holder).filter(|id| world.is_seen(*id))?;
    let holds = [Holder::On(id), Holder::In(id)].iter().any(|it| !world.held_by(*it).is_empty());
    let from = ["take", "all", "from"].map(word).into_iter();
    holds.then(|| from.chain(name_tokens(world, id)).collect())
}

/// `roll the trolley through to the ticket hall` tries to take it, so that a fixed thing refuses.
pub(super) fn moved_along(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const MOVING: &[&str] = &[
        "roll", "wheel", "trundle", "drag", "shove", "slide", "haul", "heave", "move", "lug",
        "push",
    ];
    if !MOVING.contains(&word_at(clause, 0)) {
        return None;
    }
    let leads = ["to", "in", "out", "through", "onto", "down", "up", "over", "across"];
    let at = clause.iter().position(|token| is_any(token, &leads)).filter(|at| *at > 1)?;
    let end = clause.len() - clause[at..].iter().rev().take_while(|it| !is_any(it, &leads)).count();
    let goal = entity(world, clause.get(end..)?, Want::Place)?;
    let id = entity(world, &clause[1..at], Want::Any)?;
    let is_fixed = world.thing(id).is_some_and(|thing| thing.fixed) && world.is_seen(id);
    (is_fixed && world.is_place(goal)).then(|| verb_on(world, "take", id))
}

/// Drops `a crack` behind `open`, and ends a sentence before `and into the basket with it`. The parser looks for clauses only
/// afterwards.
pub(super) fn parted(tokens: Vec<Token>) -> Vec<Token> {
    let mut parted: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let is_one_look =
            rest[0].word() == "one" && (1..3).any(|n| LOOKS.contains(&word_at(rest, n)));
        parted.push(if is_one_look {
            word("a")
        } else if parts_telegram(&tokens, at) || parts_with_it(rest) || parts_fronted(rest) {
            Token::Stop(false)
        } else {
            rest[0].clone()
        });
        at += 1 + little_behind(rest);
    }
    parted
}

/// How many words behind `open` say how far: `just a crack`.
fn little_behind(rest: &[Token]) -> usize {
    let just = usize::from(word_at(rest, 1) == "just");
    let is_little = word_at(rest, 0) == "open"
        && ["a", "an"].contains(&word_at(rest, 1 + just))
        && LITTLE.contains(&word_at(rest, 2 + just));
    if is_little { 2 + just } else { 0 }
}

/// `coat off, coat on desk`: returns true for the comma.
fn parts_telegram(tokens: &[Token], at: usize) -> bool {
    tokens[at] == Token::Comma
        && (2..5).contains(&at)
        && is_any(&tokens[at - 1], &["on", "off", "out"])
        && !lexicon::is_verb(word_at(tokens, 0))
        && tokens[at + 1..].iter().any(|token| is_any(token, &["on", "off", "in", "into"]))
}

/// Returns true for the comma before `on my head I put it` and `and out to the platform I march`.
fn parts_fronted(rest: &[Token]) -> bool {
    const LEADS: &[&str] = &[
        "in", "into", "on", "onto", "under", "from", "to", "out", "up", "down", "back", "off",
        "over",
    ];
    const NAMES: &[&str] = &["my", "the", "his", "her", "that", "this", "it", "to"];
    let and = usize::from(word_at(rest, 1) == "and");
    let word = |n: usize| word_at(rest, n + and);
    let is_deed =
        |n: usize| (3..n).all(|at| !word(at).is_empty()) && lexicon::is_verb_form(word(n + 1));
    rest[0] == Token::Comma
        && LEADS.contains(&word(1))
        && NAMES.contains(&word(2))
        && (3..FRONTED_WORDS_MAX).find(|n| word(*n) == "i").is_some_and(is_deed)
}

/// Most words of `, on my best hat I`.
const FRONTED_WORDS_MAX: usize = 7;

/// Returns true for the `and` of `and into the basket with it`, or a comma in its place.
fn parts_with_it(rest: &[Token]) -> bool {
    let word = |n: usize| word_at(rest, n);
    (rest[0] == Token::Comma || word(0) == "and")
        && ["in", "into", "on", "onto"].contains(&word(1))
        && (2..WITH_IT_WORDS_MAX)
            .find(|n| word(*n) == "with")
            .is_some_and(|n| ["it", "them"].contains(&word(n + 1)) && word(n + 2).is_empty())
}

/// Nouns that a player may count: `one last look`.
const LOOKS: &[&str] = &["look", "glance", "peek", "peep"];

/// Most words of `and into the basket with`.
const WITH_IT_WORDS_MAX: usize = 8;

/// How far something is opened.
const LITTLE: &[&str] = &["crack", "bit", "little", "inch", "fraction", "chink", "touch"];

/// Most words between what is held up and who is to see it.
const HELD_WORDS_MAX: usize = 12;

/// `hold the whistle up so that Harold can see it` becomes `show the whistle to Harold`, before the clauses are parted.
pub(super) fn held_for_eyes(mut tokens: Vec<Token>) -> Vec<Token> {
    let Some(can) = tokens.windows(2).position(|two| {
        is_any(&two[0], &["can", "could", "may", "might", "will", "would"])
            && is_any(&two[1], &["see", "read"])
    }) else {
        return tokens;
    };
    let Some(so) = tokens[..can].iter().rposition(|token| token.word() == "so") else {
        return tokens;
    };
    let begins =
        |token: &Token| !matches!(token, Token::Word(_)) || is_any(token, &["and", "then"]);
    let so_end = so - usize::from(so > 0 && tokens[so - 1] == Token::Comma);
    let start = tokens[..so_end].iter().rposition(begins).map_or(0, |at| at + 1);
    let holds = ["hold", "lift", "raise", "wave", "tilt", "turn", "dangle"];
    let verb = (start..so_end).find(|at| holds.contains(&word_at(&tokens, *at)));
    let Some(verb) = verb.filter(|at| so_end - at < HELD_WORDS_MAX) else { return tokens };
    let ways = ["up", "out", "high", "aloft", "around", "round"];
    let object = tokens[verb + 1..so_end].iter().filter(|token| !is_any(token, &ways));
    let who = tokens[so + 1..can].iter().filter(|token| token.word() != "that");
    if has(&tokens[so + 1..can], "i") || object.clone().next().is_none() {
        return tokens;
    }
    let shown = [word("show")].into_iter().chain(object.cloned());
    let shown: Vec<Token> = shown.chain([word("to")]).chain(who.cloned()).collect();
    let it = usize::from(is_any(tokens.get(can + 2).unwrap_or(&Token::Comma), &["it", "them"]));
    tokens.splice(verb..can + 2 + it, shown);
    tokens
}
