//! Words for things, people and places, and what they mean here.

use crate::{
    entity::{NamedId, NamedKind},
    parse::tokens::Token,
    words,
    world::{Holder, World},
};

/// Most things that one `all` means.
pub const ALL_MAX: usize = 32;

/// Adjectives and titles that may be added to any name.
const HARMLESS: &[&str] = &[
    "old",
    "big",
    "small",
    "little",
    "large",
    "nice",
    "good",
    "damn",
    "bloody",
    "heavy",
    "huge",
    "tiny",
    "other",
    "same",
    "whole",
    "very",
    "mr",
    "mrs",
    "ms",
    "miss",
    "dear",
    "first",
    "last",
    "nearest",
    "strange",
    "new",
    "young",
    "poor",
    "lovely",
    "beautiful",
    "dusty",
    "closed",
    "open",
    "locked",
    "whatever",
    "piece",
    "pair",
    "bit",
    "set",
    "bunch",
    "thing",
    "object",
    "item",
    "entire",
    "own",
    "of",
    "again",
    "here",
    "just",
    "now",
];

/// Words for a man, a woman or anybody.
const MEN: &[&str] = &["man", "guy", "fellow", "gentleman", "sir", "bloke", "chap", "lad"];
const WOMEN: &[&str] = &["woman", "lady", "madam", "girl", "lass", "ma'am", "dame"];
const ANYBODY: &[&str] =
    &["person", "someone", "stranger", "figure", "people", "child", "kid", "one", "somebody"];

/// What a verb would like its object to be. It decides between things of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Anything.
    Any,
    /// Something that can be taken and is not.
    Takable,
    /// Something that the player has.
    Carried,
    /// Something that the player wears.
    Worn,
    /// Something to wear.
    Wearable,
    /// Something that opens and is closed.
    Closed,
    /// Something that is open.
    Open,
    /// Something that is locked.
    Locked,
    /// The key of this, if the player has it.
    KeyOf(NamedId),
    /// A light that is out.
    Unlit,
    /// A light that is lit.
    Lit,
    /// Something to eat.
    Edible,
    /// Something to drink.
    Drinkable,
    /// Something to read.
    Readable,
    /// A person.
    Person,
    /// Something that a person has.
    Owned,
    /// What can hold things.
    Holder,
    /// A place or a door.
    Place,
}

/// What words mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// These, at least one.
    Entities(Vec<NamedId>),
    /// A word of a description.
    Mention(String),
    /// One of several.
    Unclear(Vec<NamedId>),
    /// Nothing that is here.
    Missing(String),
    /// No words at all.
    Nothing,
}

/// Returns true if an entity is what the verb would like.
pub fn suits(world: &World, id: NamedId, want: Want) -> bool {
    let condition = world.conditions[id.0];
    let thing = world.thing(id);
    match want {
        Want::Any => true,
        Want::Takable => {
            thing.is_some_and(|thing| !thing.fixed) && !world.is_held(id) && !is_owned(world, id)
        }
        Want::Carried => world.is_with_player(id),
        Want::Worn => world.holders[id.0] == Holder::Worn,
        Want::Wearable => {
            thing.is_some_and(|thing| thing.wearable) && world.holders[id.0] != Holder::Worn
        }
        Want::Closed => world.is_openable(id) && !condition.open,
        Want::Open => world.is_openable(id) && condition.open,
        Want::Locked => condition.locked,
        Want::KeyOf(lock) => world.key_of(lock) == Some(id),
        Want::Unlit => thing.is_some_and(|thing| thing.light.is_some()) && !condition.lit,
        Want::Lit => condition.lit,
        Want::Edible => thing.is_some_and(|thing| thing.edible),
        Want::Drinkable => thing.is_some_and(|thing| thing.drinkable),
        Want::Readable => thing.is_some_and(|thing| thing.text.is_some()),
        Want::Person => world.entity(id).is_person(),
        Want::Owned => is_owned(world, id),
        Want::Holder => thing.is_some_and(|thing| thing.supporter || thing.container.is_some()),
        Want::Place => world.is_place(id) || world.is_door(id),
    }
}

