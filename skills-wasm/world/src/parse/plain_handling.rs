//! Rewords deeds in which a word far from the verb changes its meaning: `hold the lantern up`, `put my hat straight`, `take her down
//! to the pond`.

use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, carried, resolve, suits},
        plain_clause::{go_to, hand_to, name_tokens, with_verb, word},
        plainer::PlainerRule,
        rephrase::person,
        tokens::{Token, is_any, word_at},
    },
    world::{Holder, World},
};

/// The clause in plain words.
pub(super) fn plainer(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const RULES: &[PlainerRule] = &[
        fed,
        led_to,
        held_up,
        hung_on_person,
        adjusted,
        spread_out,
        looked_over,
        ear_laid_on,
        telephone_answered,
        searched_through,
        traces_sought,
        both_taken,
        whether_any,
        read_to_the_end,
    ];
    RULES.iter().find_map(|rule| rule(world, clause))
}

/// The place that the words name, where the player is not.
fn other_place(world: &World, tokens: &[Token]) -> Option<NamedId> {
    match resolve(world, tokens, Want::Place) {
        Meant::Entities(ids) => {
            ids.first().copied().filter(|id| world.is_place(*id) && *id != world.here)
        }
        _ => None,
    }
}

fn is_carried(world: &World, tokens: &[Token]) -> bool {
    carried(world, tokens).is_some()
}

/// `feed the goose`, `feed her a handful of barley`: gives what is named, or what the player has for this person.
fn fed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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

/// `take her down to the pond`, `lead the mayor back to the museum`: who is led walks, and so does the player.
fn led_to(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const LEADING: &[&str] =
        &["take", "lead", "bring", "guide", "walk", "escort", "accompany", "usher", "show", "get"];
    let leads = LEADING.contains(&word_at(clause, 0));
    let to = clause
        .iter()
        .position(|token| is_any(token, &["to", "into", "in", "towards", "toward"]))
        .filter(|at| leads && *at > 1)?;
    let ways = ["down", "up", "back", "over", "out", "along", "inside", "straight", "off"];
    let who = &clause[1..to];
    let end = who.iter().rposition(|token| !is_any(token, &ways))? + 1;
    let is_led = person(world, &who[..end]).is_some_and(|id| world.is_present(id));
    let place = other_place(world, &clause[to + 1..]).filter(|_| is_led)?;
    Some(go_to(world, place))
}

/// `hold the lantern up high`, of a light in the player's hands, or where nobody is here to be shown something.
fn held_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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

/// `hang the chain around Dorothea's neck` gives it to her.
fn hung_on_person(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let hangs = ["hang", "put", "place", "lay", "drape", "slip"].contains(&word_at(clause, 0));
    let on = clause
        .iter()
        .position(|token| is_any(token, &["around", "round", "over", "on"]))
        .filter(|at| hangs && *at > 1)?;
    let [who @ .., part] = &clause[on + 1..] else { return None };
    let wearer = person(world, who).filter(|id| world.is_present(*id))?;
    let is_part = is_any(part, &["neck", "shoulders", "head"]);
    let object = &clause[1..on];
    (is_part && is_carried(world, object)).then(|| hand_to(world, "give", object, wearer))
}

/// `put my hat straight`, `set my watch back`.
fn adjusted(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (how, object) = match clause {
        [verb, object @ .., how] if is_any(verb, &["put", "set"]) => (how, object),
        _ => return None,
    };
    let hows = ["straight", "right", "level", "back", "forward", "ahead", "fast", "slow"];
    (is_any(how, &hows) && is_carried(world, object)).then(|| with_verb("adjust", object))
}

/// `spread the form out on the desk` puts it there.
fn spread_out(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let spreads = ["spread", "lay", "fold", "roll", "smooth"].contains(&word_at(clause, 0));
    let out = clause.iter().position(|token| token.word() == "out").filter(|_| spreads)?;
    let (object, rest) = match out {
        1 => {
            let end =
                clause.iter().position(|token| is_any(token, &["on", "next", "beside", "by"]));
            let end = end.unwrap_or(clause.len());
            (clause.get(2..end)?, &clause[end..])
        }
        out => (&clause[1..out], &clause[out + 1..]),
    };
    if object.is_empty() || !is_carried(world, object) {
        return None;
    }
    match word_at(rest, 0) {
        "on" => Some([with_verb("put", object).as_slice(), rest].concat()),
        _ => Some(with_verb("drop", object)),
    }
}

