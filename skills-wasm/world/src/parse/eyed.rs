//! Rewords looks that never say `look`: eyes that come to rest, a pause before a painting, what somebody looks like.

use crate::{
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, in_sight, resolve, suits},
        plain_clause::{verb_on, with_verb, word},
        tokens::{Token, before, is_any, is_mark, word_at},
    },
    world::World,
};

/// `see what somebody wrote on the back` reads the thing that the player named last.
pub(super) fn written_on_back(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const BACKS: &[&str] = &["back", "reverse", "side", "inside", "it", "front", "rear"];
    const WRITING: &[&str] =
        &["written", "wrote", "writing", "printed", "scribbled", "scrawled", "stands", "says"];
    let [see, what, rest @ ..] = clause else { return None };
    let sees = ["see", "read", "check", "look", "find"].contains(&see.word());
    let writes = rest.iter().any(|token| WRITING.contains(&token.word()));
    let is_back = rest.last().is_some_and(|last| BACKS.contains(&last.word()));
    (sees && what.word() == "what" && writes && is_back).then(|| ["read", "it"].map(word).to_vec())
}

/// Most words between the eyes and what they come to rest on.
const WANDERING_WORDS_MAX: usize = 20;

/// `I let my eyes wander over the walls until they come to rest on the poster` becomes `look at the poster`, before the parser drops
/// what follows `until`.
pub(super) fn with_resting_eyes(mut tokens: Vec<Token>) -> Vec<Token> {
    const RESTING: &[&str] =
        &["rest", "rests", "settle", "settles", "fall", "falls", "land", "lands", "linger", "stop"];
    let is_eye = |token: &Token| ["eyes", "eye", "gaze", "glance"].contains(&token.word());
    let Some(eyes) = tokens.iter().position(is_eye) else { return tokens };
    let rests = (eyes + 1..tokens.len().min(eyes + WANDERING_WORDS_MAX)).find(|at| {
        RESTING.contains(&word_at(&tokens, *at))
            && ["on", "upon"].contains(&word_at(&tokens, at + 1))
    });
    let Some(rests) = rests else { return tokens };
    let is_end = |token: &Token| matches!(token, Token::Stop(_) | Token::Quote(_));
    if tokens[eyes..rests].iter().any(is_end) {
        return tokens;
    }
    let begins = |token: &Token| is_mark(token) || token.word() == "and";
    let start = tokens[..eyes].iter().rposition(begins).map_or(0, |at| at + 1);
    tokens.splice(start..rests + 2, ["look", "at"].map(word));
    tokens
}

/// `spend a moment in front of the chart`, `pause before the painting` look at it.
pub(super) fn paused_before(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const PAUSES: &[&str] =
        &["spend", "pause", "stop", "linger", "stand", "halt", "dwell", "tarry"];
    let verb = word_at(clause, 0);
    if !PAUSES.contains(&verb) {
        return None;
    }
    let at = (1..clause.len()).find_map(|at| {
        let leads = [word_at(clause, at), word_at(clause, at + 1), word_at(clause, at + 2)];
        match leads {
            ["in", "front", "of"] => Some(at + 3),
            ["before" | "at", ..] => Some(at + 1),
            _ => None,
        }
    })?;
    let object = before(&clause[at..], is_mark);
    let is_seen = |id: &NamedId| world.is_seen(*id) && !world.is_door(*id);
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) if ids.iter().all(is_seen) => Some(with_verb("examine", object)),
        Meant::Mention(_) => Some(with_verb("examine", object)),
        _ => None,
    }
}

/// `see what this fellow looks like` looks at him.
pub(super) fn what_it_looks_like(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let clause = match clause {
        [see, rest @ ..] if ["see", "check", "look", "watch"].contains(&see.word()) => rest,
        clause => clause,
    };
    let [what, object @ .., looks, like] = clause else { return None };
    let is_it = ["what", "how"].contains(&what.word())
        && ["looks", "look"].contains(&looks.word())
        && like.word() == "like";
    let object = match object {
        [does, object @ ..] if ["does", "do", "did"].contains(&does.word()) => object,
        object => object,
    };
    let is_named = is_it && !object.is_empty();
    match resolve(world, object, Want::Person) {
        Meant::Entities(ids) if is_named && world.is_seen(ids[0]) => {
            Some(verb_on(world, "examine", ids[0]))
        }
        _ => None,
    }
}

/// `let me have a look at you` looks at the one who is spoken to.
pub(super) fn look_at_you(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [.., at, you] = clause else { return None };
    let looks = ["look", "peek", "glance", "gaze", "peep"];
    let is_look = clause.len() <= 5
        && at.word() == "at"
        && ["you", "yourself"].contains(&you.word())
        && clause.iter().any(|token| looks.contains(&token.word()));
    let who = world.partner().filter(|_| is_look)?;
    Some(verb_on(world, "examine", who))
}

