//! Rewords deeds in which a word far from the verb changes its meaning: `hold the lantern up`, `put my hat straight`, `take her down
//! to the pond`.

use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, resolve, suits},
        plain_clause::{hand_to, name_tokens, with_verb, word},
        rephrase::person,
        tokens::{Token, is_any, word_at},
    },
    world::{Holder, World},
};

/// `feed the goose`, `feed her a handful of barley`: gives what is named, or what the player has for this person.
pub(super) fn fed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [feed, rest @ ..] = clause else { return None };
    if feed.word() != "feed" || rest.iter().any(|token| token.word() == "to") {
        return None;
    }
    let who =
        (1..=rest.len().min(4)).rev().find_map(|end| Some((end, person(world, &rest[..end])?)));
    let (end, who) = who.filter(|(_, id)| world.is_present(*id))?;
    let food = rest[end..].iter().filter(|token| {
        !is_any(token, &["with", "on", "a", "some", "handful", "bit", "little", "piece", "of", ""])
    });
    let food: Vec<Token> = food.take_while(|token| token.word() != "from").cloned().collect();
    let carried = || world.thing_ids().filter(|id| world.is_with_player(*id));
    let is_for_them = |id: &NamedId| world.is_gift_for(*id, who);
    let food: Vec<Token> = match carried().find(is_for_them).filter(|_| food.is_empty()) {
        Some(id) => name_tokens(world, id).collect(),
        None if food.is_empty() => vec![word("food")],
        None => food,
    };
    Some(hand_to(world, "give", &food, who))
}

/// `hold the lantern up high`, of a light in the player's hands, or where nobody is here to be shown something.
pub(super) fn held_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let up = clause.iter().position(|token| is_any(token, &["up", "high", "aloft"]))?;
    let object = clause.get(1..up).filter(|_| word_at(clause, 0) == "hold")?;
    let is_end = clause[up + 1..].iter().all(|token| is_any(token, &["high", "up", "aloft", ""]));
    let Meant::Entities(ids) = resolve(world, object, Want::Carried) else { return None };
    let is_light = |id: &NamedId| suits(world, *id, Want::Lit) || suits(world, *id, Want::Unlit);
    let is_held = ids.iter().all(|id| world.is_with_player(*id));
    let is_seen_by_none = world.people_here().is_empty() || ids.iter().all(is_light);
    (is_end && is_held && is_seen_by_none)
        .then(|| [word("hold"), word("aloft")].into_iter().chain(object.iter().cloned()).collect())
}

/// `answer the phone`, `pick up the receiver`: a telephone that stands there is used.
pub(super) fn telephone_answered(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, object) = match clause {
        [pick, up, object @ ..] | [pick, object @ .., up]
            if pick.word() == "pick" && up.word() == "up" =>
        {
            ("lift", object)
        }
        [verb, object @ ..] => (verb.word(), object),
        [] => return None,
    };
    let last = object.last().map(Token::word).unwrap_or_default();
    if verb == "answer" && last == "door" {
        return Some(with_verb("open", object));
    }
    let is_telephone = ["phone", "telephone", "receiver", "handset", "mobile"].contains(&last);
    if !is_telephone || !["answer", "lift"].contains(&verb) {
        return None;
    }
    let Meant::Entities(ids) = resolve(world, object, Want::Any) else { return None };
    let thing = world.thing(*ids.first()?)?;
    let verb = match verb {
        _ if thing.fixed || thing.reacts_to("use") => "use",
        "answer" => "take",
        _ => return None,
    };
    Some(with_verb(verb, object))
}

/// `poke through the rags`.
pub(super) fn searched_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, through, object @ ..] = clause else { return None };
    let seeks = ["poke", "nose", "go", "pick", "paw", "feel"].contains(&verb.word());
    let goods = ["rags", "papers", "pockets", "drawers", "drawer", "records", "files", "rubbish"];
    let end = object.iter().position(|token| token.word() == "for").unwrap_or(object.len());
    let object = &object[..end];
    let is_heap = object.last().is_some_and(|last| is_any(last, &goods));
    let holds = || match resolve(world, object, Want::Holder) {
        Meant::Entities(ids) => world.is_seen(ids[0]) && world.container(ids[0]).is_some(),
        _ => false,
    };
    (seeks && through.word() == "through" && (is_heap || holds()))
        .then(|| with_verb("search", object))
}

