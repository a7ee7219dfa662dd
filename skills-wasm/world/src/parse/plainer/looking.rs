//! Wordings that look, read and listen.

use english::WordClass;

use super::rule::{
    PlainerRule::{self, Function},
    pattern,
};
use crate::{
    entity::NamedId,
    parse::{
        described,
        nouns::{Meant, Want, first_meant, resolve, suits},
        people::person,
        plain_clause::{name_tokens, verb_on, with_verb},
        tokens::{Token, before, is_any, is_mark, word_at},
        want::sole,
    },
    world::{Holder, World},
};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    pattern(
        "hold|raise|lift|turn|tilt {seen} up|high? against|to|toward|in the? _? light|sun|sky|window|candle|lamp|fire",
        "examine {seen}",
        "hold the letter up against the grey light",
    ),
    pattern(
        "... at what {readable} says|say|reads [, ...]",
        "read {readable}",
        "have a nosy at what the letter says",
    ),
    pattern(
        "@gaze up|down|over|across|around|out at {text} [, ...]",
        "examine {text}",
        "squint up at the chest",
    ),
    pattern("look closer|nearer [at it]", "examine it", "look closer"),
    pattern(
        "describe the? place|room|scene|surroundings [where|in|here ...]",
        "look",
        "describe the place where I am",
    ),
    // Eyes that go somewhere.
    pattern(
        "cast|sweep|play|swing the|my beam|light|torch|lamp|lantern @over {view}",
        "examine {view}",
        "sweep the beam over the chest",
    ),
    pattern(
        "cast|sweep|play|swing the|my beam|light|torch|lamp|lantern @over ...",
        "look",
        "sweep the beam about me",
    ),
    pattern("cast|run|throw an eye @over {view}", "examine {view}", "cast an eye over the chest"),
    pattern("cast|run|throw an eye @over ...", "look", "cast an eye about the room"),
    pattern(
        "let|allow @mine @eyes ... @over|to {view}",
        "examine {view}",
        "let my eyes wander over the chest",
    ),
    pattern(
        "let|allow @mine @eyes ... @over|to ...",
        "look",
        "let my gaze travel slowly round the camp",
    ),
    pattern(
        "lift|raise|turn|direct|cast|fix|throw|tilt @mine @eyes ... to|at|on|over {view}",
        "examine {view}",
        "lift my eyes to the chest",
    ),
    pattern(
        "lift|raise|turn|direct|cast|fix|throw|tilt @mine @eyes ... to|at|on|over ...",
        "look",
        "turn my gaze to the far horizon",
    ),
    pattern(
        "tell|see|check|know|show|find|say me? out? if|whether ... something|anything ... about|with|on {seen}",
        "examine {seen}",
        "tell me if there is something odd about the chest",
    ),
    pattern(
        "@gaze through|across|over ... at {text}",
        "examine {text}",
        "squint through the gloom at the chest",
    ),
    pattern(
        "spell|read|make|trace|puzzle|work ... its @text ...",
        "read it",
        "spell out its letters",
    ),
    pattern(
        "see|check|learn|discover what {readable} says|say|reads",
        "read {readable}",
        "see what the letter says",
    ),
    pattern(
        "run|cast|let|pass|trail my eye|eyes|gaze|finger down|over|along|across {readable}",
        "read {readable}",
        "run my eye down the letter",
    ),
    pattern(
        "run|cast|let|pass|trail my eye|eyes|gaze|finger down|over|along|across {seen}",
        "examine {seen}",
        "run my finger along the chest",
    ),
    // What is written into a list is looked at first, and a story may then ask whether it is.
    pattern("list the|this|that|these|those {view!}", "examine {view}", "list the chest"),
    Function(described::by_its_use),
    pattern(
        "pretend? to? admire|check|study|fix|straighten|adjust|inspect|examine|smooth|tidy|comb|see|watch \
         my|myself ... in {view}",
        "examine {view}",
        "straighten my hair in the chest",
    ),
    pattern(
        "@looking {unseen} on|in|of|above|below|around|along|over {view}",
        "examine {view}",
        "study the carving on the chest",
    ),
    pattern(
        "@gaze at {unseen} on|in|of|above|below|around|along|over {view}",
        "examine {view}",
        "look at the carving on the chest",
    ),
    pattern(
        "see|check|feel|test|find if|whether {seen} is|are|feels|looks|seems \
         !open|locked|unlocked|closed|shut|lit|empty|there|here|in",
        "examine {seen}",
        "see if the chest is warm",
    ),
    pattern(
        "look|see|check|read how much|many is|are in|on {text}",
        "examine {text}",
        "see how much is in the chest",
    ),
    pattern("look|eye {text} up and down", "examine {text}", "look the guard up and down"),
    pattern(
        "put|press|hold|lay|place|set|lean my|an|one ear to|against|on|by|at {text}",
        "listen to {text}",
        "put my ear against the chest",
    ),
    pattern("read {text} to|for {person}", "read {text}", "read the letter to the guard"),
    pattern("read {text} to|for me|us|myself|everyone", "read {text}", "read the letter to myself"),
    pattern("read {text} all? the? way? through", "read {text}", "read the letter through"),
    pattern(
        "read {text} all the way to the end",
        "read {text}",
        "read the letter all the way to the end",
    ),
    pattern("read {text} through? to the end", "read {text}", "read the letter to the end"),
    pattern(
        "read {text} from beginning|start to end|finish",
        "read {text}",
        "read the letter from start to finish",
    ),
    pattern("read {text} word for word", "read {text}", "read the letter word for word"),
    pattern(
        "how does|do|did {person} look [like|, ...]",
        "examine {person}",
        "how does the guard look",
    ),
    Function(read_who),
    pattern("what does|do {seen} do", "examine {seen}", "what does the chest do"),
    pattern(
        "tell|describe me|us what|how {named} look|looks like",
        "examine {named}",
        "tell me what the chest looks like",
    ),
    pattern(
        "see|read|check|look|find what ... @writing ... @backs",
        "read it",
        "see what somebody wrote on the back",
    ),
    Function(paused_before),
    pattern(
        "see|check|look|watch? what|how does|do|did? {present} looks|look like",
        "examine {present}",
        "see what the guard looks like",
    ),
    pattern("_? _? _? @glance at you|yourself", "examine {partner}", "let me look at you"),
    pattern("see|check|look|watch who is|are -ing", "who is here", "see who is steering"),
    pattern("compare {view} with|to|and ...", "examine {view}", "compare the letter with the card"),
    Function(without_holding),
    pattern("make out what {text} says|say", "read {text}", "make out what the letter says"),
    pattern(
        "make out what is written|printed on {text}",
        "read {text}",
        "make out what is written on the letter",
    ),
    pattern("@gaze from {text}", "examine {text}", "look from the window"),
    pattern(
        "follow|trace|track {text} with my eyes",
        "examine {text}",
        "follow the guard with my eyes",
    ),
    pattern("look up ... in {readable}", "read {readable}", "look up 114 in the letter"),
    pattern(
        "look it|that|them|him|her|this up ... in {readable}",
        "read {readable}",
        "look it up in the letter",
    ),
    pattern("find ... in {readable}", "read {readable}", "find hymn 302 in the letter"),
    pattern("read me|us {text}", "read {text}", "read me the letter"),
    Function(whether_any),
];

