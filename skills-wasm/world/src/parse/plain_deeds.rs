//! Deeds told by how the body does them: a shoulder against the piano pushes it, a blade driven into somebody is an attack.

use crate::{
    entity::NamedId,
    parse::{
        gestures::BODY,
        lexicon,
        nouns::{Meant, Want, carried, resolve, suited, suits},
        plain_clause::{verb_on, with_verb, word},
        rephrase::person,
        spans::spans,
        tokens::{Token, has, is_any, word_at},
    },
    world::World,
};

fn position(clause: &[Token], known: &[&str]) -> Option<usize> {
    clause.iter().position(|token| known.contains(&token.word())).filter(|at| *at > 1)
}

/// `let ten minutes go by`, `get a few hours of sleep`, `lean against the wall for a while`.
pub(super) fn time_passed(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const UNITS: &[&str] =
        &["minute", "minutes", "hour", "hours", "while", "time", "moment", "moments", "seconds"];
    let unit = clause.iter().position(|token| UNITS.contains(&token.word())).filter(|at| *at > 1);
    let first = word_at(clause, 0);
    let behind = clause.get(1..)?;
    let sleeps = ["sleep", "rest", "shuteye", "kip"].iter().any(|word| has(behind, word));
    if ["get", "catch", "grab", "snatch", "have"].contains(&first)
        && sleeps
        && (unit.is_some() || ["some", "a", "any", "more"].contains(&word_at(clause, 1)))
    {
        return Some(vec![word(if has(clause, "rest") { "wait" } else { "sleep" })]);
    }
    let unit = unit?;
    let passes = ["go", "pass", "slip", "elapse", "tick", "drift", "roll"];
    if ["let", "allow"].contains(&first)
        && clause[unit + 1..].iter().take(3).any(|token| passes.contains(&token.word()))
    {
        return Some(with_verb("wait", &clause[1..=unit]));
    }
    let stays = ["lean", "stand", "lounge", "linger", "hover", "loiter"].contains(&first);
    let r#for = clause[..unit].iter().rposition(|token| token.word() == "for")?;
    (stays && unit + 1 == clause.len()).then(|| with_verb("wait", &clause[r#for..]))
}

/// `fasten the pearls round my own neck`, `stick it on`: what can be worn is worn.
pub(super) fn fastened_on(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const FASTENING: &[&str] = &[
        "fasten", "stick", "clasp", "fix", "gum", "glue", "tie", "pin", "strap", "buckle", "clip",
        "pop", "clap", "hang", "drape", "wrap", "button", "hook", "lace", "settle", "place", "set",
        "arrange", "press",
    ];
    // `pin the badge on my pullover`: the world need not know the pullover.
    const GARMENTS: &[&str] = &[
        "pullover", "jumper", "shirt", "blouse", "lapel", "jacket", "coat", "dress", "chest",
        "sweater", "collar", "sleeve", "hat", "uniform",
    ];
    let verb = word_at(clause, 0);
    let is_known = FASTENING.contains(&verb);
    if !is_known && lexicon::verbs_at_start(clause.get(..1)?).iter().any(is_deed) {
        return None;
    }
    let on = position(clause, &["on", "around", "round", "over", "about"])?;
    // `tilt it low over my eyes`.
    let how = ["low", "down", "firmly", "tightly", "tight", "well", "back"];
    let end = on - usize::from(how.contains(&clause[on - 1].word()) && on > 2);
    let body: Vec<&str> =
        clause[on + 1..].iter().map(Token::word).filter(|word| *word != "own").collect();
    let is_body = match body.as_slice() {
        [] => clause[on].word() == "on",
        [me] => ["me", "myself"].contains(me),
        [my, part] => {
            ["my", "her", "his", "their"].contains(my)
                && (BODY.contains(part) || *part == "neck" || GARMENTS.contains(part))
        }
        _ => false,
    };
    let object = &clause[1..end];
    let is_meant = suited(world, object, Want::Wearable).is_some()
        || is_known && body.len() == 2 && carried(world, object).is_some();
    (is_body && is_meant).then(|| with_verb("wear", object))
}

/// Whether the verb does something else by itself: `search`, `take`.
fn is_deed(verb: &lexicon::ClauseVerb) -> bool {
    use crate::action::Verb;
    match verb.meaning {
        lexicon::Meaning::Do(deed) => {
            ![Verb::Pull, Verb::Push, Verb::Turn, Verb::Wear].contains(&deed)
        }
        lexicon::Meaning::Gesture(_) | lexicon::Meaning::Put | lexicon::Meaning::Lift => false,
        _ => true,
    }
}

/// `take the boots off my feet`.
pub(super) fn off_body(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let off = position(clause, &["off", "from"])?;
    let [my, part] = &clause[off + 1..] else { return None };
    let is_mine = ["my", "her", "his", "the"].contains(&my.word()) && BODY.contains(&part.word());
    // The chest may be one to put things in.
    let is_there = world.seen().any(|id| world.has_name_with(id, part.word()));
    let is_mine = is_mine && !(my.word() == "the" && is_there);
    let object = &clause[1..off];
    (is_mine && suited(world, object, Want::Worn).is_some()).then(|| with_verb("remove", object))
}

/// `set the burning candle down on the floor`, `leave them lying on the floor`.
pub(super) fn set_down(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    let at = match first {
        "set" | "put" | "lay" | "place" => position(clause, &["down"])?,
        "leave" => position(clause, &["lying", "standing", "sitting", "behind"])?,
        _ => return None,
    };
    let object = &clause[1..at];
    let Meant::Entities(ids) = resolve(world, object, Want::Carried) else { return None };
    if !ids.iter().all(|id| world.is_with_player(*id)) {
        return None;
    }
    let rest = clause.get(at + 1..).unwrap_or_default();
    let is_beside = |token: &Token| ["beside", "near", "by"].contains(&token.word());
    let end = rest.iter().position(is_beside).unwrap_or(rest.len());
    let verb = if end == 0 { "drop" } else { "put" };
    Some([with_verb(verb, object).as_slice(), &rest[..end]].concat())
}

/// `slam him against the wall`, `drive the dagger into the troll's side`.
pub(super) fn harmed(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let first = word_at(clause, 0);
    let into = position(clause, &["in", "against", "on", "to", "through", "at"]);
    let throws =
        ["slam", "shove", "hurl", "fling", "throw", "bang", "push", "knock", "smash", "ram"];
    if throws.contains(&first)
        && let Some(who) = clause.get(1..into.unwrap_or(clause.len()))
        && (into.is_some() || ["shove", "slam"].contains(&first))
        && let Some(id) = person(world, who).filter(|id| world.is_present(*id))
    {
        return Some(verb_on(world, "attack", id));
    }
    let drives = ["drive", "plunge", "thrust", "bury", "stick", "sink", "ram", "jab", "run"];
    let into = into.filter(|_| drives.contains(&first))?;
    let Meant::Entities(ids) = resolve(world, &clause[1..into], Want::Carried) else { return None };
    let weapon = *ids.first().filter(|id| world.is_with_player(**id))?;
    let words: Vec<&str> = clause[into + 1..].iter().map(Token::word).collect();
    let found = spans(world, &words, &world.people_here());
    let by_name = found.first().and_then(|span| span.ids.first()).copied();
    let victim = by_name.or_else(|| person(world, clause.get(into + 1..into + 2)?))?;
    Some([verb_on(world, "attack", victim), verb_on(world, "with", weapon)].concat())
}

/// `put my shoulder against the piano` pushes it, `press my nose against the pane` looks at it.
pub(super) fn with_limb(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let at = position(clause, &["against", "to"]).filter(|at| *at < 4)?;
    let object = clause.get(at + 1..).filter(|object| !object.is_empty())?;
    if !["put", "set", "press", "lean", "throw", "brace", "push"].contains(&word_at(clause, 0))
        || !["my", "a", "both"].contains(&word_at(clause, 1))
    {
        return None;
    }
    let Meant::Entities(ids) = resolve(world, object, Want::Any) else { return None };
    let id = *ids.first().filter(|id| world.is_seen(**id))?;
    match clause[at - 1].word() {
        "shoulder" | "shoulders" | "weight" | "back"
            if world.thing(id).is_some_and(|thing| !thing.reactions.is_empty()) =>
        {
            Some(with_verb("push", object))
        }
        "nose" | "face" | "forehead" | "eye" if !world.entity(id).is_person() => {
            Some(verb_on(world, "examine", id))
        }
        _ => None,
    }
}

/// `dig my hand down between the cushions` searches them.
pub(super) fn groped(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const GROPING: &[&str] = &[
        "dig", "stick", "put", "push", "shove", "thrust", "slide", "slip", "run", "plunge", "poke",
        "work", "stretch", "squeeze",
    ];
    const LIMBS: &[&str] = &["hand", "hands", "arm", "finger", "fingers"];
    let limb = clause.iter().position(|token| LIMBS.contains(&token.word()))?;
    let is_mine =
        limb == 2 && ["my", "her", "his", "a", "an", "one", "the"].contains(&word_at(clause, 1));
    let into = ["in", "between", "under", "behind", "beneath", "inside", "among", "underneath"];
    let at = position(clause, &into).filter(|at| (limb + 1..limb + 4).contains(at))?;
    // `in among the thorns`.
    let at = at + usize::from(into.contains(&word_at(clause, at + 1)));
    let object = clause.get(at + 1..).filter(|object| !object.is_empty())?;
    let is_bodily = object
        .last()
        .is_some_and(|last| BODY.contains(&last.word()) || last.word().starts_with("pocket"));
    if !GROPING.contains(&word_at(clause, 0)) || !is_mine || is_bodily {
        return None;
    }
    match resolve(world, object, Want::Any) {
        Meant::Entities(ids) if !world.entity(ids[0]).is_person() => {
            Some(with_verb("search", object))
        }
        Meant::Mention(_) => Some(with_verb("search", object)),
        _ => None,
    }
}

/// `crumble the cake into the pot` puts it there.
pub(super) fn broken_into(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const BREAKING: &[&str] = &[
        "crumble", "crumple", "break", "tip", "scatter", "sprinkle", "empty", "chop", "shred",
        "tear", "pour", "shake", "dump", "lower", "ease", "feed", "squeeze", "cram", "wedge",
    ];
    let into = position(clause, &["in"]).filter(|_| BREAKING.contains(&word_at(clause, 0)))?;
    let (object, holder) = (&clause[1..into], &clause[into + 1..]);
    let Meant::Entities(ids) = resolve(world, object, Want::Carried) else { return None };
    let is_free = |id: &NamedId| world.is_with_player(*id) || suits(world, *id, Want::Takable);
    let fits = suited(world, holder, Want::Holder).is_some() && ids.iter().all(is_free);
    fits.then(|| with_verb("put", &clause[1..]))
}

/// `glance at my watch`, where nobody has one.
pub(super) fn on_watch(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let watch = ["watch", "wristwatch", "pocketwatch"];
    let is_watch = |token: &Token| watch.contains(&token.word());
    let looks = ["look", "glance", "check", "consult", "examine", "peek", "peer"];
    let is_mine = clause.windows(2).any(|two| two[0].word() == "my" && is_watch(&two[1]));
    let is_named =
        || world.existing().any(|id| watch.iter().any(|word| world.has_name_with(id, word)));
    (looks.contains(&word_at(clause, 0)) && is_mine && !is_named()).then(|| vec![word("time")])
}

/// `go below`, where nothing follows: that word has become `under`.
pub(super) fn below(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, under] = clause else { return None };
    let goes = ["go", "come", "get", "head", "climb", "step", "walk", "run", "hurry", "slip"];
    let is_below = goes.contains(&verb.word()) && under.word() == "under";
    is_below.then(|| ["go", "down"].map(word).to_vec())
}

/// `get past Percy and up the ladder`.
pub(super) fn past_person(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let [verb, past, rest @ ..] = clause else { return None };
    let moves = [
        "get", "squeeze", "push", "move", "go", "walk", "slide", "dodge", "step", "climb", "jump",
        "leap", "hop",
    ];
    let who = (1..=rest.len().min(4)).rev().find_map(|end| person(world, &rest[..end]));
    let is_past =
        moves.contains(&verb.word()) && ["past", "by", "around", "over"].contains(&past.word());
    who.filter(|id| is_past && world.is_present(*id))?;
    Some([word("sneak"), word("past")].into_iter().chain(rest.iter().cloned()).collect())
}

/// `swipe the card through the slot`, `turn the key in its lock`: the key unlocks what it fits.
pub(super) fn key_worked(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    const WORKING: &[&str] = &[
        "swipe", "insert", "slide", "run", "wave", "tap", "press", "hold", "turn", "twist", "put",
        "push", "fit", "slot", "slip", "draw", "pass", "use", "try", "stick",
    ];
    const LOCKS: &[&str] =
        &["lock", "padlock", "keyhole", "slot", "reader", "scanner", "sensor", "panel", "hole"];
    let at = position(clause, &["in", "through", "across", "over", "against", "to", "on", "at"])?;
    let is_lock = clause.last().is_some_and(|last| LOCKS.contains(&last.word()));
    if !is_lock || !WORKING.contains(&word_at(clause, 0)) {
        return None;
    }
    let Meant::Entities(keys) = resolve(world, &clause[1..at], Want::Carried) else { return None };
    let key = *keys.first().filter(|id| world.is_with_player(**id))?;
    let fits = |id: &NamedId| world.key_of(*id) == Some(key) && suits(world, *id, Want::Locked);
    let lock = world.seen().find(fits)?;
    Some([verb_on(world, "unlock", lock), verb_on(world, "with", key)].concat())
}

/// `get the lantern going with the lighter` lights it; what gives no light is used.
pub(super) fn got_going(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let going = ["going", "started", "burning", "lit", "running", "working", "alight"];
    let (get, rest) = clause.split_first()?;
    let at = rest.iter().position(|token| is_any(token, &going)).filter(|at| *at > 0)?;
    let (object, with) = (&rest[..at], &rest[at + 1..]);
    let ends = with.first().is_none_or(|next| next.word() == "with");
    if !is_any(get, &["get", "have", "set"]) || !ends {
        return None;
    }
    let Meant::Entities(ids) = resolve(world, object, Want::Unlit) else { return None };
    let id = *ids.first().filter(|id| world.is_seen(**id) && world.thing(**id).is_some())?;
    let verb = if suits(world, id, Want::Unlit) { "light" } else { "use" };
    Some([&with_verb(verb, object), with].concat())
}

/// `board the houseboat` goes there.
pub(super) fn boarded(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (_, vessel) = clause.split_first().filter(|(board, _)| board.word() == "board")?;
    match resolve(world, vessel, Want::Place) {
        Meant::Entities(ids) if world.is_place(ids[0]) => Some(with_verb("go", vessel)),
        _ => None,
    }
}

/// `turn the great key` unlocks what it fits, where that is here and locked.
pub(super) fn key_turned(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (turn, object) = clause.split_first()?;
    let key = *carried(world, object).filter(|_| is_any(turn, &["turn", "twist"]))?.first()?;
    let fits = |id: &NamedId| world.key_of(*id) == Some(key) && suits(world, *id, Want::Locked);
    let lock = world.seen().find(fits)?;
    Some([verb_on(world, "unlock", lock), verb_on(world, "with", key)].concat())
}

/// `swing the door wide`, `fling the gate wide open` open it.
pub(super) fn swung_wide(_: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verbs = ["swing", "fling", "throw", "push", "pull", "open", "draw", "haul"];
    let (_, rest) = clause.split_first().filter(|(verb, _)| is_any(verb, &verbs))?;
    let object = match rest {
        [object @ .., wide] if wide.word() == "wide" => object,
        [object @ .., wide, open] if wide.word() == "wide" && open.word() == "open" => object,
        _ => return None,
    };
    (!object.is_empty()).then(|| with_verb("open", object))
}