fn is_owned(world: &World, id: NamedId) -> bool {
    matches!(world.holders[id.0], Holder::Person(person) if !world.conditions[person.0].dead)
}

/// What a noun phrase means: one or several things, pronouns, `all`.
pub fn resolve(world: &World, tokens: &[Token], want: Want) -> Meant {
    let groups = groups(tokens);
    if groups.len() < 2 {
        return groups.first().map_or(Meant::Nothing, |group| resolve_one(world, group, want));
    }
    let mut all = Vec::new();
    let mut missing = None;
    for group in &groups {
        match resolve_one(world, group, want) {
            Meant::Entities(ids) => all.extend(ids),
            Meant::Nothing => {}
            other if missing.is_none() => missing = Some(other),
            _ => {}
        }
    }
    match missing {
        Some(other) if all.is_empty() => other,
        _ => {
            let mut seen = Vec::new();
            all.retain(|id| {
                !seen.contains(id) && {
                    seen.push(*id);
                    true
                }
            });
            all.truncate(ALL_MAX);
            if all.is_empty() { Meant::Nothing } else { Meant::Entities(all) }
        }
    }
}

/// The parts of `the bread, the lantern and the coat`.
fn groups(tokens: &[Token]) -> Vec<&[Token]> {
    let ends = |token: &Token| !matches!(token, Token::Word(word) if word != "and" && word != "or");
    tokens.split(ends).filter(|group| !group.iter().all(|token| token.word().is_empty())).collect()
}

fn resolve_one(world: &World, tokens: &[Token], want: Want) -> Meant {
    let all: Vec<&str> = tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    let mut content: Vec<&str> =
        all.iter().copied().filter(|word| !words::is_hollow(word)).collect();
    if content.is_empty() {
        return match all.as_slice() {
            ["this" | "that" | "these" | "those"] => pronoun(world, "it"),
            _ => Meant::Nothing,
        };
    }
    // A pronoun after a noun says it again: `the lantern, it`.
    if let Some(found) = (content.len() == 1)
        .then(|| pronoun(world, content[0]))
        .filter(|found| *found != Meant::Nothing)
    {
        return if matches!(found, Meant::Missing(_)) {
            only_one(world, want).unwrap_or(found)
        } else {
            found
        };
    }
    // `read what is on the notice` reads the notice.
    if content.len() > 1 && ["what", "whatever"].contains(&content[0]) {
        let skipped = ["what", "whatever", "is", "are", "on", "in", "written"];
        content.retain(|word| !skipped.contains(word));
        if content.is_empty() {
            return Meant::Nothing;
        }
    }
    if ["his", "her", "their"].contains(&content[0]) && content.len() > 1 {
        content.remove(0);
    }
    if content.len() > 1
        && ["all", "every", "both", "each", "two", "three", "any"].contains(&content[0])
    {
        content.remove(0);
        return several(matches(world, &content, want, true));
    }
    let found = matches(world, &content, want, false);
    match found.as_slice() {
        [] => named_elsewhere(world, &content),
        [one] => Meant::Entities(vec![*one]),
        _ => decide(world, found, &content),
    }
}

/// The only thing that suits the verb, where a pronoun has nothing to stand for.
fn only_one(world: &World, want: Want) -> Option<Meant> {
    if [Want::Any, Want::Place, Want::Carried].contains(&want) {
        return None;
    }
    let mut fit = world.seen().filter(|id| suits(world, *id, want));
    let one = fit.next()?;
    fit.next().is_none().then(|| Meant::Entities(vec![one]))
}

fn several(found: Vec<NamedId>) -> Meant {
    if found.is_empty() { Meant::Nothing } else { Meant::Entities(found) }
}

