//! Deeds that a construction tells whatever the verb is: `wind the veil about my head`, `coax the wick alight`, `let the note fall`.

use crate::{
    entity::NamedId,
    parse::{
        classes::is_no_verb,
        lexicon,
        nouns::{Meant, Want, carried, in_sight, resolve, suited, suits},
        parts::ClauseParts,
        plain_clause::{hand_to, verb_on, with_verb, word},
        rephrase::person,
        tokens::{Token, has, is_any, is_hollow, word_at},
        want::sole,
    },
    world::{Holder, World},
};

/// `let the note fall to the ground` drops it.
pub(super) fn let_fall(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(first, _)| first.word() == "let")?;
    let at = rest.iter().position(|token| is_any(token, &["fall", "drop", "slip", "go"]))?;
    let object = &rest[..at];
    let is_end = |token: &Token| is_any(token, &["to", "on", "of", "from", "at", "down"]);
    let ends = rest.get(at + 1).is_none_or(is_end);
    carried(world, object).filter(|_| ends && !object.is_empty())?;
    Some(with_verb("drop", object))
}

/// `heave it off the ground` picks it up.
pub(super) fn off_ground(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const HEAVING: &[&str] = &["heave", "lift", "pull", "drag", "hoist", "haul", "pick", "raise"];
    const GROUND: &[&str] = &["ground", "floor", "boards", "flagstones", "tiles", "carpet"];
    let (_, rest) = clause.split_first().filter(|(verb, _)| is_any(verb, HEAVING))?;
    let at = rest.iter().position(|token| is_any(token, &["off", "from"])).filter(|at| *at > 0)?;
    let is_ground = rest.len() <= at + 3 && rest.last().is_some_and(|last| is_any(last, GROUND));
    let object = match &rest[..at] {
        [object @ .., up] if up.word() == "up" => object,
        object => object,
    };
    (is_ground && !object.is_empty()).then(|| with_verb("take", object))
}

/// `buckle the satchel shut` closes it, whatever the verb.
pub(super) fn shut(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, object @ .., shut] = clause else { return None };
    let stays =
        ["keep", "hold", "find", "see", "leave", "is", "be", "have", "stay", "shut", "close"];
    let is_it = is_any(shut, &["shut", "closed"]) && !is_any(verb, &stays);
    let ids = suited(world, object, Want::Open).filter(|_| is_it && !object.is_empty())?;
    ids.iter().all(|id| world.is_openable(*id)).then(|| with_verb("close", object))
}

/// `put the lid back on` closes what was spoken of, or what the clause names.
pub(super) fn lid_put_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [put, rest @ ..] = clause else { return None };
    // `close the lid after me`
    let closes = is_any(put, &["close", "shut", "replace", "lower"]);
    let at = rest.iter().position(|token| is_any(token, &["lid", "cover", "top", "cap"]))?;
    let verbs = ["put", "press", "set", "clap", "push", "drop", "place", "fit", "pop"];
    let lid = &rest[at..=at];
    if !(closes || is_any(put, &verbs)) || at > 1 || suited(world, lid, Want::Takable).is_some() {
        return None;
    }
    let mut behind = &rest[at + 1..];
    while behind.first().is_some_and(|next| is_any(next, &["back", "on", "to", "down", "of"])) {
        behind = &behind[1..];
    }
    if rest.len() == at + 1 && !closes {
        return None;
    }
    let behind = if word_at(behind, 0) == "after" { &[] } else { behind };
    if !behind.is_empty() && word_at(behind, 0) != "it" {
        return suited(world, behind, Want::Open).map(|_| with_verb("close", behind));
    }
    let is_open = |id: &NamedId| world.container(*id).is_some() && world.conditions[id.0].open;
    let around = |id: NamedId| match world.holders[id.0] {
        Holder::In(container) => Some(container),
        _ => None,
    };
    let spoken = || world.spoken_of().into_iter().flat_map(|id| [Some(id), around(id)]).flatten();
    let last = spoken().find(is_open);
    let is_left = |id: &NamedId| is_open(id) && !world.is_with_player(*id);
    let open = world.seen().filter(is_left);
    let only = || sole(open);
    Some(verb_on(world, "close", last.or_else(only)?))
}