/// `look the mast up and down`, `see how much is in it`.
fn looked_over(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    match clause {
        [look, how, much, is, r#in, object @ ..]
            if is_any(look, &["look", "see", "check", "read"])
                && how.word() == "how"
                && is_any(much, &["much", "many"])
                && is_any(is, &["is", "are"])
                && is_any(r#in, &["in", "on"])
                && !object.is_empty() =>
        {
            Some(with_verb("examine", object))
        }
        [look, object @ .., up, and, down]
            if is_any(look, &["look", "eye"])
                && [up.word(), and.word(), down.word()] == ["up", "and", "down"]
                && !object.is_empty() =>
        {
            Some(with_verb("examine", object))
        }
        _ => None,
    }
}

/// `put my ear against the mast`.
fn ear_laid_on(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, my, ear, on, object @ ..] = clause else { return None };
    let lays = ["put", "press", "hold", "lay", "place", "set", "lean"].contains(&verb.word());
    let is_ear = is_any(my, &["my", "an", "one"]) && ear.word() == "ear";
    let is_on = is_any(on, &["to", "against", "on", "by", "at"]);
    (lays && is_ear && is_on && !object.is_empty())
        .then(|| [word("listen"), word("to")].into_iter().chain(object.iter().cloned()).collect())
}

/// `answer the phone`, `pick up the receiver`: a telephone that stands there is used.
fn telephone_answered(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
fn searched_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
fn traces_sought(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
fn whether_any(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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
fn both_taken(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
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

/// `read it all the way to the end`, `read the letter through`.
fn read_to_the_end(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [read, rest @ ..] = clause else { return None };
    if read.word() != "read" {
        return None;
    }
    // `read the letters to her`
    if let Some(to) = rest.iter().rposition(|token| is_any(token, &["to", "for"]))
        && to > 0
        && (person(world, &rest[to + 1..]).is_some()
            || matches!(&rest[to + 1..], [me] if is_any(me, &["me", "us", "myself", "everyone"])))
    {
        return Some(with_verb("read", &rest[..to]));
    }
    let ends: [&[&str]; 8] = [
        &["all", "the", "way", "to", "the", "end"],
        &["all", "the", "way", "through"],
        &["from", "beginning", "to", "end"],
        &["from", "start", "to", "finish"],
        &["to", "the", "end"],
        &["through", "to", "the", "end"],
        &["word", "for", "word"],
        &["through"],
    ];
    let words: Vec<&str> = rest.iter().map(Token::word).collect();
    let end = ends.iter().find(|end| words.ends_with(end) && words.len() > end.len())?;
    Some(with_verb("read", &rest[..rest.len() - end.len()]))
}

/// `the sandwich is what I want`.
pub(super) fn is_what_i_want(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [object @ .., is, what, i, verb] = clause else { return None };
    let is_it = is.word() == "is" && what.word() == "what" && i.word() == "i";
    let wants = ["want", "need", "take", "eat", "drink", "choose"].contains(&verb.word());
    (is_it && wants && !object.is_empty()).then(|| with_verb(verb.word(), object))
}

/// `look up 114 in the hymn book`, `find hymn 302 in the book` read the book.
pub(super) fn looked_up_in(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let is_looked_up = match clause {
        [look, up, ..] if look.word() == "look" && up.word() == "up" => true,
        [look, it, up, ..] if look.word() == "look" && up.word() == "up" => {
            ["it", "that", "them", "him", "her", "this"].contains(&it.word())
        }
        [find, ..] => find.word() == "find",
        [] => false,
    };
    let at = clause.iter().position(|token| token.word() == "in").filter(|_| is_looked_up)?;
    let book = &clause[at + 1..];
    match resolve(world, book, Want::Readable) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Readable) => {
            Some(with_verb("read", book))
        }
        _ => None,
    }
}
