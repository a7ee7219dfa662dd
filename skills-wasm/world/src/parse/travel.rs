//! Ways to say where to go, and how long to wait.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::{NamedId, NamedKind},
    parse::{
        built::{self, Built},
        lexicon::ClauseVerb,
        meaning::Trouble,
        nouns::{Meant, Want, pronoun, resolve, suits},
        parts::ClauseParts,
        tokens::{Token, is_hollow, text_of},
    },
    world::World,
};

/// The only direction among the words.
pub(super) fn direction(tokens: &[Token]) -> Option<&'static str> {
    let mut found = None;
    for token in tokens {
        let word = token.word();
        match WordClass::Direction.find(word) {
            // `go back down` goes down.
            Some(known) if found.is_none() || found == Some("back") => found = Some(known),
            Some(_) => {}
            None if word.is_empty()
                || WordClass::HollowInDirection.has(word)
                || ["to", "toward", "back", "go"].contains(&word) => {}
            None => return None,
        }
    }
    found
}

/// A way to go: `north`, `f`, `down to the pit`.
pub(super) fn read_way(world: &World, stripped: &[Token]) -> Option<Action> {
    if let Some(direction) = direction(stripped)
        && (stripped.len() == 1
            || stripped.iter().all(|token| !["in", "out"].contains(&token.word())))
    {
        return Some(Action::toward(direction));
    }
    match stripped {
        [one] if one.word() == "f" => Some(Action::toward("forward")),
        [one] if one.word() == "b" => Some(Action::toward("back")),
        [way, to, rest @ ..] if way.is(WordClass::Direction) && to.word() == "to" => {
            match resolve(world, rest, Want::Place) {
                Meant::Entities(ids) if world.is_place(ids[0]) => {
                    Some(Action::on(Verb::Go, world.name(ids[0])))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns true if the words are the name of a place, word for word: `signal cabin`.
pub(super) fn is_place_name(world: &World, clause: &[Token]) -> bool {
    is_name_of_any(world, clause, world.place_ids())
}

/// Returns true if one of these has the words as a name.
fn is_name_of_any(world: &World, words: &[Token], mut ids: impl Iterator<Item = NamedId>) -> bool {
    let is_it =
        |name: &Vec<String>| name.iter().map(String::as_str).eq(words.iter().map(Token::word));
    ids.any(|id| world.names(id).iter().any(is_it))
}

pub(super) fn go(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    match plain_going(verb) {
        Some((verb, parts)) => gone(world, &verb, &parts),
        None => gone(world, verb, parts),
    }
}

/// The verb with the words of the way among those that follow: `wander over to the window` goes over to it.
fn plain_going(verb: &ClauseVerb) -> Option<(ClauseVerb, ClauseParts)> {
    let known =
        WordClass::Toward.has(verb.phrase.as_str()) || WordClass::Leaving.has(verb.phrase.as_str());
    let (_, tail) = verb.phrase.split_once(' ').filter(|_| !known)?;
    if !tail.split(' ').all(|word| WordClass::WayWord.has(word)) {
        return None;
    }
    let said = tail.split(' ').filter(|word| !["myself", "way"].contains(word));
    let tail = said.map(Token::of);
    let rest: Vec<Token> = tail.chain(verb.rest.iter().cloned()).collect();
    let parts = ClauseParts::of(&rest);
    Some((ClauseVerb { phrase: "go".to_owned(), rest, ..verb.clone() }, parts))
}

fn gone(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Built {
    let leaves = WordClass::Leaving.has(verb.phrase.as_str());
    let descends = match verb.phrase.as_str() {
        "descend" => Some("down"),
        "ascend" => Some("up"),
        "enter" | "go in" | "get in" | "walk in" | "step in" => Some("in"),
        "return" | "go back" | "get back" => Some("back"),
        "advance" => Some("forward"),
        _ if leaves || verb.phrase.ends_with(" out") => Some("out"),
        phrase if phrase.ends_with(" in") => Some("in"),
        phrase if phrase.ends_with(" back") => Some("back"),
        _ => None,
    };
    let stop = verb.rest.iter().position(|token| token.word() == "with").unwrap_or(verb.rest.len());
    let rest: Vec<Token> = verb.rest[..stop].to_vec();
    if rest.iter().all(|token| {
        token.word().is_empty() || ["here", "now", "there", "away"].contains(&token.word())
    }) {
        return without_goal(world, descends, &rest);
    }
    if let Some(built) = by_parts(world, verb, parts) {
        return built;
    }
    // `back to where I came from`.
    if ["came", "come", "was", "were"]
        .iter()
        .any(|word| rest.iter().any(|token| token.word() == *word))
    {
        return Ok(vec![Action::toward("back")]);
    }
    let noun = noun_of(&verb.rest);
    if noun.is_empty() {
        let is_through = rest.iter().any(|token| token.word() == "through");
        if let Some(door) = world.door_spoken_of().filter(|_| is_through) {
            return Ok(vec![Action::on(Verb::Go, world.name(door))]);
        }
        let descends = descends.or(is_through.then_some("in"));
        let way = direction(&rest).or(descends);
        return way.map(|way| vec![Action::toward(way)]).ok_or(Trouble::Unknown);
    }
    if let Some(way) = stairs(world, &noun, &rest) {
        return Ok(vec![Action::toward(way)]);
    }
    // Who leaves the office leaves this one, whatever other offices there are.
    if leaves && (is_named(world, world.here, &noun)) {
        return Ok(vec![Action::toward(world.way_out())]);
    }
    let meant = if is_generic(&noun) {
        Meant::Missing("room".to_owned())
    } else {
        elsewhere(world, &noun, resolve(world, &noun, Want::Place))
    };
    to_meant(world, verb, meant, GoWords { leaves, way: descends, rest: &rest, noun: &noun })
}

/// What the parts of the clause decide alone: `leave the letter here`, `go through the washing`, `through the hall to the
/// kitchen`.
fn by_parts(world: &World, verb: &ClauseVerb, parts: &ClauseParts) -> Option<Built> {
    // `leave the letter here` puts it down.
    if verb.phrase == "leave"
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Carried)
        && ids.iter().all(|id| {
            let is_laid = parts.after(&["on", "in"]).is_some() && suits(world, *id, Want::Takable);
            world.is_with_player(*id) || (is_laid && world.is_seen(*id))
        })
    {
        return Some(super::putting::put(world, parts));
    }
    // `go through the washing` looks for what is in it.
    if verb.phrase == "go"
        && let Some(through) = parts.after(&["through"])
        && parts.after.len() == 1
        && let Meant::Entities(ids) = resolve(world, through, Want::Any)
        && world.entity(ids[0]).is_thing()
    {
        return Some(built::for_each(world, Verb::Search, Meant::Entities(ids)));
    }
    // `step into the galoshes`.
    if ["step in", "get in", "step"].contains(&verb.phrase.as_str())
        && let Meant::Entities(ids) = resolve(world, parts.first(), Want::Wearable)
        && suits(world, ids[0], Want::Wearable)
        && world.is_seen(ids[0])
    {
        return Some(built::for_each(world, Verb::Wear, Meant::Entities(ids)));
    }
    // `through the hall to the kitchen` goes to the kitchen.
    let by = parts.after(&["through", "past", "across", "along", "via", "by"]);
    let goal = parts.after(&["to"]).or_else(|| by.and_then(|_| parts.after(&["in", "on"])));
    if let Some(to) = goal
        && (parts.after.len() > 1 || !parts.object.is_empty())
        && let Meant::Entities(ids) = elsewhere(world, to, resolve(world, to, Want::Place))
        && world.is_place(ids[0])
        && ids[0] != world.here
    {
        return Some(Ok(vec![Action::on(Verb::Go, world.name(ids[0]))]));
    }
    None
}

/// What a sentence of going says beside its verb.
struct GoWords<'a> {
    /// It says to leave.
    leaves: bool,
    /// The direction in the verb.
    way: Option<&'static str>,
    rest: &'a [Token],
    noun: &'a [Token],
}

/// `go`, `go there`, `descend`.
fn without_goal(world: &World, way: Option<&str>, rest: &[Token]) -> Built {
    if rest.iter().any(|token| token.word() == "there")
        && let Meant::Entities(ids) = pronoun(world, "there")
    {
        return Ok(vec![Action::on(Verb::Go, world.name(ids[0]))]);
    }
    match way {
        Some(way) => Ok(vec![Action::toward(way)]),
        None if rest.is_empty() => Ok(vec![Action::new(Verb::Go)]),
        None => Err(Trouble::Unknown),
    }
}

/// To what the words name, as far as they name anything.
fn to_meant(world: &World, verb: &ClauseVerb, meant: Meant, words: GoWords<'_>) -> Built {
    let GoWords { leaves, way: descends, rest, noun } = words;
    let ways = || rest.iter().filter_map(|token| WordClass::Direction.find(token.word()));
    let has_way = ways().find(|way| world.has_way(way)).or_else(|| ways().next());
    match meant {
        Meant::Entities(ids)
            if ids == [world.here]
                && (leaves || verb.rest.iter().any(|t| ["out", "from"].contains(&t.word()))) =>
        {
            Ok(vec![Action::toward("out")])
        }
        Meant::Entities(ids) => {
            let id = ids[0];
            let is_scenery = matches!(world.entity(id).kind, NamedKind::Scenery(..));
            // A gate that is also called `lane` leads there; to a window one only walks up.
            if is_scenery && world.is_seen(id) && WordClass::Toward.has(verb.phrase.as_str()) {
                let is_along =
                    verb.phrase == "follow" || rest.iter().any(|token| token.is(WordClass::Along));
                let is_to = rest.iter().any(|token| token.word() == "to");
                match world.place_behind(id) {
                    Some(place) if is_along && !is_to => {
                        return Ok(vec![Action::on(Verb::Go, world.name(place))]);
                    }
                    _ if !is_along || is_to || verb.phrase == "follow" => {
                        return Ok(vec![Action::on(Verb::Examine, world.name(id))]);
                    }
                    _ => {}
                }
            }
            if world.is_place(id) || world.is_door(id) || is_approach(verb, rest) {
                return Ok(vec![Action::on(Verb::Go, world.name(id))]);
            }
            if verb.phrase == "enter" || verb.phrase == "go in" {
                return Ok(vec![Action::on(Verb::Search, world.name(id))]);
            }
            Err(Trouble::Unknown)
        }
        Meant::Unclear(ids) => Err(Trouble::Unclear(ids)),
        _ if is_any_place(noun) => {
            let way = has_way.or(descends).unwrap_or("out");
            Ok(vec![Action::toward(way)])
        }
        // `walk up to the woman`, where there is none.
        Meant::Missing(words) if is_up_to(rest, noun) => missed(words),
        // A place that no one has heard of, or a word of a description: the direction counts.
        Meant::Mention(_) | Meant::Missing(_) if has_way.is_some_and(|way| way != "in") => {
            Ok(vec![Action::toward(has_way.unwrap_or("out"))])
        }
        Meant::Mention(word) => Ok(vec![Action::on(Verb::Examine, &word)]),
        Meant::Missing(words) => missed(as_typed(rest, noun).unwrap_or(words)),
        Meant::Nothing => Err(Trouble::Unknown),
    }
}

fn missed(words: String) -> Built {
    Ok(vec![Action { missing: Some(words), ..Action::new(Verb::Go) }])
}

/// Returns true if one goes up to something: `saunter up to the bar`.
fn is_approach(verb: &ClauseVerb, rest: &[Token]) -> bool {
    let is_way = |token: &&Token| {
        token.is(WordClass::Direction) || ["over", "across"].contains(&token.word())
    };
    let before = rest.iter().take_while(is_way).count();
    WordClass::Toward.has(verb.phrase.as_str())
        || rest.get(before).is_some_and(|token| token.word() == "to")
}

/// The noun with the words between its own: `sound of water`.
fn as_typed(rest: &[Token], noun: &[Token]) -> Option<String> {
    let start = rest.iter().position(|token| Some(token) == noun.first())?;
    let end = rest.iter().position(|token| Some(token) == noun.last())?;
    let words = rest.get(start..=end)?;
    words.iter().any(|token| token.word() == "of").then(|| text_of(words))
}

/// Returns true for `up to the woman`: the way is no way, but leads to somebody.
fn is_up_to(rest: &[Token], noun: &[Token]) -> bool {
    let leads = rest.windows(2).any(|two| {
        ["up", "over", "down", "back"].contains(&two[0].word()) && two[1].word() == "to"
    });
    leads && noun.last().is_some_and(|last| super::trades::may_be_anybody(last.word()))
}

/// Returns true if the words are in a name of the place.
fn is_named(world: &World, place: NamedId, words: &[Token]) -> bool {
    let has = |name: &Vec<String>| {
        words.iter().all(|token| name.iter().any(|known| known == token.word()))
    };
    !words.is_empty() && world.names(place).iter().any(has)
}

/// `the room`: this one or the next, which only a direction can say.
fn is_generic(noun: &[Token]) -> bool {
    noun.iter().all(|token| ["room", "place", "building", "area", "house"].contains(&token.word()))
}

/// Where one place of several is meant, it is not the one where the player is.
fn elsewhere(world: &World, noun: &[Token], meant: Meant) -> Meant {
    match meant {
        Meant::Unclear(mut ids) => {
            ids.retain(|id| *id != world.here);
            // Of `office` and `post office` the first is meant.
            let exact = |id: &NamedId| {
                world.names(*id).iter().any(|name| {
                    name.len() == noun.len() && name.iter().zip(noun).all(|(a, b)| a == b.word())
                })
            };
            if ids.iter().filter(|id| exact(id)).count() == 1 {
                ids.retain(exact);
            }
            if ids.len() == 1 { Meant::Entities(ids) } else { Meant::Unclear(ids) }
        }
        other => other,
    }
}

/// What the words mean where somebody goes.
pub(super) fn goal_meant(world: &World, tokens: &[Token]) -> Meant {
    let content: Vec<Token> = tokens.iter().filter(|token| !is_hollow(token)).cloned().collect();
    if !content.is_empty() && is_generic(&content) {
        return Meant::Missing("room".to_owned());
    }
    elsewhere(world, &content, resolve(world, tokens, Want::Place))
}

/// The words of a phrase behind its first: `over to` of `wander over to`.
pub(super) fn tail_of(phrase: &str) -> impl Iterator<Item = Token> {
    let said = phrase.split(' ').skip(1).filter(|word| !["myself", "way"].contains(word));
    said.map(Token::of)
}

/// The only direction that a clause says, or that of the stairs that it names.
pub(super) fn way(world: &World, verb: &ClauseVerb) -> Option<&'static str> {
    if verb.rest.is_empty() {
        return None;
    }
    let noun = noun_of(&verb.rest);
    let stop = verb.rest.iter().position(|token| token.word() == "with");
    let rest = &verb.rest[..stop.unwrap_or(verb.rest.len())];
    let said: Vec<Token> = tail_of(&verb.phrase).chain(rest.iter().cloned()).collect();
    match noun.is_empty() {
        true => direction(&said),
        false => stairs(world, &noun, &said),
    }
}

/// A direction among the words of a clause, rather one that leads somewhere.
pub(super) fn some_way(world: &World, verb: &ClauseVerb) -> Option<&'static str> {
    let ways = || verb.rest.iter().filter_map(|token| WordClass::Direction.find(token.word()));
    ways().find(|way| world.has_way(way)).or_else(|| ways().next())
}

/// The place or door that the words name, other than where the player is: of `stage` and `stage door` the first.
pub(super) fn goal(world: &World, tokens: &[Token]) -> Option<NamedId> {
    let content: Vec<Token> =
        tokens.iter().filter(|token| !crate::words::is_hollow(token.word())).cloned().collect();
    match elsewhere(world, &content, resolve(world, &content, Want::Place)) {
        Meant::Entities(ids) => ids
            .first()
            .copied()
            .filter(|id| *id != world.here && (world.is_place(*id) || world.is_door(*id))),
        _ => None,
    }
}

fn is_any_place(noun: &[Token]) -> bool {
    let mut content = noun.iter().map(Token::word).filter(|word| !crate::words::is_hollow(word));
    content.all(|word| WordClass::AnyPlace.has(word))
}

/// The words that may name a place: without prepositions and directions.
pub(super) fn noun_of(rest: &[Token]) -> Vec<Token> {
    let stop = rest.iter().position(|token| token.word() == "with").unwrap_or(rest.len());
    let kept = rest[..stop].iter().filter(|token| {
        let word = token.word();
        !word.is_empty()
            && !WordClass::BeforePlaceName.has(word)
            && !WordClass::Direction.has(word)
            && !crate::words::is_hollow(word)
    });
    kept.cloned().collect()
}

/// Stairs lead where the only exit up or down leads.
pub(super) fn stairs(world: &World, noun: &[Token], rest: &[Token]) -> Option<&'static str> {
    let is_stairs = noun.last().is_none_or(|token| token.is(WordClass::StairsWord));
    if !is_stairs {
        return None;
    }
    let said = rest.iter().find_map(|token| WordClass::UpOrDown.find(token.word()));
    // `go to the opera steps` goes to the place of that name.
    let is_there = || {
        let named: Vec<Token> = noun.iter().filter(|token| !is_hollow(token)).cloned().collect();
        is_name_of_any(world, &named, world.place_ids().filter(|id| *id != world.here))
    };
    let only = || ["up", "down"].into_iter().find(|way| world.has_way(way)).filter(|_| !is_there());
    said.or_else(only)
}