/// `lose the scarf`, `make my scarf off` take off what is worn.
pub(super) fn shed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let object = match rest {
        [object @ .., off]
            if off.word() == "off" && is_any(verb, &["make", "have", "get", "do"]) =>
        {
            object
        }
        object if is_any(verb, &["lose", "ditch", "shed"]) => object,
        _ => return None,
    };
    let worn = suited(world, object, Want::Worn)?;
    let is_worn = worn.iter().all(|id| suits(world, *id, Want::Worn));
    is_worn.then(|| with_verb("remove", object))
}

/// `coax the wick alight`, `let there be light`.
pub(super) fn set_alight(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    if let ["be", "light"] | ["there", "be", "light"] | ["let", "there", "be", "light"] =
        clause.iter().map(Token::word).collect::<Vec<_>>().as_slice()
    {
        return Some(vec![word("light")]);
    }
    let [_, object @ .., alight] = clause else { return None };
    let object = match object {
        [object @ .., to] if ["to", "in"].contains(&to.word()) => object,
        object => object,
    };
    let states = ["alight", "aflame", "ablaze", "aglow", "flame", "life"];
    if !is_any(alight, &states) || object.is_empty() {
        return None;
    }
    let is_flame = is_any(alight, &["flame", "life"]);
    match resolve(world, object, Want::Unlit) {
        Meant::Entities(ids) if suits(world, ids[0], Want::Unlit) => {
            Some(with_verb("light", object))
        }
        // The wick of a lamp.
        Meant::Mention(_) | Meant::Missing(_) if !is_flame => Some(vec![word("light")]),
        _ => None,
    }
}

/// `have a good poke about behind the bench` searches there.
pub(super) fn poked_about(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const POKING: &[&str] =
        &["poke", "rummage", "nose", "dig", "feel", "snoop", "root", "ferret", "scout", "hunt"];
    let at = clause.iter().take(4).position(|token| is_any(token, POKING))?;
    let has = word_at(clause, 0) == "have" || word_at(clause, 0) == "take";
    let behind = clause.get(at + 1..)?;
    let (about, object) = behind.split_first()?;
    let leads = ["in", "behind", "under", "among", "on", "through", "near"];
    let leads_in = object.first().is_some_and(|first| is_any(first, &leads)) && object.len() > 1;
    let is_it = at > 0 && has && is_any(about, &["about", "around", "round"]);
    (is_it && leads_in).then(|| with_verb("search", &object[1..]))
}

/// `lock up after me`, `lock it up again`: the only thing here that has a key and is not locked.
pub(super) fn locked_up(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(lock, _)| lock.word() == "lock")?;
    let rest = match rest {
        [it, rest @ ..] if it.word() == "it" => rest,
        rest => rest,
    };
    let little = ["up", "again", "after", "me", "us", "behind", "please", "would", "you", "now"];
    let lockable = |id: &NamedId| world.key_of(*id).is_some() && !world.conditions[id.0].locked;
    if !rest.iter().all(|token| is_any(token, &little))
        || world.spoken_of().is_some_and(|id| lockable(&id))
    {
        return None;
    }
    let found = world.seen().filter(lockable);
    let only = sole(found)?;
    Some(verb_on(world, "lock", only))
}

/// `use the pin as a key to the low door`, `wear the table as a hat`: the thing itself, and not what it stands for.
pub(super) fn used_as(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let at = rest.windows(2).position(|two| two[0].word() == "as" && is_any(&two[1], &["a", "an"]));
    let at = at.filter(|at| *at > 0)?;
    let object = &rest[..at];
    in_sight(world, object)?;
    if is_any(verb, &["wear", "don", "put"]) {
        return Some(with_verb("wear", object));
    }
    let to = rest[at..].iter().position(|token| is_any(token, &["to", "for", "on"]))? + at;
    is_any(verb, &["use", "try", "employ", "take"])
        .then(|| [&with_verb("use", object), &[word("with")][..], &rest[to + 1..]].concat())
}