/// `see who is steering` lists the people who are here.
pub(super) fn see_who(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [see, who, is, doing] = clause else { return None };
    let is_it = ["see", "check", "look", "watch"].contains(&see.word())
        && who.word() == "who"
        && ["is", "are"].contains(&is.word())
        && doing.word().ends_with("ing");
    is_it.then(|| ["who", "is", "here"].map(word).to_vec())
}

/// `compare the clouds with the card` looks at the clouds.
pub(super) fn compared(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, rest) = clause.split_first().filter(|(verb, _)| verb.word() == "compare")?;
    let with = rest.iter().position(|token| ["with", "to", "and"].contains(&token.word()))?;
    let object = &rest[..with];
    let is_there = match resolve(world, object, Want::Any) {
        Meant::Entities(ids) => world.is_seen(ids[0]),
        Meant::Mention(_) => true,
        _ => false,
    };
    is_there.then(|| with_verb("examine", object))
}

/// Returns true if the player sees the named thing or a description mentions it.
fn is_in_sight(world: &World, tokens: &[Token]) -> bool {
    match resolve(world, tokens, Want::Any) {
        Meant::Entities(ids) => ids.iter().all(|id| world.is_seen(*id)),
        Meant::Mention(_) => true,
        _ => false,
    }
}

/// `study the carving on the beams`, where nothing is said of a carving, looks at the beams.
pub(super) fn part_looked_at(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const LOOKING: &[&str] = &[
        "study",
        "examine",
        "admire",
        "inspect",
        "contemplate",
        "observe",
        "scrutinise",
        "trace",
        "watch",
        "view",
    ];
    const GAZING: &[&str] = &["look", "peer", "gaze", "stare", "squint", "glance", "gawp", "gape"];
    const PLACES: &[&str] = &["on", "in", "of", "above", "below", "around", "along", "over"];
    let (verb, rest) = clause.split_first()?;
    let (verb_len, rest) = match rest {
        [at, rest @ ..] if is_any(verb, GAZING) && at.word() == "at" => (2, rest),
        rest => (1, rest),
    };
    if verb_len == 1 && !is_any(verb, LOOKING) {
        return None;
    }
    let at = rest.iter().position(|token| is_any(token, PLACES)).filter(|at| *at > 0)?;
    let (part, whole) = (&rest[..at], &rest[at + 1..]);
    let is_part = !is_in_sight(world, part) && !whole.is_empty() && is_in_sight(world, whole);
    is_part.then(|| with_verb("examine", whole))
}