/// `read who was here last year` and `read once more what it says` read what was spoken of.
fn read_who(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (read, rest) = clause.split_first()?;
    let rest = match rest {
        [once, more, rest @ ..] if once.word() == "once" && more.word() == "more" => rest,
        [again, rest @ ..] if again.word() == "again" => rest,
        rest => rest,
    };
    let [asks, said @ ..] = rest else { return None };
    let is_it = read.word() == "read" && !said.is_empty() && asks.is(WordClass::ReadQuestion);
    let last = world.spoken_of();
    let last = last.filter(|id| world.is_seen(*id) && suits(world, *id, Want::Readable))?;
    // `read what is on the notice`.
    let names_other =
        first_meant(world, said, Want::Readable).is_some_and(|id| suits(world, id, Want::Readable));
    (is_it && !names_other).then(|| verb_on(world, "read", last))
}

/// `spend a moment in front of the chart`, `pause before the painting` look at it.
fn paused_before(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let verb = word_at(clause, 0);
    if !WordClass::Pause.has(verb) {
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

/// `look at the letter (that) she is holding` looks at the letter, `look at what she has` at what she has.
fn without_holding(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    let (last, rest) = clause.split_last()?;
    let first = rest.first()?.word();
    if !last.is(WordClass::Has) || !english::is_verb(first) || ["what", "who"].contains(&first) {
        return None;
    }
    let is_any = |token: &Token, words: &[&str]| words.contains(&token.word());
    let end = rest.iter().rposition(|token| !is_any(token, &["is", "are", "has", "have"]))? + 1;
    let starts = end.saturating_sub(3).max(2)..end;
    let (start, who) = starts
        .filter(|at| !is_any(&rest[*at], &["what", "that", "which", "whatever"]))
        .find_map(|at| Some((at, person(world, &rest[at..end])?)))?;
    let mut base = rest[..start].to_vec();
    while base.last().is_some_and(|token| is_any(token, &["that", "which"])) {
        base.pop();
    }
    if base.last().is_some_and(|token| is_any(token, &["what", "whatever"])) {
        base.pop();
        let held = world.seen().filter(|id| world.holders[id.0] == Holder::Person(who));
        let one = sole(held);
        base.extend(name_tokens(world, one.unwrap_or(who)));
    }
    Some(base)
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
    let seen = first_meant(world, sought, Want::Any).is_some_and(|id| world.is_seen(id));
    Some(with_verb(if seen { "examine" } else { "find" }, sought))
}