/// `look for tracks in the snow`, `search the yard for clues`: a search of the place, or of what the words name.
pub(super) fn traces_sought(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const TRACES: &[&str] = &[
        "clues",
        "clue",
        "tracks",
        "track",
        "footprints",
        "footprint",
        "prints",
        "traces",
        "trace",
        "evidence",
        "hints",
        "fingerprints",
        "signs",
    ];
    let seeks = ["look", "search", "hunt", "check", "scan"].contains(&word_at(clause, 0));
    let r#for = clause.iter().position(|token| token.word() == "for").filter(|_| seeks)?;
    let sought = clause.get(r#for + 1..)?;
    let at = sought.iter().position(|token| TRACES.contains(&token.word())).filter(|at| *at < 3)?;
    if matches!(resolve(world, &sought[..=at], Want::Any), Meant::Entities(_)) {
        return None;
    }
    let within = match sought.get(at + 1..)? {
        [r#in, place @ ..] if is_any(r#in, &["in", "on", "under", "around", "near", "at"]) => place,
        _ => &clause[1..r#for],
    };
    match resolve(world, within, Want::Any) {
        Meant::Entities(_) if !within.is_empty() => Some(with_verb("search", within)),
        _ => Some(vec![word("search")]),
    }
}

/// `see if there is any bread left`: looks at it, or looks for it in vain.
pub(super) fn whether_any(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [see, r#if, there, is, rest @ ..] = clause else { return None };
    let asks = is_any(see, &["see", "check", "look"])
        && is_any(r#if, &["if", "whether"])
        && there.word() == "there"
        && is_any(is, &["is", "are"]);
    let is_tail = |token: &Token| is_any(token, &["left", "here", "there", "around", "still"]);
    let end = rest.iter().rposition(|token| !is_tail(token)).map_or(0, |at| at + 1);
    let sought = match &rest[..end] {
        [any, sought @ ..] if is_any(any, &["any", "some", "a", "an", "more"]) => sought,
        sought => sought,
    };
    let is_vague = matches!(sought, [] | [_])
        && sought.iter().all(|it| is_any(it, &["anything", "something"]));
    if !asks
        || is_vague
        || sought.iter().any(|token| is_any(token, &["in", "on", "under", "behind"]))
    {
        return None;
    }
    let seen = match resolve(world, sought, Want::Any) {
        Meant::Entities(ids) => world.is_seen(ids[0]),
        _ => false,
    };
    Some(with_verb(if seen { "examine" } else { "find" }, sought))
}

/// `take both of them`: the two that were spoken of, else the only two that lie here for the taking.
pub(super) fn both_taken(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let words: Vec<&str> = clause.iter().map(Token::word).collect();
    match words.as_slice() {
        ["take" | "get" | "grab" | "have", "both"]
        | ["take" | "get" | "grab", "both", "things" | "items"]
        | ["take" | "get" | "grab" | "have", "both", "of", "them" | "those" | "these"]
        | ["pick", "both", "up"]
        | ["pick", "both", "of", "them" | "those" | "these", "up"]
        | ["pick", "up", "both"]
        | ["pick", "up", "both", "of", "them" | "those" | "these"] => {}
        _ => return None,
    }
    let is_free = |id: &NamedId| suits(world, *id, Want::Takable) && !world.is_with_player(*id);
    let named = world.last.them.iter().filter_map(|name| world.find(name));
    let spoken: Vec<NamedId> = named.filter(|id| world.is_seen(*id) && is_free(id)).collect();
    let lying: Vec<NamedId> = world.seen().filter(is_free).collect();
    let loose = Holder::Place(world.here);
    let here = lying.iter().copied().filter(|id| world.holders[id.0] == loose).collect();
    let pair = [spoken, lying, here].into_iter().find(|ids| ids.len() == 2)?;
    let first = [word("take")].into_iter().chain(name_tokens(world, pair[0]));
    Some(first.chain([word("and")]).chain(name_tokens(world, pair[1])).collect())
}