/// Chooses between things of one name.
fn decide(world: &World, found: Vec<NamedId>, content: &[&str]) -> Meant {
    let head = content.last().copied().unwrap_or_default();
    let is_plural = head.ends_with('s') && !head.ends_with("ss");
    let singles = found.iter().filter(|id| !world.entity(**id).plural).count();
    if is_plural && singles == found.len() && !is_person_word(head) {
        return Meant::Entities(found);
    }
    let last: Vec<NamedId> = [&world.last.it, &world.last.him, &world.last.her]
        .into_iter()
        .flatten()
        .filter_map(|name| world.find(name))
        .filter(|id| found.contains(id))
        .collect();
    match last.as_slice() {
        [one] => Meant::Entities(vec![*one]),
        _ => Meant::Unclear(found),
    }
}

fn is_person_word(word: &str) -> bool {
    MEN.contains(&word) || WOMEN.contains(&word) || ANYBODY.contains(&word)
}

/// What a pronoun means; nothing for another word.
pub fn pronoun(world: &World, word: &str) -> Meant {
    let find = |name: &Option<String>| name.as_deref().and_then(|name| world.find(name));
    let last = &world.last;
    let people = || world.people_here();
    let only = |which: &str| {
        let people: Vec<NamedId> =
            people().into_iter().filter(|id| world.entity(*id).pronoun == which).collect();
        if people.len() == 1 { Some(people[0]) } else { None }
    };
    let found = match word {
        "it" | "that" | "this" | "itself" => {
            find(&last.it).or_else(|| last.them.first().and_then(|name| world.find(name)))
        }
        "him" | "he" => find(&last.him).filter(|id| world.is_seen(*id)).or_else(|| only("he")),
        "her" | "she" => find(&last.her).filter(|id| world.is_seen(*id)).or_else(|| only("she")),
        "them" | "they" | "both" | "those" | "these" => {
            let ids: Vec<NamedId> = last.them.iter().filter_map(|name| world.find(name)).collect();
            if !ids.is_empty() {
                return Meant::Entities(ids);
            }
            only("they").or_else(|| find(&last.it)).or_else(|| only("she")).or_else(|| only("he"))
        }
        "there" => find(&last.there),
        "someone" | "somebody" | "anyone" | "everyone" => world.partner(),
        _ => return Meant::Nothing,
    };
    match found {
        Some(id) => Meant::Entities(vec![id]),
        None => Meant::Missing(word.to_owned()),
    }
}

/// The entities that fit the words best.
fn matches(world: &World, content: &[&str], want: Want, is_all: bool) -> Vec<NamedId> {
    let places = || world.ids().filter(|id| world.is_place(*id));
    let present = world.present();
    let mut pool: Vec<NamedId> = present.clone();
    if want == Want::Place {
        pool.extend(places());
    } else {
        pool.push(world.here);
    }
    let mut best = 0;
    let mut found: Vec<(u32, NamedId)> = Vec::new();
    for id in pool {
        let score = score(world, id, content);
        if score == 0 {
            continue;
        }
        // What suits the verb wins over what does not, unless the words are better.
        let score = score + if suits(world, id, want) { 6 } else { 0 };
        best = best.max(score);
        found.push((score, id));
    }
    let enough = if is_all { best.saturating_sub(4) } else { best };
    let mut ids: Vec<NamedId> =
        found.into_iter().filter(|(score, _)| *score >= enough).map(|(_, id)| id).collect();
    ids.dedup();
    ids
}

/// How well the words fit an entity; 0 for not at all.
fn score(world: &World, id: NamedId, content: &[&str]) -> u32 {
    let entity = world.entity(id);
    let mut best = entity
        .names
        .iter()
        .map(|name| name_score(name, &entity.description, content))
        .max()
        .unwrap_or(0);
    if let ([word], NamedKind::Person(_)) = (content, entity.kind) {
        let fits = match entity.pronoun.as_str() {
            "he" => MEN.contains(word),
            "she" => WOMEN.contains(word),
            _ => false,
        };
        if best == 0 && (fits || ANYBODY.contains(word)) {
            best = 4;
        }
    } else if best == 0
        && entity.is_person()
        && content.len() == 2
        && HARMLESS.contains(&content[0])
    {
        best = score(world, id, &content[1..]);
    }
    best
}