/// `unlock the door by rubbing my scarf on it`: with the scarf.
pub(super) fn opened_by(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let by = rest.iter().position(|token| token.word() == "by").filter(|at| *at > 0)?;
    let (doing, tool) = rest.get(by + 1..)?.split_first()?;
    let opens = is_any(verb, &["unlock", "open", "light", "break", "force"]);
    if !opens || !doing.word().ends_with("ing") {
        return None;
    }
    let end = tool.iter().position(|token| is_any(token, &["on", "in", "against", "at", "over"]));
    let tool = &tool[..end.unwrap_or(tool.len())];
    carried(world, tool)?;
    Some([clause[..=by].split_last()?.1, &[word("with")], tool].concat())
}

/// `bear the tray away on my shoulders` takes it.
pub(super) fn borne_away(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (bear, rest) = clause.split_first()?;
    let away =
        rest.iter().position(|token| is_any(token, &["away", "off"])).filter(|at| *at > 0)?;
    let is_it = is_any(bear, &["bear", "carry", "haul", "cart", "drag", "lug"]);
    let object = &rest[..away];
    let ends = rest.get(away + 1).is_none_or(|next| is_any(next, &["on", "in", "under", "with"]));
    in_sight(world, object).filter(|_| is_it && ends)?;
    Some(with_verb("take", object))
}

/// `flick the lighter` uses what lights something.
pub(super) fn flicked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (flick, object) = clause.split_first()?;
    let object = match object {
        [on, object @ ..] if on.word() == "on" => object,
        [object @ .., on] if on.word() == "on" => object,
        object => object,
    };
    let id = *in_sight(world, object)
        .filter(|_| is_any(flick, &["flick", "click", "spark", "strike"]))?
        .first()?;
    let is_for = |light: NamedId| {
        let light = world.thing(light).and_then(|thing| thing.light.as_ref());
        light.and_then(|light| light.needs.as_deref()) == Some(world.name(id))
    };
    let has_use = world.thing(id).is_some_and(|thing| !thing.reactions.is_empty());
    (has_use || world.seen().any(is_for)).then(|| with_verb("use", object))
}

/// Reads an unknown verb by its prepositions: `wangle the astrolabe out of the chest` takes it, `smuggle the letter into my pouch`
/// puts it there.
pub(super) fn framed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (verb, rest) = clause.split_first()?;
    let is_name = || world.existing().any(|id| world.has_name_with(id, verb.word()));
    let is_plain = verb.word().len() > 2 && verb.word().chars().all(|c| c.is_ascii_lowercase());
    let is_known = || lexicon::is_verb(verb.word()) || lexicon::corrected(verb.word()).is_some();
    if !is_plain || is_no_verb(verb.word()) || is_hollow(verb) || has(rest, "i") {
        return None;
    }
    let parts = ClauseParts::of(rest);
    if rest.len() < 2 || parts.object.is_empty() || is_name() || is_known() {
        return None;
    }
    let object = parts.object.as_slice();
    let ids = in_sight(world, object)?;
    let are_free = ids.iter().all(|id| suits(world, *id, Want::Takable));
    let are_held = ids.iter().all(|id| world.is_with_player(*id));
    if let Some(from) = parts.after(&["from", "off", "out"]).and_then(|it| in_sight(world, it))
        && are_free
    {
        let is_there = |id: &NamedId| {
            [Holder::In(from[0]), Holder::On(from[0])].contains(&world.holders[id.0])
        };
        return ids.iter().all(is_there).then(|| with_verb("take", object));
    }
    if let Some(to) = parts.after(&["to"]).filter(|_| are_held)
        && let Some(who) = person(world, to).filter(|id| world.is_seen(*id))
    {
        return Some(hand_to(world, "give", object, who));
    }
    let into = parts.after(&["in", "on"]).filter(|_| are_held || are_free)?;
    suited(world, into, Want::Holder).map(|_| with_verb("put", rest))
}
