//! Ways of putting a deed that a plainer clause says too: where somebody goes, what is put into the mouth of the sentence
//! by a body, what is shared, brought and waved.

use crate::{
    entity::NamedId,
    parse::{
        gestures::BODY,
        lexicon,
        nouns::{Meant, Want, resolve, suits},
        plain_clause::{go_to, hand_to, name_tokens, verb_on, with_verb, word},
        rephrase::person,
        tokens::{Token, word_at},
        want::sole,
    },
    words,
    world::World,
};

/// `bring it down on the striker` uses the striker.
pub(super) fn brought_down(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = ["bring", "swing", "slam", "smash", "crash", "let"];
    let on = clause.iter().position(|token| token.word() == "on")?;
    let down = clause[..on].iter().position(|token| token.word() == "down").filter(|at| *at > 1)?;
    if on > down + 2 {
        return None;
    }
    let object = clause.get(on + 1..).filter(|_| verbs.contains(&word_at(clause, 0)))?;
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids)
            if world
                .thing(ids[0])
                .is_some_and(|thing| thing.fixed && !thing.reactions.is_empty()) =>
        {
            Some(with_verb("use", object))
        }
        Meant::Entities(ids) if world.is_openable(ids[0]) => Some(with_verb("smash", object)),
        _ => None,
    }
}

/// `turn the key in the lock` unlocks, whatever is done with the key.
pub(super) fn worked_in_lock(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let works =
        ["jiggle", "wiggle", "work", "turn", "twist", "rattle", "try", "fit", "waggle", "wriggle"];
    let at = clause
        .iter()
        .position(|token| ["in", "on"].contains(&token.word()))
        .filter(|at| *at > 1)?;
    if !works.contains(&word_at(clause, 0)) {
        return None;
    }
    let Meant::Entities(keys) = resolve(world, &clause[1..at], Want::Carried) else { return None };
    let fits = |id: &NamedId| world.key_of(*id) == Some(keys[0]) && suits(world, *id, Want::Locked);
    match super::build::door_like(world, &clause[at + 1..], Want::Locked) {
        Ok(Meant::Entities(locks)) if fits(&locks[0]) && world.is_with_player(keys[0]) => {
            let key = name_tokens(world, keys[0]);
            let lock = with_verb("unlock", &[]).into_iter().chain(name_tokens(world, locks[0]));
            Some(lock.chain([word("with")]).chain(key).collect())
        }
        _ => None,
    }
}

fn has_already(world: &World, object: &[Token]) -> bool {
    match resolve(world, object, Want::Carried) {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            ids.iter().any(|id| world.is_with_player(*id))
        }
        _ => false,
    }
}

/// `bring Dora the cheese roll` brings it to her.
pub(super) fn brought_along(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    let gives = ["give", "hand", "offer", "feed", "pass", "toss"].contains(&verb);
    if !gives && !["bring", "carry", "fetch", "take", "get", "serve", "pour"].contains(&verb)
        || clause.iter().any(|token| ["to", "for"].contains(&token.word()))
    {
        return None;
    }
    for at in (2..clause.len().min(5)).rev() {
        let (name, object) = (&clause[1..at], &clause[at..]);
        if matches!(name.last(), Some(last) if words::is_hollow(last.word())) {
            continue;
        }
        if let Some(who) = person(world, name)
            && !["from", "in", "on", "with", "and", "out", "up", "down"].contains(&object[0].word())
            && let Meant::Entities(ids) = resolve(world, object, Want::Takable)
            && ids.iter().all(|id| world.entity(*id).is_thing() && world.is_seen(*id))
            && !(gives && has_already(world, object))
        {
            return Some(hand_to(world, "bring", object, who));
        }
    }
    None
}

/// Verbs in front of a place that go nowhere.
const STAYING: &[&str] = &[
    "look",
    "peer",
    "peek",
    "gaze",
    "stare",
    "glance",
    "squint",
    "listen",
    "shout",
    "yell",
    "call",
    "point",
    "put",
    "place",
    "throw",
    "toss",
    "speak",
    "talk",
    "whisper",
    "wait",
    "stay",
    "sleep",
    "sit",
    "stand",
    "lie",
    "search",
    "rummage",
    "dig",
    "reach",
    "read",
    "wave",
    "sing",
    "knock",
    "break",
    "force",
    "smash",
    "sneak",
    "creep",
    "tiptoe",
    "hide",
    "jump",
    "leap",
    "dive",
    "ask",
    "find",
    "pour",
    "shine",
    "aim",
    "feel",
    "drop",
    "spit",
    "lean",
    "examine",
    "explore",
    "see",
    "get",
    "change",
    "turn",
    "fall",
    "believe",
    "check",
    "swim",
    "cannonball",
    "plunge",
    "light",
];