fn name_score(name: &[String], description: &str, content: &[&str]) -> u32 {
    let likeness =
        |word: &str| name.iter().map(|known| words::likeness(word, known)).max().unwrap_or(0);
    let joined: String = content.concat();
    let whole: String = name.concat();
    if content.len() != name.len()
        && joined.len() > 4
        && (joined == whole || words::is_typo(&joined, &whole))
    {
        return 20;
    }
    let mut sum = 0;
    let mut any = false;
    for (n, word) in content.iter().enumerate() {
        let is_head = n + 1 == content.len();
        let like = u32::from(likeness(word));
        if like >= 1 {
            any = any || like >= 2 || is_head;
            sum += like * 2;
        } else if is_head && *word == "one" && any {
            sum += 1;
        } else if HARMLESS.contains(word) {
            sum += 0;
        } else if !is_head && words::split(description).iter().any(|known| known == word) {
            sum += 1;
        } else {
            return 0;
        }
    }
    if !any {
        return 0;
    }
    let covered =
        name.iter().all(|known| content.iter().any(|word| words::likeness(word, known) >= 2));
    let is_last = content
        .last()
        .zip(name.last())
        .is_some_and(|(word, known)| words::likeness(word, known) >= 2);
    // One word names both `tomato` and `green tomato`.
    let is_whole = covered && (content.len() > 1 || !is_last);
    sum + if is_whole { 3 } else { 0 } + if is_last { 2 } else { 0 }
}

/// Words that fit nothing here: part of a description, the thing with that part, or something that is elsewhere.
fn named_elsewhere(world: &World, content: &[&str]) -> Meant {
    let text = content.join(" ");
    if let Some((word, _)) = world.mention(&text) {
        return Meant::Mention(word);
    }
    let mut known: Vec<(u32, NamedId)> = world
        .ids()
        .map(|id| (score(world, id, content), id))
        .filter(|(score, _)| *score > 0)
        .collect();
    known.retain(|(_, id)| !matches!(world.entity(*id).kind, NamedKind::Scenery(..)));
    known.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    if let Some((_, id)) = known.first() {
        return Meant::Entities(vec![*id]);
    }
    if content.len() > 1
        && let Some((word, _)) = world.mention(content[content.len() - 1])
    {
        return Meant::Mention(word);
    }
    Meant::Missing(text)
}

/// The thing or door that a word of its description stands for, such as the padlock of a door.
pub fn owner_of_part(world: &World, word: &str, want: Want) -> Option<NamedId> {
    let has = |id: &NamedId| {
        let known = words::split(&world.entity(*id).description);
        known.iter().any(|known| words::likeness(word, known) >= 3)
    };
    let mut owners = world.seen().filter(|id| suits(world, *id, want)).filter(has);
    let one = owners.next()?;
    owners.next().is_none().then_some(one)
}

/// Everything that `all` means for a verb.
pub fn everything(world: &World, want: Want, from: Option<NamedId>) -> Vec<NamedId> {
    let fits = |id: &NamedId| {
        let is_there = match from {
            Some(holder) => [Holder::In(holder), Holder::On(holder), Holder::Person(holder)]
                .contains(&world.holders[id.0]),
            None => true,
        };
        world.entity(*id).is_thing() && suits(world, *id, want) && is_there
    };
    let mut ids: Vec<NamedId> = world.seen().filter(fits).collect();
    if want == Want::Carried {
        ids.retain(|id| world.holders[id.0] == Holder::Carried);
    }
    if want == Want::Takable && from.is_none() {
        // What lies in something that is carried is with the player already.
        ids.retain(|id| !world.is_with_player(*id));
    }
    ids.truncate(ALL_MAX);
    ids
}