/// `see if it is warm`, where no rule knows the state, looks at it.
pub(super) fn state_checked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const KNOWN: &[&str] =
        &["open", "locked", "unlocked", "closed", "shut", "lit", "empty", "there", "here", "in"];
    let [see, r#if, object @ .., is, state] = clause else { return None };
    let asks = is_any(see, &["see", "check", "feel", "test", "find"])
        && is_any(r#if, &["if", "whether"])
        && is_any(is, &["is", "are", "feels", "looks", "seems"])
        && !is_any(state, KNOWN);
    in_sight(world, object).filter(|_| asks).map(|_| with_verb("examine", object))
}

/// `admire my hat in the copper pans`, `pretend to fix my hair in the mirror` look at what mirrors.
pub(super) fn seen_in_mirror(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const GROOMING: &[&str] = &[
        "admire",
        "check",
        "study",
        "fix",
        "straighten",
        "adjust",
        "inspect",
        "examine",
        "smooth",
        "tidy",
        "comb",
        "see",
        "watch",
    ];
    let clause = match clause {
        [pretend, to, rest @ ..] if pretend.word() == "pretend" && to.word() == "to" => rest,
        clause => clause,
    };
    let [verb, my, rest @ ..] = clause else { return None };
    let is_own = is_any(verb, GROOMING) && is_any(my, &["my", "myself"]);
    let at = rest.iter().rposition(|token| token.word() == "in").filter(|_| is_own)?;
    let mirror = &rest[at + 1..];
    (is_in_sight(world, mirror) && !mirror.is_empty()).then(|| with_verb("examine", mirror))
}

/// `get the letter out and see what it says` reads it.
pub(super) fn what_it_says(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [see, what, object @ .., says] = clause else { return None };
    let is_it = is_any(see, &["see", "check", "learn", "discover"])
        && what.word() == "what"
        && is_any(says, &["says", "say", "reads"]);
    match resolve(world, object, Want::Readable) {
        Meant::Entities(ids) if is_it && ids.iter().all(|id| suits(world, *id, Want::Readable)) => {
            Some(with_verb("read", object))
        }
        _ => None,
    }
}

/// `run my eye down the schedule` reads it, or looks at what cannot be read.
pub(super) fn eye_run_over(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [run, my, eye, over, object @ ..] = clause else { return None };
    let is_it = is_any(run, &["run", "cast", "let", "pass", "trail"])
        && my.word() == "my"
        && is_any(eye, &["eye", "eyes", "gaze", "finger"])
        && is_any(over, &["down", "over", "along", "across"]);
    match resolve(world, object, Want::Readable) {
        Meant::Entities(ids) if is_it && ids.iter().all(|id| world.is_seen(*id)) => {
            let is_text = ids.iter().all(|id| suits(world, *id, Want::Readable));
            Some(with_verb(if is_text { "read" } else { "examine" }, object))
        }
        _ => None,
    }
}

/// `let my gaze travel slowly round the camp`, `lift my eyes to the stars` look there.
pub(super) fn gaze_turned(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const EYES: &[&str] = &["eye", "eyes", "gaze", "glance", "head", "look"];
    const OVER: &[&str] = &["round", "around", "over", "across", "along", "about", "through", "up"];
    let [verb, my, eyes, rest @ ..] = clause else { return None };
    // `sweep the beam about me`
    let is_beam = is_any(verb, &["cast", "sweep", "play", "swing"])
        && is_any(my, &["the", "my"])
        && is_any(eyes, &["beam", "light", "torch", "lamp", "lantern"])
        && rest.first().is_some_and(|over| is_any(over, OVER));
    // `cast an eye about the room`
    let is_eye =
        is_any(verb, &["cast", "run", "throw"]) && my.word() == "an" && eyes.word() == "eye";
    if is_beam || is_eye {
        let object = rest.get(1..)?;
        return match in_sight(world, object) {
            Some(ids) if !world.is_place(ids[0]) => Some(with_verb("examine", object)),
            _ => Some(vec![word("look")]),
        };
    }
    if !is_any(my, &["my", "his", "her", "their"]) || !is_any(eyes, EYES) {
        return None;
    }
    let led = if is_any(verb, &["let", "allow"]) {
        rest.iter().position(|token| is_any(token, OVER) || token.word() == "to")?
    } else if is_any(verb, &["lift", "raise", "turn", "direct", "cast", "fix", "throw", "tilt"]) {
        rest.iter().position(|token| is_any(token, &["to", "at", "on", "over"]))?
    } else {
        return None;
    };
    let object = &rest[led + 1..];
    match resolve(world, object, Want::Any) {
        _ if object.is_empty() => Some(vec![word("look")]),
        Meant::Entities(ids) if world.is_place(ids[0]) => Some(vec![word("look")]),
        Meant::Entities(_) | Meant::Mention(_) => Some(with_verb("examine", object)),
        _ => Some(vec![word("look")]),
    }
}

/// `squint through the gloom at the sign` looks at it.
pub(super) fn gazed_through(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const GAZING: &[&str] = &["squint", "peer", "look", "gaze", "stare", "glance", "blink"];
    let (gaze, rest) = clause.split_first()?;
    let through = rest.first().is_some_and(|it| is_any(it, &["through", "across", "over"]));
    let at = rest.iter().rposition(|token| token.word() == "at").filter(|at| *at > 1)?;
    let is_it = is_any(gaze, GAZING) && through && at + 1 < rest.len();
    is_it.then(|| with_verb("examine", &rest[at + 1..]))
}

/// `tell me if there is something odd about the hat` looks at it.
pub(super) fn whether_odd(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let r#if = clause.iter().take(4).position(|token| is_any(token, &["if", "whether"]))?;
    let asks = clause[..r#if].first().is_some_and(|first| {
        is_any(first, &["tell", "see", "check", "know", "show", "find", "say"])
    });
    let rest = &clause[r#if + 1..];
    let is_any_thing = rest.iter().take(3).any(|it| is_any(it, &["something", "anything"]));
    let about = rest.iter().position(|token| is_any(token, &["about", "with", "on"]))?;
    let object = &rest[about + 1..];
    in_sight(world, object).filter(|_| asks && is_any_thing)?;
    Some(with_verb("examine", object))
}

/// `spell out its letters` reads what was spoken of.
pub(super) fn its_letters(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const TEXT: &[&str] =
        &["letters", "words", "text", "writing", "inscription", "lines", "message", "lettering"];
    let at = clause.windows(2).position(|two| two[0].word() == "its" && is_any(&two[1], TEXT))?;
    let reads = is_any(clause.first()?, &["spell", "read", "make", "trace", "puzzle", "work"]);
    (reads && at > 0).then(|| ["read", "it"].map(word).to_vec())
}