/// `clamber out through the skylight`, `sweep into the dining car` go there.
pub(super) fn gone_through(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let ways = ["out", "up", "down", "back", "over", "off", "straight", "right", "myself"];
    let is_self = word_at(clause, 1) == "myself";
    let leads: &[&str] = if is_self {
        &["in", "through", "to", "on"]
    } else {
        &["in", "through", "to", "across", "from"]
    };
    let verb = word_at(clause, 0);
    let skipped = clause.get(1..)?.iter().take_while(|token| ways.contains(&token.word())).count();
    let at = 1 + skipped;
    let lead = word_at(clause, at);
    let is_climb = ["climb", "jump", "leap"].contains(&verb) && lead == "through";
    if !leads.contains(&lead) {
        return None;
    }
    let is_going = lexicon::verbs_at_start(&clause[..1])
        .iter()
        .any(|verb| verb.meaning == lexicon::Meaning::Do(crate::action::Verb::Go));
    if (STAYING.contains(&verb) && !is_climb)
        || (is_going && lead != "through")
        || !lexicon::is_verb(verb)
        || clause.len() > at + 5
    {
        return None;
    }
    match resolve(world, &clause[at + 1..], Want::Place) {
        Meant::Entities(ids) if ids.len() == 1 => {
            let id = ids[0];
            let is_whole = super::nouns::is_wholly_named(world, &clause[at + 1..], Want::Place);
            let is_way =
                (world.is_door(id) && lead != "to") || (world.is_place(id) && id != world.here);
            (is_way && is_whole).then(|| go_to(world, id))
        }
        _ => None,
    }
}

/// `stick my arm down the drain` searches it, `put the ticket between my teeth` keeps it.
pub(super) fn with_body(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    let ways = ["in", "down", "under", "behind", "through", "between", "among", "up"];
    // The arm that goes in.
    if ["stick", "put", "shove", "thrust", "plunge", "slide", "push", "slip", "work", "reach"]
        .contains(&verb)
        && let [_, my, arm, way, object @ ..] = clause
        && ["my", "an", "a", "one", "both"].contains(&my.word())
        && ["arm", "arms", "hand", "hands", "head"].contains(&arm.word())
        && ways.contains(&way.word())
        && !object.is_empty()
        && !object.iter().any(|token| ["pocket", "pockets"].contains(&token.word()))
    {
        return Some(with_verb("search", object));
    }
    let at = clause
        .iter()
        .position(|token| {
            ["between", "behind", "in", "under", "to", "against"].contains(&token.word())
        })
        .filter(|at| *at > 1)?;
    let [my, body] = &clause[at + 1..] else { return None };
    let holds = [
        "hold", "put", "hide", "stick", "tuck", "clutch", "press", "clamp", "place", "keep",
        "carry",
    ];
    if my.word() != "my" || !BODY.contains(&body.word()) || !holds.contains(&verb) {
        return None;
    }
    let object = &clause[1..at];
    let Meant::Entities(ids) = resolve(world, object, Want::Takable) else { return None };
    if ids.iter().all(|id| suits(world, *id, Want::Takable) && !world.is_with_player(*id)) {
        return Some(with_verb("take", object));
    }
    let is_held = ids.iter().all(|id| world.is_with_player(*id));
    (is_held && body.word() != "mouth").then(|| with_verb("keep", &clause[1..]))
}

/// `ease the lid off`, `lift the lid of the crate`.
pub(super) fn by_lid(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    // `open its door`, of a cabinet.
    let is_own = |at: usize| at > 0 && clause[at - 1].word() == "its";
    let is_lid = |at: &usize| match clause[*at].word() {
        "lid" | "cover" => true,
        "door" | "doors" | "hatch" | "flap" => is_own(*at),
        _ => false,
    };
    let lid = (0..clause.len()).find(is_lid)?;
    let verb = word_at(clause, 0);
    let has = |word: &str| clause.iter().any(|token| token.word() == word);
    let opens = [
        "ease", "lift", "prise", "pry", "raise", "pull", "push", "slide", "heave", "take", "throw",
        "tilt", "flip", "work", "remove", "swing", "fling", "wrench", "open",
    ];
    let closes = ["close", "shut", "drop", "replace", "lower", "slam"];
    if !is_own(lid) && world.seen().any(|id| world.has_name_with(id, "lid")) {
        return None;
    }
    let plain =
        if closes.contains(&verb) || (has("shut") || has("on") && ["put", "set"].contains(&verb)) {
            "close"
        } else if opens.contains(&verb) {
            "open"
        } else {
            return None;
        };
    let of = clause.get(lid + 1..).unwrap_or_default();
    let of = match of {
        [off, rest @ ..] if ["off", "up", "back", "open", "away"].contains(&off.word()) => rest,
        rest => rest,
    };
    let object = match of {
        [of, object @ ..] if ["of", "from", "off", "on"].contains(&of.word()) => object,
        _ => &[],
    };
    // What a lid lies on that nobody names is what was spoken of.
    let want = if plain == "open" { Want::Closed } else { Want::Open };
    let id = if object.is_empty() {
        let last = world.spoken_of();
        let fits = |id: &NamedId| world.container(*id).is_some() && suits(world, *id, want);
        let open = world.seen().filter(fits);
        let only = sole(open);
        last.filter(fits).or(only)?
    } else {
        return Some(with_verb(plain, object));
    };
    Some(verb_on(world, plain, id))
}
