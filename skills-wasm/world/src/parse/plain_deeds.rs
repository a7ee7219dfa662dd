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

/// `turn the great key` unlocks what it fits, where that is here and locked.
pub(super) fn key_turned(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (turn, object) = clause.split_first()?;
    let key = *carried(world, object).filter(|_| is_any(turn, &["turn", "twist"]))?.first()?;
    let fits = |id: &NamedId| world.key_of(*id) == Some(key) && suits(world, *id, Want::Locked);
    let lock = world.seen().find(fits)?;
    Some([verb_on(world, "unlock", lock), verb_on(world, "with", key)].concat())
}
